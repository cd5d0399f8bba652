"""Terraform's types and values, its conversions between them, and the type that several values have in common.

A type decides what a value becomes: ``true ? [1, "a"] : []`` is ``["1", "a"]``, as the two branches are made one type,
a list of strings. The rules are those of the library go-cty, which terraform uses
(https://github.com/zclconf/go-cty/blob/main/docs/convert.md, https://developer.hashicorp.com/terraform/language/expressions/types).

The *raw* form of a value is ``None``, ``bool``, ``int``, ``float``, ``str``, a list (of a list, set or tuple), a dict
(of a map or object), and :class:`~pcs_policies.document.Expression` or :class:`~pcs_policies.document.Template` for
what is not known, or in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from pcs_contract.record import Record
from pcs_policies.document import Expression, Template

MOST_ITEMS = 100_000
"""Values inside of one value, a hundred characters of text counting as one: ten megabytes of text at most."""

LARGEST = 2**500
"""Numbers up to here are exact in terraform, which calculates with 512 bits."""


class Refused(Exception):
    """Terraform reports an error here. Only ``try``, ``can`` and the branch that is not taken live on."""


class Undecided(Exception):
    """What terraform would do is not known here, or too much work to find out."""


class Type(Record):
    """A type. ``any`` is that of a value of whose type nothing is known, ``null`` that of the word ``null``.

    ``item`` is for list, set and map, ``items`` for tuple, ``members`` (by name, in order) for object. ``optional`` is
    for constraints: the members of an object that may be left out, with their default.
    """

    kind: str
    item: Type | None = None
    items: tuple[Type, ...] = ()
    members: tuple[tuple[str, Type], ...] = ()
    optional: tuple[tuple[str, Any], ...] = ()  # a Value or None; type checkers trip over such a circle


class Value(Record):
    """A value. ``size`` is at least how many values are in it (see :data:`MOST_ITEMS`)."""

    type: Type
    raw: Any
    size: int = 1

    @property
    def unknown(self) -> bool:
        return isinstance(self.raw, Expression | Template)

    @property
    def sequence(self) -> bool:
        return self.type.kind in ("list", "set", "tuple")

    @property
    def mapping(self) -> bool:
        return self.type.kind in ("map", "object")


ANY, NULL, STRING, NUMBER, BOOL = (Type(kind) for kind in ("any", "null", "string", "number", "bool"))

NOTHING = Value(NULL, None)


def list_of(item: Type) -> Type:
    return Type("list", item)


def set_of(item: Type) -> Type:
    return Type("set", item)


def map_of(item: Type) -> Type:
    return Type("map", item)


def scalar(raw: Any) -> Value:
    """The value of a literal."""
    if raw is None:
        return NOTHING
    if isinstance(raw, bool):
        return Value(BOOL, raw)
    if isinstance(raw, int | float):
        if abs(raw) > LARGEST or (isinstance(raw, float) and raw.is_integer()):
            raise Undecided
        return Value(NUMBER, raw)
    return Value(STRING, raw, 1 + len(raw) // 100)


def tuple_value(items: Iterable[Value]) -> Value:
    found = list(items)
    return Value(Type("tuple", items=tuple(item.type for item in found)), [item.raw for item in found], sizes(found))


def object_value(members: dict[str, Value]) -> Value:
    names = sorted(members)
    shape = Type("object", members=tuple((name, members[name].type) for name in names))
    return Value(shape, {name: members[name].raw for name in names}, sizes(members.values()))


def list_value(item: Type, items: Iterable[Value]) -> Value:
    found = list(items)
    return Value(list_of(item), [value.raw for value in found], sizes(found))


def sizes(values: Iterable[Value]) -> int:
    """The size of what holds these values. Raises :class:`Undecided` for too much."""
    total = 1 + sum(value.size for value in values)
    if total > MOST_ITEMS:
        raise Undecided
    return total


def items(value: Value) -> Iterator[tuple[Any, Value]]:
    """The members of a collection with their keys, in terraform's order; the key of a set's member is itself."""
    kind = value.type.kind
    raw = value.raw
    if kind == "tuple":
        yield from ((index, Value(value.type.items[index], item, value.size)) for index, item in enumerate(raw))
    elif kind in ("list", "set"):
        item_type = value.type.item or ANY
        yield from ((item if kind == "set" else i, Value(item_type, item, value.size)) for i, item in enumerate(raw))
    elif kind == "object":
        yield from ((name, Value(of, raw[name], value.size)) for name, of in value.type.members)
    elif kind == "map":
        yield from ((name, Value(value.type.item or ANY, raw[name], value.size)) for name in sorted(raw))
    else:
        raise Refused


def exact(value: Value) -> Iterator[tuple[Any, Value]]:
    """:func:`items`, each with its own size."""
    return ((key, Value(item.type, item.raw, weigh(item.raw))) for key, item in items(value))


def weigh(raw: Any) -> int:
    """The size of a raw value. Raises :class:`Undecided` for too much."""
    total, todo = 0, [raw]
    while todo:
        item = todo.pop()
        total += 1
        if isinstance(item, str):
            total += len(item) // 100
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
        if total > MOST_ITEMS:
            raise Undecided
    return total


def known(raw: Any) -> bool:
    """Whether nothing in a raw value is unknown."""
    todo = [raw]
    while todo:
        item = todo.pop()
        if isinstance(item, Expression | Template):
            return False
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return True


def holds(of: Type, *kinds: str) -> bool:
    """Whether a type is of one of these kinds, or something in it is."""
    return of.kind in kinds or any(holds(inner, *kinds) for inner in _inner(of))


def _inner(of: Type) -> list[Type]:
    """The types of what is in a value."""
    return [*of.items, *(member for _, member in of.members), *((of.item,) if of.item else ())]


# Conversion


def convert(value: Value, want: Type) -> Value:
    """A value as one of another type. Raises :class:`Refused` and :class:`Undecided`."""
    if want.kind == "any" or value.type == want:
        return value
    if value.raw is None:
        return Value(bare(want), None)
    if isinstance(value.raw, Expression):
        return Value(bare(want), value.raw)
    if isinstance(value.raw, Template):
        return value if want.kind == "string" else Value(bare(want), Expression(str(value.raw)))
    if want.kind in ("string", "number", "bool"):
        return _primitive(value, want)
    if want.kind in ("list", "set") and value.sequence:
        return _sequence(value, want)
    if want.kind == "map" and value.mapping:
        members = {name: convert(member, want.item or ANY) for name, member in exact(value)}
        item, unified = _alike(want.item or ANY, list(members.values()))
        raws = {name: member.raw for name, member in zip(members, unified, strict=True)}
        return Value(map_of(item), raws, sizes(unified))
    if want.kind == "object" and value.mapping:
        return _object(value, want)
    if want.kind == "tuple" and value.type.kind == "tuple" and len(value.raw) == len(want.items):
        return tuple_value(convert(item, of) for (_, item), of in zip(exact(value), want.items, strict=True))
    raise Refused


def bare(of: Type) -> Type:
    """A constraint as a type."""
    if of.kind == "object":
        return Type("object", members=tuple((name, bare(member)) for name, member in of.members))
    if of.item is not None:
        return Type(of.kind, bare(of.item))
    return Type("tuple", items=tuple(map(bare, of.items))) if of.kind == "tuple" else of


def number_text(number: int | float) -> str:
    """A number as text, the way terraform writes it: never with an exponent."""
    return str(number) if isinstance(number, int) else format(Decimal(repr(number)), "f")


def number(text: Decimal) -> int | float:
    """A decimal as a raw number. Raises :class:`Undecided` where it would not stay exact."""
    if text and abs(text.adjusted()) > 150:
        raise Undecided
    if text == text.to_integral_value():
        return int(text)
    found = float(text)
    if Decimal(repr(found)) != text:
        raise Undecided
    return found


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?", re.ASCII)
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


def _primitive(value: Value, want: Type) -> Value:
    raw, kind = value.raw, value.type.kind
    if kind not in ("string", "number", "bool"):
        raise Refused
    if want.kind == "string":
        return scalar(("true" if raw else "false") if isinstance(raw, bool) else number_text(raw))
    if kind == "string" and want.kind == "number":
        if not _NUMBER.fullmatch(raw):
            raise Undecided  # most likely refused; other notations exist
        return scalar(number(Decimal(raw)))
    if kind == "string" and raw in _BOOLS:
        return scalar(_BOOLS[raw])
    raise Refused


def _sequence(value: Value, want: Type) -> Value:
    item, unified = _alike(want.item or ANY, [convert(member, want.item or ANY) for _, member in exact(value)])
    if want.kind == "list":
        return list_value(item, unified)
    return set_value(item, unified)


def set_value(item: Type, members: list[Value]) -> Value:
    """A set, in terraform's order. Raises :class:`Undecided` where that or the number of members is not known."""
    if len(members) > 1:
        raws = [member.raw for member in members]
        if item.kind not in ("string", "number", "bool") or not known(raws) or None in raws:
            raise Undecided
        members = [Value(item, raw, 1 + (len(raw) // 100 if isinstance(raw, str) else 0)) for raw in sorted(set(raws))]
    return Value(set_of(item), [member.raw for member in members], sizes(members))


def _alike(item: Type, members: list[Value]) -> tuple[Type, list[Value]]:
    """Members of a collection, made one type where the constraint leaves it open."""
    if not members or not holds(item, "any"):
        return bare(item), members
    try:
        common = unify([member.type for member in members])
    except Undecided:
        if all(member.raw is None or isinstance(member.raw, str | Template | Expression) for member in members):
            return STRING, members  # whatever type the unknown ones have, the others stay texts
        raise
    if common is None:
        raise Refused
    return common, [convert(member, common) for member in members]


def _object(value: Value, want: Type) -> Value:
    have = dict(exact(value))
    optional = dict(want.optional)
    made = {}
    for name, of in want.members:
        member = have.get(name)
        default = optional.get(name)
        if name in have and member is not None and not (member.raw is None and default is not None):
            made[name] = convert(member, of)
        elif name in optional:
            made[name] = convert(default, of) if default is not None else Value(bare(of), None)
        else:
            raise Refused
    return object_value(made)


# The type in common


def unify(types: list[Type]) -> Type | None:
    """The type that values of all these types are converted to, as the branches of a conditional are.

    ``None`` where there is none. Raises :class:`Undecided` where it depends on a type that is not known.
    """
    distinct = _distinct(types)
    if len(distinct) == 1:
        return distinct[0]
    if any(of.kind == "any" for of in distinct):
        raise Undecided
    told = [of for of in distinct if of.kind != "null"]
    if len(told) < len(distinct):
        if len(told) == 1:
            return told[0]
        raise Undecided
    kinds = {of.kind for of in told}
    if kinds <= {"string", "number", "bool"}:
        return STRING if "string" in kinds else None
    if kinds == {"object"}:
        return _unify_objects(told)
    if kinds == {"tuple"}:
        return _unify_tuples(told)
    for kind in ("map", "list", "set"):
        if kinds == {kind}:
            item = unify([of.item or ANY for of in told])
            return None if item is None else Type(kind, item)
    if kinds == {"map", "object"}:
        return _unify_inner("map", told)
    if kinds == {"list", "tuple"}:
        return _unify_inner("list", told)
    if kinds == {"set", "tuple"} and len(_distinct([inner for of in told for inner in _inner(of)])) == 1:
        return _unify_inner("set", told)
    if kinds & {"string", "number", "bool"} or (kinds & {"map", "object"} and kinds & {"list", "tuple", "set"}):
        return None
    raise Undecided


def _distinct(types: list[Type]) -> list[Type]:
    distinct: list[Type] = []
    for of in types:
        if len(distinct) > 50:
            raise Undecided
        if of not in distinct:
            distinct.append(of)
    return distinct


def _unify_objects(types: list[Type]) -> Type | None:
    names = [name for name, _ in types[0].members]
    if any([name for name, _ in of.members] != names for of in types):
        return _unify_inner("map", types)
    members = []
    for index, name in enumerate(names):
        common = unify([of.members[index][1] for of in types])
        if common is None:
            return None
        members.append((name, common))
    return Type("object", members=tuple(members))


def _unify_tuples(types: list[Type]) -> Type | None:
    if any(len(of.items) != len(types[0].items) for of in types):
        return _unify_inner("list", types)
    columns = [unify(list(column)) for column in zip(*(of.items for of in types), strict=True)]
    if any(column is None for column in columns):
        return None
    return Type("tuple", items=tuple(column for column in columns if column is not None))


def _unify_inner(kind: str, types: list[Type]) -> Type | None:
    """The collection that takes whatever these hold."""
    inner = [member for of in types for member in _inner(of)]
    if any(holds(member, "null") for member in inner):
        raise Undecided
    common = unify(inner) if inner else ANY
    return None if common is None else Type(kind, common)


def equal(left: Value, right: Value) -> bool:
    """``left == right``. Values of different types are never equal, except that null is null.

    Raises :class:`Undecided`.
    """
    if left.unknown or right.unknown:
        raise Undecided
    if left.raw is None or right.raw is None:
        return left.raw is right.raw
    if not known(left.raw) or not known(right.raw):
        raise Undecided
    if left.type != right.type:
        if any(holds(side.type, "any", "null") for side in (left, right)):
            raise Undecided
        return False
    return _same(left.raw, right.raw)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) or isinstance(right, float):
        return Decimal(repr(left)) == Decimal(repr(right))
    return bool(left == right)
