"""Values as terraform's JSON has them: what only apply reveals is an expression, and never looked at.

The toolkit stands tokens in for such values: strings, numbers, lists and maps of a certain form, and objects. A string
token is an expression already; the others become one here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from constructs import Construct

UNRESOLVED: Final = "${unresolved}"
"""Stands for a token that is no string; what it refers to does not matter."""

_LIST, _MAP = "#{TfToken[", "&{TfToken["
_NUMBERS = (b"\xfd\xff", b"\xfb\xff")
"""How a double begins that is a token: a number that nobody writes, about -1e289 or -1e299."""


def readable(value: Any) -> Any:
    """A value, and all in it, with expressions in place of tokens; other sequences become lists.

    What is neither a value nor a token stays as it is, to be refused.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return UNRESOLVED if struct.pack(">d", value)[:2] in _NUMBERS else value
    if isinstance(value, Mapping):
        if is_map_token(value):
            return UNRESOLVED
        return {key: readable(member) for key, member in value.items()}
    if isinstance(value, Sequence):
        return UNRESOLVED if is_list_token(value) else [readable(item) for item in value]
    return UNRESOLVED if hasattr(value, "__jsii_ref__") and not isinstance(value, Construct) else value


def is_list_token(value: Sequence[Any]) -> bool:
    """Whether a list stands for one that only apply reveals, its length and all."""
    return any(isinstance(item, str) and item.startswith(_LIST) for item in value)


def is_map_token(value: Mapping[str, Any]) -> bool:
    """Whether a map stands for one that only apply reveals, names and all."""
    return any(str(key).startswith(_MAP) for key in value)


def is_known(value: Any) -> bool:
    """Whether a value that :func:`readable` gave is a literal through and through."""
    if isinstance(value, str):
        return "${" not in value.replace("$${", "") and "%{" not in value.replace("%%{", "")
    if isinstance(value, dict):
        return all(map(is_known, value.values()))
    return all(map(is_known, value)) if isinstance(value, list) else True
