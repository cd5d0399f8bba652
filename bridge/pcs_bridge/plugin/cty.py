"""Terraform's types, and the JSON in which a schema names them.

`"string"`, `["list", "number"]`, `["object", {"name": "string"}]`: the form that terraform calls a type constraint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Primitive:
    """`string`, `number`, `bool`, or `dynamic`: any type, which each value then names itself."""

    name: str


@dataclass(frozen=True, slots=True)
class ListOf:
    """A sequence of values of one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class SetOf:
    """Values of one type without order; a Python list here, because objects cannot be members of a set."""

    item: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    """Values of one type, each under a string."""

    item: Type


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """Values of different types, each under its attribute's name."""

    attributes: Mapping[str, Type]


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A fixed number of values of different types."""

    items: tuple[Type, ...]


Type = Primitive | ListOf | SetOf | MapOf | ObjectOf | TupleOf

STRING: Final = Primitive("string")
NUMBER: Final = Primitive("number")
BOOL: Final = Primitive("bool")
DYNAMIC: Final = Primitive("dynamic")

_PRIMITIVES: Final = {primitive.name: primitive for primitive in (STRING, NUMBER, BOOL, DYNAMIC)}
_COLLECTIONS: Final[Mapping[str, type[ListOf] | type[SetOf] | type[MapOf]]] = {
    "list": ListOf,
    "set": SetOf,
    "map": MapOf,
}


def parse(text: bytes | str) -> Type:
    """Read a type constraint. Raises ValueError for what is none."""
    return _parse(json.loads(text))


def _parse(constraint: Any) -> Type:
    match constraint:
        case str() if constraint in _PRIMITIVES:
            return _PRIMITIVES[constraint]
        case [str() as kind, item] if kind in _COLLECTIONS:
            return _COLLECTIONS[kind](_parse(item))
        # A third element lists optional attributes: a matter of conversion, which is over when a value has this type.
        case ["object", dict() as attributes] | ["object", dict() as attributes, list()]:
            return ObjectOf({name: _parse(item) for name, item in attributes.items()})
        case ["tuple", list() as items]:
            return TupleOf(tuple(_parse(item) for item in items))
    raise ValueError("not a type constraint of Terraform")


def to_json(type_: Type) -> bytes:
    """Write a type constraint, compactly and always the same way."""
    return json.dumps(_constraint(type_), separators=(",", ":"), sort_keys=True).encode()


def _constraint(type_: Type) -> Any:
    match type_:
        case Primitive(name):
            return name
        case ListOf(item):
            return ["list", _constraint(item)]
        case SetOf(item):
            return ["set", _constraint(item)]
        case MapOf(item):
            return ["map", _constraint(item)]
        case ObjectOf(attributes):
            return ["object", {name: _constraint(item) for name, item in attributes.items()}]
        case TupleOf(items):
            return ["tuple", [_constraint(item) for item in items]]


def describe(type_: Type) -> str:
    """Name a type for a message: `list`, `object`, `string`."""
    match type_:
        case Primitive(name):
            return name
        case ListOf():
            return "list"
        case SetOf():
            return "set"
        case MapOf():
            return "map"
        case ObjectOf():
            return "object"
        case TupleOf():
            return "tuple"
