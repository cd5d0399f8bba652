"""Clusters and queues through the real terraform where things are not as simple: drift, failures, what comes later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.pcs import SECURITY_GROUP, SUBNET
from support.pcs_clusters import BARE_CLUSTER, CLUSTER_EVERYTHING, QUEUE_EVERYTHING
from support.pcs_groups import NEW
from support.pcs_terraform import QUICK, Workspace, written
from support.processes import eventually

from pcs_bridge.endpoint import running
from pcs_bridge.endpoint.status import Verb
from pcs_bridge.endpoint.store import Kind
from pcs_bridge.plugin.paths import dotted
from pcs_bridge.plugin.values import UNKNOWN
from pcs_bridge.provider import limits
from pcs_bridge.provider.kinds import CLUSTER, QUEUE
from pcs_bridge.provider.names import from_api

Make = Callable[..., Workspace]
CLUSTER_ID = "${pcs_cluster.whole.cluster_id}"
GROUP_ID = "${pcs_compute_node_group.a.compute_node_group_id}"
GROUPS = [{"computeNodeGroupId": GROUP_ID}]


def configure(
    tf: Workspace,
    *,
    cluster: Mapping[str, Any] = BARE_CLUSTER,
    successor_first: bool = False,
    later: Mapping[str, str] | None = None,
    **queue: Any,
) -> None:
    """`later` are values that only apply reveals: `${terraform_data.NAME.output}`."""
    group = {**written({**NEW, "clusterId": CLUSTER_ID}), "lifecycle": {"create_before_destroy": successor_first}}
    whole = {**QUEUE_EVERYTHING, "computeNodeGroupConfigurations": GROUPS, **queue}
    tf.configure(
        resource={
            "pcs_cluster": {"whole": written(cluster, CLUSTER)},
            "pcs_compute_node_group": {"a": group},
            "pcs_queue": {"batch": written(whole, QUEUE)},
            **({"terraform_data": {name: {"input": value} for name, value in later.items()}} if later else {}),
        }
    )


def changes(plan: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        change["address"]: change["change"]["actions"]
        for change in plan["resource_changes"]
        if change["change"]["actions"] != ["no-op"]
    }


def test_drift_is_seen_and_repaired(workspace: Make) -> None:
    with running(delays=QUICK) as endpoint:
        tf = workspace(endpoint)
        configure(tf, cluster={**CLUSTER_EVERYTHING, "scheduler": {"type": "SLURM", "version": "26.05"}})
        tf.apply()
        tf.pcs.update_cluster(
            clusterIdentifier="hpc",
            slurmConfiguration={"scaleDownIdleTimeInSeconds": 1000, "slurmRest": {"mode": "NONE"}},
        )
        assert eventually(lambda: tf.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["status"] == "ACTIVE")
        tf.pcs.update_queue(clusterIdentifier="hpc", queueIdentifier="batch", computeNodeGroupConfigurations=[])
        plan = tf.plan(file="repair")
        assert changes(plan) == {"pcs_cluster.whole": ["update"], "pcs_queue.batch": ["update"]}
        tf.apply("repair")
        slurm = tf.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["slurmConfiguration"]
        assert (slurm["scaleDownIdleTimeInSeconds"], slurm["slurmRest"]["mode"]) == (300, "STANDARD")
        assert tf.exit_code_of_plan() == 0
        tf.pcs.delete_queue(clusterIdentifier="hpc", queueIdentifier="batch")
        assert eventually(lambda: tf.pcs.list_queues(clusterIdentifier="hpc")["queues"] == [])
        assert changes(tf.plan()) == {"pcs_queue.batch": ["create"]}


def test_what_fails_is_recorded_and_told(workspace: Make) -> None:
    wrong = {(Kind.CLUSTER, Verb.CREATE), (Kind.QUEUE, Verb.CREATE), (Kind.QUEUE, Verb.UPDATE)}

    def failure(kind: Kind, verb: Verb, _name: str) -> Mapping[str, str] | None:
        if (kind, verb) not in wrong:
            return None
        wrong.remove((kind, verb))
        return {"code": "Trouble", "message": f"No luck with {kind.name}."}

    with running(delays=QUICK, failure=failure) as endpoint:
        tf = workspace(endpoint)
        configure(tf)
        failed = tf.run("apply", "-auto-approve")
        assert "The cluster is CREATE_FAILED: it could not create" in failed.err
        assert "Trouble: No luck with CLUSTER." in failed.err
        assert changes(tf.plan(file="again"))["pcs_cluster.whole"] == ["delete", "create"]
        failed = tf.run("apply", "-auto-approve", "again")
        assert "The queue is CREATE_FAILED: it could not create" in failed.err
        assert changes(tf.plan(file="again")) == {"pcs_queue.batch": ["delete", "create"]}
        tf.apply("again")
        assert tf.exit_code_of_plan() == 0

        configure(tf, slurmConfiguration={"slurmCustomSettings": []})
        failed = tf.run("apply", "-auto-approve")
        assert "The queue is UPDATE_FAILED: it could not update" in failed.err
        configure(tf, slurmConfiguration={"slurmCustomSettings": [{"parameterName": "MaxTime", "parameterValue": "9"}]})
        tf.apply()
        assert tf.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier="batch")["queue"]["status"] == "ACTIVE"
        assert tf.exit_code_of_plan() == 0

        # What only the service knows is told with the attribute it is about.
        configure(tf, cluster={**BARE_CLUSTER, "scheduler": {"type": "SLURM", "version": "24.05"}})
        failed = tf.run("apply", "-auto-approve")
        assert "AWS PCS refused to update the cluster (ValidationException)" in failed.err
        assert "scheduler.version: must not be older than 25.05" in " ".join(failed.err.split())


def test_values_come_later_and_a_group_leaves_its_queue_and_goes_in_one_apply(workspace: Make) -> None:
    with running(delays=QUICK) as endpoint:
        tf = workspace(endpoint)
        cluster = {
            **BARE_CLUSTER,
            "name": "${terraform_data.name.output}",
            "networking": {**BARE_CLUSTER["networking"], "subnetIds": ["${terraform_data.subnet.output}"]},
        }
        setting = {"parameterName": "MaxTime", "parameterValue": "${terraform_data.time.output}"}
        later = {"name": "hpc", "subnet": SUBNET, "time": "9"}
        # Else terraform would delete the group first, and its queue keeps it from being deleted.
        configure(
            tf,
            cluster=cluster,
            successor_first=True,
            later=later,
            slurmConfiguration={"slurmCustomSettings": [setting]},
        )
        tf.apply()
        assert tf.state_of("pcs_cluster.whole")["networking"]["subnet_ids"] == [SUBNET]
        queue = tf.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier="batch")["queue"]
        assert queue["slurmConfiguration"]["slurmCustomSettings"] == [{**setting, "parameterValue": "9"}]
        assert tf.exit_code_of_plan() == 0
        tf.configure(
            resource={
                "pcs_cluster": {"whole": written(BARE_CLUSTER, CLUSTER)},
                "pcs_queue": {"batch": written({"name": "batch", "clusterId": CLUSTER_ID}, QUEUE)},
            }
        )
        tf.apply()
        assert tf.names() == []
        assert tf.exit_code_of_plan() == 0


def config(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {field.written: from_api(field, tree.get(name)) for name, field in CLUSTER.fields.items()}


NETWORKING = {"subnet_ids": [SUBNET], "security_group_ids": [SECURITY_GROUP], "network_type": None}


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({}, set()),
        ({"name": UNKNOWN, "networking": UNKNOWN, "slurm_configuration": UNKNOWN, "tags": {}}, set()),
        ({"networking": {**NETWORKING, "subnet_ids": [UNKNOWN], "network_type": UNKNOWN}}, set()),
        ({"networking": {**NETWORKING, "subnet_ids": []}}, {"networking.subnet_ids"}),
        ({"networking": {**NETWORKING, "subnet_ids": [UNKNOWN, SUBNET]}}, {"networking.subnet_ids"}),
        ({"networking": {**NETWORKING, "subnet_ids": ["subnet"]}}, {"networking.subnet_ids[0]"}),
        ({"networking": {**NETWORKING, "subnet_ids": [None]}}, {"networking.subnet_ids[0]"}),
        ({"tags": {"Long": "x" * 257, "Late": UNKNOWN}}, {'tags["Long"]'}),
        (
            {"slurm_configuration": {"accounting": {"mode": "STANDARD", "default_purge_time_in_days": 0}}},
            {"slurm_configuration.accounting.default_purge_time_in_days"},
        ),
    ],
)
def test_limits_of_what_is_known(changes: dict[str, Any], refused: set[str]) -> None:
    found = limits.problems(CLUSTER, {**config(BARE_CLUSTER), **changes})
    assert {dotted(diagnostic.path) for diagnostic in found} == refused
