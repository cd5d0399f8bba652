"""Types, and the JSON that names them."""

import pytest

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.cty import BOOL, DYNAMIC, NUMBER, STRING, ListOf, MapOf, ObjectOf, SetOf, TupleOf, Type


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (STRING, b'"string"'),
        (NUMBER, b'"number"'),
        (BOOL, b'"bool"'),
        (DYNAMIC, b'"dynamic"'),
        (ListOf(STRING), b'["list","string"]'),
        (SetOf(ListOf(BOOL)), b'["set",["list","bool"]]'),
        (MapOf(NUMBER), b'["map","number"]'),
        (ObjectOf({"b": STRING, "a": NUMBER}), b'["object",{"a":"number","b":"string"}]'),
        (TupleOf((STRING, BOOL)), b'["tuple",["string","bool"]]'),
    ],
)
def test_type_is_written_and_read(type_: Type, text: bytes) -> None:
    assert cty.to_json(type_) == text
    assert cty.parse(text) == type_


def test_optional_attributes_of_an_object_type_are_passed_over() -> None:
    assert cty.parse('["object",{"a":"string"},["a"]]') == ObjectOf({"a": STRING})


@pytest.mark.parametrize("text", ['"text"', '["list"]', '["bag","string"]', "1", '["object",["a"]]', "{", '["map",1]'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        cty.parse(text)
