"""Terraform plans: the JSON of ``terraform show -json PLANFILE``.

A plan tells values in three parallel trees (``after``, ``after_unknown``, ``after_sensitive``) and what the author
wrote in a fourth, the ``configuration``. The fourth is what makes a verdict possible: awscc marks every member that
was left out "known after apply", just like a reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pcs_contract.hints import TYPE_CHECKING, Any
from pcs_policies.document import Below, Change, MalformedGroup, Missing, NodeGroup, Stated, build
from pcs_policies.sources.kinds import FILLS_NOTHING_IN, PLAN
from pcs_policies.sources.reading import (
    Json,
    Reading,
    Removed,
    Unjoined,
    Unreadable,
    groups,
    is_group,
    mapping,
    objects,
    string,
)
from pcs_policies.sources.terraform import check_format, module_path, origins
from pcs_policies.sources.written import strangers

if TYPE_CHECKING:
    from pcs_policies.sources.join import Source

Entry = NodeGroup | Unreadable | Removed | Unjoined

Configured = dict[tuple[str, ...], Callable[[], Json]]
"""``(module names..., type, name)`` of a group -> what gets its resource in the configuration."""


KINDS = (PLAN.id,)


def recognises(document: Json) -> bool:
    return "format_version" in document and not document.keys().isdisjoint(
        ("planned_values", "resource_changes", "configuration", "errored", "applyable")
    )


def read(document: Json, file: str, source: Source | None = None) -> Reading:
    """The node groups of a plan, joined with its source. Raises :class:`~pcs_policies.errors.InputError`."""
    check_format(document.get("format_version"), "plan")
    source = source.planned(document.get("variables")) if source else None
    changes = objects(document.get("resource_changes"), "resource_changes")
    drift = objects(document.get("resource_drift"), "resource_drift")
    deferred = objects(document.get("deferred_changes"), "deferred_changes")
    configuration = mapping(document.get("configuration"), "configuration")
    return Reading(
        kind=PLAN,
        groups=_groups(changes, deferred, configuration, file, source),
        problems=(*_problems(document), *_problems_of(source)),
        source=source.path if source else None,
        drifted=_only_in_drift(drift, changes),
    )


def _problems_of(source: Source | None) -> tuple[str, ...]:
    """What keeps a source that somebody named from being used whole."""
    return source.problems if source is not None and source.explicit else ()


def _only_in_drift(drift: Sequence[Json], changes: Sequence[Json]) -> int:
    drifted = {drift[index].get("address") for index, _, _ in groups(drift)}
    return len(drifted - {changes[index].get("address") for index, _, _ in groups(changes)}) if drifted else 0


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
    changes: Sequence[Json], deferred: Sequence[Json], configuration: Json, file: str, source: Source | None
) -> Iterator[Entry]:
    configured: Configured | None = None
    for pointer, resource in _resources(changes, deferred):
        if configured is None:
            configured = _configured(mapping(configuration.get("root_module"), "configuration.root_module"))
        yield from _group(resource, pointer, configured, file, source)


def _resources(changes: Sequence[Json], deferred: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    """The change of every node group with the JSON pointer to it."""
    for index, _, _ in groups(changes):
        yield f"/resource_changes/{index}", changes[index]
    for index, entry in enumerate(deferred):
        pointer = f"/deferred_changes/{index}/resource_change"
        resource = mapping(entry.get("resource_change"), pointer)
        if is_group(resource.get("type"), resource.get("mode", "managed")):
            yield pointer, resource


def _group(resource: Json, pointer: str, configured: Configured, file: str, source: Source | None) -> Iterator[Entry]:
    address = string(resource.get("address"), f"{pointer}/address")
    change = mapping(resource.get("change"), f"{pointer}/change")
    kind = _change(change.get("actions"))
    if kind in (Change.DELETE, Change.FORGET):
        yield Removed(address)
        return
    if kind is Change.READ:
        return
    key = (*module_path(str(resource.get("module_address", ""))), resource["type"], str(resource.get("name")))
    written = source.find(key, change.get("after"), address) if source else None
    if isinstance(written, str):
        yield Unjoined(address, written)
        written = None
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
            stated=_stated_in(configured, key, resource) if written is None else written.values,
            origins=origins(file, f"{pointer}/change/after", written),
            strangers=() if written is None else tuple(strangers(written.values, "terraform")),
            waivers=() if written is None else written.waivers,
            previous_address=resource.get("previous_address"),
            missing=Missing.NOT_JUDGED,
        )
    except MalformedGroup as error:
        yield Unreadable(address, str(error))


_CHANGES: dict[tuple[str, ...], Change] = {
    ("no-op",): Change.NO_OP,
    ("create",): Change.CREATE,
    ("read",): Change.READ,
    ("update",): Change.UPDATE,
    ("delete",): Change.DELETE,
    ("forget",): Change.FORGET,
}


def _change(actions: Any) -> Change:
    """The change that a list of actions stands for; one that is not known is judged like an update."""
    words = tuple(map(str, actions)) if isinstance(actions, list) else ()
    if len(words) > 1 and "create" in words:
        return Change.REPLACE
    return _CHANGES.get(words, Change.UPDATE)


def _configured(root: Json) -> Configured:
    """How to get at the configuration of each node group."""
    found: Configured = {}
    todo: list[tuple[tuple[str, ...], Json]] = [((), root)]
    while todo:
        path, module = todo.pop()
        resources = objects(module.get("resources"), "the resources of a module")
        for index, type_, name in groups(resources):
            found[(*path, type_, name)] = partial(resources.__getitem__, index)
        for name, call in mapping(module.get("module_calls"), "module_calls").items():
            inner = mapping(call, "a module call")
            todo.append(((*path, name), mapping(inner.get("module"), "the module of a call")))
    return found


def _stated_in(configured: Configured, key: tuple[str, ...], resource: Json) -> Any:
    """What the author wrote of a group, as :func:`stated_by`."""
    if str(resource.get("provider_name", "")).endswith(FILLS_NOTHING_IN):
        return Stated.YES
    find = configured.get(key)
    if find is None:
        return Stated.MAYBE
    return stated_by(mapping(find().get("expressions"), "the expressions of a resource"))


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
