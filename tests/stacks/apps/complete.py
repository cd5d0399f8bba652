"""An app that uses every property once, as far as the provider named on the command line has it."""

import sys

from pcs_stacks import (
    AwsccProvider,
    Cluster,
    ComputeNodeGroup,
    JobSubmitPlugin,
    LaunchTemplate,
    LifecycleScript,
    NodeLifecycle,
    PcsProvider,
    Queue,
    waive,
)
from pcs_stacks.cdk import App, TerraformStack
from pcs_stacks.resource import Provider

SUM = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
SUBNETS = ["subnet-0123456789abcdef0"]
PROFILE = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"

provider: Provider = "pcs" if sys.argv[1] == "pcs" else "awscc"
pcs = provider == "pcs"

app = App()
stack = TerraformStack(app, "hpc")
AwsccProvider(stack, "awscc", region="us-east-1")
PcsProvider(stack, "pcs", region="us-east-1", settings={"policy": "enforce"})

cluster = Cluster(
    stack,
    "cluster",
    name="hpc",
    size="SMALL",
    slurm_version="26.05",
    subnet_ids=SUBNETS,
    security_group_ids=["sg-0123456789abcdef0"],
    network_type="IPV4",
    accounting="STANDARD",
    accounting_purge_time_in_days=90,
    slurm_rest="STANDARD",
    scale_down_idle_time_in_seconds=600,
    slurm_settings={"SelectTypeParameters": "CR_CPU_Memory"},
    cgroup_settings={"ConstrainRAMSpace": "yes"},
    slurmdbd_settings={"ArchiveEvents": "yes"},
    job_submit_plugin=JobSubmitPlugin(
        name="limits", location="s3://example-scripts/limits.star", checksum=SUM, s3_version_id="v1"
    )
    if pcs
    else None,
    tags={"Environment": "test"},
    provider=provider,
)

logs = LifecycleScript.aws(
    "configure-cloudwatch-logs",
    "1.0.0",
    "us-east-1",
    checksum=SUM,
    log_group_name="/hpc/nodes",
    on_error="CONTINUE",
)
home = LifecycleScript.aws(
    "mount-efs",
    "1.0.0",
    "us-east-1",
    name="mount-home",
    checksum=SUM,
    file_system_id="fs-0123456789abcdef0",
    mount_point="/home",
    options="tls",
)
scratch = LifecycleScript.s3(
    "s3://example-scripts/scratch.sh",
    name="scratch",
    checksum=SUM,
    s3_version_id="v1",
    arguments=["/scratch", "xfs"],
    execution_policy="EVERY_BOOT",
)
locked = LifecycleScript.from_lock("tune", lock_file="files/pcs-scripts.lock.json")
uploaded = LifecycleScript.from_file(
    "files/motd.sh", bucket="example-scripts", key="motd/v1.sh", name="motd", publish=False, s3_version_id="v7"
)
published = LifecycleScript.from_file("files/motd.sh", bucket="example-scripts", name="motd published")
web = LifecycleScript.https(
    "https://scripts.example.com/report/v1.2.0.sh", name="report", checksum=SUM, arguments=["--daily"]
)

scripts = NodeLifecycle(
    bootstrapped=[logs, home, scratch, locked], ready=[uploaded, published, web], caching="REFRESH_ON_REBOOT"
)

if pcs:
    managed = ComputeNodeGroup(
        stack,
        "managed",
        name="gpu",
        cluster=cluster,
        subnet_ids=SUBNETS,
        iam_instance_profile_arn=PROFILE,
        instance_types=["p5.48xlarge"],
        min_instance_count=0,
        max_instance_count=2,
        launch_template_mode="MANAGED",
        ami_id="ami-0123456789abcdef0",
        security_group_ids=["sg-0123456789abcdef0"],
        ssh_key_name="ops",
        health_monitoring="STANDARD",
        health_monitoring_repair_action="REPLACE",
        deep_health_check_profile="QUICK",
        deep_health_check_repair_action="ISOLATE",
    )

group = ComputeNodeGroup(
    stack,
    "compute",
    name="compute",
    cluster=cluster,
    subnet_ids=SUBNETS,
    iam_instance_profile_arn=PROFILE,
    instance_types=["c7i.48xlarge", "c7a.48xlarge"],
    min_instance_count=0,
    max_instance_count=16,
    launch_template=LaunchTemplate(id="lt-0123456789abcdef0", version="3"),
    ami_id="ami-0123456789abcdef0",
    purchase_option="SPOT",
    spot_allocation_strategy="capacity-optimized",
    node_lifecycle=scripts,
    scale_down_idle_time_in_seconds=900,
    slurm_settings={"Weight": "10"},
    gres_settings=[{"Name": "gpu", "Type": "example"}],
    tags={"Environment": "test"},
)
waive(
    group,
    "PCS204",
    owner="hpc-platform",
    until="2027-01-31",
    reason="the mirror answers from within the VPC",
    leaf="nodeLifecycleActions.scriptCachingPolicy",
)
Queue(
    stack,
    "queue",
    name="batch",
    cluster=cluster,
    compute_node_groups=[group, "pcs_elsewhere1"],
    slurm_settings={"MaxTime": "24:00:00"},
    tags={"Environment": "test"},
)
app.synth()
