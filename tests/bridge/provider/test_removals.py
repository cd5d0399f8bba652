"""Every member that an author may leave out, of every kind of resource, is removed again by itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from support.pcs_clusters import CLUSTER_EVERYTHING, QUEUE_EVERYTHING
from support.pcs_groups import EVERYTHING, MANAGED, NEW
from support.pcs_terraform import Workspace, written

from pcs_bridge.provider.kinds import CLUSTER, NODE_GROUP, QUEUE, Kind
from pcs_contract.spelling import FieldSpec

ON_START = "instanceHealthChecks.deepHealthChecks.onStart"
NEEDED = frozenset(
    {
        *("instanceHealthChecks.healthMonitoring.mode", ON_START, f"{ON_START}.profile"),
        "computeNodeGroupConfigurations[].computeNodeGroupId",
    }
)
"""Members that only AWS's text requires, or that say nothing by themselves."""

Path = tuple[str | int, ...]


class Case(NamedTuple):
    """What is removed, and the resource before and after."""

    kind: Kind
    path: Path
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def optional_members(spec: FieldSpec, value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all members of a resource that an author may leave out, at any depth."""
    if isinstance(value, list) and spec.item is not None:
        for index, element in enumerate(value):
            yield from optional_members(spec.item, element, (*path, index))
    for field in spec.fields:
        here = (*path, field.name)
        if field.name in value:
            if field.name not in spec.shape.required and pattern(here) not in NEEDED:
                yield here
            yield from optional_members(field, value[field.name], here)


def pattern(path: Path) -> str:
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def without(tree: Mapping[str, Any], path: Path) -> dict[str, Any]:
    copied: dict[str, Any] = copy.deepcopy(dict(tree))
    del value_at(copied, path[:-1])[path[-1]]
    return copied


def value_at(tree: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        if tree is None:
            return None
        tree = tree[step] if isinstance(step, int) else tree.get(step)
    return tree


def spelled(spec: FieldSpec, path: Path) -> Path:
    """A path as terraform has it."""
    if not path:
        return ()
    if isinstance(path[0], int):
        assert spec.item is not None
        return (path[0], *spelled(spec.item, path[1:]))
    field = field_of(spec, path[0])
    return (field.written, *spelled(field, path[1:]))


def field_of(spec: FieldSpec, name: str) -> FieldSpec:
    return next(field for field in spec.fields if field.name == name)


def effect(kind: Kind, spec: FieldSpec, path: Path, value: Any) -> Any:
    """None for a value that says nothing: it is absent, empty, the default, or what removes the setting."""
    if value in (kind.facts.defaults.get(pattern(path)), kind.facts.clearing.get(pattern(path)), [], {}):
        return None
    if isinstance(value, dict) and spec.fields:
        members = {field.name: effect(kind, field, (*path, field.name), value.get(field.name)) for field in spec.fields}
        return {name: member for name, member in members.items() if member is not None} or None
    return value


def spec_at(spec: FieldSpec, path: Path) -> FieldSpec:
    for step in path:
        found = spec.item if isinstance(step, int) else field_of(spec, step)
        assert found is not None
        spec = found
    return spec


def cases() -> Iterator[Case]:
    for kind, whole in ((NODE_GROUP, EVERYTHING), (CLUSTER, CLUSTER_EVERYTHING), (QUEUE, QUEUE_EVERYTHING)):
        for path in optional_members(kind.spec, whole):
            match path:
                case (top, *_) if top in kind.facts.create_only:
                    pass
                case ("customLaunchTemplate",):  # which the other mode does without
                    yield Case(kind, path, whole, MANAGED)
                case ("launchTemplateMode",):
                    yield Case(kind, path, MANAGED, without(whole, path))
                case _:
                    yield Case(kind, path, whole, without(whole, path))


CASES = {f"r{index}": case for index, case in enumerate(cases())}


def configure(tf: Workspace, resources: Mapping[str, Mapping[str, Any]]) -> None:
    """The resource of each case, by the name of the case."""
    blocks: dict[str, dict[str, Any]] = {NODE_GROUP.type_name: {"a": written({**NEW, "name": "needed"})}}
    for name, resource in resources.items():
        kind = CASES[name].kind
        renamed = {**resource, "name": f"n-{name}", "clusterId": "hpc"}
        blocks.setdefault(kind.type_name, {})[name] = written(renamed, kind)
    tf.configure(resource=blocks)


def remote(tf: Workspace, name: str) -> Any:
    if CASES[name].kind is CLUSTER:
        return tf.pcs.get_cluster(clusterIdentifier=f"n-{name}")["cluster"]
    if CASES[name].kind is QUEUE:
        return tf.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier=f"n-{name}")["queue"]
    return tf.remote(f"n-{name}")


def test_every_optional_member_can_be_removed(tf: Workspace) -> None:
    assert len(CASES) > 35
    configure(tf, {name: case.before for name, case in CASES.items()})
    tf.apply()
    configure(tf, {name: case.after for name, case in CASES.items()})
    plan = tf.plan(file="remove")
    for change in plan["resource_changes"]:
        if change["name"] in CASES:
            case = CASES[change["name"]]
            assert change["change"]["actions"] == ["update"], case.path
            at = spelled(case.kind.spec, case.path)
            assert value_at(change["change"]["before"], at) is not None, case.path
            assert value_at(change["change"]["after"], at) is None, case.path
    tf.apply("remove")
    left = {}
    for name, case in CASES.items():
        there = remote(tf, name)
        if case.path == ("tags",):
            there = {"tags": tf.pcs.list_tags_for_resource(resourceArn=there["arn"])["tags"]}
        value = value_at(there, case.path)
        left[case.kind.noun, case.path] = effect(case.kind, spec_at(case.kind.spec, case.path), case.path, value)
    assert {place: value for place, value in left.items() if value is not None} == {}
    assert tf.exit_code_of_plan() == 0
