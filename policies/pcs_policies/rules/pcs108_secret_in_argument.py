"""No argument is a secret.

What it checks
    No element of `arguments` is marked as sensitive, has the format of a credential (AWS keys, private keys, tokens
    of known issuers, a password in a URL), is the literal value of a flag that names a secret (`--password`,
    `--token`, `--api-key`, `DB_PASSWORD=`), or looks like a key that a machine drew. What names a secret is fine: an
    ARN, a path, a `{{resolve:...}}` reference, `--secret-arn`, `--secret-name`, `--password-parameter`. So are
    digests and ids. The message tells what kind it is and how long, never the value.

Why
    Arguments are shown in clear by the API, the console, the plan and the state, and on the node to every user who
    lists processes.

Fix
    Pass the name of the secret, and let the script fetch it with the role of the node from AWS Secrets Manager or
    Parameter Store. Then change the secret: it has been published.

Sources
    PCS user guide, cng-node-lifecycle-actions-best-practices (never pass secrets as arguments) and
    cng-node-lifecycle-actions-vetted-scripts (`--secret-arn` of configure-ldaps).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pcs_policies.document import Leaf, Node, Script, Template
from pcs_policies.redaction import label, quote, secret_flag
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.rules.secrets import describe, find, length, looks_random
from pcs_policies.settings import Settings

ID = "PCS108"
TITLE = "secret-in-argument"
SEVERITY = Severity.ERROR


def _case(title: str, arguments: list[str], *indices: int) -> Fragment:
    places = tuple(at("bootstrapped", 0, f"arguments[{index}]") for index in indices)
    found = script("setup", "s3://example-scripts/setup.sh", checksum=SHA256, arguments=arguments)
    return Fragment(title, actions(bootstrapped=[found]), places)


_ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:hpc/ldap-AbCdEf"

GOOD = (
    _case("names of secrets", ["--secret-arn", _ARN, "--secret-name", "ldap", "--password-parameter", "/hpc/ldap"]),
    _case("a secret by its ARN or path", ["--secret", _ARN, "--password", "/hpc/ldap", f"--token={_ARN}"]),
    _case("a dynamic reference", ["--password", "{{resolve:ssm-secure:/hpc/ldap}}", "--token=$TOKEN"]),
    _case("a switch", ["--use-token", "true", "--token", "--verbose", "--ask-password"]),
    _case("digests and ids", [SHA256, "d41d8cd98f00b204e9800998ecf8427e", "0b9f6a1e-4c1d-4c55-9c7e-3f1f2a8f0d11"]),
    _case("a file system", ["--file-system-id", "fs-0123456789abcdef0", "--mount-point", "/shared/ProjectX2024Data"]),
    _case("names", ["fs-0123456789abcdef0.fsx.eu-west-1.amazonaws.com", "ProjectX-Stage2-UsEast1-Fsx01"]),
    _case("a version of an object", ["--version-id", "q7RtY2pLx9Bv4Nc8Kd3Wz6Hs5Fg1Jm0T"]),
    _case("addresses", ["s3://example-scripts/Data2024/x.tar.gz", "ldaps://ldap.example.com:636", "ou=hpc,dc=example"]),
    _case("a reference", ["--file-system-id", UNKNOWN]),
)
BAD = (
    _case("an AWS access key", ["--key-id", "AKIAIOSFODNN7EXAMPLE"], 1),
    _case("an AWS secret key", ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"], 0),
    _case("a private key", ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA=="], 0),
    _case("a password", ["--user", "hpc", "--bind-password", "example", "--verbose"], 3),
    _case("a password in the same element", ["--password=example", "--api-key example"], 0, 1),
    _case("a variable that is set", ["DB_PASSWORD=example"], 0),
    _case("a password in a URL", ["ldap://admin:example@ldap.example.com"], 0),
    _case("a token of a known format", ["--login", f"ghp_{'0a1B' * 9}"], 1),
    _case("a random string", ["q7RtY2pLx9Bv4Nc8Kd3Wz6Hs5Fg1Jm0T", "--license=q7RtY2pLx9Bv4Nc8Kd3Wz6Hs"], 0, 1),
)
UNDECIDED = (_case("a reference after a flag that names a secret", ["--password", UNKNOWN], 1),)

REMEDY = (
    "pass the name of the secret (Secrets Manager, Parameter Store), let the script fetch it, and change the secret"
)

_SHOWN = "arguments are shown in clear by the API, the console and the state"


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    arguments = script.arguments
    if arguments.unknown:
        if arguments.sensitive:
            yield _marked(script, arguments, "the arguments")
        elif arguments.deferred:
            yield undecided(arguments, f"the arguments of {label(script)} are known only after apply")
        return
    flag = ""  # the element before, where it is a flag that waits for its value
    for index, leaf in enumerate(arguments.items):
        assert isinstance(leaf, Leaf), f"{leaf.path} is not a single value"
        if leaf.absent:
            continue
        what = f"argument {index + 1}"
        if leaf.sensitive:
            yield _marked(script, leaf, what)
            flag = ""
            continue
        awaited = secret_flag(flag)
        if leaf.text is None:
            if awaited or (isinstance(leaf.value, Template) and secret_flag(str(leaf.value))):
                yield undecided(leaf, f"whether {what} of {label(script)} is a secret is known only after apply")
            elif isinstance(leaf.value, Template):
                yield _verdict(script, leaf, what, _by_format(str(leaf.value)))
            flag = ""
            continue
        kind = _by_format(leaf.text) or (_by_flag if awaited else _by_look)(flag, leaf.text)
        yield _verdict(script, leaf, what, kind)
        flag = leaf.text if re.fullmatch(r"--?[^\s=]+", leaf.text) else ""


def _marked(script: Script, node: Node, what: str) -> Verdict:
    marked = "are marked" if what.endswith("s") else "is marked"
    return failed(node, f"{what} of {label(script)} {marked} as sensitive: {_SHOWN}", REMEDY)


def _verdict(script: Script, leaf: Leaf, what: str, kind: str) -> Verdict:
    if not kind:
        return passed(leaf)
    return failed(leaf, f"{what} of {label(script)} holds {kind}: {_SHOWN}", REMEDY)


@lru_cache(maxsize=1024)  # the groups of a run have many arguments in common
def _by_look(flag: str, text: str) -> str:
    """What kind of secret an element looks like, going by its words; empty when like none."""
    # One element may hold a whole command line, and then flags and their values stand in it.
    words = text.split()
    for word, following in zip(words, [*words[1:], ""], strict=False):
        found = secret_flag(word)
        if found:
            kind = _by_flag(found.name, following if found.value is None else found.value)
            if kind:
                return kind
    assigned = re.fullmatch(r"(-{0,2}[A-Za-z][\w-]*)=(?!=)(.+)", text)
    name, value = assigned.groups() if assigned else (flag, text)
    if looks_random(value) and not re.search(_NAMES_SOMETHING, name):
        return f"what looks like a key or token ({length(value)})"
    return ""


def _by_format(text: str) -> str:
    return describe(find(text))


def _by_flag(flag: str, value: str) -> str:
    """What kind of secret the value of a flag that names one is; empty where the value only names it, or is none."""
    if not value or re.match(_HARMLESS, value):
        return ""
    return f"a literal value for {quote(flag)} ({length(value)})"


_HARMLESS = (
    r"(?i)arn:|[/.~@$-]|\{\{|[\w+.-]+://|(?:file|env|ssm|vault|secretsmanager):|"
    r"(?:true|false|yes|no|on|off|none|null|prompt|stdin|\d{1,5})$"
)
"""How a value begins, or what it is, that is no secret: an ARN, a path, a variable, another flag, a URI, a switch."""

_NAMES_SOMETHING = (
    r"(?i)(?:^|[-_])(?:ids?|name|version|versions|checksum|digest|hash|sha256|etag|arn|uuid|path|file|dir|uri|url|"
    r"group)$"
)
"""The end of a flag whose value names something, so that it is no secret however random it looks."""

check = each_script(judge)
