"""Finds credentials in values, and tells of them no more than may be said: what kind, where, how long."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from pcs_contract.record import Record
from pcs_policies.redaction import CREDENTIALS, LONGEST_READ
from pcs_policies.rules.locations import GAP


class Secret(Record):
    """A credential in a text. ``name`` is that of the URL parameter that holds it, if any."""

    kind: str
    name: str
    value: str

    @property
    def about(self) -> str:
        return f"{self.name}, {length(self.value)}" if self.name else length(self.value)


def describe(secrets: Iterable[Secret]) -> str:
    """What a message says of credentials: kinds, names and lengths, never a value. Empty when there are none."""
    by_kind: dict[str, list[str]] = {}
    for secret in secrets:
        by_kind.setdefault(secret.kind, []).append(secret.about)
    return " and ".join(f"{kind} ({'; '.join(places)})" for kind, places in by_kind.items())


def length(secret: str) -> str:
    if GAP in secret:
        return "known after apply"
    return "1 character" if len(secret) == 1 else f"{len(secret)} characters"


@lru_cache(maxsize=1024)  # the groups of a run have many values in common
def find(text: str) -> tuple[Secret, ...]:
    """The credentials in a text that can be told by their format, none inside of another."""
    if len(text) > LONGEST_READ:
        return ()
    found = []
    for credential in CREDENTIALS:
        for match in credential.found_in(text):
            name = match.groupdict().get("name") or ""
            value = match["secret"]
            if value and not (name.lower() in _OFTEN_HARMLESS and not looks_random(value)):
                found.append((match.span("secret"), Secret(credential.kind, name, value)))
    return tuple(
        secret
        for (start, end), secret in sorted(found)
        if not any(a <= start and end <= b and (a, b) != (start, end) for (a, b), _ in found)
    )


_OFTEN_HARMLESS = frozenset({"key", "auth"})

_TOKEN = r"[A-Za-z0-9+/_-]{20,200}={0,2}"
_AWS_SECRET_KEY = r"[A-Za-z0-9+/]{40}"
_SSH_PUBLIC_KEY = r"AAAA[A-Z][23]"


def looks_random(text: str) -> bool:
    """Whether a text looks like a key or token that a machine drew: long, mixed, without the runs that words have.

    Made to err on the side of no: hexadecimal digests and ids, UUIDs, names, paths, encoded texts and public keys
    are not secrets, and arguments are full of them.
    """
    if (
        not re.fullmatch(_TOKEN, text)
        or text[0] in "/-"
        or text.count("-") > max(1, len(text) // 30)
        or re.match(_SSH_PUBLIC_KEY, text)
    ):
        return False
    letters = re.sub(r"[^A-Za-z0-9]", "", text)
    kinds = ["0" if c.isdigit() else "a" if c.islower() else "A" for c in letters]
    if len(set(kinds)) < 3 or len(text) - len(letters) > len(text) / 8:
        return False
    changes = sum(a != b for a, b in pairwise(kinds))
    share = 0.33 if re.fullmatch(_AWS_SECRET_KEY, text) else 0.45  # of random text 0.62, of CamelCase names 0.3
    return changes >= share * len(kinds) and _bits(letters) >= 3.5 and not _is_encoded_text(text)


def _bits(text: str) -> float:
    """The entropy of the characters, in bits for each."""
    import math

    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _is_encoded_text(text: str) -> bool:
    import base64
    import binascii

    try:
        decoded = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
        return decoded.decode("ascii").isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False
