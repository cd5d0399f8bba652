"""Terraform plans: the JSON of ``terraform show -json PLANFILE``.

A plan tells values in three parallel trees (``after``, ``after_unknown``, ``after_sensitive``) and what the author
wrote in a fourth, the ``configuration``. The fourth is what makes a verdict possible: awscc marks every member that
was left out "known after apply", just like a reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pcs_policies.document import Below, Change, MalformedGroup, NodeGroup, Stated, build
from pcs_policies.sources.kinds import PLAN, TERRAFORM_TYPES
from pcs_policies.sources.reading import Reading, Unreadable, mapping, sequence, string
from pcs_policies.sources.terraform import check_format, module_path, origins

Json = dict[str, Any]

_NOT_JUDGED = (Change.DELETE, Change.FORGET, Change.READ)


def recognises(document: Json) -> bool:
    return "format_version" in document and not document.keys().isdisjoint(
        ("planned_values", "resource_changes", "configuration", "errored", "applyable")
    )


def read(document: Json, file: str) -> Reading:
    """The node groups of a plan. Raises :class:`~pcs_policies.errors.InputError`."""
    check_format(document.get("format_version"), "plan")
    changes = sequence(document.get("resource_changes"), "resource_changes")
    drift = sequence(document.get("resource_drift"), "resource_drift")
    deferred = sequence(document.get("deferred_changes"), "deferred_changes")
    configuration = mapping(document.get("configuration"), "configuration")
    groups = [change for change in changes if _is_group(change)]
    touched = {change.get("address") for change in groups}
    return Reading(
        kind=PLAN,
        groups=_groups(changes, deferred, configuration, file),
        problems=_problems(document),
        drifted=sum(1 for change in drift if _is_group(change) and change.get("address") not in touched),
        removed=sum(1 for change in groups if _change(_actions(change)) in (Change.DELETE, Change.FORGET)),
    )


def _problems(document: Json) -> tuple[str, ...]:
    problems = []
    if document.get("errored") is True:
        problems.append(
            "the plan is errored: terraform stopped before it had planned everything, so groups may be missing; "
            "mend what `terraform plan` complains of and plan again"
        )
    if document.get("complete") is False:
        problems.append(
            "the plan is incomplete: terraform deferred changes or was told to plan a part (-target), so groups may be "
            "missing; check the plan that follows it too"
        )
    return tuple(problems)


def _groups(
    changes: list[Json], deferred: list[Json], configuration: Json, file: str
) -> Iterator[NodeGroup | Unreadable]:
    places = [(change, f"/resource_changes/{index}") for index, change in enumerate(changes)]
    places += [
        (mapping(entry.get("resource_change"), "a deferred change"), f"/deferred_changes/{index}/resource_change")
        for index, entry in enumerate(deferred)
    ]
    expressions: dict[tuple[str, ...], Json] | None = None
    for resource, pointer in places:
        if not _is_group(resource):
            continue
        if expressions is None:
            expressions = _expressions(mapping(configuration.get("root_module"), "configuration.root_module"))
        address = string(resource.get("address"), f"{pointer}/address")
        change = mapping(resource.get("change"), f"{pointer}/change")
        kind = _change(_actions(resource))
        if kind in _NOT_JUDGED:
            continue
        key = (*module_path(str(resource.get("module_address", ""))), str(resource["type"]), str(resource.get("name")))
        written = expressions.get(key)
        try:
            yield build(
                address=address,
                resource_type=resource["type"],
                spelling="terraform",
                change=kind,
                after=change.get("after"),
                before=change.get("before"),
                unknown=change.get("after_unknown"),
                sensitive=change.get("after_sensitive"),
                before_sensitive=change.get("before_sensitive"),
                stated=Stated.MAYBE if written is None else stated_by(written),
                origins=origins(file, f"{pointer}/change/after"),
                previous_address=resource.get("previous_address"),
                keys_tell_schema=True,
            )
        except MalformedGroup as error:
            yield Unreadable(address, str(error))


def _is_group(resource: Json) -> bool:
    return resource.get("type") in TERRAFORM_TYPES and resource.get("mode", "managed") == "managed"


def _actions(resource: Json) -> Any:
    return mapping(resource.get("change"), "the change of a resource").get("actions")


def _change(actions: Any) -> Change:
    """The change that a list of actions stands for; a list that is not known is judged like an update."""
    known = {
        ("no-op",): Change.NO_OP,
        ("create",): Change.CREATE,
        ("read",): Change.READ,
        ("update",): Change.UPDATE,
        ("delete",): Change.DELETE,
        ("forget",): Change.FORGET,
    }
    listed = tuple(actions) if isinstance(actions, list) else ()
    if len(listed) > 1 and "create" in listed:
        return Change.REPLACE
    return known.get(listed, Change.UPDATE)


def _expressions(root: Json) -> dict[tuple[str, ...], Json]:
    """The expressions of each node group: ``(module names..., type, name)`` -> attribute -> expression."""
    found: dict[tuple[str, ...], Json] = {}
    todo: list[tuple[tuple[str, ...], Json]] = [((), root)]
    while todo:
        path, module = todo.pop()
        for resource in sequence(module.get("resources"), "the resources of a module"):
            if _is_group(resource):
                key = (*path, str(resource["type"]), str(resource.get("name")))
                found[key] = mapping(resource.get("expressions"), "the expressions of a resource")
        for name, call in mapping(module.get("module_calls"), "module_calls").items():
            inner = mapping(call, "a module call")
            todo.append(((*path, name), mapping(inner.get("module"), "the module of a call")))
    return found


def stated_by(expressions: Json) -> Json:
    """What the author wrote, as the ``stated`` tree of :func:`~pcs_policies.document.build`.

    A literal keeps its whole value. Of an expression with a reference or a function the plan tells only that it is
    there, not which nested members it gives.
    """
    return {name: _stated(expression) for name, expression in expressions.items()}


def _stated(expression: Any) -> Any:
    if isinstance(expression, list):  # nested blocks, one expression object each
        return [_stated(block) for block in expression]
    if not isinstance(expression, dict):
        return Below.MAYBE
    if "constant_value" in expression:
        return expression["constant_value"]
    if not expression or "references" in expression:
        return Below.MAYBE
    return stated_by(expression)
