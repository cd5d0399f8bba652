"""The status machine, and what waits for what."""

import pytest
from support.pcs import CLUSTER, GROUP, STEP, Lab, lab, refused

from pcs_bridge.endpoint.status import Delays

HPC = {"clusterIdentifier": "hpc"}
WORKERS = {**HPC, "computeNodeGroupIdentifier": "workers"}
BATCH = {**HPC, "queueIdentifier": "batch"}


def fails_for(*names: str):  # type: ignore[no-untyped-def]
    def failure(kind: str, verb: str, name: str) -> dict[str, str] | None:
        return {"code": "Failed", "message": f"{verb} failed"} if f"{verb} {name}" in names else None

    return failure


def status(lab: Lab, what: str) -> str:
    found: str = {
        "cluster": lambda: lab.pcs.get_cluster(**HPC)["cluster"],
        "group": lambda: lab.get_group(),
        "queue": lambda: lab.pcs.get_queue(**BATCH)["queue"],
    }[what]()["status"]
    return found


def test_a_whole_life(lab: Lab) -> None:
    lab.pcs.create_cluster(**CLUSTER)
    lab.clock.advance(STEP - 0.001)
    assert status(lab, "cluster") == "CREATING"
    lab.clock.advance(0.001)
    assert status(lab, "cluster") == "ACTIVE"
    lab.pcs.create_compute_node_group(**GROUP)
    assert status(lab, "group") == "CREATING"
    lab.settle()
    assert status(lab, "group") == "ACTIVE"
    assert lab.pcs.update_compute_node_group(**WORKERS)["computeNodeGroup"]["status"] == "UPDATING"
    lab.settle()
    assert status(lab, "group") == "ACTIVE"
    lab.pcs.create_queue(**HPC, queueName="batch")
    assert status(lab, "queue") == "CREATING"
    lab.settle()
    assert lab.pcs.update_queue(**BATCH)["queue"]["status"] == "UPDATING"
    lab.settle()
    for delete, where, what in (
        (lab.pcs.delete_queue, BATCH, "queue"),
        (lab.pcs.delete_compute_node_group, WORKERS, "group"),
        (lab.pcs.delete_cluster, HPC, "cluster"),
    ):
        delete(**where)
        assert status(lab, what) == "DELETING"
        with refused("ConflictException"):
            delete(**where)
        lab.settle()
        with refused("ResourceNotFoundException"):
            status(lab, what)


def test_only_one_cluster_at_a_time_is_made(lab: Lab) -> None:
    lab.pcs.create_cluster(**CLUSTER)
    with refused("ServiceQuotaExceededException"):
        lab.pcs.create_cluster(**{**CLUSTER, "clusterName": "other"})
    lab.settle()
    lab.pcs.create_cluster(**{**CLUSTER, "clusterName": "other"})


def test_names_are_unique_in_their_cluster(cluster: Lab) -> None:
    cluster.cluster(clusterName="other")
    group, queue = cluster.group(), cluster.queue()
    owner = cluster.pcs.get_cluster(**HPC)["cluster"]
    for create, request, taken in (
        (cluster.pcs.create_cluster, CLUSTER, owner),
        (cluster.pcs.create_compute_node_group, GROUP, group),
        (cluster.pcs.create_queue, {**HPC, "queueName": "batch"}, queue),
    ):
        with refused("ConflictException") as members:
            create(**request)
        assert members["resourceId"] == taken["id"]
    cluster.pcs.create_compute_node_group(**{**GROUP, "clusterIdentifier": "other"})
    cluster.pcs.create_queue(clusterIdentifier="other", queueName="batch")
    cluster.pcs.create_queue(**HPC, queueName="Batch")


def test_nothing_is_made_in_a_cluster_that_is_not_active(lab: Lab) -> None:
    lab.pcs.create_cluster(**CLUSTER)
    with refused("ConflictException") as members:
        lab.pcs.create_compute_node_group(**GROUP)
    assert members["resourceType"] == "Cluster"
    with refused("ConflictException"):
        lab.pcs.create_queue(**HPC, queueName="batch")


def test_a_queue_takes_active_groups_of_its_cluster(cluster: Lab) -> None:
    cluster.cluster(clusterName="other")
    uses = [{"computeNodeGroupId": cluster.pcs.create_compute_node_group(**GROUP)["computeNodeGroup"]["id"]}]
    with refused("ConflictException") as members:
        cluster.pcs.create_queue(**HPC, queueName="batch", computeNodeGroupConfigurations=uses)
    assert members["resourceType"] == "ComputeNodeGroup"
    cluster.settle()
    with refused("ResourceNotFoundException"):
        cluster.pcs.create_queue(clusterIdentifier="other", queueName="batch", computeNodeGroupConfigurations=uses)
    for id in ("workers", "pcs_0000000000", ""):
        with refused("ResourceNotFoundException"):
            wrong = [{"computeNodeGroupId": id}]
            cluster.pcs.create_queue(**HPC, queueName="batch", computeNodeGroupConfigurations=wrong)
    with refused("ValidationException", "computeNodeGroupConfigurations[1].computeNodeGroupId"):
        cluster.pcs.create_queue(**HPC, queueName="batch", computeNodeGroupConfigurations=[*uses, {}])
    cluster.pcs.create_queue(**HPC, queueName="batch", computeNodeGroupConfigurations=uses)


def test_a_group_stays_while_a_queue_uses_it(cluster: Lab) -> None:
    group = cluster.group()
    cluster.queue(group["id"])
    with refused("ConflictException") as members:
        cluster.pcs.delete_compute_node_group(**WORKERS)
    assert members["resourceId"] == group["id"]
    cluster.pcs.update_queue(**BATCH, computeNodeGroupConfigurations=[])
    cluster.settle()
    cluster.pcs.delete_compute_node_group(**WORKERS)


def test_a_cluster_stays_while_anything_is_in_it(cluster: Lab) -> None:
    cluster.group()
    with refused("ConflictException"):
        cluster.pcs.delete_cluster(**HPC)
    cluster.pcs.delete_compute_node_group(**WORKERS)
    with refused("ConflictException"):
        cluster.pcs.delete_cluster(**HPC)
    cluster.settle()
    cluster.pcs.delete_cluster(**HPC)


def test_a_cluster_is_updated_when_all_in_it_is_active(cluster: Lab) -> None:
    cluster.pcs.create_compute_node_group(**GROUP)
    with refused("ConflictException") as members:
        cluster.pcs.update_cluster(**HPC)
    assert members["resourceType"] == "ComputeNodeGroup"
    cluster.settle()
    cluster.pcs.update_cluster(**HPC)
    with refused("ConflictException"):
        cluster.pcs.update_cluster(**HPC)


def test_parallel_operations_conflict(cluster: Lab) -> None:
    cluster.pcs.create_compute_node_group(**GROUP)
    for call in (cluster.pcs.update_compute_node_group, cluster.pcs.delete_compute_node_group):
        with refused("ConflictException"):
            call(**WORKERS)


def test_failures() -> None:
    failure = fails_for("create hpc", "update workers", "delete workers", "create other")
    with lab(failure=failure) as made:
        made.pcs.create_cluster(**CLUSTER)
        made.settle()
        failed = made.pcs.get_cluster(**HPC)["cluster"]
        assert (failed["status"], failed["errorInfo"]) == (
            "CREATE_FAILED",
            [{"code": "Failed", "message": "create failed"}],
        )
        assert "endpoints" not in failed
        with refused("ConflictException"):
            made.pcs.update_cluster(**HPC)
        made.pcs.delete_cluster(**HPC)
        made.settle()
        made.cluster(clusterName="second")
        where = {"clusterIdentifier": "second", "computeNodeGroupIdentifier": "workers"}
        made.pcs.create_compute_node_group(**{**GROUP, "clusterIdentifier": "second"})
        made.settle()
        for call, expected in (
            (made.pcs.update_compute_node_group, "UPDATE_FAILED"),
            (made.pcs.update_compute_node_group, "UPDATE_FAILED"),
            (made.pcs.delete_compute_node_group, "DELETE_FAILED"),
        ):
            call(**where)
            made.settle()
            group = made.get_group(cluster="second")
            assert group["status"] == expected
            assert group["errorInfo"][0]["code"] == "Failed"
        with refused("ConflictException"):
            made.pcs.update_compute_node_group(**where)


def test_an_error_is_gone_once_it_is_tried_again() -> None:
    left = ["update workers"]

    def failure(kind: str, verb: str, name: str) -> dict[str, str] | None:
        return {"code": "Failed", "message": ""} if f"{verb} {name}" in left and left.pop() else None

    with lab(failure=failure) as made:
        made.cluster()
        made.group()
        assert made.update_group()["status"] == "UPDATE_FAILED"
        updated = made.update_group()
        assert updated["status"] == "ACTIVE"
        assert "errorInfo" not in updated


class TestCapacity:
    """The sum of maxInstanceCount over the groups of a cluster: 32 for SMALL."""

    @staticmethod
    def bounds(most: int) -> dict[str, dict[str, int]]:
        return {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": most}}

    def test_create(self, cluster: Lab) -> None:
        cluster.group(**self.bounds(30))
        with refused("ServiceQuotaExceededException") as members:
            cluster.group(computeNodeGroupName="second", **self.bounds(3))
        assert members["serviceCode"] == "pcs"
        cluster.group(computeNodeGroupName="second", **self.bounds(2))

    def test_update(self, cluster: Lab) -> None:
        cluster.group(**self.bounds(30))
        with refused("ServiceQuotaExceededException"):
            cluster.update_group(**self.bounds(33))
        cluster.update_group(**self.bounds(32))
        cluster.update_group(**self.bounds(1))
        cluster.group(computeNodeGroupName="second", **self.bounds(31))

    def test_delete(self, cluster: Lab) -> None:
        cluster.group(**self.bounds(32))
        cluster.pcs.delete_compute_node_group(**WORKERS)
        cluster.group(computeNodeGroupName="second", **self.bounds(32))

    @pytest.mark.parametrize(("size", "most"), [("SMALL", 32), ("MEDIUM", 512), ("LARGE", 2048)])
    def test_sizes(self, lab: Lab, size: str, most: int) -> None:
        lab.cluster(size=size)
        with refused("ServiceQuotaExceededException"):
            lab.group(**self.bounds(most + 1))
        lab.group(**self.bounds(most))


@pytest.mark.parametrize(
    ("text", "delays"),
    [
        ("0", Delays(0, 0, 0)),
        ("1.5", Delays(1.5, 1.5, 1.5)),
        ("create=5,delete=0", Delays(5, 0.2, 0)),
        ("update=86400", Delays(update=86400)),
    ],
)
def test_delays(text: str, delays: Delays) -> None:
    assert Delays.parse(text) == delays


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "inf", "86401", "made=1", "create=", "create=1,", "1,2"])
def test_wrong_delays(text: str) -> None:
    with pytest.raises(ValueError, match=r"delay|seconds"):
        Delays.parse(text)
