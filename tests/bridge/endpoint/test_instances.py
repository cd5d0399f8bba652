"""Instances: what they get when they register, and what an update of their group means for them."""

import base64
from typing import Any

import pytest
from support.pcs import ACTIONS, GROUP, SCRIPT, Lab, lab, refused

HPC = {"clusterIdentifier": "hpc"}
FEW = {"minInstanceCount": 0, "maxInstanceCount": 2}


def shown(lab: Lab) -> list[dict[str, Any]]:
    """The instances as anybody can see them over HTTP."""
    answer = lab.http("GET", "/_pcsguard/instances")
    assert answer.status == 200
    found: list[dict[str, Any]] = answer.json["instances"]
    assert found == lab.endpoint.instances
    return found


def test_what_an_instance_gets(cluster: Lab) -> None:
    checks = {"healthMonitoring": {"mode": "STANDARD"}}
    group = cluster.group(nodeLifecycleActions=ACTIONS, instanceHealthChecks=checks)
    answer = cluster.register(group)
    answer.pop("ResponseMetadata")
    assert len(base64.b64decode(answer.pop("sharedSecret"))) == 32
    assert answer == {
        "nodeID": "workers-1",
        "endpoints": [{"type": "SLURMCTLD", "privateIpAddress": "192.0.2.10", "port": "6817"}],
        "clusterName": "hpc",
        "computeNodeGroupId": group["id"],
        "computeNodeGroupName": "workers",
        "nodeLifecycleActions": ACTIONS,
        "schedulerVersion": "26.05",
        "instanceHealthChecks": checks,
    }


def test_a_cluster_has_one_secret_and_shows_it_nowhere_else(cluster: Lab) -> None:
    one, two = cluster.group(), cluster.group(computeNodeGroupName="others")
    secret = cluster.register(one)["sharedSecret"]
    assert cluster.register(two)["sharedSecret"] == secret
    cluster.cluster(clusterName="other")
    elsewhere = cluster.pcs.create_compute_node_group(**{**GROUP, "clusterIdentifier": "other"})["computeNodeGroup"]
    cluster.settle()
    bootstrap_id = f"{elsewhere['id']}/i-1"
    answer = cluster.pcs.register_compute_node_group_instance(clusterIdentifier="other", bootstrapId=bootstrap_id)
    assert answer["sharedSecret"] != secret
    everything = [
        cluster.send("GetCluster", HPC).body,
        cluster.send("ListClusters", {}).body,
        cluster.http("GET", "/_pcsguard/instances").body,
    ]
    assert all(secret.encode() not in body for body in everything)


def test_capacity(cluster: Lab) -> None:
    group = cluster.group(scalingConfiguration=FEW)
    assert [cluster.register(group, name)["nodeID"] for name in ("i-1", "i-2")] == ["workers-1", "workers-2"]
    with refused("AccessDeniedException"):
        cluster.register(group, "i-3")
    assert cluster.http("DELETE", f"/_pcsguard/instances/{group['id']}/1").status == 204
    assert cluster.register(group, "i-3")["nodeID"] == "workers-3"
    assert [instance["nodeId"] for instance in shown(cluster)] == ["workers-2", "workers-3"]


def test_the_same_id_is_the_same_instance(cluster: Lab) -> None:
    group = cluster.group()
    first, second = cluster.register(group), cluster.register(group)
    assert first["nodeID"] == second["nodeID"]
    (instance,) = shown(cluster)
    assert instance["boots"] == 2


@pytest.mark.parametrize("bootstrap_id", ["i-1", "pcs_0000000000/i-1", "{id}", "{id}/", "/i-1", "workers/i-1"])
def test_ids_of_no_instance(cluster: Lab, bootstrap_id: str) -> None:
    group = cluster.group()
    with refused("AccessDeniedException"):
        cluster.pcs.register_compute_node_group_instance(**HPC, bootstrapId=bootstrap_id.format(id=group["id"]))


def test_the_cluster_must_be_the_groups_own(cluster: Lab) -> None:
    cluster.cluster(clusterName="other")
    group = cluster.group()
    for name in ("other", "nobody"):
        with refused("AccessDeniedException"):
            cluster.pcs.register_compute_node_group_instance(clusterIdentifier=name, bootstrapId=f"{group['id']}/i-1")


def test_a_group_that_is_not_ready_has_no_instances(cluster: Lab) -> None:
    made = cluster.pcs.create_compute_node_group(**GROUP)["computeNodeGroup"]
    with refused("AccessDeniedException"):
        cluster.register(made)
    cluster.settle()
    cluster.register(made)
    cluster.pcs.update_compute_node_group(**HPC, computeNodeGroupIdentifier="workers")
    cluster.register(made, "i-2")


# an update -> what of the instance's configuration it changed; None: nothing to replace
OTHER_ACTIONS = {"stages": {"nodeReady": [{**SCRIPT, "onError": "CONTINUE"}]}}
UPDATES: list[tuple[dict[str, Any], list[str] | None]] = [
    ({"nodeLifecycleActions": OTHER_ACTIONS}, ["nodeLifecycleActions"]),
    ({"nodeLifecycleActions": {"stages": {}}}, ["nodeLifecycleActions"]),
    ({"instanceHealthChecks": {"healthMonitoring": {"mode": "NONE"}}}, ["instanceHealthChecks"]),
    (
        {"nodeLifecycleActions": OTHER_ACTIONS, "instanceHealthChecks": {"healthMonitoring": {"mode": "NONE"}}},
        ["nodeLifecycleActions", "instanceHealthChecks"],
    ),
    ({"nodeLifecycleActions": ACTIONS}, None),
    ({"subnetIds": ["subnet-12345678"]}, None),
    ({"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 5}}, None),
    ({"amiId": "ami-1"}, None),
]


@pytest.mark.parametrize(("changes", "changed"), UPDATES)
def test_updates(cluster: Lab, changes: dict[str, Any], changed: list[str] | None) -> None:
    group = cluster.group(nodeLifecycleActions=ACTIONS)
    for name in ("i-1", "i-2"):
        cluster.register(group, name)
    cluster.update_group(**changes)
    marks = [instance["replacement"] for instance in shown(cluster)]
    if changed is None:
        assert marks == [None, None]
        return
    assert [mark and (mark["action"], mark["changed"]) for mark in marks] == [("DRAIN", changed)] * 2
    assert cluster.get_group()["status"] == "ACTIVE"  # the status says nothing about instances


def test_an_instance_keeps_its_scripts_for_life(cluster: Lab) -> None:
    group = cluster.group(nodeLifecycleActions=ACTIONS)
    cluster.register(group, "i-1")
    cluster.update_group(nodeLifecycleActions=OTHER_ACTIONS)
    assert cluster.register(group, "i-1")["nodeLifecycleActions"] == ACTIONS
    assert cluster.register(group, "i-2")["nodeLifecycleActions"] == OTHER_ACTIONS
    assert [bool(instance["replacement"]) for instance in shown(cluster)] == [True, False]


def test_fewer_instances_at_once(cluster: Lab) -> None:
    group = cluster.group()
    for number in range(4):
        cluster.register(group, f"i-{number}")
    cluster.update_group(scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 1})
    assert [instance["nodeId"] for instance in shown(cluster)] == ["workers-1"]


def test_deleting_a_queue_terminates_what_no_other_uses(cluster: Lab) -> None:
    one, two = cluster.group(), cluster.group(computeNodeGroupName="others")
    cluster.queue(one["id"], two["id"])
    cluster.queue(two["id"], name="second")
    for group in (one, two):
        cluster.register(group)
    cluster.pcs.delete_queue(**HPC, queueIdentifier="batch")
    assert [instance["computeNodeGroupName"] for instance in shown(cluster)] == ["others"]
    cluster.pcs.delete_queue(**HPC, queueIdentifier="second")
    cluster.settle()
    cluster.register(two)
    cluster.pcs.delete_compute_node_group(**HPC, computeNodeGroupIdentifier="others")
    assert shown(cluster) == []


def test_there_is_no_such_instance(cluster: Lab) -> None:
    assert cluster.http("DELETE", "/_pcsguard/instances/pcs_0000000000/1").status == 404


def test_a_limit_of_failed_nodes() -> None:
    with lab(switches={"replacement-limit": "2"}) as made:
        made.cluster()
        group = made.group(nodeLifecycleActions=ACTIONS)
        for number in (1, 2):
            made.register(group, f"i-{number}")
            assert made.http("DELETE", f"/_pcsguard/instances/{group['id']}/{number}?failed=true").status == 204
        with refused("AccessDeniedException"):
            made.register(group, "i-3")
        made.update_group(nodeLifecycleActions=OTHER_ACTIONS)
        made.register(group, "i-3")
