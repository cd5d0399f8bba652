"""Messages of the protocol from and to what the rest of the package speaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pcs_bridge.plugin import cty, values
from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.cty import ObjectOf, Type
from pcs_bridge.plugin.diagnostics import Diagnostic, Severity
from pcs_bridge.plugin.function import Function
from pcs_bridge.plugin.paths import Key, Path
from pcs_bridge.plugin.schema import Attribute, Nested, Nesting, Schema
from pcs_bridge.plugin.values import Object, Value

_SEVERITIES: Final = {Severity.ERROR: pb.Diagnostic.ERROR, Severity.WARNING: pb.Diagnostic.WARNING}
_NESTINGS: Final = {
    Nesting.SINGLE: pb.Schema.Object.SINGLE,
    Nesting.LIST: pb.Schema.Object.LIST,
    Nesting.SET: pb.Schema.Object.SET,
    Nesting.MAP: pb.Schema.Object.MAP,
}


def read_object(message: pb.DynamicValue, type_: ObjectOf) -> Object | None:
    """The object in a message; None for null. Raises ValueError, also for an unknown or missing value."""
    value = read_value(message, type_)
    if value is not None and not isinstance(value, dict):
        raise ValueError("terraform sent an object that is unknown as a whole")
    return value


def read_value(message: pb.DynamicValue, type_: Type) -> Value:
    """The value in a message. Raises ValueError, also for a missing one."""
    if message.msgpack:
        return values.from_msgpack(message.msgpack, type_)
    if message.json:
        return values.from_json(message.json, type_)
    raise ValueError("terraform sent a value without content")


def write_object(value: Object | None, type_: ObjectOf) -> pb.DynamicValue:
    """Raises WrongValue where the value does not fit the type."""
    return write_value(value, type_)


def write_value(value: Value, type_: Type) -> pb.DynamicValue:
    """Raises WrongValue where the value does not fit the type."""
    return pb.DynamicValue(msgpack=values.to_msgpack(value, type_))


def write_path(path: Path) -> pb.AttributePath:
    return pb.AttributePath(steps=[_step(step) for step in path])


def _step(step: str | int) -> pb.AttributePath.Step:
    if isinstance(step, Key):
        return pb.AttributePath.Step(element_key_string=step)
    if isinstance(step, str):
        return pb.AttributePath.Step(attribute_name=step)
    return pb.AttributePath.Step(element_key_int=step)


def write_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[pb.Diagnostic]:
    return [
        pb.Diagnostic(
            severity=_SEVERITIES[diagnostic.severity],
            summary=diagnostic.summary,
            detail=diagnostic.text,
            attribute=write_path(diagnostic.path) if diagnostic.path else None,
        )
        for diagnostic in diagnostics
    ]


def write_schema(schema: Schema) -> pb.Schema:
    block = pb.Schema.Block(
        version=schema.version,
        attributes=[_attribute(attribute) for attribute in schema.attributes.values()],
        description=schema.description,
        description_kind=pb.MARKDOWN,
    )
    return pb.Schema(version=schema.version, block=block)


def _attribute(attribute: Attribute) -> pb.Schema.Attribute:
    message = pb.Schema.Attribute(
        name=attribute.name,
        description=attribute.description,
        description_kind=pb.MARKDOWN,
        required=attribute.required,
        optional=attribute.optional,
        computed=attribute.computed,
        sensitive=attribute.sensitive,
        write_only=attribute.write_only,
        deprecated=attribute.deprecated,
    )
    if isinstance(attribute.of, Nested):
        message.nested_type.nesting = _NESTINGS[attribute.of.nesting]
        message.nested_type.attributes.extend(_attribute(inner) for inner in attribute.of.attributes.values())
    else:
        message.type = cty.to_json(attribute.of)
    return message


def write_function(function: Function) -> pb.Function:
    return pb.Function(
        parameters=[
            pb.Function.Parameter(
                name=parameter.name,
                type=cty.to_json(parameter.type),
                description=parameter.description,
                description_kind=pb.MARKDOWN,
            )
            for parameter in function.parameters
        ],
        result=pb.Function.Return(type=cty.to_json(function.result)),
        summary=function.summary,
        description=function.description,
        description_kind=pb.MARKDOWN,
    )
