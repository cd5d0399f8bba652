"""The commands of the PCS user guide as boto3 calls, in the guide's order and with ids in the guide's form.

Sources: getting started, and "Node lifecycle action examples". The latter's commands name two members that the model
does not have (`--compute-node-group-identifier` and `--scaling-config` of a create); here they have their real names.
"""

from typing import Any

from pcs_bridge.endpoint import Delays, running

ACTIONS: dict[str, Any] = {
    "stages": {
        "nodeBootstrapped": [
            {
                "name": "Mount scratch",
                "scriptSource": {"scriptLocation": "s3://hpc-scripts/mount-scratch.sh"},
                "arguments": ["fs-0abc123", "/scratch"],
                "executionPolicy": "EVERY_BOOT",
            },
            {
                "name": "Join directory",
                "scriptSource": {"scriptLocation": "s3://hpc-scripts/join.sh"},
                "arguments": ["ad.example.com", "EXAMPLE"],
                "executionPolicy": "FIRST_BOOT_ONLY",
            },
        ],
        "nodeReady": [
            {
                "name": "Ship logs",
                "scriptSource": {"scriptLocation": "https://scripts.example.com/logs.sh"},
                "onError": "CONTINUE",
            }
        ],
    }
}
PINNED: dict[str, Any] = {
    "scriptCachingPolicy": "REFRESH_ON_REBOOT",
    "stages": {
        "nodeBootstrapped": [
            {
                "name": "mount-efs",
                "scriptSource": {
                    "scriptLocation": "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1-latest.sh",
                    "s3VersionId": "3HL4kqtJlcpXroDTDmJrmSpXd3dIbrHY",
                    "checksum": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                },
                "arguments": ["--file-system-id", "fs-0abc123", "--mount-point", "/shared"],
                "onError": "STOP_SEQUENCE",
            }
        ]
    },
}


def test_the_commands_of_the_guide() -> None:
    with running(delays=Delays(0, 0, 0)) as endpoint:
        pcs = endpoint.client("pcs")
        cluster = pcs.create_cluster(
            clusterName="get-started",
            scheduler={"type": "SLURM", "version": "25.05"},
            size="SMALL",
            networking={"subnetIds": ["subnet-ExampleID1"], "securityGroupIds": ["sg-ExampleID1"]},
            slurmConfiguration={
                "scaleDownIdleTimeInSeconds": 180,
                "slurmCustomSettings": [{"parameterName": "Prolog", "parameterValue": "/path/to/prolog.sh"}],
            },
        )["cluster"]
        common: dict[str, Any] = {
            "clusterIdentifier": "get-started",
            "subnetIds": ["subnet-ExampleID1"],
            "customLaunchTemplate": {"id": "lt-ExampleID1", "version": "1"},
            "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-getstarted-us-east-1",
            "instanceConfigs": [{"instanceType": "t3.large"}],
        }
        compute = pcs.create_compute_node_group(
            **common,
            computeNodeGroupName="compute-1",
            scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 10},
            nodeLifecycleActions=ACTIONS,
        )["computeNodeGroup"]
        assert compute["nodeLifecycleActions"] == ACTIONS
        pcs.create_compute_node_group(
            **common, computeNodeGroupName="login", scalingConfiguration={"minInstanceCount": 1, "maxInstanceCount": 1}
        )
        pcs.create_queue(
            clusterIdentifier="get-started",
            queueName="demo",
            computeNodeGroupConfigurations=[{"computeNodeGroupId": compute["id"]}],
        )
        where = {"clusterIdentifier": cluster["id"], "computeNodeGroupIdentifier": "compute-1"}
        pcs.update_compute_node_group(**where, nodeLifecycleActions=PINNED)
        assert pcs.get_compute_node_group(**where)["computeNodeGroup"]["nodeLifecycleActions"] == PINNED
        pcs.update_compute_node_group(**where, scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 20})
        names = [
            group["name"]
            for group in pcs.list_compute_node_groups(clusterIdentifier="get-started")["computeNodeGroups"]
        ]
        assert names == ["compute-1", "login"]
        pcs.delete_queue(clusterIdentifier="get-started", queueIdentifier="demo")
        for name in names:
            pcs.delete_compute_node_group(clusterIdentifier="get-started", computeNodeGroupIdentifier=name)
        pcs.delete_cluster(clusterIdentifier="get-started")
        assert pcs.list_clusters()["clusters"] == []
