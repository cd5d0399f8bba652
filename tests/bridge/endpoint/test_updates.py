"""What an update leaves, removes and replaces (PCS API reference, UpdateComputeNodeGroup)."""

from typing import Any

import pytest
from support.pcs import ACTIONS, GROUP, SCRIPT, SECURITY_GROUP, SUBNET, TEMPLATE, Lab, lab, refused

SETTINGS = [{"parameterName": "Weight", "parameterValue": "5"}]
START: dict[str, Any] = {
    "amiId": "ami-0123456789abcdef0",
    "securityGroupIds": [SECURITY_GROUP],
    "sshKeyName": "hpc-admins",
    "purchaseOption": "SPOT",
    "spotOptions": {"allocationStrategy": "lowest-price"},
    "slurmConfiguration": {"scaleDownIdleTimeInSeconds": 60, "slurmCustomSettings": SETTINGS},
    "nodeLifecycleActions": {**ACTIONS, "scriptCachingPolicy": "REFRESH_ON_REBOOT"},
    "instanceHealthChecks": {
        "healthMonitoring": {"mode": "STANDARD", "repairAction": "AUTO"},
        "deepHealthChecks": {"onStart": {"profile": "QUICK"}},
    },
}
READY_ONLY = {"stages": {"nodeReady": [{**SCRIPT, "name": "other"}]}}
MONITORING_ONLY = {"healthMonitoring": {"mode": "NONE"}}

# member, value of the update, value afterwards (None: gone)
CHANGES: list[tuple[str, Any, Any]] = [
    ("amiId", "", None),
    ("amiId", "ami-1", "ami-1"),
    ("securityGroupIds", [], None),
    ("securityGroupIds", ["sg-12345678"], ["sg-12345678"]),
    ("sshKeyName", "", None),
    ("sshKeyName", "others", "others"),
    ("customLaunchTemplate", {"id": "lt-1", "version": "2"}, {"id": "lt-1", "version": "2"}),
    ("launchTemplateMode", "CUSTOM", "CUSTOM"),
    ("subnetIds", ["subnet-12345678"], ["subnet-12345678"]),
    ("purchaseOption", "ONDEMAND", "ONDEMAND"),
    ("spotOptions", {}, {}),
    (
        "scalingConfiguration",
        {"minInstanceCount": 2, "maxInstanceCount": 2},
        {"minInstanceCount": 2, "maxInstanceCount": 2},
    ),
    ("slurmConfiguration", {"scaleDownIdleTimeInSeconds": -1}, {"slurmCustomSettings": SETTINGS}),
    (
        "slurmConfiguration",
        {"scaleDownIdleTimeInSeconds": 90},
        {"scaleDownIdleTimeInSeconds": 90, "slurmCustomSettings": SETTINGS},
    ),
    ("slurmConfiguration", {"slurmCustomSettings": []}, {"scaleDownIdleTimeInSeconds": 60, "slurmCustomSettings": []}),
    ("instanceHealthChecks", MONITORING_ONLY, MONITORING_ONLY),
    ("nodeLifecycleActions", {"stages": {}}, None),
    ("nodeLifecycleActions", READY_ONLY, READY_ONLY),
]


@pytest.mark.parametrize(("member", "value", "after"), CHANGES)
def test_one_member(cluster: Lab, member: str, value: Any, after: Any) -> None:
    before = cluster.group(**START)
    updated = cluster.update_group(**{member: value})
    assert updated.pop(member, None) == after
    before.pop(member)
    for part in (before, updated):
        del part["modifiedAt"]
    assert updated == before


def test_an_update_of_nothing_changes_nothing(cluster: Lab) -> None:
    before = cluster.group(**START)
    updated = cluster.update_group()
    assert {**updated, "modifiedAt": None} == {**before, "modifiedAt": None}
    assert updated["modifiedAt"] > before["modifiedAt"]


def test_the_last_slurm_setting_goes_with_its_parent(cluster: Lab) -> None:
    cluster.group(slurmConfiguration={"scaleDownIdleTimeInSeconds": 60})
    assert "slurmConfiguration" not in cluster.update_group(slurmConfiguration={"scaleDownIdleTimeInSeconds": -1})


def test_health_checks_cannot_be_emptied(cluster: Lab) -> None:
    cluster.group(**START)
    with refused("ValidationException", "instanceHealthChecks"):
        cluster.update_group(instanceHealthChecks={})


@pytest.mark.parametrize("member", ["computeNodeGroupName", "instanceConfigs", "tags"])
def test_what_no_update_can_change(cluster: Lab, member: str) -> None:
    cluster.group()
    request = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "workers", member: GROUP.get(member, {})}
    answer = cluster.send("UpdateComputeNodeGroup", request)
    assert [field["name"] for field in answer.json["fieldList"]] == [member]


def test_scripts_can_be_merged() -> None:
    with lab(switches={"stages-on-update": "merged"}) as made:
        made.cluster()
        made.group(**START)
        assert made.update_group(nodeLifecycleActions=READY_ONLY)["nodeLifecycleActions"] == {
            "scriptCachingPolicy": "REFRESH_ON_REBOOT",
            "stages": {**ACTIONS["stages"], **READY_ONLY["stages"]},
        }


def test_clusters_keep_what_an_update_leaves_out(cluster: Lab) -> None:
    cluster.cluster(clusterName="other", slurmConfiguration={"accounting": {"mode": "NONE"}, "slurmCustomSettings": []})
    cluster.pcs.update_cluster(
        clusterIdentifier="other", slurmConfiguration={"accounting": {"defaultPurgeTimeInDays": 30}}
    )
    cluster.settle()
    slurm = cluster.pcs.get_cluster(clusterIdentifier="other")["cluster"]["slurmConfiguration"]
    assert slurm["accounting"] == {"mode": "NONE", "defaultPurgeTimeInDays": 30}
    assert slurm["slurmCustomSettings"] == []


def test_queues(cluster: Lab) -> None:
    one, two = (cluster.group(computeNodeGroupName=name) for name in ("one", "two"))
    cluster.queue(one["id"])
    where = {"clusterIdentifier": "hpc", "queueIdentifier": "batch"}
    uses = [{"computeNodeGroupId": two["id"]}]
    cluster.pcs.update_queue(**where, computeNodeGroupConfigurations=uses)
    cluster.settle()
    cluster.pcs.update_queue(**where, slurmConfiguration={"slurmCustomSettings": SETTINGS})
    cluster.settle()
    queue = cluster.pcs.get_queue(**where)["queue"]
    assert queue["computeNodeGroupConfigurations"] == uses
    assert queue["slurmConfiguration"] == {"slurmCustomSettings": SETTINGS}


def test_defaults_of_a_new_group(cluster: Lab) -> None:
    group = cluster.group()
    assert (group["purchaseOption"], group["launchTemplateMode"]) == ("ONDEMAND", "CUSTOM")
    assert (group["subnetIds"], group["customLaunchTemplate"]) == ([SUBNET], TEMPLATE)
    for member in ("nodeLifecycleActions", "instanceHealthChecks", "slurmConfiguration", "amiId", "spotOptions"):
        assert member not in group
