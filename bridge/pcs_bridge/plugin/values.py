"""Terraform's values as Python's, and the two encodings in which they travel.

A value is None (null), a bool, a str, an int or Decimal (a number, exact), a list (list, set, tuple), a dict (map,
object), an `Unknown` (decided during apply) or, below a dynamic attribute only, a `Dynamic`. The encoding is driven by
the type in the schema; what does not fit it is refused with `WrongValue`, whose text names the place, never the value.

Source: docs/plugin-protocol/object-wire-format.md in Terraform's repository.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgpack

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.cty import ListOf, MapOf, ObjectOf, Primitive, SetOf, TupleOf, Type
from pcs_bridge.plugin.paths import Key, Path, dotted

_PLAIN_UNKNOWN: Final = 0
_REFINED_UNKNOWN: Final = 12
_NULLNESS: Final = 1
_PREFIX: Final = 2

# Far beyond any real number, and near what Python converts between int and str without being told to (4300 digits):
# `1e999999999` is ten bytes on the wire and must not become a number of a billion digits here.
_MOST_DIGITS: Final = 4000
_SMALLEST_INT: Final = -(2**63)
_LARGEST_INT: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that will be known after apply.

    `refinements` is what is known of it already, still encoded and kept so that it goes back unchanged; whoever plans
    a value with refinements promises that the final one honours them.
    """

    refinements: bytes = b""

    @property
    def prefix(self) -> str:
        """How the final string is known to begin; empty when that is not known."""
        prefix = self._refinement(_PREFIX)
        return prefix if isinstance(prefix, str) else ""

    @property
    def not_null(self) -> bool:
        """Whether the final value is known not to be null."""
        return self._refinement(_NULLNESS) is False

    def _refinement(self, key: int) -> Any:
        try:
            known = msgpack.unpackb(self.refinements, strict_map_key=False)
        except (ValueError, msgpack.UnpackException):
            return None  # refinements may always be passed over
        return known.get(key) if isinstance(known, dict) else None


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A known value of an attribute whose type is `dynamic`, with the type it turned out to have."""

    type: Type
    value: Value


Value = Any
"""See the module's text. (The union is recursive; Any keeps handlers readable, and the schema checks at run time.)"""

Object = dict[str, Value]


class WrongValue(ValueError):
    """A value does not fit its type. Raised with a path and what was expected; the text never holds the value."""

    def __init__(self, path: Path, expected: str, found: object) -> None:
        where = dotted(path) or "the value"
        super().__init__(f"{where} should be {_article(expected)} but is {_article(_kind(found))}")
        self.path: Final = path


def from_msgpack(data: bytes, type_: Type) -> Value:
    """Decode a value. Raises WrongValue, or ValueError when `data` is not msgpack."""
    try:
        # Lengths are bounded by the data itself; depth by msgpack (512 levels).
        raw = msgpack.unpackb(data, ext_hook=_unknown, strict_map_key=True)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise ValueError("the value is not valid msgpack") from error
    return _decode(raw, type_, (), _wire_dynamic)


def from_json(data: bytes | str, type_: Type) -> Value:
    """Decode a value from JSON, which has no unknown values. Errors as in `from_msgpack`."""
    try:
        raw = json.loads(data, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise ValueError("the value is not valid JSON") from error
    return _decode(raw, type_, (), _json_dynamic)


def from_stored(state: Mapping[str, Any], type_: ObjectOf) -> Object:
    """Fit an object from a stored state, as JSON has it, to today's type: what the type lacks is left out.

    Raises WrongValue where a value is of another type than today's.
    """
    fitted: Object = _decode(_fitting(state, type_), type_, (), _json_dynamic)
    return fitted


def _fitting(raw: Any, type_: Type) -> Any:
    match type_, raw:
        case ObjectOf(attributes), dict():
            return {name: _fitting(raw[name], attribute) for name, attribute in attributes.items() if name in raw}
        case ((ListOf(item) | SetOf(item)), list()):
            return [_fitting(value, item) for value in raw]
        case MapOf(item), dict():
            return {key: _fitting(value, item) for key, value in raw.items()}
    return raw


def to_msgpack(value: Value, type_: Type) -> bytes:
    """Encode a value. Attributes that an object leaves out are null. Raises WrongValue."""
    packed: bytes = msgpack.packb(_encode(value, type_, ()))
    return packed


def is_unknown(value: Value) -> bool:
    """Whether the value as a whole is unknown."""
    return isinstance(value, Unknown)


def wholly_known(value: Value) -> bool:
    """Whether neither the value nor anything in it is unknown."""
    if isinstance(value, Unknown):
        return False
    if isinstance(value, Dynamic):
        return wholly_known(value.value)
    if isinstance(value, dict):
        return all(wholly_known(item) for item in value.values())
    if isinstance(value, list):
        return all(wholly_known(item) for item in value)
    return True


def same(left: Value, right: Value, type_: Type) -> bool:
    """Whether two values are equal, sets in any order. Two unknown values are the same: neither is decided."""
    equal: bool = _ordered(left, type_) == _ordered(right, type_)
    return equal


def _unknown(code: int, payload: bytes) -> Unknown:
    # Every extension is an unknown value, also one that does not exist yet; only one code has a payload of use.
    return Unknown(payload) if code == _REFINED_UNKNOWN else UNKNOWN


def _decode(raw: Any, type_: Type, path: Path, dynamic: Any) -> Value:
    if raw is None or isinstance(raw, Unknown):
        return raw
    match type_:
        case Primitive("dynamic"):
            return dynamic(raw, path)
        case Primitive(name):
            return _primitive(raw, name, path)
        case ListOf(item) | SetOf(item):
            items = _expect(raw, list, type_, path)
            inside = _elements_have_paths(type_)
            return [
                _decode(value, item, (*path, index) if inside else path, dynamic) for index, value in enumerate(items)
            ]
        case MapOf(item):
            entries = _expect(raw, dict, type_, path)
            return {key: _decode(value, item, (*path, Key(key)), dynamic) for key, value in entries.items()}
        case ObjectOf(attributes):
            members = _expect(raw, dict, type_, path)
            for name in members:
                if name not in attributes:
                    raise WrongValue((*path, name), "left out: the schema has no such attribute", members[name])
            return {
                name: _decode(members.get(name), attribute, (*path, name), dynamic)
                for name, attribute in attributes.items()
            }
        case TupleOf(types):
            parts = _expect(raw, list, type_, path)
            if len(parts) != len(types):
                raise WrongValue(path, f"tuple of {len(types)}", parts)
            return [
                _decode(value, part, (*path, index), dynamic)
                for index, (value, part) in enumerate(zip(parts, types, strict=True))
            ]


def _wire_dynamic(raw: Any, path: Path) -> Dynamic:
    if not (isinstance(raw, list) and len(raw) == 2 and isinstance(raw[0], bytes)):
        raise WrongValue(path, "pair of type and value", raw)
    type_ = cty.parse(raw[0])
    return Dynamic(type_, _decode(raw[1], type_, path, _wire_dynamic))


def _json_dynamic(raw: Any, path: Path) -> Dynamic:
    if not (isinstance(raw, dict) and raw.keys() == {"type", "value"}):
        raise WrongValue(path, "object of type and value", raw)
    type_ = cty.parse(json.dumps(raw["type"]))
    return Dynamic(type_, _decode(raw["value"], type_, path, _json_dynamic))


def _primitive(raw: Any, name: str, path: Path) -> Value:
    match name, raw:
        case ("string", str()) | ("bool", bool()):
            return raw
        case ("number", bool()):
            pass
        case ("number", int()):
            return raw
        case ("number", float() | Decimal()):
            return _number(Decimal(raw))
        case ("number", str()):
            try:
                return _number(Decimal(raw))
            except InvalidOperation:
                pass
    raise WrongValue(path, name, raw)


def _number(number: Decimal) -> int | Decimal:
    """The number as int, where it is whole and of sane length."""
    if not number.is_finite() or number.adjusted() > _MOST_DIGITS:
        return number
    _, _, exponent = number.as_tuple()
    if isinstance(exponent, int) and exponent < -_MOST_DIGITS:
        return number
    whole = int(number)
    return whole if whole == number else number


def _encode(value: Value, type_: Type, path: Path) -> Any:
    if value is None:
        return None
    if isinstance(value, Unknown):
        if value.refinements:
            return msgpack.ExtType(_REFINED_UNKNOWN, value.refinements)
        return msgpack.ExtType(_PLAIN_UNKNOWN, b"\x00")
    match type_:
        case Primitive("dynamic"):
            if not isinstance(value, Dynamic):
                raise WrongValue(path, "Dynamic", value)
            return [cty.to_json(value.type), _encode(value.value, value.type, path)]
        case Primitive("number"):
            return _encode_number(value, path)
        case Primitive(name):
            return _primitive(value, name, path)
        case ListOf(item) | SetOf(item):
            inside = _elements_have_paths(type_)
            return [
                _encode(element, item, (*path, index) if inside else path)
                for index, element in enumerate(_expect(value, list, type_, path))
            ]
        case MapOf(item):
            return {
                str(key): _encode(element, item, (*path, Key(key)))
                for key, element in _expect(value, dict, type_, path).items()
            }
        case ObjectOf(attributes):
            members = _expect(value, dict, type_, path)
            for name in members:
                if name not in attributes:
                    raise WrongValue((*path, name), "left out: the schema has no such attribute", members[name])
            return {
                name: _encode(members.get(name), attribute, (*path, name)) for name, attribute in attributes.items()
            }
        case TupleOf(types):
            parts = _expect(value, list, type_, path)
            if len(parts) != len(types):
                raise WrongValue(path, f"tuple of {len(types)}", parts)
            return [
                _encode(part, of, (*path, index)) for index, (part, of) in enumerate(zip(parts, types, strict=True))
            ]


def _encode_number(value: Value, path: Path) -> int | float | str:
    """The smallest of the wire's three forms that loses nothing: integer, double, decimal text."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise WrongValue(path, "number", value)
    number = value if isinstance(value, int) else _number(Decimal(value))
    if isinstance(number, int):
        return number if _SMALLEST_INT <= number <= _LARGEST_INT else str(number)
    if number.is_nan():
        raise WrongValue(path, "number", "text")
    try:
        double = float(number)
    except OverflowError:
        return _text(number)
    return double if Decimal(double) == number else _text(number)


def _text(number: Decimal) -> str:
    # Positional digits are what terraform writes itself; exponents only where digits would fill the memory.
    return format(number, "f") if abs(number.adjusted()) <= _MOST_DIGITS else str(number)


def _expect(value: Any, kind: type, type_: Type, path: Path) -> Any:
    if not isinstance(value, kind):
        raise WrongValue(path, cty.describe(type_), value)
    return value


def _elements_have_paths(type_: Type) -> bool:
    return isinstance(type_, ListOf)


def _ordered(value: Value, type_: Type) -> Any:
    """The value in a form that compares equal whatever the order of sets."""
    if value is None or isinstance(value, Unknown):
        return "unknown" if value is not None else None
    match type_:
        case Primitive("dynamic") if isinstance(value, Dynamic):
            return [cty.to_json(value.type), _ordered(value.value, value.type)]
        case ListOf(item):
            return [_ordered(element, item) for element in value]
        case SetOf(item):
            return sorted((_ordered(element, item) for element in value), key=repr)
        case MapOf(item):
            return {key: _ordered(element, item) for key, element in value.items()}
        case ObjectOf(attributes):
            return {name: _ordered(value.get(name), attribute) for name, attribute in attributes.items()}
        case TupleOf(types):
            return [_ordered(part, of) for part, of in zip(value, types, strict=True)]
    # bool is an int in Python: True == 1 must not make a difference vanish.
    return (type(value) is bool, value)


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float() | Decimal():
            return "number"
        case str() | bytes():
            return "string"
        case list():
            return f"list of {len(value)}"
        case dict():
            return "object"
    return type(value).__name__


def _article(noun: str) -> str:
    if noun.startswith(("left out", "null")):
        return noun
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"
