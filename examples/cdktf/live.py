"""Shows what PCS has of a compute node group, asked through boto3: `live.py CLUSTER GROUP`."""

import sys

import boto3

cluster, name = sys.argv[1:]
answer = boto3.client("pcs").get_compute_node_group(clusterIdentifier=cluster, computeNodeGroupIdentifier=name)
group = answer["computeNodeGroup"]
scaling = group["scalingConfiguration"]
types = ", ".join(config["instanceType"] for config in group["instanceConfigs"])
print(f"{name}: {group['status']}, {scaling['minInstanceCount']} to {scaling['maxInstanceCount']} nodes ({types})")
for stage, scripts in group["nodeLifecycleActions"]["stages"].items():
    for script in scripts:
        pinned = "pinned" if {"checksum", "s3VersionId"} <= script["scriptSource"].keys() else "not pinned"
        print(f"  {stage:<16}  {script['name']:<25}  {script['onError']:<9}  {pinned}")
