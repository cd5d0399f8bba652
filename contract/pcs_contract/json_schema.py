"""The contract as JSON Schema 2020-12, for editors, for documentation and for validation with `jsonschema`.

A schema carries what one field can say by itself: types, required fields, sizes, patterns, enums and
defaults. The conditions between fields are in `prose.CROSS_FIELD_RULES`. A field that is null must be left
out before validation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pcs_contract.prose import DEFAULTS
from pcs_contract.shapes import CREATE_REQUEST, Shape, group, operation, read_only
from pcs_contract.spelling import Spelling, written_name

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "integer": ("minimum", "maximum"),
    "list": ("minItems", "maxItems"),
    "map": ("minProperties", "maxProperties"),
    "string": ("minLength", "maxLength"),
}


def operation_schema(name: str) -> Schema:
    """Return the schema of an operation's input, such as `CreateComputeNodeGroup`, as the API spells it.

    Defaults are given for CreateComputeNodeGroup only: in an update, a field that is left out keeps its
    value. Raises KeyError, with the nearest names, when there is no such operation.
    """
    root = operation(name).input
    defaults = DEFAULTS if root.name == CREATE_REQUEST else {}
    return _document(f"input of AWS PCS {name}", root, _api_name, defaults, frozenset())


def group_schema(spelling: Spelling) -> Schema:
    """Return the schema of a compute node group in one spelling: what Create accepts, and what PCS adds.

    The limits are the API's, also where one provider is stricter or looser; fields that one provider lacks
    are in (see `spelling.LACKING`), aliases are not. Fields that PCS sets are marked `readOnly`.
    """

    def name_of(path: str, member: str) -> str:
        return written_name(path, member, spelling)

    return _document(f"AWS PCS compute node group ({spelling})", group(), name_of, DEFAULTS, read_only())


def value_schema(shape: Shape) -> Schema:
    """Return the schema of a single value: a string, an integer or a boolean."""
    return {"type": shape.type} | _facts(shape)


def _api_name(_path: str, member: str) -> str:
    return member


def _document(
    title: str,
    root: Shape,
    name_of: Callable[[str, str], str],
    defaults: Mapping[str, str],
    read_only_paths: frozenset[str],
) -> Schema:
    """Return a whole document; a structure becomes one of `$defs` by its shape's name."""
    definitions: dict[str, Schema] = {}

    def convert(shape: Shape, path: str) -> Schema:
        if shape.type == "structure":
            if shape.name not in definitions:
                definitions[shape.name] = {}  # holds the place, should a shape ever contain itself
                definitions[shape.name] = structure(shape, path)
            result: Schema = {"$ref": f"#/$defs/{shape.name}"}
        elif shape.type == "list" and shape.item is not None:
            result = {"type": "array", "items": convert(shape.item, path + "[]")}
        elif shape.type == "map" and shape.item is not None and shape.key is not None:
            names = {fact: value for fact, value in convert(shape.key, path).items() if fact != "type"}
            result = {"type": "object", "additionalProperties": convert(shape.item, path + "[]")}
            if names:
                result["propertyNames"] = names
        elif shape.type == "timestamp":
            result = {"type": "string", "format": "date-time"}
        else:
            return value_schema(shape)
        return result | _facts(shape)

    def structure(shape: Shape, path: str) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for member, child in shape.members.items():
            below = f"{path}.{member}" if path else member
            name = name_of(below, member)
            schema = convert(child, below)
            if below in defaults:
                schema["default"] = defaults[below]
            if below in read_only_paths:
                schema["readOnly"] = True
            properties[name] = schema
            if member in shape.required:
                required.append(name)
        result: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return result | ({"required": required} if required else {})

    top = structure(root, "")
    return {"$schema": DIALECT, "title": title, **top, "$defs": dict(sorted(definitions.items()))}


def _facts(shape: Shape) -> Schema:
    facts: Schema = {}
    for keyword, bound in zip(_BOUNDS.get(shape.type, ()), (shape.min, shape.max), strict=False):
        if bound is not None:
            facts[keyword] = bound
    if shape.pattern is not None:
        facts["pattern"] = f"^(?:{shape.pattern})$"  # the API matches whole values, JSON Schema searches
    if shape.enum:
        facts["enum"] = list(shape.enum)
    if shape.sensitive:
        facts["x-sensitive"] = True
    return facts
