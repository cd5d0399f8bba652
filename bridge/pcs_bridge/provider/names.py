"""Values in Terraform's spelling and in the API's, field by field along the contract."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from pcs_bridge.plugin.values import Value
from pcs_contract.spelling import FieldSpec


def to_api(field: FieldSpec, value: Value) -> Any:
    """A known value as a request has it. Members that are null are left out, as the API has no null."""
    if value is None:
        return None
    if field.kind == "object":
        members = {member.name: to_api(member, value.get(member.written)) for member in field.fields}
        return {name: member for name, member in members.items() if member is not None}
    if field.kind == "list" and field.item is not None:
        item = field.item
        return [to_api(item, element) for element in value]
    return value


def from_api(field: FieldSpec, value: Any) -> Value:
    """A value of a response as a state has it; what the response leaves out is null."""
    if value is None:
        return None
    if field.kind == "object":
        return {member.written: from_api(member, value.get(member.name)) for member in field.fields}
    if field.kind == "list" and field.item is not None:
        item = field.item
        return [from_api(item, element) for element in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def members(fields: Iterable[FieldSpec], values: Mapping[str, Value]) -> dict[str, Any]:
    """What `values`, a state or plan, says of fields, by canonical name in the API's spelling."""
    return {field.name: to_api(field, values.get(field.written)) for field in fields}
