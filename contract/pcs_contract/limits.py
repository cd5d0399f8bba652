"""Whether values fit the contract: everything that a shape can say, and clients do not check.

Lengths count characters, as Smithy does. Patterns match the whole value. A null member counts as absent, as in every
awsJson service, but lists and maps have no null elements. An unknown member is refused: to ignore it would hide that
whoever sent it speaks of another version of the API.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from pcs_contract.record import Record
from pcs_contract.shapes import Shape

LARGEST_INTEGER: Final = 2**31 - 1
"""Of Smithy's integer, which has 32 bits."""

ZERO_IS_DEFAULT: Final = frozenset({"MaxResults"})
"""Shapes for which 0 stands for the default, below the model's minimum (PCS API reference, ListClusters.maxResults)."""

_MANY: Final = 1_000
"""Characters above which a value without a maximum is not matched: it is wrong anyway, and patterns take their time."""


UNKNOWN: Final = object()
"""Stands for a value that only apply reveals: nothing is wrong with it."""


class Problem(Record):
    """What is wrong with one field.

    `path` has the API's own names, dots and zero-based indices:
    `nodeLifecycleActions.stages.nodeReady[0].scriptSource.checksum`.
    """

    path: str
    message: str


def problems(shape: Shape, value: Any, path: str = "") -> Iterator[Problem]:
    """What is wrong with `value`, which came out of JSON, as one of `shape`: in the order of the request's members."""
    if value is not UNKNOWN:
        yield from _CHECKS[shape.type](shape, value, path)


def without_nulls(value: Any) -> Any:
    """`value` without null members, which count as absent. Nulls in lists stay, to be refused."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def _structure(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong_type(path, "an object", value)
        return
    for name in value:
        if name not in shape.members:
            yield Problem(_member(path, _shown(name)), f"is not a member of {shape.name}")
    for name, member in shape.members.items():
        if name in value:
            yield from problems(member, value[name], _member(path, name))
        elif name in shape.required:
            yield Problem(_member(path, name), "is required")


def _list(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield _wrong_type(path, "a list", value)
        return
    yield from _bounds(shape, len(value), path, "item")
    assert shape.item is not None
    for index, item in enumerate(value):
        yield from problems(shape.item, item, f"{path}[{index}]")


def _map(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong_type(path, "a map", value)
        return
    yield from _bounds(shape, len(value), path, "entry")
    assert shape.key is not None
    assert shape.item is not None
    for key, item in value.items():
        entry = _member(path, _shown(key))
        yield from problems(shape.key, key, entry)
        yield from problems(shape.item, item, entry)


def _string(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield _wrong_type(path, "a string", value)
        return
    if shape.enum and value not in shape.enum:
        yield Problem(path, f"must be one of {', '.join(shape.enum)}")
        return
    out_of_bounds = list(_bounds(shape, len(value), path, "character"))
    yield from out_of_bounds
    if shape.pattern is None or out_of_bounds:
        return
    too_long = shape.max is None and len(value) > _MANY
    if too_long or not _compiled(shape.pattern).fullmatch(value):
        yield Problem(path, f"must match {shape.pattern}")


def _integer(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, int) or isinstance(value, bool):
        yield _wrong_type(path, "an integer", value)
        return
    if value == 0 and shape.name in ZERO_IS_DEFAULT:
        return
    if abs(value) > LARGEST_INTEGER:
        yield Problem(path, "must fit into 32 bits")
        return
    yield from _bounds(shape, value, path, None)


def _bounds(shape: Shape, size: int, path: str, unit: str | None) -> Iterator[Problem]:
    if shape.min is not None and size < shape.min:
        yield Problem(path, f"must {_measure(unit)} at least {_counted(shape.min, unit)}")
    if shape.max is not None and size > shape.max:
        yield Problem(path, f"must {_measure(unit)} at most {_counted(shape.max, unit)}")


def _measure(unit: str | None) -> str:
    return "be" if unit is None else "have"


def _counted(number: int, unit: str | None) -> str:
    if unit is None:
        return str(number)
    plural = "entries" if unit == "entry" else f"{unit}s"
    return f"{number} {unit if number == 1 else plural}"


def _wrong_type(path: str, wanted: str, value: Any) -> Problem:
    found = _JSON_TYPES.get(type(value), "something else")
    return Problem(path or "(request)", f"must be {wanted}, not {found}")


def _member(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(name: str) -> str:
    """A name that a client chose, for a path: not at any length."""
    return name if len(name) <= 128 else f"{name[:128]}..."


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_JSON_TYPES: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}

_CHECKS: Final[Mapping[str, Callable[[Shape, Any, str], Iterator[Problem]]]] = {
    "structure": _structure,
    "list": _list,
    "map": _map,
    "string": _string,
    "integer": _integer,
}
"""Requests have no other types; a test holds the contract to that."""
