"""What holds for every kind of resource alike, through the real terraform: interrupts, and an AWS that falters."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from support.pcs import GROUP
from support.pcs_clusters import BARE_CLUSTER, QUEUE_EVERYTHING
from support.pcs_groups import NEW
from support.pcs_terraform import Workspace, hpc_endpoint, written
from support.processes import eventually, with_variable

from pcs_bridge.endpoint import Delays, Endpoint
from pcs_bridge.endpoint.status import Verb
from pcs_bridge.endpoint.store import Kind as Stored
from pcs_bridge.provider.kinds import CLUSTER, NODE_GROUP, QUEUE, Kind

Make = Callable[..., Workspace]


class Case(NamedTuple):
    """A resource, and what an update adds to it; both in the API's names."""

    kind: Kind
    name: str
    new: Mapping[str, Any]
    more: Mapping[str, Any]
    find: Callable[[Workspace], Mapping[str, Any]]
    """As the endpoint has it."""

    @property
    def address(self) -> str:
        return f"{self.kind.type_name}.{self.name}"


def group(name: str) -> Case:
    return Case(NODE_GROUP, name, {**NEW, "name": name}, {"sshKeyName": "key"}, lambda tf: tf.remote(name))


def queue(name: str) -> Case:
    def find(tf: Workspace) -> Mapping[str, Any]:
        found: Mapping[str, Any] = tf.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier=name)["queue"]
        return found

    new = {"name": name, "clusterId": "hpc", "computeNodeGroupConfigurations": [{"computeNodeGroupId": "${var.base}"}]}
    return Case(QUEUE, name, new, {"slurmConfiguration": QUEUE_EVERYTHING["slurmConfiguration"]}, find)


def cluster(name: str) -> Case:
    def find(tf: Workspace) -> Mapping[str, Any]:
        found: Mapping[str, Any] = tf.pcs.get_cluster(clusterIdentifier=name)["cluster"]
        return found

    slurm = {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": 300}}
    return Case(CLUSTER, name, {**BARE_CLUSTER, "name": name}, slurm, find)


EACH = (group("group-0"), queue("queue-0"), cluster("cluster-0"))
MANY = (
    *(group(f"group-{index}") for index in range(4)),
    *(queue(f"queue-{index}") for index in range(3)),
    *(cluster(f"cluster-{index}") for index in range(2)),
)


@contextmanager
def base_endpoint(**options: Any) -> Iterator[tuple[Endpoint, str]]:
    """An endpoint with the cluster `hpc` and a group in it, which queues need, and the id of that."""
    with hpc_endpoint(**options) as endpoint:
        pcs = endpoint.client("pcs")
        made = pcs.create_compute_node_group(**{**GROUP, "computeNodeGroupName": "base"})["computeNodeGroup"]
        which = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": made["id"]}
        assert eventually(lambda: pcs.get_compute_node_group(**which)["computeNodeGroup"]["status"] == "ACTIVE")
        yield endpoint, made["id"]


def configure(tf: Workspace, base: str, cases: tuple[Case, ...], *, updated: bool = False, **more: Any) -> None:
    resources: dict[str, Any] = {}
    for case in cases:
        wanted = {**case.new, **(case.more if updated else {}), **more}
        resources.setdefault(case.kind.type_name, {})[case.name] = written(wanted, case.kind)
    tf.configure(resource=resources, variable={"base": {"default": base}})


def names(tf: Workspace) -> set[str]:
    """Of all resources in the cluster `hpc`, but for the group `base`, and of the clusters beside it."""
    found = [*tf.names(), *(one["name"] for one in tf.pcs.list_queues(clusterIdentifier="hpc")["queues"])]
    return {*found, *(one["name"] for one in tf.pcs.list_clusters()["clusters"])} - {"hpc", "base"}


def changes(plan: Mapping[str, Any]) -> dict[str, list[str]]:
    return {change["address"]: change["change"]["actions"] for change in plan["resource_changes"]}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_create_is_recorded_and_the_next_run_goes_on(workspace: Make, number: signal.Signals) -> None:
    with base_endpoint(delays=Delays(create=2, update=0, delete=0)) as (endpoint, base):
        tf = workspace(endpoint)
        configure(tf, base, EACH)
        process = tf.applying()
        try:
            assert eventually(lambda: names(tf) == {case.name for case in EACH})
            # To the whole process group for SIGINT, which is what Ctrl-C in a terminal does.
            (os.killpg if number is signal.SIGINT else os.kill)(process.pid, number)
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 1
        assert complaint.count("Error: Interrupted") == len(EACH)
        temporary = tf.env["TMPDIR"]
        assert eventually(lambda: not with_variable("TMPDIR", temporary) and not os.listdir(temporary))
        # They are still being made, so the deletes have to wait for that.
        assert changes(tf.plan(file="again")) == {case.address: ["delete", "create"] for case in EACH}
        tf.apply("again")
        assert names(tf) == {case.name for case in EACH}
        assert {case.find(tf)["status"] for case in EACH} == {"ACTIVE"}


FAULTS = "throttle=0.04,internal=0.15,drop=0.05,drop-answer=0.15"
"""Shares of calls; a throttled one waits for the second that the service asks for."""


def test_a_throttled_and_flaky_endpoint_that_loses_answers_converges(workspace: Make) -> None:
    begun: list[str] = []
    met: set[str] = set()

    def count(kind: Stored, verb: Verb, name: str) -> None:
        begun.append(f"{verb} {name}")

    with base_endpoint(failure=count) as (endpoint, base):
        begun.clear()
        tf = workspace(endpoint)

        def with_faults(run: Callable[[], object], seed: int) -> None:
            endpoint.inject(FAULTS, seed)
            run()
            met.update(endpoint.faults["met"])
            endpoint.inject("")

        configure(tf, base, MANY, tags={"n": "1"})
        with_faults(tf.apply, 1)
        configure(tf, base, MANY, updated=True)
        with_faults(tf.apply, 2)
        for case in MANY:
            remote = case.find(tf)
            assert (case.name, remote["status"]) == (case.name, "ACTIVE")
            assert tf.pcs.list_tags_for_resource(resourceArn=remote["arn"])["tags"] == {}
        assert tf.exit_code_of_plan() == 0
        with_faults(lambda: tf.run("destroy", "-auto-approve").ok(), 3)
        assert names(tf) == set()
        assert met == {"throttle", "internal", "drop", "drop-answer"}
        assert sorted(begun) == sorted(
            f"{verb} {case.name}" for case in MANY for verb in ("create", "update", "delete")
        )
