"""AWS-maintained scripts get the arguments that they know.

What it checks
    `arguments` of a script in AWS's own bucket (`aws-pcs-repo-REGION`): each flag is one that the script has, required
    flags are there, flag and value are two elements, and the value has the form that the flag takes (an absolute
    mount point, a file system id, an `ldap://` or `ldaps://` address, an ARN). Flags that a release later than the one
    known here may have are not judged, and values that are not known are not either.

Why
    No schema knows these flags. The script fails on the node and its `onError` applies: by default the node is
    terminated, and its replacement gets the same arguments.

Fix
    Write flags as in the guide, each followed by its value as an element of its own:
    `["--file-system-id", "fs-0123456789abcdef0", "--mount-point", "/shared"]`.

Sources
    PCS user guide, cng-node-lifecycle-actions-vetted-scripts (flags, defaults, separate elements). Amazon EFS API
    reference, FileSystemDescription.FileSystemId (form). IAM user guide, "Identify AWS resources with Amazon Resource
    Names" (form).
"""

import re
from collections.abc import Iterator, Mapping

from pcs_contract import aws_scripts
from pcs_contract.aws_scripts import Flag, ScriptSpec, ValueKind
from pcs_contract.record import Record
from pcs_policies.document import Leaf, Script, Template
from pcs_policies.errors import nearest
from pcs_policies.redaction import label, quote, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS209"
TITLE = "known-script-arguments"
SEVERITY = Severity.ERROR


def _case(
    title: str, name: str, arguments: list[str] | None, *members: str, version: str = aws_scripts.RELEASE
) -> Fragment:
    location = aws_scripts.location(name, version, "eu-west-1")
    given = {} if arguments is None else {"arguments": arguments}
    setup = script("setup", location, checksum=SHA256, **given)
    return Fragment(title, actions(bootstrapped=[setup]), tuple(at("bootstrapped", 0, member) for member in members))


_ID = "fs-0123456789abcdef0"
_DNS = f"{_ID}.fsx.eu-west-1.amazonaws.com"
_EFS = ["--file-system-id", _ID, "--mount-point", "/shared"]
_LDAP = ["--ldap-uri", "ldaps://ldap.example.com", "--search-base", "dc=example,dc=com"]
_ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:hpc-AbCdEf"

GOOD = (
    _case("what is required", "mount-efs", _EFS),
    _case("an option", "mount-efs", [*_EFS, "--options", "tls"]),
    _case("users with a secret", "configure-ldaps", [*_LDAP, "--secret-arn", _ARN]),
    _case("no arguments where none is required", "configure-cloudwatch-logs", None),
    _case("a value that is not known", "mount-efs", ["--file-system-id", UNKNOWN, "--mount-point", "/shared"]),
    _case("a flag of a later release", "mount-efs", [*_EFS, "--retries", "3"], version="1.1.0"),
    _case("a script that is not known here", "mount-s3", ["bucket"]),
    Fragment("a script of somebody else", actions(ready=[script("x", "s3://example/mount-efs-v1.0.0.sh")])),
)
BAD = (
    _case("an unknown flag", "mount-efs", [*_EFS, "--mountpoint", "/x"], "arguments[4]"),
    _case("an unknown flag of an alias", "mount-efs", [*_EFS, "--x"], "arguments[4]", version="1-latest"),
    _case("a flag of another script", "mount-efs", ["--efs-id", _ID, *_EFS[2:]], "arguments[0]", "arguments"),
    _case("no arguments", "mount-efs", None, "arguments"),
    _case("a required flag is missing", "configure-ldaps", _LDAP[:2], "arguments"),
    _case("a required flag is missing in a later release", "mount-efs", _EFS[:2], "arguments", version="1.1.0"),
    _case("flag and value in one element", "mount-efs", [f"--file-system-id={_ID}", *_EFS[2:]], "arguments[0]"),
    _case("the same with a blank", "mount-efs", [*_EFS[:2], "--mount-point /shared"], "arguments[2]"),
    _case("a value without a flag", "mount-efs", [_ID, *_EFS], "arguments[0]"),
    _case("a flag without a value", "mount-efs", [*_EFS, "--options"], "arguments[4]"),
    _case("a flag where a value belongs", "mount-efs", ["--mount-point", *_EFS[:2]], "arguments[0]"),
    _case("a relative mount point", "mount-efs", [*_EFS[:3], "shared"], "arguments[3]"),
    _case("no file system id", "configure-efs-homes", ["--efs-id", f"{_ID}.efs.example.com"], "arguments[1]"),
    _case(
        "an id where a DNS name belongs",
        "mount-fsx-lustre",
        ["--fsx-dns-name", _ID, "--mount-name", "fsx", "--mount-point", "/scratch"],
        "arguments[1]",
    ),
    _case("another scheme", "configure-ldaps", ["--ldap-uri", "https://ldap.example.com", *_LDAP[2:]], "arguments[1]"),
    _case("a name where an ARN belongs", "configure-ldaps", [*_LDAP, "--secret-arn", "hpc"], "arguments[5]"),
)
UNDECIDED = (
    _case("arguments that are not known", "mount-efs", UNKNOWN, "arguments"),
    _case("a required flag may be an element that is not known", "mount-efs", [*_EFS[:2], UNKNOWN, "/x"], "arguments"),
)


class Form(Record):
    """The form of a value: what it is called, its pattern, and how it can begin where only its beginning is known."""

    title: str
    pattern: str
    starts: tuple[str, ...] = ("",)


FORMS: Mapping[ValueKind, Form] = {
    "absolute-path": Form("an absolute path", r"/.*", ("/",)),
    "arn": Form("an ARN", r"arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9]{12}:.+", ("arn:aws",)),
    "dns-name": Form("a DNS name", r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"),
    "efs-id": Form("an EFS file system id", r"fs-[0-9a-f]{8,40}", ("fs-",)),
    "ldap-uri": Form("an ldap:// or ldaps:// address", r"ldaps?://[^/\s].*", ("ldap://", "ldaps://")),
    "text": Form("a text", r".+"),
}


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.sensitive or location.value is None:
        return  # what is said of the arguments would tell which script lies there
    aws = aws_scripts.parse_location(str(location.value))
    spec = aws_scripts.SCRIPTS.get(aws.name) if aws is not None else None
    if aws is None or spec is None or _major(aws.version) != _major(aws_scripts.RELEASE):
        return
    arguments = script.arguments
    required = [flag.name for flag in spec.flags if flag.required]
    if arguments.unknown:
        if required or arguments.deferred:
            yield undecided(arguments, f"the arguments of {label(script)} are known only after apply")
        return
    reading = _Reading(script, spec, complete=not aws.pinned or aws.version == aws_scripts.RELEASE)
    yield from reading.verdicts()
    missing = [name for name in required if name not in reading.seen]
    if missing and reading.hidden:
        yield undecided(arguments, f"whether {label(script)} gets {_all(missing)} is known only after apply")
    elif missing:
        yield failed(
            arguments,
            f"{label(script)} does not get {_all(missing)}, which {spec.name} requires: it fails on every node",
            f"add {_all(missing)}, with {'its value' if len(missing) == 1 else 'their values'}",
        )
    else:
        yield passed(arguments)


class _Reading:
    """One pass over the arguments, flag by flag. ``complete``: all flags of this release are known."""

    def __init__(self, script: Script, spec: ScriptSpec, *, complete: bool) -> None:
        self.script = script
        self.spec = spec
        self.complete = complete
        self.seen: set[str] = set()
        self.hidden = False  # whether a flag may stand where nothing can be read

    def verdicts(self) -> Iterator[Verdict]:
        # A provider drops null elements; the contract's own rules say so.
        rest = [leaf for leaf in self.script.arguments.items if isinstance(leaf, Leaf) and not leaf.absent]
        flags = {flag.name: flag for flag in self.spec.flags}
        while rest:
            leaf = rest.pop(0)
            text = _readable(leaf)
            name, *joined = re.split(r"[=\s]", text or "", maxsplit=1)
            has_value = not joined and bool(rest) and not (_readable(rest[0]) or "").startswith("--")
            if text is None or (leaf.text is None and text.startswith("-") and not joined):
                self.hidden = True
            elif name in flags:
                self.seen.add(name)
                if joined:
                    yield self._fault(
                        leaf, f"holds {name} and its value", f"make {name} and its value two elements of the list"
                    )
                elif not has_value:
                    yield self._fault(leaf, f"is {name}, without a value", f"add the value of {name}, or remove it")
                elif fault := self._wrong(flags[name], rest[0]):
                    yield fault
            elif text.startswith("-"):
                if self.complete:
                    yield self._fault(
                        leaf,
                        f"is {quote(name)}, which is no flag of {self.spec.name}{nearest(name, flags)}",
                        f"use {_all(list(flags), 'or')}",
                    )
            elif self.complete:
                has_value = False
                yield self._fault(leaf, f"is {show(leaf)}, where a flag belongs", "give flags and their values in turn")
            if has_value:
                rest.pop(0)

    def _wrong(self, flag: Flag, value: Leaf) -> Verdict | None:
        """What is wrong with a value, as far as it can be read."""
        form = FORMS[flag.value]
        text = _readable(value)
        if text is None:
            return None
        if value.text is not None:
            fits = re.fullmatch(form.pattern, text, re.DOTALL) is not None
        else:
            fits = any(text.startswith(start) or start.startswith(text) for start in form.starts)
        if fits:
            return None
        return self._fault(value, f"is {show(value)}, but {flag.name} takes {form.title}", f"give {form.title}")

    def _fault(self, leaf: Leaf, what: str, remedy: str) -> Verdict:
        position = self.script.arguments.items.index(leaf) + 1
        return failed(
            leaf, f"argument {position} of {label(self.script)} {what}: {self.spec.name} fails on every node", remedy
        )


def _readable(leaf: Leaf) -> str | None:
    """A value, or the literal text that it begins with; ``None`` when there is nothing to be read."""
    if leaf.sensitive:
        return None
    if isinstance(leaf.value, Template):
        return leaf.value.prefix or None
    return leaf.text


def _major(version: str) -> str:
    return re.split(r"[.-]", version, maxsplit=1)[0]


def _all(names: list[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


check = each_script(judge)
