"""Clusters and queues for the provider's tests that have, together, every field that a request can set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from support.pcs import CHECKSUM, CLUSTER, SECURITY_GROUP, SUBNET


def _plugin(key: str) -> dict[str, Any]:
    source = {"scriptLocation": f"s3://hpc-scripts/{key}", "s3VersionId": f"v-{key}", "checksum": CHECKSUM}
    return {"name": "submit", "type": "STARLARK", "scriptSource": source}


def _setting(name: str, value: str) -> dict[str, str]:
    return {"parameterName": name, "parameterValue": value}


BARE_CLUSTER: Final[Mapping[str, Any]] = {
    **{name: value for name, value in CLUSTER.items() if name != "clusterName"},
    "name": "hpc",
    "scheduler": {"type": "SLURM", "version": "25.05"},
}
"""What a cluster has to have, in the names of the API's response."""

CLUSTER_EVERYTHING: Final[Mapping[str, Any]] = {
    **BARE_CLUSTER,
    "networking": {"subnetIds": [SUBNET], "securityGroupIds": [SECURITY_GROUP], "networkType": "IPV6"},
    "slurmConfiguration": {
        "accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 30},
        "scaleDownIdleTimeInSeconds": 300,
        "slurmCustomSettings": [_setting("MaxArraySize", "2000")],
        "slurmdbdCustomSettings": [_setting("DebugLevel", "info")],
        "cgroupCustomSettings": [_setting("ConstrainCores", "yes")],
        "slurmRest": {"mode": "STANDARD"},
        "jobSubmitPlugins": [_plugin("a.star")],
    },
    "tags": {"Team": "hpc", "Stage": "test"},
}

CLUSTER_OTHERWISE: Final[Mapping[str, Any]] = {
    **CLUSTER_EVERYTHING,
    "scheduler": {"type": "SLURM", "version": "26.05"},
    "slurmConfiguration": {
        "accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 60},
        "scaleDownIdleTimeInSeconds": 400,
        "slurmCustomSettings": [_setting("MaxArraySize", "3000"), _setting("Prolog", "/etc/p.sh")],
        "slurmdbdCustomSettings": [_setting("DebugLevel", "debug")],
        "cgroupCustomSettings": [_setting("ConstrainCores", "no")],
        "slurmRest": {"mode": "NONE"},
        "jobSubmitPlugins": [_plugin("b.star")],
    },
    "tags": {"Team": "ops", "Owner": "me"},
}
"""The same cluster with another value in every field that an update can change."""

QUEUE_EVERYTHING: Final[Mapping[str, Any]] = {
    "name": "batch",
    "clusterId": "${pcs_cluster.whole.cluster_id}",
    "computeNodeGroupConfigurations": [{"computeNodeGroupId": "${pcs_compute_node_group.a.compute_node_group_id}"}],
    "slurmConfiguration": {"slurmCustomSettings": [_setting("MaxTime", "60")]},
    "tags": {"Team": "hpc"},
}

QUEUE_OTHERWISE: Final[Mapping[str, Any]] = {
    **QUEUE_EVERYTHING,
    "computeNodeGroupConfigurations": [
        {"computeNodeGroupId": f"${{pcs_compute_node_group.{name}.compute_node_group_id}}"} for name in ("b", "a")
    ],
    "slurmConfiguration": {"slurmCustomSettings": [_setting("MaxTime", "90")]},
    "tags": {"Team": "ops"},
}
