"""A group without a fault gives no finding, and a single fault gives the finding that it deserves and no other."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from support import render
from support.strategies import LOGS, groups, pinned
from support.verdicts import outcomes

from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import Tree, actions
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources import plan
from pcs_policies.sources.kinds import PLAN

JUDGING = tuple(rule for rule in RULES if rule.needs <= PLAN.carries)
Found = set[tuple[str, str, str]]


def found(tree: Tree, before: Tree | None = None) -> Found:
    """Rule, outcome and place of everything that any rule has to say of a planned group."""
    (group,) = plan.read(render.plan(tree, before=before), "plan.json").groups
    assert isinstance(group, NodeGroup)
    return {
        (rule.id, outcome, path)
        for rule in JUDGING
        for outcome, paths in outcomes(rule, group, Settings()).items()
        for path in paths
    }


@settings(max_examples=200)
@given(groups())
def test_a_group_without_a_fault_gives_no_finding(tree: Tree) -> None:
    assert found(tree) == set()


@settings(max_examples=50)
@given(groups())
def test_nor_does_a_plan_that_changes_nothing(tree: Tree) -> None:
    assert found(tree, before=tree) == set()


CLEAN: Tree = {
    "name": "compute",
    "clusterId": "pcs_abcd1234",
    "subnetIds": ["subnet-0123456789abcdef0"],
    "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-compute",
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 8},
    "instanceConfigs": [{"instanceType": "c7i.large"}],
    "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
    "purchaseOption": "ONDEMAND",
    **actions(
        bootstrapped=[LOGS, pinned("alpha", "s3://example-scripts/alpha.sh", onError="TERMINATE", arguments=["-v"])],
        ready=[pinned("beta", "https://scripts.example.com/beta.sh")],
    ),
}

GONE: Any = object()
STAGES = "nodeLifecycleActions.stages"
ALPHA = f"{STAGES}.nodeBootstrapped[1]"
BETA = f"{STAGES}.nodeReady[0]"
LOW, HIGH = "scalingConfiguration.minInstanceCount", "scalingConfiguration.maxInstanceCount"


def edited(path: str, value: Any) -> Tree:
    """The clean group with another value at a place, or without it."""
    tree = copy.deepcopy(CLEAN)
    *parents, last = (int(part) if part.isdigit() else part for part in re.findall(r"\w+", path))
    place: Any = tree
    for part in parents:
        place = place[part]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return tree


def test_the_clean_group_is_clean() -> None:
    assert found(CLEAN) == set()


@pytest.mark.parametrize(
    ("path", "value", "rules"),
    [
        (f"{ALPHA}.scriptSource.checksum", GONE, ["PCS101"]),
        (f"{ALPHA}.scriptSource.checksum", "abc", ["PCS303"]),
        (f"{ALPHA}.scriptSource.checksum", "", ["PCS303"]),
        (f"{ALPHA}.scriptSource.scriptLocation", "s3://example-scripts/", ["PCS102"]),
        (f"{ALPHA}.scriptSource.scriptLocation", f"s3://example-scripts/{'x' * 1100}", ["PCS303"]),
        (f"{ALPHA}.scriptSource.scriptLocation", "s3://s3.eu-west-1.amazonaws.com/example/alpha.sh", ["PCS309"]),
        (f"{ALPHA}.scriptSource.scriptLocation", "s3://example-scripts/alpha.sh?versionId=1", ["PCS309"]),
        (f"{ALPHA}.scriptSource.scriptLocation", GONE, ["PCS301"]),
        (f"{ALPHA}.scriptSource.s3VersionId", GONE, ["PCS104"]),
        (f"{ALPHA}.scriptSource.s3VersionId", "", ["PCS308"]),
        (f"{ALPHA}.scriptSource.s3VersionId", "v" * 1025, ["PCS303"]),
        (f"{ALPHA}.onError", GONE, ["PCS202"]),
        (f"{ALPHA}.onError", "RETRY", ["PCS302"]),
        (f"{ALPHA}.executionPolicy", GONE, ["PCS202"]),
        (f"{ALPHA}.executionPolicy", "ALWAYS", ["PCS302"]),
        (f"{ALPHA}.name", GONE, ["PCS301"]),
        (f"{ALPHA}.name", "alpha.sh", ["PCS303"]),
        (f"{ALPHA}.name", "a" * 65, ["PCS303"]),
        (f"{STAGES}.nodeReady", [pinned("beta", "s3://example-scripts/beta.sh")] * 2, ["PCS305"]),
        (f"{ALPHA}.arguments", ["x"] * 21, ["PCS304"]),
        (f"{BETA}.scriptSource.s3VersionId", "v1", ["PCS308"]),
        (f"{BETA}.name", "alpha", ["PCS306"]),
        (f"{BETA}.onError", "TERMINATE", ["PCS201"]),
        (f"{STAGES}.nodeReady", [], ["PCS304"]),
        ("nodeLifecycleActions.scriptCachingPolicy", "NEVER", ["PCS302"]),
        (STAGES, GONE, ["PCS301"]),
        (STAGES, {}, ["PCS304"]),
        ("name", "pcs_compute", ["PCS303"]),
        ("name", "x" * 26, ["PCS303"]),
        ("clusterId", GONE, ["PCS301"]),
        ("clusterId", "no_cluster", ["PCS303"]),
        ("subnetIds", [], ["PCS301"]),
        ("instanceConfigs", [], ["PCS301"]),
        ("iamInstanceProfileArn", "arn:aws:iam::123456789012:role/AWSPCS-compute", ["PCS303"]),
        (
            "iamInstanceProfileArn",
            f"arn:aws:iam::123456789012:instance-profile/{'p' * 120}/AWSPCS-compute",
            ["PCS314"],
        ),
        (LOW, 9, ["PCS401"]),
        (LOW, 4, ["PCS401"]),
        (LOW, -1, ["PCS303"]),
        (HIGH, -1, ["PCS303"]),
        (HIGH, GONE, ["PCS301"]),
        ("purchaseOption", "spot", ["PCS302"]),
        ("spotOptions", {"allocationStrategy": "lowest-price"}, ["PCS313"]),
        ("customLaunchTemplate", GONE, ["PCS310"]),
        ("customLaunchTemplate.version", GONE, ["PCS301"]),
        ("customLaunchTemplate.id", "pcs-abcd1234-do-not-delete", ["PCS311"]),
        ("slurmConfiguration", {"scaleDownIdleTimeInSeconds": -1}, ["PCS314"]),
        ("slurmConfiguration", {"scaleDownIdleTimeInSeconds": -2}, ["PCS303"]),
        ("instanceHealthChecks", {}, ["PCS312"]),
        ("tags", {"team": "x" * 257}, ["PCS303"]),
    ],
)
def test_one_fault_gives_one_finding(path: str, value: Any, rules: list[str]) -> None:
    assert sorted(rule for rule, _, _ in found(edited(path, value))) == rules


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (f"{ALPHA}.arguments", ["-v", None], {("PCS307", "fail", f"{ALPHA}.arguments[1]")}),
        (f"{ALPHA}.arguments", ["x" * 257], {("PCS303", "fail", f"{ALPHA}.arguments[0]")}),
        (f"{ALPHA}.scriptSource", GONE, {("PCS301", "fail", f"{ALPHA}.scriptSource"),
                                         ("PCS101", "fail", f"{ALPHA}.scriptSource.checksum")}),
        (f"{STAGES}.nodeBootstrapped[0]", None, {("PCS307", "fail", f"{STAGES}.nodeBootstrapped[0]"),
                                                 ("PCS208", "fail", f"{STAGES}.nodeBootstrapped")}),
        (LOW, 8, set()),
        ("scalingConfiguration", {"minInstanceCount": 0, "maxInstanceCount": 0}, set()),
        ("nodeLifecycleActions", GONE, set()),
    ],
)  # fmt: skip
def test_where_a_fault_is_found(path: str, value: Any, expected: Found) -> None:
    assert found(edited(path, value)) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (f"{ALPHA}.arguments", ["-v", "-x"], {("PCS501", "fail", "nodeLifecycleActions")}),
        (f"{ALPHA}.name", "gamma", {("PCS501", "fail", "nodeLifecycleActions")}),
        ("nodeLifecycleActions", GONE, {("PCS501", "fail", "nodeLifecycleActions")}),
        (HIGH, 4, {("PCS504", "fail", HIGH)}),
        (HIGH, 16, set()),
        ("subnetIds", ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"], set()),
        ("name", "compute2", {("PCS502", "fail", "name")}),
        ("instanceConfigs", [{"instanceType": "c7i.xlarge"}], {("PCS502", "fail", "instanceConfigs")}),
    ],
)
def test_one_change_gives_one_finding(path: str, value: Any, expected: Found) -> None:
    assert found(edited(path, value), before=CLEAN) == expected
