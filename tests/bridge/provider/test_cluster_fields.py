"""Every field of clusters and queues through the real terraform: set, changed, removed, and those that replace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.pcs_clusters import BARE_CLUSTER, CLUSTER_EVERYTHING, CLUSTER_OTHERWISE, QUEUE_EVERYTHING, QUEUE_OTHERWISE
from support.pcs_groups import NEW, members, said
from support.pcs_terraform import QUICK, Workspace, written

from pcs_bridge.endpoint import running
from pcs_bridge.provider.kinds import CLUSTER, QUEUE
from pcs_contract import facts
from pcs_contract.shapes import operation


@pytest.fixture
def asked() -> dict[str, set[str]]:
    """The members of all requests by operation."""
    return {}


@pytest.fixture
def tf(workspace: Any, asked: dict[str, set[str]]) -> Iterator[Workspace]:
    """A workspace with an endpoint that has nothing."""

    def note(operation: str, parameters: Mapping[str, Any]) -> None:
        asked.setdefault(operation, set()).update(said(parameters))

    with running(delays=QUICK, before=note) as endpoint:
        yield workspace(endpoint)


def configure(tf: Workspace, clusters: Mapping[str, Any], queue: Mapping[str, Any] | None = None) -> None:
    """Clusters by the name of their resource; with a queue, two groups of the cluster `whole` for it."""
    resources = {CLUSTER.type_name: {name: written(cluster, CLUSTER) for name, cluster in clusters.items()}}
    if queue is not None:
        group = {**NEW, "clusterId": "${pcs_cluster.whole.cluster_id}"}
        resources["pcs_compute_node_group"] = {name: written({**group, "name": f"group-{name}"}) for name in "ab"}
        resources[QUEUE.type_name] = {"batch": written(queue, QUEUE)}
    tf.configure(resource=resources)


def changes(plan: dict[str, Any]) -> dict[str, list[str]]:
    return {
        change["address"]: change["change"]["actions"]
        for change in plan["resource_changes"]
        if change["change"]["actions"] != ["no-op"]
    }


def said_of(resource: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a resource that were asked for, without what PCS adds to them."""
    found = {name: resource[name] for name in wanted.keys() - {"tags", "clusterId", "computeNodeGroupConfigurations"}}
    if "slurmConfiguration" in wanted:
        slurm = wanted["slurmConfiguration"]
        found["slurmConfiguration"] = {name: resource["slurmConfiguration"][name] for name in slurm}
    return found


def test_every_field_is_set_changed_and_removed(tf: Workspace, asked: dict[str, set[str]]) -> None:
    def check(cluster: Mapping[str, Any], queue: Mapping[str, Any], groups: int) -> None:
        remote = tf.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]
        assert said_of(remote, cluster) == said_of(cluster, cluster)
        assert tf.pcs.list_tags_for_resource(resourceArn=remote["arn"])["tags"] == cluster.get("tags", {})
        found = tf.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier="batch")["queue"]
        assert said_of(found, queue) == said_of(queue, queue)
        assert len(found["computeNodeGroupConfigurations"]) == groups
        assert tf.pcs.list_tags_for_resource(resourceArn=found["arn"])["tags"] == queue.get("tags", {})
        assert tf.exit_code_of_plan() == 0

    configure(tf, {"whole": CLUSTER_EVERYTHING, "second": {**BARE_CLUSTER, "name": "second"}}, QUEUE_EVERYTHING)
    tf.apply()
    check(CLUSTER_EVERYTHING, QUEUE_EVERYTHING, groups=1)
    state = tf.state_of("pcs_cluster.whole")
    assert state["auth_key"]["secret_arn"].startswith("arn:aws:secretsmanager:")
    assert state["jwt_auth"]["jwt_key"]["secret_version"] == "1"
    assert [endpoint["type"] for endpoint in state["endpoints"]] == ["SLURMCTLD", "SLURMDBD", "SLURMRESTD"]

    configure(tf, {"whole": CLUSTER_OTHERWISE, "second": {**BARE_CLUSTER, "name": "second"}}, QUEUE_OTHERWISE)
    assert changes(tf.plan(file="update")) == {"pcs_cluster.whole": ["update"], "pcs_queue.batch": ["update"]}
    tf.apply("update")
    check(CLUSTER_OTHERWISE, QUEUE_OTHERWISE, groups=2)
    assert tf.state_of("pcs_cluster.whole")["jwt_auth"] is None

    for kind in ("Cluster", "Queue"):
        for verb in ("Create", "Update"):
            wanted = set(members(operation(f"{verb}{kind}").input))
            assert wanted - asked[f"{verb}{kind}"] == set(), (verb, kind)

    bare = {**BARE_CLUSTER, "networking": CLUSTER_EVERYTHING["networking"], "scheduler": CLUSTER_OTHERWISE["scheduler"]}
    queue = {"name": "batch", "clusterId": QUEUE_EVERYTHING["clusterId"]}
    configure(tf, {"whole": bare, "second": {**BARE_CLUSTER, "name": "second"}}, queue)
    plan = tf.plan(file="remove")
    assert changes(plan) == {"pcs_cluster.whole": ["update"], "pcs_queue.batch": ["update"]}
    for change in plan["resource_changes"]:
        if change["address"] in ("pcs_cluster.whole", "pcs_queue.batch"):
            assert change["change"]["after"]["slurm_configuration"] is None
    tf.apply("remove")
    check(bare, queue, groups=0)
    slurm = tf.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["slurmConfiguration"]
    del slurm["authKey"]
    assert slurm == {
        "accounting": {"mode": "NONE", "defaultPurgeTimeInDays": -1},
        "scaleDownIdleTimeInSeconds": 600,
        "slurmRest": {"mode": "NONE"},
        "slurmCustomSettings": [],
        "slurmdbdCustomSettings": [],
        "cgroupCustomSettings": [],
        "jobSubmitPlugins": [],
    }

    tf.run("destroy", "-auto-approve").ok()
    assert tf.pcs.list_clusters()["clusters"] == []


def test_what_only_a_new_one_can_have_replaces_it(tf: Workspace) -> None:
    networking = {**BARE_CLUSTER["networking"], "securityGroupIds": ["sg-0123456789"]}
    other = {"name": "renamed", "size": "MEDIUM", "networking": networking}
    assert other.keys() | {"scheduler.type"} == facts.CLUSTER.create_only.keys()  # there is one type only
    clusters = {
        "whole": BARE_CLUSTER,
        "words": {**BARE_CLUSTER, "name": "words"},
        **{name: {**BARE_CLUSTER, "name": f"c-{name}"} for name in other},
    }
    queue = {**QUEUE_EVERYTHING, "clusterId": "${pcs_cluster.whole.name}"}
    configure(tf, clusters, queue)
    tf.apply()
    written_down = {**BARE_CLUSTER["networking"], "networkType": "IPV4"}
    changed = {
        **clusters,
        "words": {**clusters["words"], "networking": written_down},
        **{name: {**clusters[name], name: value} for name, value in other.items()},
    }
    # The same cluster by its id is no other one.
    configure(tf, changed, {**queue, "clusterId": "${pcs_cluster.whole.cluster_id}"})
    plan = tf.plan(file="replace")
    replaced = [f"pcs_cluster.{name}" for name in other]
    assert changes(plan) == {
        **{address: ["delete", "create"] for address in replaced},
        "pcs_cluster.words": ["update"],
        "pcs_queue.batch": ["update"],
    }
    paths = {change["address"]: change["change"].get("replace_paths") for change in plan["resource_changes"]}
    assert {address: paths[address] for address in replaced} == {f"pcs_cluster.{name}": [[name]] for name in other}
    tf.apply("replace")
    assert tf.exit_code_of_plan() == 0

    assert {"name", "clusterId"} == facts.QUEUE.create_only.keys()
    for field, value in (("name", "other"), ("clusterId", "${pcs_cluster.words.cluster_id}")):
        configure(tf, changed, {**queue, field: value})
        plan = tf.plan()
        assert changes(plan) == {"pcs_queue.batch": ["delete", "create"]}, field


def test_what_pcs_would_refuse_is_told_when_terraform_validates(tf: Workspace) -> None:
    configure(
        tf,
        {
            "whole": {
                **CLUSTER_EVERYTHING,
                "name": "1",
                "size": "HUGE",
                "slurmConfiguration": {
                    **CLUSTER_EVERYTHING["slurmConfiguration"],
                    "scaleDownIdleTimeInSeconds": 0,
                    "jobSubmitPlugins": [{**CLUSTER_EVERYTHING["slurmConfiguration"]["jobSubmitPlugins"][0]}] * 2,
                },
            }
        },
    )
    said = tf.run("validate").err
    for place, problem in (
        ("name", "It must have at least 3 characters."),
        ("size", "It must be one of SMALL, MEDIUM, LARGE."),
        ("slurm_configuration.scale_down_idle_time_in_seconds", "It must be at least 1."),
        ("slurm_configuration.job_submit_plugins", "It must have at most 1 item."),
    ):
        assert f"{place}: {problem}" in " ".join(said.split()), said
    assert said.count("Error: AWS PCS does not accept this") == 4
