"""Values through both encodings: nothing is lost, nothing slips through, and messages never hold a value."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs_bridge.plugin import cty, values
from pcs_bridge.plugin.cty import BOOL, DYNAMIC, NUMBER, STRING, ListOf, MapOf, ObjectOf, SetOf, TupleOf, Type
from pcs_bridge.plugin.values import UNKNOWN, Dynamic, Unknown, WrongValue

GROUP = ObjectOf({"name": STRING, "sizes": ListOf(NUMBER), "tags": MapOf(STRING)})


def wire(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


@pytest.mark.parametrize(
    ("type_", "raw", "value"),
    [
        (STRING, "a", "a"),
        (STRING, None, None),
        (BOOL, True, True),
        (NUMBER, 7, 7),
        (NUMBER, -1, -1),
        (NUMBER, 2**63, 2**63),
        (NUMBER, 7.0, 7),
        (NUMBER, 0.5, Decimal("0.5")),
        (NUMBER, "0.1", Decimal("0.1")),
        (NUMBER, "123456789012345678901234567890", 123456789012345678901234567890),
        (NUMBER, float("inf"), Decimal("Infinity")),
        (ListOf(STRING), ["a", None], ["a", None]),
        (ListOf(STRING), [], []),
        (SetOf(NUMBER), [1, 2], [1, 2]),
        (MapOf(STRING), {"a": "b"}, {"a": "b"}),
        (GROUP, {"name": "a", "sizes": None}, {"name": "a", "sizes": None, "tags": None}),
        (TupleOf((STRING, BOOL)), ["a", False], ["a", False]),
        (DYNAMIC, [b'["list","number"]', [1]], Dynamic(ListOf(NUMBER), [1])),
        (DYNAMIC, None, None),
        (STRING, msgpack.ExtType(0, b"anything"), UNKNOWN),
        (STRING, msgpack.ExtType(77, b"from the future"), UNKNOWN),
        (GROUP, {"name": msgpack.ExtType(0, b"")}, {"name": UNKNOWN, "sizes": None, "tags": None}),
    ],
)
def test_decoding(type_: Type, raw: Any, value: Any) -> None:
    assert values.from_msgpack(wire(raw), type_) == value


def test_a_double_is_read_exactly() -> None:
    assert values.from_msgpack(wire(0.1), NUMBER) == Decimal.from_float(0.1)


@pytest.mark.parametrize(
    ("number", "raw"),
    [
        (7, 7),
        (2**64 - 1, 2**64 - 1),
        (2**64, "18446744073709551616"),
        (-(2**63) - 1, "-9223372036854775809"),
        (Decimal("0.5"), 0.5),
        (Decimal("0.1"), "0.1"),
        (Decimal("7.0"), 7),
        (Decimal("1e3"), 1000),
        (Decimal("Infinity"), float("inf")),
        (Decimal("-0.30000000000000000000000001"), "-0.30000000000000000000000001"),
        (1.5, 1.5),
    ],
)
def test_numbers_take_the_smallest_form_that_is_exact(number: Any, raw: Any) -> None:
    assert msgpack.unpackb(values.to_msgpack(number, NUMBER)) == raw


def test_a_number_of_a_billion_digits_costs_nothing() -> None:
    huge = values.from_msgpack(wire("1e999999999"), NUMBER)
    tiny = values.from_msgpack(wire("1e-999999999"), NUMBER)
    assert (huge, tiny) == (Decimal("1e999999999"), Decimal("1e-999999999"))
    assert len(values.to_msgpack(huge, NUMBER)) < 100
    assert len(values.to_msgpack(tiny, NUMBER)) < 100


def test_refinements_are_readable_and_go_back_unchanged() -> None:
    payload = wire({1: False, 2: "s3://", 99: "from the future"})
    unknown = values.from_msgpack(wire(msgpack.ExtType(12, payload)), STRING)
    assert unknown == Unknown(payload)
    assert (unknown.prefix, unknown.not_null) == ("s3://", True)
    assert values.to_msgpack(unknown, STRING) == wire(msgpack.ExtType(12, payload))


def test_an_unknown_without_refinements_tells_nothing() -> None:
    assert (UNKNOWN.prefix, UNKNOWN.not_null) == ("", False)
    assert msgpack.unpackb(values.to_msgpack(UNKNOWN, STRING)).code == 0


@pytest.mark.parametrize("payload", [b"", b"\xc1", b"\x92\x01", wire([1]), wire({2: 7})])
def test_refinements_that_make_no_sense_tell_nothing(payload: bytes) -> None:
    assert (Unknown(payload).prefix, Unknown(payload).not_null) == ("", False)


@pytest.mark.parametrize(
    ("type_", "raw", "message"),
    [
        (STRING, 7, "the value should be a string but is a number"),
        (NUMBER, True, "the value should be a number but is a bool"),
        (NUMBER, "secret", "the value should be a number but is a string"),
        (BOOL, 1, "the value should be a bool but is a number"),
        (GROUP, {"name": ["secret"]}, "name should be a string but is a list of 1"),
        (GROUP, {"sizes": [1, "x"]}, "sizes[1] should be a number but is a string"),
        (GROUP, {"tags": {"a b": 1}}, 'tags["a b"] should be a string but is a number'),
        (GROUP, {"other": "secret"}, "other should be left out: the schema has no such attribute but is a string"),
        (SetOf(STRING), [1], "the value should be a string but is a number"),
        (TupleOf((STRING,)), ["a", "b"], "the value should be a tuple of 1 but is a list of 2"),
        (DYNAMIC, "secret", "the value should be a pair of type and value but is a string"),
        (ObjectOf({"a": GROUP}), {"a": "secret"}, "a should be an object but is a string"),
    ],
)
def test_a_wrong_value_is_refused_by_place_without_the_value(type_: Type, raw: Any, message: str) -> None:
    with pytest.raises(WrongValue) as decoding:
        values.from_msgpack(wire(raw), type_)
    assert str(decoding.value) == message


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        (NUMBER, True, "the value should be a number but is a bool"),
        (NUMBER, Decimal("NaN"), "the value should be a number but is a string"),
        (GROUP, {"name": 1}, "name should be a string but is a number"),
        (GROUP, {"nmae": "secret"}, "nmae should be left out: the schema has no such attribute but is a string"),
        (DYNAMIC, "secret", "the value should be a Dynamic but is a string"),
        (STRING, b"secret", "the value should be a string but is a string"),
    ],
)
def test_encoding_refuses_what_does_not_fit(type_: Type, value: Any, message: str) -> None:
    with pytest.raises(WrongValue) as encoding:
        values.to_msgpack(value, type_)
    assert str(encoding.value) == message


@pytest.mark.parametrize("data", [b"", b"\x81", b"\xc1", b"\x91" * 3000, b"\x81\x01\x02"])
def test_what_is_not_msgpack_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not valid msgpack"):
        values.from_msgpack(data, GROUP)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (NUMBER, "123456789012345678901234567890", 123456789012345678901234567890),
        (NUMBER, "0.1", Decimal("0.1")),
        (NUMBER, "7.0", 7),
        (GROUP, '{"name": "a"}', {"name": "a", "sizes": None, "tags": None}),
        (DYNAMIC, '{"type": ["list", "number"], "value": [1]}', Dynamic(ListOf(NUMBER), [1])),
        (STRING, "null", None),
    ],
)
def test_json_is_read_where_there_is_no_msgpack(type_: Type, text: str, value: Any) -> None:
    assert values.from_json(text, type_) == value


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not valid JSON"):
        values.from_json(text, GROUP)


def test_a_stored_state_loses_what_the_type_lacks() -> None:
    type_ = ObjectOf({"groups": ListOf(GROUP), "by_name": MapOf(GROUP)})
    stored = {"groups": [{"name": "a", "gone": 1}], "by_name": {"a": {"gone": {}}}, "gone": []}
    assert values.from_stored(stored, type_) == {
        "groups": [{"name": "a", "sizes": None, "tags": None}],
        "by_name": {"a": {"name": None, "sizes": None, "tags": None}},
    }


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ({"name": "a", "sizes": [1]}, True),
        ({"name": "a", "sizes": [UNKNOWN]}, False),
        ({"tags": {"a": UNKNOWN}}, False),
        (Dynamic(STRING, UNKNOWN), False),
        (None, True),
    ],
)
def test_wholly_known(value: Any, known: bool) -> None:
    assert values.wholly_known(value) is known


@pytest.mark.parametrize(
    ("type_", "left", "right", "same"),
    [
        (SetOf(STRING), ["a", "b"], ["b", "a"], True),
        (SetOf(STRING), ["a", "a"], ["a"], False),
        (ListOf(STRING), ["a", "b"], ["b", "a"], False),
        (ListOf(SetOf(NUMBER)), [[1, 2]], [[2, 1]], True),
        (GROUP, {"name": None}, {}, True),
        (NUMBER, Decimal("7"), 7, True),
        (STRING, UNKNOWN, "unknown", False),
        (STRING, UNKNOWN, UNKNOWN, True),
        (STRING, None, "", False),
        (SetOf(STRING), [], None, False),
    ],
)
def test_same(type_: Type, left: Any, right: Any, same: bool) -> None:
    assert values.same(left, right, type_) is same


NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=12)
TEXTS = st.text(st.characters(codec="utf-8"))
PRIMITIVES: dict[Type, st.SearchStrategy[Any]] = {STRING: TEXTS, NUMBER: NUMBERS, BOOL: st.booleans()}
TYPES: st.SearchStrategy[Type] = st.recursive(
    st.sampled_from([STRING, NUMBER, BOOL, DYNAMIC]),
    lambda inner: (
        st.builds(ListOf, inner)
        | st.builds(SetOf, inner)
        | st.builds(MapOf, inner)
        | st.builds(ObjectOf, st.dictionaries(TEXTS, inner, max_size=3))
        | st.builds(TupleOf, st.lists(inner, max_size=3).map(tuple))
    ),
    max_leaves=5,
)
UNKNOWNS = st.just(UNKNOWN) | TEXTS.map(lambda prefix: Unknown(wire({2: prefix})))


def values_of(type_: Type, *, unknowns: bool) -> st.SearchStrategy[Any]:
    def inner(item: Type) -> st.SearchStrategy[Any]:
        return values_of(item, unknowns=unknowns)

    known: st.SearchStrategy[Any]
    match type_:
        case cty.Primitive("dynamic"):
            known = st.sampled_from(list(PRIMITIVES)).flatmap(
                lambda of: st.builds(Dynamic, st.just(of), PRIMITIVES[of])
            )
        case cty.Primitive():
            known = PRIMITIVES[type_]
        case ListOf(item) | SetOf(item):
            known = st.lists(inner(item), max_size=3)
        case MapOf(item):
            known = st.dictionaries(TEXTS, inner(item), max_size=3)
        case ObjectOf(attributes):
            known = st.fixed_dictionaries({name: inner(item) for name, item in attributes.items()})
        case TupleOf(items):
            known = st.tuples(*map(inner, items)).map(list)
    return st.none() | known | (UNKNOWNS if unknowns else st.nothing())


TYPED = TYPES.flatmap(lambda type_: st.tuples(st.just(type_), values_of(type_, unknowns=True)))


@given(TYPED)
def test_msgpack_gives_back_what_it_was_given(typed: tuple[Type, Any]) -> None:
    type_, value = typed
    assert values.from_msgpack(values.to_msgpack(value, type_), type_) == value


@given(TYPES)
def test_json_of_a_type_gives_back_the_type(type_: Type) -> None:
    assert cty.parse(cty.to_json(type_)) == type_


@given(TYPED)
def test_a_value_is_the_same_as_itself(typed: tuple[Type, Any]) -> None:
    type_, value = typed
    assert values.same(value, value, type_)


@given(st.binary(max_size=60), TYPES)
def test_any_bytes_are_a_value_or_a_value_error(data: bytes, type_: Type) -> None:
    with suppress(ValueError):
        values.from_msgpack(data, type_)


@given(NUMBERS)
def test_numbers_in_json_are_exact(number: Any) -> None:
    text = json.dumps(number) if isinstance(number, int) else format(number, "f")
    assert values.from_json(text, NUMBER) == number
