"""The schema model, and the messages made of it."""

from typing import Any

import pytest

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.cty import NUMBER, STRING, ListOf, MapOf, ObjectOf, SetOf, Type
from pcs_bridge.plugin.schema import EMPTY, Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.plugin.wire import write_schema

INNER = Attributes((Attribute("name", STRING, required=True), Attribute("size", NUMBER, optional=True)))
OBJECT = ObjectOf({"name": STRING, "size": NUMBER})


def only_attribute(attribute: Attribute) -> pb.Schema.Attribute:
    (message,) = write_schema(Schema(Attributes((attribute,)))).block.attributes
    return message


@pytest.mark.parametrize(
    ("nesting", "type_", "message"),
    [
        (Nesting.SINGLE, OBJECT, pb.Schema.Object.SINGLE),
        (Nesting.LIST, ListOf(OBJECT), pb.Schema.Object.LIST),
        (Nesting.SET, SetOf(OBJECT), pb.Schema.Object.SET),
        (Nesting.MAP, MapOf(OBJECT), pb.Schema.Object.MAP),
    ],
)
def test_nested_attributes(nesting: Nesting, type_: Type, message: pb.Schema.Object.NestingMode) -> None:
    attribute = Attribute("scripts", Nested(nesting, INNER), optional=True)
    written = only_attribute(attribute)
    assert attribute.type == type_
    assert written.nested_type.nesting == message
    assert [inner.name for inner in written.nested_type.attributes] == ["name", "size"]
    assert written.type == b""


@pytest.mark.parametrize(
    "flags",
    [
        {"required": True},
        {"optional": True},
        {"optional": True, "computed": True},
        {"computed": True, "sensitive": True},
        {"optional": True, "deprecated": True},
        {"optional": True, "write_only": True},
    ],
)
def test_flags(flags: dict[str, Any]) -> None:
    written = only_attribute(Attribute("name", STRING, **flags))
    names = ("required", "optional", "computed", "sensitive", "deprecated", "write_only")
    assert {name for name in names if getattr(written, name)} == set(flags)
    assert (written.name, written.type) == ("name", b'"string"')


def test_version_and_markdown() -> None:
    schema = write_schema(Schema(INNER, version=3, description="A `group`."))
    assert (schema.version, schema.block.version) == (3, 3)
    assert (schema.block.description, schema.block.description_kind) == ("A `group`.", pb.MARKDOWN)


def test_an_empty_schema_has_an_empty_block() -> None:
    written = write_schema(EMPTY)
    assert written.HasField("block")
    assert not written.block.attributes


@pytest.mark.parametrize(
    ("name", "flags", "message"),
    [
        ("a", {}, "neither required, optional nor computed"),
        ("a", {"required": True, "optional": True}, "cannot be optional or computed"),
        ("a", {"required": True, "computed": True}, "cannot be optional or computed"),
        ("a", {"optional": True, "computed": True, "write_only": True}, "nothing to compute"),
        ("a", {"optional": True, "keeps_prior": True}, "must be computed"),
        ("nodeReady", {"optional": True}, "lower case"),
        ("a-b", {"optional": True}, "lower case"),
    ],
)
def test_what_terraform_would_refuse_is_refused_at_once(name: str, flags: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Attribute(name, STRING, **flags)
