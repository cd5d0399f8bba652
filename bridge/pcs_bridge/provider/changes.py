"""The requests that a plan amounts to, in the API's spelling."""

from __future__ import annotations

from typing import Any

from pcs_bridge.plugin.values import Object
from pcs_bridge.provider import meaning, tags
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.names import members
from pcs_contract.shapes import Shape
from pcs_contract.spelling import FieldSpec


def creation(kind: Kind, planned: Object, all_tags: dict[str, str]) -> dict[str, Any]:
    """The members of a Create."""
    values = {**members(kind.settable, planned), tags.OWN: all_tags or None}
    return {kind.request_names.get(name, name): value for name, value in values.items() if value is not None}


def identification(kind: Kind, state: Object) -> dict[str, Any]:
    """The members by which a request says which resource it means."""
    return {member: state[kind.fields[name].written] for member, name in kind.identifiers.items()}


def update(kind: Kind, prior: Object, planned: Object) -> dict[str, Any]:
    """The members of an Update that make `prior` what is `planned`; empty when that says nothing new to PCS.

    What changed is sent whole, since PCS takes objects whole; what was removed is sent in the form that removes it;
    what did not change is left out, unless the API wants it beside a change.
    """
    before, after = members(kind.settable, prior), members(kind.settable, planned)
    takes = kind.call("Update").input.members
    changed = [
        field.name
        for field in kind.settable
        if field.name in takes and not meaning.same(kind, field, before[field.name], after[field.name])
    ]
    along = [other for name in changed for other in kind.facts.sent_with.get(name, ()) if after[other] is not None]
    request = {
        name: _wanted(kind, kind.fields[name], takes[name], name, before[name], after[name])
        for name in (*changed, *along)
    }
    return {name: value for name, value in request.items() if value is not None}


def _wanted(kind: Kind, field: FieldSpec, takes: Shape, path: str, before: Any, after: Any) -> Any:
    """What to send of a field, as `takes` has it, so that `after` holds: None where there is nothing to say."""
    if after is None:
        return None if before is None else _cleared(kind, field, takes, path, before)
    if field.kind != "object":
        return after
    sent = {
        member.name: _wanted(
            kind,
            member,
            takes.members[member.name],
            f"{path}.{member.name}",
            None if before is None else before.get(member.name),
            after.get(member.name),
        )
        for member in field.fields
        if member.name in takes.members
    }
    return {name: value for name, value in sent.items() if value is not None}


def _cleared(kind: Kind, field: FieldSpec, takes: Shape, path: str, before: Any) -> Any:
    if path in kind.facts.clearing:
        return kind.facts.clearing[path]
    if field.kind == "object":
        return _wanted(kind, field, takes, path, before, {}) or None
    return None
