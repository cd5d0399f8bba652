"""A schema as Markdown: what is required, what is optional, what is read only, and the same of nested attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.cty import ListOf, MapOf, SetOf
from pcs_bridge.plugin.function import Function
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_policies.docs import markdown

_PRIMITIVES: Final = {cty.STRING: "String", cty.NUMBER: "Number", cty.BOOL: "Boolean"}
_NESTINGS: Final[Mapping[Nesting, str]] = {
    Nesting.SINGLE: "Attributes",
    Nesting.LIST: "List of attributes",
    Nesting.SET: "Set of attributes",
    Nesting.MAP: "Map of attributes",
}


def page(schema: Schema) -> Iterator[str]:
    """The parts of a page about a schema."""
    yield from _attributes(schema.attributes, "", "###")
    yield from _nested(schema.attributes, "")


def signature(name: str, function: Function) -> str:
    """A function as it is called."""
    parameters = ", ".join(f"{parameter.name} {type_name(parameter.type)}" for parameter in function.parameters)
    return f"{name}({parameters.lower()}) {type_name(function.result).lower()}"


def type_name(of: cty.Type | Nested) -> str:
    """`String`, `List of String`, `Attributes`."""
    match of:
        case Nested(nesting):
            return _NESTINGS[nesting]
        case ListOf(item):
            return f"List of {type_name(item)}"
        case SetOf(item):
            return f"Set of {type_name(item)}"
        case MapOf(item):
            return f"Map of {type_name(item)}"
        case cty.Primitive():
            return _PRIMITIVES[of]
    raise ValueError("no attribute of this provider has such a type")


def _attributes(attributes: Attributes, path: str, level: str) -> Iterator[str]:
    groups = {
        "Required": [one for one in attributes.values() if one.required],
        "Optional": [one for one in attributes.values() if one.optional],
        "Read-only": [one for one in attributes.values() if one.computed and not one.optional],
    }
    for title, members in groups.items():
        if members:
            yield f"{level} {title}\n" if level else f"{title}:\n"
            yield "\n".join(_line(one, path) for one in sorted(members, key=lambda one: one.name)) + "\n"


def _line(attribute: Attribute, path: str) -> str:
    type_ = type_name(attribute.of)
    below = f" [Its attributes](#{_anchor(path, attribute.name)})." if isinstance(attribute.of, Nested) else ""
    sensitive = ", sensitive" if attribute.sensitive else ""
    return f"- `{attribute.name}` ({type_}{sensitive}) {attribute.description}{below}".rstrip()


def _nested(attributes: Attributes, path: str) -> Iterator[str]:
    for attribute in sorted(attributes.values(), key=lambda one: one.name):
        if isinstance(attribute.of, Nested):
            here = f"{path}.{attribute.name}" if path else attribute.name
            yield f"### `{here}`\n"
            yield from _attributes(attribute.of.attributes, here, "")
            yield from _nested(attribute.of.attributes, here)


def _anchor(path: str, name: str) -> str:
    """What GitHub and the site make of the heading."""
    return f"{path}{name}".replace(".", "")


def hcl(text: str) -> str:
    return markdown.code("hcl", text)
