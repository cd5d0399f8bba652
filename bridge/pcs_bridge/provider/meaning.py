"""When two values of a field are the same to PCS, however they are written.

A response may show a default that nobody stated, leave out one that somebody did, order a list anew, or answer with a
setting's empty form where there is none. None of that is a difference that a plan should show or an update should send.
"""

from __future__ import annotations

from typing import Any

from pcs_bridge.plugin.values import Value
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.names import to_api
from pcs_contract.spelling import FieldSpec


def same(kind: Kind, field: FieldSpec, left: Any, right: Any) -> bool:
    """Whether two values of a top-level field, in the API's spelling, mean the same."""
    equal: bool = _effective(kind, field, field.name, left) == _effective(kind, field, field.name, right)
    return equal


def settled(kind: Kind, field: FieldSpec, prior: Value, current: Value) -> Value:
    """What is there now, both in Terraform's spelling: as `prior` has it, where that means the same."""
    return _settled(kind, field, field.name, prior, current)


def _settled(kind: Kind, field: FieldSpec, path: str, prior: Value, current: Value) -> Value:
    if _effective(kind, field, path, to_api(field, prior)) == _effective(kind, field, path, to_api(field, current)):
        return prior
    if field.kind == "object" and isinstance(prior, dict) and isinstance(current, dict):
        return {
            member.written: _settled(
                kind, member, f"{path}.{member.name}", prior.get(member.written), current.get(member.written)
            )
            for member in field.fields
        }
    if field.kind == "list" and isinstance(prior, list) and isinstance(current, list) and field.item is not None:
        item = field.item
        return [
            _settled(kind, item, f"{path}[]", prior[index] if index < len(prior) else None, element)
            for index, element in enumerate(current)
        ]
    return current


def _effective(kind: Kind, field: FieldSpec, path: str, value: Any) -> Any:
    """What a value comes to: with defaults filled in, and None for whatever says nothing."""
    if value is None or value == field.default or _clears(kind, path, value):
        return None
    if field.kind == "object":
        members = {
            member.name: _effective(kind, member, f"{path}.{member.name}", value.get(member.name))
            for member in field.fields
        }
        said = {name: member for name, member in members.items() if member is not None}
        return said or None
    if field.kind == "list" and field.item is not None:
        items = [_effective(kind, field.item, f"{path}[]", element) for element in value]
        return (sorted(items, key=repr) if path in kind.facts.unordered else items) or None
    if field.kind == "map":
        return value or None
    return value


def _clears(kind: Kind, path: str, value: Any) -> bool:
    return kind.facts.clearing.get(path) is not None and value == kind.facts.clearing[path]
