"""The schema of a resource type, derived from the contract.

Nothing that an author may set is computed: what is left out is null, in the plan as in the state, so that a removal is
a change like any other and a reference is never mistaken for an omission.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.provider import timeouts
from pcs_bridge.provider.kinds import Kind
from pcs_contract.spelling import FieldSpec

CHANGES_ALONE: Final = frozenset({"status", "modifiedAt", "errorInfo", "endpoints", "jwtAuth"})
"""Canonical fields, set by PCS, that an update may change; what else PCS sets stays for good."""


def resource(kind: Kind) -> Schema:
    """The schema of a resource type."""
    return Schema(
        Attributes(
            (
                Attribute("id", cty.STRING, computed=True, keeps_prior=True, description="The ARN, as in `arn`."),
                *_fields(kind),
                Attribute(
                    "tags_all",
                    cty.MapOf(cty.STRING),
                    computed=True,
                    description="All tags: `tags`, and those of the provider's `default_tags` that it does not name.",
                ),
                timeouts.ATTRIBUTE,
            )
        ),
        description=kind.description,
    )


CHOICE: Final = ("id", "name")
"""Canonical fields of which one says which resource a data source is about."""


def data_source(kind: Kind) -> Schema:
    """The schema of a data source."""
    return Schema(
        Attributes(
            (
                Attribute("id", cty.STRING, computed=True, description="The ARN, as in `arn`."),
                *(
                    Attribute(
                        field.written,
                        _type(kind, field, name, computed=True),
                        required=name == kind.parent,
                        optional=name in CHOICE,
                        computed=name != kind.parent,
                        description=_looked_up(kind, field),
                    )
                    for name, field in kind.fields.items()
                ),
            )
        ),
        description=f"A {kind.noun} that exists already, by its id or by its name.",
    )


def _looked_up(kind: Kind, field: FieldSpec) -> str:
    if field.name == kind.parent:
        return "The id or the name of the cluster."
    if field.name in CHOICE:
        return f"The {field.name} of the {kind.noun}; either this or `{_other(kind, field)}` says which one."
    return _named(field, field.name)


def _other(kind: Kind, field: FieldSpec) -> str:
    return next(kind.fields[name].written for name in CHOICE if name != field.name)


def _fields(kind: Kind) -> Iterator[Attribute]:
    for name, field in kind.fields.items():
        if name in kind.read_only:
            keeps = name not in CHANGES_ALONE
            yield Attribute(
                field.written,
                _type(kind, field, name, computed=True),
                computed=True,
                keeps_prior=keeps,
                description=_named(field, name),
            )
        else:
            yield _attribute(kind, field, name, required=name in kind.required)


def _attribute(kind: Kind, field: FieldSpec, path: str, *, required: bool) -> Attribute:
    return Attribute(
        field.written,
        _type(kind, field, path),
        required=required,
        optional=not required,
        replaces=path in kind.facts.create_only,
        sensitive=field.shape.sensitive,
        description=_description(kind, field, path, required=required),
    )


def _type(kind: Kind, field: FieldSpec, path: str, *, computed: bool = False) -> cty.Type | Nested:
    if field.kind == "object":
        return Nested(Nesting.SINGLE, _members(kind, field, path, computed))
    if field.kind == "list" and field.item is not None and field.item.kind == "object":
        return Nested(Nesting.LIST, _members(kind, field.item, f"{path}[]", computed))
    return _plain(field)


def _members(kind: Kind, field: FieldSpec, path: str, computed: bool) -> Attributes:
    if computed:
        return Attributes(
            Attribute(
                member.written,
                _type(kind, member, f"{path}.{member.name}", computed=True),
                computed=True,
                description=_named(member, f"{path}.{member.name}"),
            )
            for member in field.fields
        )
    return Attributes(
        _attribute(kind, member, f"{path}.{member.name}", required=member.name in field.shape.required)
        for member in field.fields
    )


def _plain(field: FieldSpec) -> cty.Type:
    match field.kind:
        case "integer":
            return cty.NUMBER
        case "boolean":
            return cty.BOOL
        case "list" if field.item is not None:
            return cty.ListOf(_plain(field.item))
        case "map" if field.item is not None:
            return cty.MapOf(_plain(field.item))
    return cty.STRING


def _description(kind: Kind, field: FieldSpec, path: str, *, required: bool) -> str:
    """What the contract says of a field that can be set, as sentences."""
    said = [_named(field, path)]
    bounds = _bounds(field)
    if bounds:
        said.append(bounds)
    if not required and path in kind.facts.defaults:
        said.append(f"Without it PCS takes `{kind.facts.defaults[path]}`.")
    elif not required and kind.facts.clearing.get(path) is not None:
        said.append("Removing it removes the setting.")
    if path in kind.facts.create_only:
        said.append("A change makes another resource.")
    return " ".join(said)


def _named(field: FieldSpec, path: str) -> str:
    """Which field it is, and what values it has."""
    values = f" One of {', '.join(f'`{value}`' for value in field.shape.enum)}." if field.shape.enum else ""
    return f"`{path.replace('[]', '')}` of the PCS API.{values}"


def _bounds(field: FieldSpec) -> str:
    shape = field.shape
    if shape.enum or (shape.min is None and shape.max is None):
        return ""
    unit = {"string": " characters", "list": " entries", "map": " entries"}.get(field.kind, "")
    if shape.min == shape.max:
        return f"Exactly {shape.min}{unit}."
    if shape.max is None:
        return "At least 1 entry." if shape.min == 1 and unit == " entries" else f"At least {shape.min}{unit}."
    return f"{shape.min or 0} to {shape.max}{unit}."
