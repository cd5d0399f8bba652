"""The whole life of a cluster, a group with lifecycle actions and a queue, through real boto3 over HTTP."""

import pytest
from botocore.exceptions import ClientError
from support.pcs import ACTIONS, CHECKSUM, CLUSTER, GROUP, SECURITY_GROUP, Lab, lab, refused

from pcs_bridge.endpoint import Delays, running
from pcs_contract.shapes import Shape, contract, operations, shape


def test_with_plain_boto3() -> None:
    with running(delays=Delays(0, 0, 0)) as endpoint:
        pcs = endpoint.client("pcs")
        cluster = pcs.create_cluster(**CLUSTER)["cluster"]
        assert cluster["status"] == "CREATING"
        group = pcs.create_compute_node_group(**GROUP, nodeLifecycleActions=ACTIONS)["computeNodeGroup"]
        assert group["nodeLifecycleActions"] == ACTIONS
        uses = [{"computeNodeGroupId": group["id"]}]
        pcs.create_queue(clusterIdentifier="hpc", queueName="batch", computeNodeGroupConfigurations=uses)
        assert pcs.get_queue(clusterIdentifier="hpc", queueIdentifier="batch")["queue"]["status"] == "ACTIVE"
        pcs.delete_queue(clusterIdentifier="hpc", queueIdentifier="batch")
        pcs.delete_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier=group["id"])
        pcs.delete_cluster(clusterIdentifier=cluster["arn"].rpartition("/")[2])
        assert pcs.list_clusters()["clusters"] == []


def test_every_member_of_every_response_is_seen() -> None:
    """Runs every operation; the lab holds each answer to its shape, and this holds the shapes to the answers."""

    def failure(kind: str, verb: str, name: str) -> dict[str, str] | None:
        return {"code": "InsufficientCapacity", "message": "There is none."} if name.startswith("bad") else None

    with lab(failure=failure, switches={"echo-defaults": "yes"}) as made:
        _live(made)
        outputs = {member for operation in operations() for member in _members(operation.output, set())}
        errors = {
            f"{name}.{member}"
            for name, facts in contract()["shapes"].items()
            if facts.get("exception")
            for member in shape(name).members
        }
        assert outputs - made.seen == {"Endpoint.publicIpAddress"}  # controllers have private addresses
        # Throttling, a defect and a quota's code come from elsewhere, and are tested there.
        assert errors - made.seen == {
            "InternalServerException.message",
            "ServiceQuotaExceededException.quotaCode",
            "ThrottlingException.message",
            "ThrottlingException.retryAfterSeconds",
        }


def _live(lab: Lab) -> None:
    settings = [{"parameterName": "Weight", "parameterValue": "5"}]
    source = {"scriptLocation": "s3://hpc-scripts/check.star", "s3VersionId": "v1", "checksum": CHECKSUM}
    slurm = {
        "scaleDownIdleTimeInSeconds": 900,
        "slurmCustomSettings": settings,
        "slurmdbdCustomSettings": settings,
        "cgroupCustomSettings": settings,
        "accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 30},
        "slurmRest": {"mode": "STANDARD"},
        "jobSubmitPlugins": [{"name": "check", "type": "STARLARK", "scriptSource": source}],
    }
    lab.cluster(networking={**CLUSTER["networking"], "networkType": "IPV6"}, slurmConfiguration=slurm)
    actions = {
        "scriptCachingPolicy": "REFRESH_ON_REBOOT",
        "stages": {
            stage: [
                {
                    "name": "mount",
                    "arguments": ["--all"],
                    "scriptSource": {**source, "scriptLocation": "s3://hpc-scripts/mount.sh"},
                }
            ]
            for stage in ("nodeBootstrapped", "nodeReady")
        },
    }
    health = {
        "healthMonitoring": {"mode": "STANDARD", "repairAction": "AUTO"},
        "deepHealthChecks": {"onStart": {"profile": "QUICK", "repairAction": "REPLACE"}},
    }
    group = lab.group(
        amiId="ami-0123456789abcdef0",
        securityGroupIds=[SECURITY_GROUP],
        sshKeyName="hpc-admins",
        purchaseOption="SPOT",
        spotOptions={"allocationStrategy": "lowest-price"},
        slurmConfiguration={
            "scaleDownIdleTimeInSeconds": 60,
            "slurmCustomSettings": settings,
            "gresCustomSettings": [{"Name": "gpu", "Count": "1"}],
        },
        nodeLifecycleActions=actions,
        instanceHealthChecks=health,
        tags={"team": "hpc"},
    )
    lab.register(group)
    lab.queue(group["id"])
    lab.pcs.update_queue(
        clusterIdentifier="hpc", queueIdentifier="batch", slurmConfiguration={"slurmCustomSettings": settings}
    )
    lab.settle()
    lab.update_group(sshKeyName="")
    lab.pcs.update_cluster(clusterIdentifier="hpc", slurmConfiguration={"scaleDownIdleTimeInSeconds": 60})
    lab.settle()
    lab.pcs.tag_resource(resourceArn=group["arn"], tags={"owner": "ops"})
    lab.pcs.untag_resource(resourceArn=group["arn"], tagKeys=["team"])
    assert lab.pcs.list_tags_for_resource(resourceArn=group["arn"])["tags"] == {"owner": "ops"}
    for name in ("one", "two"):
        lab.group(computeNodeGroupName=f"group-{name}")
        lab.queue(group["id"], name=f"queue-{name}")
        lab.cluster(clusterName=f"cluster-{name}")
    lab.pcs.list_clusters(maxResults=1)
    lab.pcs.list_compute_node_groups(clusterIdentifier="hpc", maxResults=1)
    lab.pcs.list_queues(clusterIdentifier="hpc", maxResults=1)
    assert lab.cluster(clusterName="bad-cluster")["status"] == "CREATE_FAILED"
    assert lab.group(computeNodeGroupName="bad-group")["errorInfo"][0]["code"] == "InsufficientCapacity"
    assert lab.queue(group["id"], name="bad-queue")["status"] == "CREATE_FAILED"
    with refused("ConflictException") as conflict:
        lab.pcs.delete_cluster(clusterIdentifier="hpc")
    assert conflict["resourceType"] == "Cluster"
    with refused("ResourceNotFoundException"):
        lab.get_group("nobody")
    with refused("ServiceQuotaExceededException"):
        lab.group(computeNodeGroupName="big", scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 2000})
    with refused("ValidationException", "customLaunchTemplate"):
        lab.group(computeNodeGroupName="other", customLaunchTemplate=None)
    with refused("AccessDeniedException"):
        lab.pcs.register_compute_node_group_instance(clusterIdentifier="hpc", bootstrapId="pcs_0000000000/i-1")
    lab.pcs.delete_queue(clusterIdentifier="hpc", queueIdentifier="queue-one")
    lab.settle()
    lab.pcs.delete_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier="group-one")
    lab.pcs.delete_cluster(clusterIdentifier="cluster-one")


def _members(shape: Shape, found: set[str]) -> set[str]:
    for name, member in shape.members.items():
        key = f"{shape.name}.{name}"
        if key not in found:
            found.add(key)
            _members(member, found)
    if shape.item is not None:
        _members(shape.item, found)
    return found


@pytest.mark.parametrize("identifier", ["nobody", "pcs_0000000000"])
def test_what_does_not_exist(cluster: Lab, identifier: str) -> None:
    with refused("ResourceNotFoundException") as members:
        cluster.pcs.get_cluster(clusterIdentifier=identifier)
    assert (members["resourceType"], members["resourceId"]) == ("Cluster", identifier)
    with refused("ResourceNotFoundException") as members:
        cluster.get_group(identifier)
    assert members["resourceType"] == "ComputeNodeGroup"
    with refused("ResourceNotFoundException") as members:
        cluster.pcs.delete_queue(clusterIdentifier="hpc", queueIdentifier=identifier)
    assert members["resourceType"] == "Queue"


def test_a_group_of_another_cluster_is_not_found_by_its_id(cluster: Lab) -> None:
    cluster.cluster(clusterName="other")
    group = cluster.group()
    with refused("ResourceNotFoundException"):
        cluster.get_group(group["id"], cluster="other")


def test_regions_are_worlds_of_their_own(cluster: Lab) -> None:
    elsewhere = cluster.client(region="eu-west-1")
    assert elsewhere.list_clusters()["clusters"] == []
    made = elsewhere.create_cluster(**CLUSTER)["cluster"]
    assert made["arn"].startswith("arn:aws:pcs:eu-west-1:123456789012:cluster/pcs_")
    assert (
        cluster.client(region="us-gov-west-1").create_cluster(**CLUSTER)["cluster"]["arn"].startswith("arn:aws-us-gov:")
    )


def test_ids_and_arns(cluster: Lab) -> None:
    owner = cluster.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]
    group, queue = cluster.group(), cluster.queue()
    base = f"arn:aws:pcs:us-east-1:123456789012:cluster/{owner['id']}"
    assert owner["arn"] == base
    assert group["arn"] == f"{base}/computenodegroup/{group['id']}"
    assert queue["arn"] == f"{base}/queue/{queue['id']}"
    for resource in (owner, group, queue):
        assert len(resource["id"]) == len("pcs_") + 10


def test_tags_of_each_kind(cluster: Lab) -> None:
    owner = cluster.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]
    for resource in (owner, cluster.group(tags={"a": ""}), cluster.queue()):
        cluster.pcs.tag_resource(resourceArn=resource["arn"], tags={"a": "1", "b": ""})
        cluster.pcs.untag_resource(resourceArn=resource["arn"], tagKeys=["b", "c"])
        assert cluster.pcs.list_tags_for_resource(resourceArn=resource["arn"])["tags"] == {"a": "1"}
    with refused("ResourceNotFoundException"):
        cluster.pcs.list_tags_for_resource(resourceArn=f"{owner['arn']}/queue/pcs_0000000000")
    with refused("ResourceNotFoundException"):
        cluster.pcs.list_tags_for_resource(resourceArn=owner["arn"].replace("us-east-1", "eu-west-1"))


def test_more_tags_than_fit(cluster: Lab) -> None:
    arn = cluster.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["arn"]
    cluster.pcs.tag_resource(resourceArn=arn, tags={f"k{number}": "" for number in range(200)})
    cluster.pcs.tag_resource(resourceArn=arn, tags={"k0": "changed"})
    with refused("ServiceQuotaExceededException") as members:
        cluster.pcs.tag_resource(resourceArn=arn, tags={"one-more": ""})
    assert members["serviceCode"] == "pcs"


def test_endpoints_and_keys_come_with_the_controller(lab: Lab) -> None:
    created = lab.pcs.create_cluster(**CLUSTER, slurmConfiguration={"accounting": {"mode": "STANDARD"}})["cluster"]
    assert "endpoints" not in created
    assert "authKey" not in created["slurmConfiguration"]
    lab.settle()
    active = lab.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]
    assert [(end["type"], end["port"]) for end in active["endpoints"]] == [("SLURMCTLD", "6817"), ("SLURMDBD", "6819")]
    assert active["slurmConfiguration"]["authKey"]["secretArn"].startswith("arn:aws:secretsmanager:us-east-1:")
    assert "jwtAuth" not in active["slurmConfiguration"]


def test_summaries_hold_no_scripts(cluster: Lab) -> None:
    cluster.group(nodeLifecycleActions=ACTIONS)
    (summary,) = cluster.pcs.list_compute_node_groups(clusterIdentifier="hpc")["computeNodeGroups"]
    assert set(summary) == {"name", "id", "arn", "clusterId", "createdAt", "modifiedAt", "status"}


def test_an_operation_that_declares_no_such_error_does_not_raise_it(cluster: Lab) -> None:
    with pytest.raises(ClientError) as raised:
        cluster.pcs.register_compute_node_group_instance(clusterIdentifier="nobody", bootstrapId="x")
    assert raised.value.response["Error"]["Code"] == "AccessDeniedException"
