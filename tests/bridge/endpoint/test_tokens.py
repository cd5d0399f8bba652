"""Client tokens and pages."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from support.pcs import CLUSTER, GROUP, Lab, lab, refused

from pcs_bridge.endpoint import idempotency
from pcs_bridge.endpoint.store import Kind, MemoryStore

HPC = {"clusterIdentifier": "hpc"}
TOKEN = "a-client-token"


class TestClientTokens:
    def test_the_same_call_again(self, cluster: Lab) -> None:
        request = {**GROUP, "clientToken": TOKEN}
        first = cluster.pcs.create_compute_node_group(**request)["computeNodeGroup"]
        cluster.settle()
        assert cluster.pcs.create_compute_node_group(**request)["computeNodeGroup"] == first
        assert len(cluster.pcs.list_compute_node_groups(**HPC)["computeNodeGroups"]) == 1

    def test_a_delete_again(self, cluster: Lab) -> None:
        cluster.group()
        request = {**HPC, "computeNodeGroupIdentifier": "workers", "clientToken": TOKEN}
        for _ in range(3):
            cluster.pcs.delete_compute_node_group(**request)
            cluster.settle()

    def test_an_update_again_does_not_start_anew(self, cluster: Lab) -> None:
        cluster.group()
        request = {**HPC, "computeNodeGroupIdentifier": "workers", "clientToken": TOKEN}
        cluster.pcs.update_compute_node_group(**request)
        cluster.settle()
        cluster.pcs.update_compute_node_group(**request)
        assert cluster.get_group()["status"] == "ACTIVE"

    def test_other_parameters(self, cluster: Lab) -> None:
        cluster.pcs.create_compute_node_group(**GROUP, clientToken=TOKEN)
        with refused("ValidationException", "clientToken"):
            cluster.pcs.create_compute_node_group(**{**GROUP, "computeNodeGroupName": "other", "clientToken": TOKEN})

    def test_a_failed_call_uses_up_no_token(self, cluster: Lab) -> None:
        cluster.cluster(clusterName="other")
        wrong = {**GROUP, "customLaunchTemplate": None, "clientToken": TOKEN}
        with refused("ValidationException", "customLaunchTemplate"):
            cluster.pcs.create_compute_node_group(**{name: part for name, part in wrong.items() if part})
        cluster.pcs.create_compute_node_group(**GROUP, clientToken=TOKEN)

    def test_operations_and_regions_have_their_own(self, cluster: Lab) -> None:
        cluster.pcs.create_compute_node_group(**GROUP, clientToken=TOKEN)
        cluster.pcs.create_queue(**HPC, queueName="batch", clientToken=TOKEN)
        cluster.client(region="eu-west-1").create_cluster(**CLUSTER, clientToken=TOKEN)

    def test_tokens_are_forgotten(self, cluster: Lab) -> None:
        request = {**HPC, "queueName": "batch", "clientToken": TOKEN}
        cluster.pcs.create_queue(**request)
        cluster.clock.advance(idempotency.LIFETIME - 1)
        cluster.pcs.create_queue(**request)
        cluster.clock.advance(1)
        with refused("ConflictException"):
            cluster.pcs.create_queue(**request)

    def test_memory_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(idempotency, "MOST", 3)
        store = MemoryStore()
        with lab(store=store) as made:
            made.cluster()
            made.group()
            for _ in range(6):
                made.update_group()
        with store.transaction() as transaction:
            assert transaction.count(Kind.ANSWER, "us-east-1") == 3


LISTS: list[tuple[str, str, dict[str, Any]]] = [
    ("list_clusters", "clusters", {}),
    ("list_compute_node_groups", "computeNodeGroups", HPC),
    ("list_queues", "queues", HPC),
]


@pytest.mark.parametrize(("operation", "member", "where"), LISTS)
class TestPages:
    @pytest.fixture
    def many(self, operation: str, lab: Lab) -> list[str]:
        """The names of twelve resources; the cluster `hpc` is one of them where they are clusters."""
        lab.cluster()
        names = [f"name-{number}" for number in range(12)]
        for name in names:
            if operation == "list_clusters":
                lab.cluster(clusterName=name)
            elif operation == "list_queues":
                lab.pcs.create_queue(**HPC, queueName=name)
            else:
                bounds = {"minInstanceCount": 0, "maxInstanceCount": 1}
                lab.pcs.create_compute_node_group(
                    **{**GROUP, "computeNodeGroupName": name, "scalingConfiguration": bounds}
                )
        return ["hpc", *names] if operation == "list_clusters" else names

    def test_all_of_them(self, lab: Lab, many: list[str], operation: str, member: str, where: dict[str, Any]) -> None:
        paginator = lab.pcs.get_paginator(operation)
        for size in (1, 5, 12, 13, 100):
            pages = list(paginator.paginate(**where, PaginationConfig={"PageSize": size}))
            assert [entry["name"] for page in pages for entry in page[member]] == many
            assert len(pages) == -(-len(many) // size)

    def test_default_size(self, lab: Lab, many: list[str], operation: str, member: str, where: dict[str, Any]) -> None:
        list_all = getattr(lab.pcs, operation)
        assert len(list_all(**where)[member]) == 10
        assert len(list_all(**where, maxResults=0)[member]) == 10

    def test_what_is_made_and_deleted_in_between(
        self, lab: Lab, many: list[str], operation: str, member: str, where: dict[str, Any]
    ) -> None:
        list_all = getattr(lab.pcs, operation)
        first = list_all(**where, maxResults=3)
        lab.settle()
        gone, kind = first[member][2]["name"], member.rstrip("s")
        if kind == "cluster":
            lab.pcs.delete_cluster(clusterIdentifier=gone)
        elif kind == "queue":
            lab.pcs.delete_queue(**HPC, queueIdentifier=gone)
        else:
            lab.pcs.delete_compute_node_group(**HPC, computeNodeGroupIdentifier=gone)
        lab.settle()
        second = list_all(**where, maxResults=100, nextToken=first["nextToken"])
        assert [entry["name"] for entry in second[member]] == many[3:]
        assert "nextToken" not in second

    def test_tokens(self, lab: Lab, many: list[str], operation: str, member: str, where: dict[str, Any]) -> None:
        list_all = getattr(lab.pcs, operation)
        token = list_all(**where)["nextToken"]
        lab.clock.advance(24 * 60 * 60)
        assert list_all(**where, nextToken=token)[member]
        for wrong in ("", "x", "é", token[:-4], token[1:], f"{token[:-2]}AA", token.lower()):
            with refused("ValidationException", "nextToken"):
                list_all(**where, nextToken=wrong)
        lab.clock.advance(1)
        with pytest.raises(ClientError) as expired:
            list_all(**where, nextToken=token)
        assert expired.value.response["Error"]["Code"] == "InvalidToken"
        assert expired.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_a_token_belongs_to_its_list(cluster: Lab) -> None:
    cluster.cluster(clusterName="other")
    for name in ("one", "two"):
        cluster.pcs.create_queue(**HPC, queueName=name)
    token = cluster.pcs.list_queues(**HPC, maxResults=1)["nextToken"]
    with refused("ValidationException", "nextToken"):
        cluster.pcs.list_queues(clusterIdentifier="other", nextToken=token)
    with refused("ValidationException", "nextToken"):
        cluster.pcs.list_compute_node_groups(**HPC, nextToken=token)
    with lab() as another, refused("ValidationException", "nextToken"):
        another.cluster()
        another.pcs.list_queues(**HPC, nextToken=token)
