"""Every field of a group through the real terraform: set, changed, removed, and those that a new group takes."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from support.pcs_groups import EVERYTHING, MANAGED, NEW, OTHERWISE, members, said
from support.pcs_terraform import ADDRESS, TYPE, Workspace, changes, hpc_endpoint

from pcs_contract import prose, spelling
from pcs_contract.shapes import group, shape
from pcs_contract.updates import CLEARING

MEMBERS = {operation: set(members(shape(f"{operation}ComputeNodeGroupRequest"))) for operation in ("Create", "Update")}


@pytest.fixture
def asked() -> dict[str, set[str]]:
    """The members of all requests by operation."""
    return {}


@pytest.fixture
def tf(workspace: Any, asked: dict[str, set[str]]) -> Iterator[Workspace]:
    def note(operation: str, parameters: Mapping[str, Any]) -> None:
        asked.setdefault(operation, set()).update(said(parameters))

    with hpc_endpoint(before=note) as endpoint:
        yield workspace(endpoint)


def test_every_field_of_a_request_can_be_set_and_changed(tf: Workspace, asked: dict[str, set[str]]) -> None:
    """Not the client's own token: that is for the provider, which sends one with every change."""
    tf.groups({"custom": EVERYTHING, "managed": {**MANAGED, "name": "managed"}, "modes": {**MANAGED, "name": "modes"}})
    tf.apply()
    assert MEMBERS["Create"] - asked["CreateComputeNodeGroup"] == set()
    assert tf.exit_code_of_plan() == 0

    changed = {"custom": OTHERWISE, "managed": {**MANAGED, "name": "managed"}, "modes": {**EVERYTHING, "name": "modes"}}
    tf.groups(changed)
    assert changes(tf.plan(file="update")) == {f"{TYPE}.custom": ["update"], f"{TYPE}.modes": ["update"]}
    tf.apply("update")
    assert MEMBERS["Update"] - asked["UpdateComputeNodeGroup"] == set()
    for name, wanted in (("workers", OTHERWISE), ("modes", EVERYTHING)):
        remote = tf.remote(name)
        for field in wanted.keys() - {"name", "clusterId", "tags"}:
            assert remote[field] == wanted[field], (name, field)
    assert tf.pcs.list_tags_for_resource(resourceArn=tf.remote()["arn"])["tags"] == OTHERWISE["tags"]
    assert tf.exit_code_of_plan() == 0


# Removals.

ON_START = "instanceHealthChecks.deepHealthChecks.onStart"
NEEDED = frozenset(
    {"instanceHealthChecks.healthMonitoring.mode", ON_START, f"{ON_START}.profile", "instanceConfigs[0].instanceType"}
)
"""Members that only AWS's text requires."""


def optional_members(tree: Mapping[str, Any], path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all members that an author may leave out, at any depth."""
    value: Any = tree
    for step in path:
        value = value[step]
    if isinstance(value, list):
        for index in range(len(value)):
            yield from optional_members(tree, (*path, index))
    elif isinstance(value, dict) and path != ("tags",):
        here = shape_at(path)
        for name in value:
            if here is None or name not in here.members:
                continue
            if name not in here.required and dotted((*path, name)) not in NEEDED:
                yield (*path, name)
            yield from optional_members(tree, (*path, name))


def shape_at(path: tuple[str | int, ...]) -> Any:
    here = group()
    for step in path:
        found = here.item if isinstance(step, int) else here.members.get(step)
        if found is None:
            return None
        here = found
    return here


def without(tree: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    copied: dict[str, Any] = copy.deepcopy(dict(tree))
    place: Any = copied
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return copied


def dotted(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


class Case(NamedTuple):
    """What is removed, and the group before and after."""

    path: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def cases() -> Iterator[Case]:
    for path in optional_members(EVERYTHING):
        match path:
            case ("customLaunchTemplate",):  # which the other mode does without
                yield Case(dotted(path), EVERYTHING, MANAGED)
            case ("launchTemplateMode",):
                yield Case(dotted(path), MANAGED, without(EVERYTHING, path))
            case _:
                yield Case(dotted(path), EVERYTHING, without(EVERYTHING, path))


def value_at(tree: Any, path: str) -> Any:
    """The value at a path such as `a.b[0].c`; None where there is none."""
    for step in path.replace("[", ".[").split("."):
        if tree is None:
            return None
        tree = tree[int(step[1:-1])] if step.startswith("[") else tree.get(step)
    return tree


def effect(path: str, value: Any) -> Any:
    """None for a value that says nothing: it is absent, empty, the default, or what removes the setting."""
    pattern = path.replace("[0]", "[]").replace("[1]", "[]")
    nothing = [prose.DEFAULTS.get(pattern), CLEARING.get(pattern), [], {}]
    if path == "instanceHealthChecks":
        nothing.append({half: CLEARING[f"{path}.{half}"] for half in ("healthMonitoring", "deepHealthChecks")})
    if path == "slurmConfiguration":
        nothing.append({"slurmCustomSettings": [], "gresCustomSettings": []})
    return None if value in nothing else value


def test_every_optional_member_can_be_removed(tf: Workspace) -> None:
    table = {f"g{index}": case for index, case in enumerate(cases())}
    assert len(table) > 25

    tf.groups({name: {**case.before, "name": f"group-{name}"} for name, case in table.items()})
    tf.apply()
    tf.groups({name: {**case.after, "name": f"group-{name}"} for name, case in table.items()})
    plan = tf.plan(file="remove")
    for change in plan["resource_changes"]:
        path = table[change["name"]].path
        assert change["change"]["actions"] == ["update"], path
        at = spelling.written(path, "terraform")
        assert value_at(change["change"]["before"], at) is not None, path
        assert value_at(change["change"]["after"], at) is None, path
    tf.apply("remove")
    left = {case.path: value_at(tf.remote(f"group-{name}"), case.path) for name, case in table.items()}
    assert {path: value for path, value in left.items() if effect(path, value) is not None} == {}
    tagged = next(name for name, case in table.items() if case.path == "tags")
    assert tf.pcs.list_tags_for_resource(resourceArn=tf.remote(f"group-{tagged}")["arn"])["tags"] == {}
    assert tf.exit_code_of_plan() == 0


def test_what_only_a_new_group_can_have_replaces_it(tf: Workspace) -> None:
    tf.pcs.create_cluster(
        clusterName="other",
        scheduler={"type": "SLURM", "version": "26.05"},
        size="SMALL",
        networking={"subnetIds": NEW["subnetIds"], "securityGroupIds": ["sg-0123456789abcdef0"]},
    )
    other = {
        "name": "renamed",
        "clusterId": "other",
        "instanceConfigs": [{"instanceType": "g5.2xlarge"}],
    }
    assert other.keys() == prose.CREATE_ONLY.keys()
    fixed = {name: {**NEW, "name": f"group-{index}"} for index, name in enumerate(other)}
    tf.groups(fixed)
    tf.apply()
    tf.groups({name: {**group, name: other[name]} for name, group in fixed.items()})
    plan = tf.plan(file="replace")
    for change in plan["resource_changes"]:
        attribute = spelling.written(change["name"], "terraform")
        assert change["change"]["actions"] == ["delete", "create"], attribute
        assert change["change"]["replace_paths"][0][0] == attribute
    tf.apply("replace")
    assert tf.exit_code_of_plan() == 0
    assert sorted(tf.names()) == ["group-2", "renamed"]


def test_other_words_for_the_same_replace_nothing(tf: Workspace) -> None:
    """The id of the cluster in place of its name, and instance types in another order."""
    types = [{"instanceType": "g5.xlarge"}, {"instanceType": "g4dn.xlarge"}]
    tf.group(instanceConfigs=types)
    tf.apply()
    tf.group(clusterId=tf.remote()["clusterId"], instanceConfigs=types[::-1])
    assert changes(tf.plan(file="same")) == {ADDRESS: ["update"]}
    tf.apply("same")
    assert tf.exit_code_of_plan() == 0
