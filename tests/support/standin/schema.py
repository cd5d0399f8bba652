"""The schema of the stand-in's node group, derived from the contract.

Two flavours: ``computed`` is like the real awscc, where every optional attribute, down to the members of each script,
is computed as well and keeps its prior value; in ``plain`` only what PCS itself sets is computed.
"""

from __future__ import annotations

from typing import Literal

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_contract import prose, shapes, spelling
from pcs_contract.spelling import FieldSpec

Flavour = Literal["computed", "plain"]


def group_schema(resource_type: str, flavour: Flavour) -> Schema:
    return Schema(Attributes((*_group_attributes(resource_type, flavour), _identifier())))


def fields(resource_type: str) -> tuple[FieldSpec, ...]:
    """The fields that this resource type has."""
    lacking = spelling.LACKING[resource_type]
    if resource_type.startswith("awscc_"):
        lacking |= spelling.API_ONLY
    return tuple(field for field in spelling.structure("terraform").fields if field.name not in lacking)


def _identifier() -> Attribute:
    return Attribute("id", cty.STRING, computed=True, keeps_prior=True, description="The ARN of the group.")


def _group_attributes(resource_type: str, flavour: Flavour) -> list[Attribute]:
    attributes = []
    for field in fields(resource_type):
        if field.name in shapes.read_only():
            attributes.append(Attribute(field.written, _plain_type(field), computed=True, keeps_prior=True))
            continue
        required = field.name in shapes.group().required
        attributes.append(_attribute(field, required, flavour, replaces=field.name in prose.CREATE_ONLY))
    return attributes


def _attribute(field: FieldSpec, required: bool, flavour: Flavour, *, replaces: bool = False) -> Attribute:
    # awscc asks for nothing below an optional attribute: it could not say "all or nothing" otherwise.
    computed = flavour == "computed" and not required
    return Attribute(
        field.written,
        _type(field, flavour, below_optional=computed),
        required=required,
        optional=not required,
        computed=computed,
        keeps_prior=computed,
        replaces=replaces,
        sensitive=field.shape.sensitive,
        description=f"`{field.name}` of the PCS API.",
    )


def _type(field: FieldSpec, flavour: Flavour, *, below_optional: bool) -> cty.Type | Nested:
    if field.kind == "object":
        return Nested(Nesting.SINGLE, _members(field, flavour, below_optional))
    if field.kind == "list" and field.item is not None and field.item.kind == "object":
        return Nested(Nesting.LIST, _members(field.item, flavour, below_optional))
    return _plain_type(field)


def _members(field: FieldSpec, flavour: Flavour, below_optional: bool) -> Attributes:
    return Attributes(
        _attribute(member, member.name in field.shape.required and not below_optional, flavour)
        for member in field.fields
    )


def _plain_type(field: FieldSpec) -> cty.Type:
    match field.kind:
        case "integer":
            return cty.NUMBER
        case "boolean":
            return cty.BOOL
        case "list" | "map":
            assert field.item is not None
            item = _plain_type(field.item)
            return cty.ListOf(item) if field.kind == "list" else cty.MapOf(item)
        case "object":
            return cty.ObjectOf({member.written: _plain_type(member) for member in field.fields})
    return cty.STRING
