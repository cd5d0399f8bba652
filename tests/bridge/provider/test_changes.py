"""The requests that a plan amounts to: what changed, what clears, what goes along, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.pcs_groups import EVERYTHING, MANAGED, NEW

from pcs_bridge.provider import changes
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_bridge.provider.names import from_api
from pcs_contract.updates import CLEARING

STAGES = EVERYTHING["nodeLifecycleActions"]["stages"]
HEALTH = EVERYTHING["instanceHealthChecks"]
SLURM = EVERYTHING["slurmConfiguration"]
OFF = {"healthMonitoring": {"mode": "NONE"}, "deepHealthChecks": {"onStart": {"profile": "NONE"}}}


def state(group: Mapping[str, Any]) -> dict[str, Any]:
    return {field.written: from_api(field, group.get(name)) for name, field in NODE_GROUP.fields.items()}


def base(**changed: Any) -> dict[str, Any]:
    return {**NEW, **changed}


def less(group: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name not in names}


UPDATES: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]] = {
    "nothing": (base(), base(), {}),
    "a default is stated": (base(), base(purchaseOption="ONDEMAND", launchTemplateMode="CUSTOM"), {}),
    "a default of a script is stated": (
        base(nodeLifecycleActions={"stages": {"nodeReady": [less(STAGES["nodeReady"][0], "onError")]}}),
        base(nodeLifecycleActions={"stages": {"nodeReady": [{**STAGES["nodeReady"][0], "onError": "TERMINATE"}]}}),
        {},
    ),
    "another order": (base(subnetIds=["subnet-1", "subnet-2"]), base(subnetIds=["subnet-2", "subnet-1"]), {}),
    "empty for nothing": (base(), base(securityGroupIds=[], slurmConfiguration={}), {}),
    "tags are no part of it": (base(tags={"a": "1"}), base(), {}),
    "one of many": (
        EVERYTHING,
        {**EVERYTHING, "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 9}},
        {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 9}},
    ),
    "an argument": (
        EVERYTHING,
        {
            **EVERYTHING,
            "nodeLifecycleActions": {
                **EVERYTHING["nodeLifecycleActions"],
                "stages": {**STAGES, "nodeReady": [{**STAGES["nodeReady"][0], "arguments": [""]}]},
            },
        },
        {
            "nodeLifecycleActions": {
                **EVERYTHING["nodeLifecycleActions"],
                "stages": {**STAGES, "nodeReady": [{**STAGES["nodeReady"][0], "arguments": [""]}]},
            }
        },
    ),
    "no actions": (
        EVERYTHING,
        less(EVERYTHING, "nodeLifecycleActions"),
        {"nodeLifecycleActions": {"stages": {}}},
    ),
    "no caching policy": (
        EVERYTHING,
        {**EVERYTHING, "nodeLifecycleActions": {"stages": STAGES}},
        {"nodeLifecycleActions": {"scriptCachingPolicy": "CACHE_ONCE", "stages": STAGES}},
    ),
    "no health checks": (
        EVERYTHING,
        less(EVERYTHING, "instanceHealthChecks"),
        {"instanceHealthChecks": OFF},
    ),
    "half of the health checks": (
        EVERYTHING,
        {**EVERYTHING, "instanceHealthChecks": less(HEALTH, "deepHealthChecks")},
        {"instanceHealthChecks": {**HEALTH, "deepHealthChecks": OFF["deepHealthChecks"]}},
    ),
    "monitoring is off, and its action goes": (
        EVERYTHING,
        {**EVERYTHING, "instanceHealthChecks": {**HEALTH, "healthMonitoring": {"mode": "NONE"}}},
        {"instanceHealthChecks": {**HEALTH, "healthMonitoring": {"mode": "NONE"}}},
    ),
    "no slurm settings": (
        EVERYTHING,
        less(EVERYTHING, "slurmConfiguration"),
        {
            "slurmConfiguration": {
                "scaleDownIdleTimeInSeconds": -1,
                "slurmCustomSettings": [],
                "gresCustomSettings": [],
            }
        },
    ),
    "no idle time": (
        EVERYTHING,
        {**EVERYTHING, "slurmConfiguration": less(SLURM, "scaleDownIdleTimeInSeconds")},
        {"slurmConfiguration": {**SLURM, "scaleDownIdleTimeInSeconds": -1}},
    ),
    "no image, key, groups": (
        EVERYTHING,
        less(EVERYTHING, "amiId", "sshKeyName", "securityGroupIds"),
        {"amiId": "", "sshKeyName": "", "securityGroupIds": []},
    ),
    "no spot": (
        EVERYTHING,
        less(EVERYTHING, "purchaseOption", "spotOptions"),
        {"purchaseOption": "ONDEMAND", "spotOptions": {"allocationStrategy": "price-capacity-optimized"}},
    ),
    "to MANAGED, with what it needs": (
        EVERYTHING,
        MANAGED,
        {
            "launchTemplateMode": "MANAGED",
            "amiId": EVERYTHING["amiId"],
            "securityGroupIds": EVERYTHING["securityGroupIds"],
        },
    ),
    "back to CUSTOM, with its template": (
        MANAGED,
        less(EVERYTHING, "launchTemplateMode", "amiId"),
        {
            "launchTemplateMode": "CUSTOM",
            "customLaunchTemplate": EVERYTHING["customLaunchTemplate"],
            "amiId": "",
            "securityGroupIds": EVERYTHING["securityGroupIds"],
        },
    ),
}


@pytest.mark.parametrize("case", UPDATES)
def test_update(case: str) -> None:
    before, after, request = UPDATES[case]
    assert changes.update(NODE_GROUP, state(before), state(after)) == request


def test_a_create_says_what_was_stated() -> None:
    request = changes.creation(NODE_GROUP, state(EVERYTHING), {"Team": "hpc"})
    renamed = {"computeNodeGroupName": EVERYTHING["name"], "clusterIdentifier": EVERYTHING["clusterId"]}
    assert request == {**less(EVERYTHING, "name", "clusterId"), **renamed, "tags": {"Team": "hpc"}}
    assert changes.creation(NODE_GROUP, state(base()), {}).keys() == {*less(base(), "name", "clusterId"), *renamed}


def test_every_optional_setting_of_an_update_can_be_removed() -> None:
    """By a value of its own, by its default, or member by member; a launch template goes with the mode."""
    takes = NODE_GROUP.call("Update").input.members
    for field in NODE_GROUP.settable:
        if field.name in takes and field.name not in NODE_GROUP.required:
            known = field.name in CLEARING
            members = [f"{field.name}.{member.name}" for member in field.fields]
            assert known or (members and all(member in CLEARING for member in members)), field.name
