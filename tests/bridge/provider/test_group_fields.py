"""Every field of a group through the real terraform: set, changed, and those that a new group takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.pcs_groups import EVERYTHING, MANAGED, NEW, OTHERWISE, members, said
from support.pcs_terraform import ADDRESS, TYPE, Workspace, changes, hpc_endpoint

from pcs_contract import prose, spelling
from pcs_contract.shapes import shape

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
