"""A compute node group: instances of one kind, and what each of them runs when it boots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from constructs import Construct

from pcs_stacks import policy
from pcs_stacks.cluster import Cluster, cluster_id_of, provider_of
from pcs_stacks.errors import Mistake
from pcs_stacks.lines import Line, here
from pcs_stacks.published import expected_version, published_version
from pcs_stacks.resource import PcsResource, Provider, custom_settings, each, given
from pcs_stacks.scripts import NodeLifecycle

PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"]
AllocationStrategy = Literal["lowest-price", "capacity-optimized", "price-capacity-optimized"]
RepairAction = Literal["AUTO", "REPLACE", "ISOLATE", "NONE"]

ACTIONS: Final = "node_lifecycle_actions"


@dataclass(frozen=True, kw_only=True)
class LaunchTemplate:
    """An EC2 launch template.

    - `id`: its id.
    - `version`: the version of it that nodes are launched with.
    """

    id: str
    version: str

    def written(self) -> dict[str, str]:
        """The template as the attribute."""
        return {"template_id": self.id, "version": self.version}


class ComputeNodeGroup(PcsResource):
    """A compute node group of a cluster.

    - `name`: unique in the cluster.
    - `cluster`: the `Cluster`, or the id of one.
    - `subnet_ids`: where instances are launched; in several subnets there is no EFA between nodes.
    - `iam_instance_profile_arn`: the instance profile of the nodes, whose role may read the scripts.
    - `instance_types`: EC2 instance types that are alike in architecture, vCPUs and GPUs.
    - `min_instance_count`, `max_instance_count`: equal and above 0 for a static group, 0 and more for a dynamic one.
    - `launch_template`: what the nodes are launched with; needed unless `launch_template_mode` is `MANAGED`.
    - `launch_template_mode`: `CUSTOM` by default; `MANAGED` needs `ami_id` and `security_group_ids`.
    - `ami_id`: the image, in place of that of the launch template.
    - `security_group_ids`, `ssh_key_name`: in place of those of the launch template.
    - `purchase_option`: `ONDEMAND` by default.
    - `spot_allocation_strategy`: how Spot capacity is chosen; `price-capacity-optimized` by default.
    - `node_lifecycle`: the scripts that nodes run when they boot.
    - `health_monitoring`: whether PCS watches the health of instances.
    - `health_monitoring_repair_action`: what becomes of an unhealthy one; `AUTO` by default.
    - `deep_health_check_profile`: the check of GPUs when a node starts.
    - `deep_health_check_repair_action`: what becomes of a node that fails it; `AUTO` by default.
    - `scale_down_idle_time_in_seconds`: how long an idle node is kept; by default as the cluster says.
    - `slurm_settings`: Slurm settings of the nodes, by name.
    - `gres_settings`: records of `gres.conf`, beyond what PCS knows from the instance type.
    - `tags`: tags of the group.
    - `provider`: `awscc` or `pcs`; by default that of the `Cluster`, or `awscc` where the cluster is an id.
    """

    TYPE: ClassVar[str] = "pcs_compute_node_group"
    REQUEST: ClassVar[str] = "CreateComputeNodeGroupRequest"
    MEMBERS: ClassVar[Mapping[str, str]] = {"name": "computeNodeGroupName", "cluster_id": "clusterIdentifier"}
    PROPS: ClassVar[Mapping[str, str]] = {
        "name": "name",
        "cluster": "cluster_id",
        "subnet_ids": "subnet_ids",
        "iam_instance_profile_arn": "iam_instance_profile_arn",
        "instance_types": "instance_configs",
        "min_instance_count": "scaling_configuration.min_instance_count",
        "max_instance_count": "scaling_configuration.max_instance_count",
        "launch_template": "custom_launch_template",
        "launch_template_mode": "launch_template_mode",
        "ami_id": "ami_id",
        "security_group_ids": "security_group_ids",
        "ssh_key_name": "ssh_key_name",
        "purchase_option": "purchase_option",
        "spot_allocation_strategy": "spot_options.allocation_strategy",
        "node_lifecycle": ACTIONS,
        "health_monitoring": "instance_health_checks.health_monitoring.mode",
        "health_monitoring_repair_action": "instance_health_checks.health_monitoring.repair_action",
        "deep_health_check_profile": "instance_health_checks.deep_health_checks.on_start.profile",
        "deep_health_check_repair_action": "instance_health_checks.deep_health_checks.on_start.repair_action",
        "scale_down_idle_time_in_seconds": "slurm_configuration.scale_down_idle_time_in_seconds",
        "slurm_settings": "slurm_configuration.slurm_custom_settings",
        "gres_settings": "slurm_configuration.gres_custom_settings",
        "tags": "tags",
    }

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        name: str,
        cluster: Cluster | str,
        subnet_ids: Sequence[str],
        iam_instance_profile_arn: str,
        instance_types: Sequence[str],
        min_instance_count: int,
        max_instance_count: int,
        launch_template: LaunchTemplate | None = None,
        launch_template_mode: Literal["CUSTOM", "MANAGED"] | None = None,
        ami_id: str | None = None,
        security_group_ids: Sequence[str] | None = None,
        ssh_key_name: str | None = None,
        purchase_option: PurchaseOption | None = None,
        spot_allocation_strategy: AllocationStrategy | None = None,
        node_lifecycle: NodeLifecycle | None = None,
        health_monitoring: Literal["STANDARD", "NONE"] | None = None,
        health_monitoring_repair_action: RepairAction | None = None,
        deep_health_check_profile: Literal["QUICK", "MEDIUM", "LONG", "NONE"] | None = None,
        deep_health_check_repair_action: RepairAction | None = None,
        scale_down_idle_time_in_seconds: int | None = None,
        slurm_settings: Mapping[str, str] | None = None,
        gres_settings: Sequence[Mapping[str, str]] | None = None,
        tags: Mapping[str, str] | None = None,
        provider: Provider | None = None,
    ) -> None:
        call = here()
        super().__init__(
            scope,
            id,
            provider=provider or provider_of(cluster),
            call=call,
            places=_places(node_lifecycle),
            values={
                "name": name,
                "cluster": cluster_id_of(cluster),
                "subnet_ids": subnet_ids,
                "iam_instance_profile_arn": iam_instance_profile_arn,
                "instance_types": each("instance_type", instance_types),
                "min_instance_count": min_instance_count,
                "max_instance_count": max_instance_count,
                "launch_template": None if launch_template is None else launch_template.written(),
                "launch_template_mode": launch_template_mode,
                "ami_id": ami_id,
                "security_group_ids": security_group_ids,
                "ssh_key_name": ssh_key_name,
                "purchase_option": purchase_option,
                "spot_allocation_strategy": spot_allocation_strategy,
                "node_lifecycle": None if node_lifecycle is None else node_lifecycle.written(expected_version),
                "health_monitoring": health_monitoring,
                "health_monitoring_repair_action": health_monitoring_repair_action,
                "deep_health_check_profile": deep_health_check_profile,
                "deep_health_check_repair_action": deep_health_check_repair_action,
                "scale_down_idle_time_in_seconds": scale_down_idle_time_in_seconds,
                "slurm_settings": custom_settings(slurm_settings),
                "gres_settings": gres_settings,
                "tags": tags,
            },
        )
        if node_lifecycle is not None and node_lifecycle.publishes:
            stack = self.cdktf_stack
            self._attributes[ACTIONS] = given(node_lifecycle.written(lambda script: published_version(script, stack)))
        policy.validate_at_synth(self)

    @property
    def compute_node_group_id(self) -> str:
        """The id that PCS gives the group, a token."""
        return self.get_string_attribute("compute_node_group_id")

    def _mistakes(self, attributes: dict[str, Any]) -> Iterator[Mistake]:
        yield from super()._mistakes(attributes)
        yield from policy.mistakes(self._resource_type, {**self._notes, **attributes}, self._places[""])


def _places(lifecycle: NodeLifecycle | None) -> dict[str, Line]:
    if lifecycle is None:
        return {}
    return {f"{ACTIONS}.{path}" if path else ACTIONS: line for path, line in lifecycle.places().items()}
