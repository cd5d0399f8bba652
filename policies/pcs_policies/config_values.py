"""What a key of the configuration may hold: each kind of value, read from TOML or from text, and as JSON Schema."""

from __future__ import annotations

import re

from pcs_contract.hints import Any, Protocol
from pcs_policies.errors import nearest
from pcs_policies.redaction import quote

Schema = dict[str, Any]


class Wrong(ValueError):
    """A value that a key does not take. ``below`` is the place inside of the value, such as ``[2]`` or ``.PCS104``."""

    def __init__(self, text: str, below: str = "") -> None:
        super().__init__(text)
        self.below = below


class Kind(Protocol):
    """A kind of value. Both readers raise :class:`Wrong`."""

    about: str
    """How the documentation calls it."""

    def read(self, value: object) -> Any:
        """The value of a TOML value."""

    def parse(self, text: str) -> Any:
        """The value of the text of an environment variable."""

    def schema(self) -> Schema: ...


class OneOf:
    """One of a few words."""

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed
        self.about = "one of " + ", ".join(f"`{word}`" for word in allowed)

    def read(self, value: object) -> str:
        if isinstance(value, str) and value in self.allowed:
            return value
        hint = nearest(value, self.allowed) if isinstance(value, str) else ""
        raise Wrong(f"{shown(value)} is none of {', '.join(self.allowed)}{hint}")

    def parse(self, text: str) -> str:
        return self.read(text.strip())

    def schema(self) -> Schema:
        return {"enum": list(self.allowed)}


_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Switch:
    """On or off; in an environment variable 1, true, yes, on or 0, false, no, off."""

    about = "`true` or `false`"

    def read(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise Wrong(f"{shown(value)} is neither true nor false")

    def parse(self, text: str) -> bool:
        word = _WORDS.get(text.strip().lower())
        if word is None:
            raise Wrong(f"{shown(text)} is none of {', '.join(_WORDS)}")
        return word

    def schema(self) -> Schema:
        return {"type": "boolean"}


class Path:
    """A path of a file, relative to the configuration file."""

    about = "path, relative to the configuration file"

    def read(self, value: object) -> str:
        if isinstance(value, str) and value.strip():
            return value
        raise Wrong(f"{shown(value)} is not the path of a file")

    def parse(self, text: str) -> str:
        return self.read(text)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": r"\S"}


class Number:
    """A whole number that is at least ``least``."""

    def __init__(self, least: int) -> None:
        self.least = least
        self.about = f"a whole number, {least} or more"

    def read(self, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= self.least:
            return value
        raise Wrong(f"{shown(value)} is not {self.about}")

    def parse(self, text: str) -> int:
        digits = text.strip()
        return self.read(int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else text)

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least}


class Texts:
    """A list of texts; in an environment variable they are separated by commas."""

    def __init__(self, about: str, pattern: str = r"\S(.*\S)?", expected: str = "a text") -> None:
        self.about = f"list of {about}"
        self.pattern = pattern
        self.expected = expected

    def read(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            hint = f"; write [{shown(value)}]" if isinstance(value, str) else ""
            raise Wrong(f"{shown(value)} is not a list{hint}")
        for index, item in enumerate(value):
            if not (isinstance(item, str) and re.fullmatch(self.pattern, item)):
                raise Wrong(f"{shown(item)} is not {self.expected}", f"[{index}]")
        return tuple(value)

    def parse(self, text: str) -> tuple[str, ...]:
        return self.read([item.strip() for item in text.split(",") if item.strip()])

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string", "pattern": f"^({self.pattern})$"}}


class Severities:
    """A table from rule to severity; in an environment variable ``PCS104=error,PCS202=info``."""

    about = "table from rule (id or title) to `error`, `warning` or `info`"

    def __init__(self, *allowed: str) -> None:
        self.severity = OneOf(*allowed)

    def read(self, value: object) -> tuple[tuple[str, str], ...]:
        if not isinstance(value, dict):
            raise Wrong(f'{shown(value)} is not a table; write severity = {{ PCS104 = "error" }}')
        for rule, severity in value.items():
            try:
                self.severity.read(severity)
            except Wrong as wrong:
                raise Wrong(str(wrong), f".{rule}") from None
        return tuple(value.items())

    def parse(self, text: str) -> tuple[tuple[str, str], ...]:
        pairs = [item.partition("=") for item in text.split(",") if item.strip()]
        for rule, sign, _ in pairs:
            if not sign:
                raise Wrong(f"{shown(rule)} gives no severity; write {rule.strip()}=error")
        return self.read({rule.strip(): severity.strip() for rule, _, severity in pairs})

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.severity.schema()}


def shown(value: object) -> str:
    """A value of a configuration for a message."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "a list"
    return "a table" if isinstance(value, dict) else "a date or time"
