"""What of an input may be shown: the one gate between a value and a person's eyes.

Every value that reaches a message, a report or an error goes through :func:`quote` or :func:`show`. They hide what
the input marks as sensitive and what looks like a credential, and make control characters visible, so that a
name in a plan can neither leak a secret nor drive a terminal.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from pcs_contract.record import Record
from pcs_policies.document import Leaf, Script, State

HIDDEN = "(sensitive)"
LONGEST = 120
"""Characters of a value that a message shows at most."""
LONGEST_READ = 10_000
"""Characters up to which a value is searched for credentials; what is longer fits nowhere and is never shown."""


class Credential(Record):
    """A kind of secret that can be told from its text alone.

    ``pattern``'s group ``secret`` is what to hide. A text without any of ``hints`` has none, which is quick to tell and
    spares most runs to compile the pattern.
    """

    kind: str
    pattern: str
    hints: tuple[str, ...]

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        if any(hint in text for hint in self.hints):
            yield from re.finditer(self.pattern, text)

    def hidden_in(self, text: str) -> str:
        """``text`` with ``***`` for each secret of this kind."""
        return re.sub(self.pattern, _hide, text) if any(hint in text for hint in self.hints) else text


CREDENTIALS = (
    Credential("a private key", r"(?s)(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----.*)", ("-----BEGIN ",)),
    Credential("an AWS access key id", r"\b(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})\b", ("AKIA", "ASIA")),
    Credential("credentials before the host name", r"://(?P<secret>[^/?#\s]*)@", ("@",)),
    Credential(
        "a signature or token in the URL's query",
        r"(?i)[?&;](?P<name>[\w.-]{0,40}(?:token|secret|signature|credential|password|passwd|"
        r"(?:api|access|secret)[_-]?key)|awsaccesskeyid|sig|jwt|pwd|auth|key)=(?P<secret>[^&;#\s]+)",
        ("?", "&", ";"),
    ),
    Credential(
        "a token of a known provider",
        r"\b(?P<secret>gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[baprs]-[\w-]{10,}|"
        r"hvs\.[\w-]{24,}|hf_[A-Za-z0-9]{30,}|AIza[\w-]{35}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*)",
        ("gh", "glpat-", "xox", "hvs.", "hf_", "AIza", "eyJ"),
    ),
)
"""Formats that their issuers document: AWS key ids, PEM (RFC 7468), RFC 3986 userinfo, presigned URL parameters
(Amazon S3, Google Cloud Storage and Azure SAS reference), tokens of GitHub, GitLab, Slack, Vault, Hugging Face and
Google, JSON Web Tokens (RFC 7519)."""

_SECRET_WORD = (
    r"(?:password|passwd|passphrase|secret|token|(?:api|access|secret|auth|account|shared)[_-]?key)(?=[=\s]|$)"
)
_FLAG = r"(?s)(?P<name>[\w.-]{1,60})(?:=(?P<value>.*))?"
_FLAG_AND_VALUE = Credential(
    "a secret by the name of its flag",
    rf"(?i)(?<![\w.-])(?:-[\w.-]{{0,40}}?{_SECRET_WORD}[=\s]\s*|[\w.-]{{0,40}}?{_SECRET_WORD}=)(?P<secret>\S+)",
    ("",),
)


class SecretFlag(Record):
    """A flag of a command line (``--db-password``), or a variable that is set (``DB_PASSWORD=x``), that names a secret.

    ``value`` is what follows an equals sign; ``None`` where there is none.
    """

    name: str
    value: str | None


def secret_flag(word: str) -> SecretFlag | None:
    """What a word of a command line says of a secret; ``None`` where it names none."""
    match = re.fullmatch(_FLAG, word) if _may_name_a_secret(word) else None
    if match is None or not re.search(_SECRET_WORD, match["name"], re.IGNORECASE):
        return None
    if match["value"] is None and not word.startswith("-"):
        return None
    return SecretFlag(match["name"], match["value"])


def mask(text: str) -> str:
    """``text`` with every credential that can be recognised replaced by ``***``."""
    for credential in (*CREDENTIALS, _FLAG_AND_VALUE) if _may_name_a_secret(text) else CREDENTIALS:
        text = credential.hidden_in(text)
    return text


def _may_name_a_secret(text: str) -> bool:
    """Whether a text has any part of the words that name secrets: quick, since most values have none."""
    small = text.lower()
    return "pass" in small or "secret" in small or "token" in small or "key" in small


def _hide(match: re.Match[str]) -> str:
    start, end = match.span("secret")
    whole = match.group(0)
    offset = match.start()
    return f"{whole[: start - offset]}***{whole[end - offset :]}"


def printable(text: str) -> str:
    """``text`` on one line, with control, format and surrogate characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@lru_cache(maxsize=1024)  # the groups of a run have many names and values in common
def quote(text: str) -> str:
    """``text`` for a message: credentials hidden, printable, in double quotes, cut to a readable length."""
    if len(text) > LONGEST_READ:
        return f"(a value of {len(text)} characters)"
    shown = printable(mask(text))
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]}... ({len(text)} characters)"
    return f'"{shown}"'


def show(leaf: Leaf) -> str:
    """The value of a leaf for a message."""
    if leaf.sensitive:
        return HIDDEN
    if leaf.state is State.UNKNOWN:
        return "known after apply"
    if leaf.state is State.ABSENT:
        return "not set"
    if isinstance(leaf.value, bool):
        return "true" if leaf.value else "false"
    if isinstance(leaf.value, int):
        return str(leaf.value)
    return quote(str(leaf.value))


def name_of(script: Script) -> str | None:
    """The name of a script where it is known and may be shown, as it is."""
    return None if script.name.sensitive else script.name.text


def label(script: Script) -> str:
    """How a message calls a script: by stage and name, by its place where there is no name to show."""
    name = name_of(script)
    return f"{script.stage} script {quote(name)}" if name else f"{script.stage}[{script.index}]"
