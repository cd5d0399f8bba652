"""Plans: versions, changes, modules, statedness and what is left out."""

from __future__ import annotations

from typing import Any

import pytest
from support import render

from pcs_policies.document import Below, Change, NodeGroup
from pcs_policies.errors import InputError
from pcs_policies.rules.fragments import actions, script
from pcs_policies.sources import plan
from pcs_policies.sources.reading import Removed, Unreadable
from pcs_policies.sources.terraform import module_path

SCRIPTED = actions(ready=[script("motd", "s3://example-scripts/motd.sh")])


def scripted(**changes: Any) -> dict[str, Any]:
    return {**render.plan(SCRIPTED), **changes}


def groups(document: dict[str, Any]) -> list[NodeGroup]:
    found = list(plan.read(document, "plan.json").groups)
    assert all(isinstance(group, NodeGroup) for group in found)
    return [group for group in found if isinstance(group, NodeGroup)]


def with_change(**changes: Any) -> dict[str, Any]:
    document = scripted()
    document["resource_changes"][0]["change"].update(changes)
    return document


@pytest.mark.parametrize("version", ["0.1", "0.2", "1.0", "1.2", "1.99", "1.2.3"])
def test_format_versions_that_are_read(version: str) -> None:
    assert len(groups(scripted(format_version=version))) == 1


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("2.0", "the plan has format version 2.0, newer than 1.x"),
        ("10.1", "the plan has format version 10.1, newer than 1.x"),
        (None, "the plan has no format_version that terraform writes"),
        (1.2, "the plan has no format_version that terraform writes"),
        ("", "the plan has no format_version that terraform writes"),
        ("one", "the plan has no format_version that terraform writes"),
        ("9" * 5000, "the plan has no format_version that terraform writes"),
    ],
)
def test_format_versions_that_are_not(version: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        plan.read(scripted(format_version=version), "plan.json")


@pytest.mark.parametrize(
    ("actions", "change"),
    [
        (["no-op"], Change.NO_OP),
        (["create"], Change.CREATE),
        (["update"], Change.UPDATE),
        (["delete", "create"], Change.REPLACE),
        (["create", "delete"], Change.REPLACE),
        (["create", "forget"], Change.REPLACE),
        (["migrate"], Change.UPDATE),
        ([], Change.UPDATE),
        (None, Change.UPDATE),
        ("create", Change.UPDATE),
    ],
)
def test_changes_that_are_judged(actions: Any, change: Change) -> None:
    assert [group.change for group in groups(with_change(actions=actions))] == [change]


@pytest.mark.parametrize("actions", [["delete"], ["forget"]])
def test_removed_groups_are_counted_and_not_judged(actions: list[str]) -> None:
    reading = plan.read(with_change(actions=actions, after=None), "plan.json")
    assert list(reading.groups) == [Removed(render.ADDRESS)]


@pytest.mark.parametrize(
    ("resource", "judged"),
    [
        ({}, 1),
        ({"type": "pcs_compute_node_group"}, 1),
        ({"type": "awscc_pcs_queue"}, 0),
        ({"type": ["awscc_pcs_compute_node_group"]}, 0),
        ({"mode": "data"}, 0),
    ],
)
def test_resources_that_are_node_groups(resource: dict[str, Any], judged: int) -> None:
    document = scripted()
    document["resource_changes"][0].update(resource)
    assert len(groups(document)) == judged


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("", ()),
        ("module.a", ("a",)),
        ("module.outer[1].module.inner", ("outer", "inner")),
        ('module.a["x.y"].module.b["[0]"].module.c', ("a", "b", "c")),
        (r'module.a["q\"].module.z[\"1"].module.b', ("a", "b")),
        ('module.a["module.x"]', ("a",)),
    ],
)
def test_module_addresses(address: str, path: tuple[str, ...]) -> None:
    assert module_path(address) == path


@pytest.mark.parametrize(
    ("expressions", "stated"),
    [
        ({"name": {"constant_value": "hpc"}}, {"name": "hpc"}),
        ({"name": {"constant_value": None}}, {"name": None}),
        ({"name": {"references": ["var.name"]}}, {"name": Below.MAYBE}),
        ({"name": {}}, {"name": Below.MAYBE}),
        ({"tags": {"constant_value": {"a": "b"}}}, {"tags": {"a": "b"}}),
        (
            {"spot_options": [{"allocation_strategy": {"constant_value": "lowest-price"}}]},
            {"spot_options": [{"allocation_strategy": "lowest-price"}]},
        ),
        (
            {"spot_options": {"allocation_strategy": {"references": ["var.s"]}}},
            {"spot_options": {"allocation_strategy": Below.MAYBE}},
        ),
    ],
)
def test_what_the_configuration_says_was_written(expressions: Any, stated: Any) -> None:
    assert plan.stated_by(expressions) == stated


def test_a_group_in_a_module_finds_its_configuration() -> None:
    document = scripted()
    resource = document["resource_changes"][0]
    resource["module_address"] = 'module.site["a.b"].module.cluster[0]'
    resource["address"] = f"{resource['module_address']}.{resource['address']}"
    (configured,) = document["configuration"]["root_module"].pop("resources")
    document["configuration"]["root_module"]["module_calls"] = {
        "site": {"module": {"module_calls": {"cluster": {"module": {"resources": [configured]}}}}}
    }
    (group,) = groups(document)
    assert group.scripts()[0].on_error.unset
    assert group.scripts()[0].name.stated.value == "yes"


def test_a_group_without_configuration_tells_nothing_of_what_was_written() -> None:
    document = scripted()
    del document["configuration"]
    (group,) = groups(document)
    assert group.scripts()[0].name.stated.value == "maybe"


def test_deferred_groups_are_judged_and_drift_is_counted() -> None:
    document = scripted(complete=False)
    (deferred,) = document.pop("resource_changes")
    document["deferred_changes"] = [{"reason": "provider_config_unknown", "resource_change": deferred}]
    document["resource_drift"] = [{**deferred, "address": "awscc_pcs_compute_node_group.other"}]
    reading = plan.read(document, "plan.json")
    assert [group.address for group in reading.groups] == [render.ADDRESS]
    assert reading.drifted == 1
    assert reading.problems[0].startswith("the plan is incomplete")


def test_drift_of_a_group_that_the_plan_changes_is_not_counted_again() -> None:
    document = scripted()
    document["resource_drift"] = list(document["resource_changes"])
    assert plan.read(document, "plan.json").drifted == 0


def test_a_malformed_group_is_told_and_the_others_are_judged() -> None:
    document = scripted()
    bad = {**document["resource_changes"][0], "address": "awscc_pcs_compute_node_group.bad"}
    bad["change"] = {**bad["change"], "after": {"node_lifecycle_actions": 7}}
    document["resource_changes"].insert(0, bad)
    first, second = plan.read(document, "plan.json").groups
    assert first == Unreadable(
        "awscc_pcs_compute_node_group.bad", "nodeLifecycleActions should be an object but is a number"
    )
    assert isinstance(second, NodeGroup)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"resource_changes": {}}, "resource_changes should be a list of objects"),
        ({"resource_changes": [7]}, "resource_changes should be a list of objects"),
        ({"configuration": []}, "configuration should be an object"),
        ({"deferred_changes": "x"}, "deferred_changes should be a list of objects"),
    ],
)
def test_members_of_another_type(document: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        plan.read(scripted(**document), "plan.json")


def test_origins_point_into_the_file() -> None:
    (group,) = groups(scripted())
    origin = group.origins("nodeLifecycleActions.stages.nodeReady[0].scriptSource.s3VersionId")
    assert origin.file == "plan.json"
    assert origin.pointer == (
        "/resource_changes/0/change/after/node_lifecycle_actions/stages/node_ready/0/script_source/s3_version_id"
    )
