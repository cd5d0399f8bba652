"""The app that `cdktf.json` starts: an HPC cluster with login nodes, on-demand, Spot and GPU nodes, and their queues.

`stacks/hpc.toml` has its settings. The context says which of their environments is meant: `environment`, without it
`dev`. A file elsewhere is named by `settings`.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from constructs import Construct

from pcs_policies.errors import USAGE
from pcs_stacks import settings
from pcs_stacks.cdk import App, HttpBackend, S3Backend, TerraformOutput, TerraformStack
from pcs_stacks.cluster import Cluster
from pcs_stacks.compute_node_group import ComputeNodeGroup, LaunchTemplate
from pcs_stacks.errors import ConstructError
from pcs_stacks.providers import PcsProvider
from pcs_stacks.queue import Queue
from pcs_stacks.scripts import LifecycleScript, NodeLifecycle
from pcs_stacks.settings import Group, HttpState, S3State, Settings, SettingsError

ENVIRONMENT: Final = "dev"
FILE: Final = "stacks/hpc.toml"


class HpcStack(TerraformStack):
    """A cluster, four groups of nodes, and a queue for each that runs jobs."""

    def __init__(self, scope: Construct, id: str, chosen: Settings) -> None:
        super().__init__(scope, id)
        self._aws: Final = chosen.aws
        _keep_state(self, chosen)
        PcsProvider(self, "pcs", region=chosen.aws.region, settings={"default_tags": {"tags": {"Stack": id}}})
        self.cluster: Final = Cluster(
            self,
            "cluster",
            name=chosen.cluster.name,
            size=chosen.cluster.size,
            slurm_version=chosen.cluster.slurm_version,
            subnet_ids=chosen.aws.subnets[:1],
            security_group_ids=chosen.aws.security_groups,
            accounting="STANDARD",
            provider="pcs",
        )

        # What jobs need is there before the first of them, and what becomes of it is in the logs whatever happens.
        before_jobs = [_logs(chosen), _home(chosen), _scratch(chosen)]
        motd = LifecycleScript.from_file("stacks/scripts/motd.sh", bucket=chosen.scripts.bucket)
        persistence = LifecycleScript.from_file(
            "stacks/scripts/gpu-persistence.sh",
            bucket=chosen.scripts.bucket,
            on_error="CONTINUE",
            execution_policy="EVERY_BOOT",
        )
        everywhere = NodeLifecycle(bootstrapped=before_jobs, ready=[motd])
        with_gpus = NodeLifecycle(bootstrapped=[*before_jobs, persistence], ready=[motd])

        self.login: Final = self._group("login", chosen.groups.login, everywhere)
        self.on_demand: Final = self._group("on-demand", chosen.groups.on_demand, everywhere)
        self.spot: Final = self._group(
            "spot",
            chosen.groups.spot,
            everywhere,
            purchase_option="SPOT",
            spot_allocation_strategy="price-capacity-optimized",
        )
        self.gpu: Final = self._group(
            "gpu",
            chosen.groups.gpu,
            with_gpus,
            health_monitoring="STANDARD",
            deep_health_check_profile="QUICK",
        )
        for group in (self.on_demand, self.spot, self.gpu):
            Queue(
                self,
                f"{group.node.id}-queue",
                name=group.node.id,
                cluster=self.cluster,
                compute_node_groups=[group],
            )
        TerraformOutput(self, "cluster-id", value=self.cluster.cluster_id)

    def _group(self, name: str, group: Group, scripts: NodeLifecycle, **more: Any) -> ComputeNodeGroup:
        return ComputeNodeGroup(
            self,
            name,
            name=name,
            cluster=self.cluster,
            subnet_ids=self._aws.subnets,
            iam_instance_profile_arn=self._aws.instance_profile,
            launch_template=LaunchTemplate(id=self._aws.launch_template.id, version=self._aws.launch_template.version),
            instance_types=group.instance_types,
            min_instance_count=group.min,
            max_instance_count=group.max,
            node_lifecycle=scripts,
            **more,
        )


def _logs(chosen: Settings) -> LifecycleScript:
    pin = chosen.scripts.configure_cloudwatch_logs
    return LifecycleScript.aws(
        "configure-cloudwatch-logs",
        pin.version,
        chosen.aws.region,
        checksum=pin.checksum,
        s3_version_id=pin.s3_version_id,
        log_group_name=chosen.scripts.log_group,
        on_error="CONTINUE",
        execution_policy="EVERY_BOOT",
    )


def _home(chosen: Settings) -> LifecycleScript:
    pin = chosen.scripts.mount_efs
    return LifecycleScript.aws(
        "mount-efs",
        pin.version,
        chosen.aws.region,
        checksum=pin.checksum,
        s3_version_id=pin.s3_version_id,
        file_system_id=chosen.storage.home,
        mount_point="/home",
        execution_policy="EVERY_BOOT",
    )


def _scratch(chosen: Settings) -> LifecycleScript:
    pin = chosen.scripts.mount_fsx_lustre
    return LifecycleScript.aws(
        "mount-fsx-lustre",
        pin.version,
        chosen.aws.region,
        checksum=pin.checksum,
        s3_version_id=pin.s3_version_id,
        fsx_dns_name=chosen.storage.scratch,
        mount_name=chosen.storage.scratch_mount_name,
        mount_point="/scratch",
        execution_policy="EVERY_BOOT",
    )


def _keep_state(stack: TerraformStack, chosen: Settings) -> None:
    """Say where terraform keeps what it knows of the stack; by default that is a file in the working folder."""
    match chosen.state:
        case S3State(bucket=bucket, key=key, region=region):
            backend = S3Backend(stack, bucket=bucket, key=key, region=region or chosen.aws.region, encrypt=True)
            backend.add_override("use_lockfile", True)  # which cdktf does not know yet
        case HttpState(address=address):
            lock = f"{address}/lock"
            HttpBackend(
                stack,
                address=address,
                lock_address=lock,
                lock_method="POST",
                unlock_address=lock,
                unlock_method="DELETE",
            )


def make(app: App) -> HpcStack:
    """The stack of the environment that the context names. Raises SettingsError and ConstructError."""
    environment = app.node.try_get_context("environment") or ENVIRONMENT
    file = app.node.try_get_context("settings") or FILE
    return HpcStack(app, f"hpc-{environment}", settings.read(str(file), str(environment)))


def main() -> None:
    """Synthesize; exit with 2 and a message where the settings are wrong."""
    app = App()
    try:
        make(app)
    except (SettingsError, ConstructError) as error:
        print(error, file=sys.stderr)
        sys.exit(USAGE)
    app.synth()
