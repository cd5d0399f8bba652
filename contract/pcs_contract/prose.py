"""What AWS states in text only: defaults, create-only fields, cross-field rules and the limits of scripts
and clusters.

The service model carries none of this, so every entry names its source. Sources: "PCS API reference,
<Shape>.<member>", "PCS user guide, <page>", or "CloudFormation schema, <type>". Values come from those
pages; the wording is ours.
"""

from collections.abc import Mapping

from pcs_contract.hints import Final
from pcs_contract.record import Record

_GUIDE_CONFIGURE = "PCS user guide, cng-node-lifecycle-actions-configure"
_GUIDE_BEST_PRACTICES = "PCS user guide, cng-node-lifecycle-actions-best-practices"
_GUIDE_CREATE = "PCS user guide, working-with_cng_create"
_API_LAUNCH_TEMPLATE_MODE = "PCS API reference, CreateComputeNodeGroup.launchTemplateMode"
_API_HEALTH_CHECKS = "PCS API reference, CreateComputeNodeGroup.instanceHealthChecks"


class Default(Record):
    """A value that PCS takes for a field that a request leaves out, where the field's parent is present."""

    path: str
    """Canonical path, lists marked by `[]`."""
    value: str
    only_when: tuple[str, tuple[str, ...]] | None
    """(canonical path, values) that make the field meaningful; None: always."""
    source: str


DEFAULT_FACTS: Final[tuple[Default, ...]] = (
    *(
        Default(f"nodeLifecycleActions.stages.{stage}[].{member}", value, None, source)
        for stage in ("nodeBootstrapped", "nodeReady")
        for member, value, source in (
            ("onError", "TERMINATE", "PCS API reference, NodeLifecycleScript.onError"),
            ("executionPolicy", "FIRST_BOOT_ONLY", "PCS API reference, NodeLifecycleScript.executionPolicy"),
        )
    ),
    Default(
        "nodeLifecycleActions.scriptCachingPolicy",
        "CACHE_ONCE",
        None,
        "PCS API reference, NodeLifecycleActions.scriptCachingPolicy",
    ),
    Default("purchaseOption", "ONDEMAND", None, "PCS API reference, CreateComputeNodeGroup.purchaseOption"),
    Default("launchTemplateMode", "CUSTOM", None, _API_LAUNCH_TEMPLATE_MODE),
    Default(
        "spotOptions.allocationStrategy",
        "price-capacity-optimized",
        ("purchaseOption", ("SPOT",)),
        "PCS API reference, SpotOptions.allocationStrategy",
    ),
    Default(
        "instanceHealthChecks.healthMonitoring.repairAction",
        "AUTO",
        ("instanceHealthChecks.healthMonitoring.mode", ("STANDARD",)),
        "PCS API reference, HealthMonitoring.repairAction",
    ),
    Default(
        "instanceHealthChecks.deepHealthChecks.onStart.repairAction",
        "AUTO",
        ("instanceHealthChecks.deepHealthChecks.onStart.profile", ("QUICK", "MEDIUM", "LONG")),
        "PCS API reference, DeepHealthCheckOnStart.repairAction",
    ),
)

DEFAULTS: Final[Mapping[str, str]] = {fact.path: fact.value for fact in DEFAULT_FACTS}
"""Canonical path (lists marked by `[]`) -> default value."""

CREATE_ONLY: Final[Mapping[str, str]] = {
    "name": "CloudFormation schema, AWS::PCS::ComputeNodeGroup createOnlyProperties",
    "clusterId": "CloudFormation schema, AWS::PCS::ComputeNodeGroup createOnlyProperties",
    "instanceConfigs": "CloudFormation schema, AWS::PCS::ComputeNodeGroup createOnlyProperties",
}
"""Canonical top-level field whose change replaces the group -> source. No Update request can change one."""


class CrossFieldRule(Record):
    """A condition on several fields that AWS enforces and no schema expresses."""

    id: str
    fields: tuple[str, ...]
    """Canonical paths, lists marked by `[]`."""
    statement: str
    source: str


CROSS_FIELD_RULES: Final[tuple[CrossFieldRule, ...]] = (
    CrossFieldRule(
        "s3-version-needs-s3",
        tuple(
            f"nodeLifecycleActions.stages.{stage}[].scriptSource.{member}"
            for stage in ("nodeBootstrapped", "nodeReady")
            for member in ("s3VersionId", "scriptLocation")
        ),
        "An S3 version id goes with an s3:// location only.",
        "PCS API reference, ScriptSource.s3VersionId",
    ),
    CrossFieldRule(
        "managed-without-template",
        ("launchTemplateMode", "customLaunchTemplate"),
        "With mode MANAGED there is no custom launch template.",
        _API_LAUNCH_TEMPLATE_MODE,
    ),
    CrossFieldRule(
        "managed-needs-ami-and-security-groups",
        ("launchTemplateMode", "amiId", "securityGroupIds"),
        "With mode MANAGED both an AMI and security groups are needed; an update may set all three at once.",
        _API_LAUNCH_TEMPLATE_MODE,
    ),
    CrossFieldRule(
        "custom-needs-template",
        ("launchTemplateMode", "customLaunchTemplate"),
        "With mode CUSTOM, the default, a custom launch template is needed; "
        "leaving MANAGED takes the mode and the template in one request.",
        _API_LAUNCH_TEMPLATE_MODE,
    ),
    CrossFieldRule(
        "no-security-groups-with-network-interfaces",
        ("securityGroupIds", "customLaunchTemplate"),
        "Security groups are refused when the custom launch template defines network interfaces.",
        "PCS API reference, CreateComputeNodeGroup.securityGroupIds",
    ),
    CrossFieldRule(
        "static-or-dynamic",
        ("scalingConfiguration.minInstanceCount", "scalingConfiguration.maxInstanceCount"),
        "A group is static (both counts equal and above 0) or dynamic (minimum 0, maximum above 0).",
        _GUIDE_CREATE,
    ),
    CrossFieldRule(
        "spot-options-need-spot",
        ("spotOptions", "purchaseOption"),
        "Spot options have an effect with purchase option SPOT only, which needs EC2's role for Spot.",
        _GUIDE_CREATE,
    ),
    CrossFieldRule(
        "health-checks-not-empty",
        ("instanceHealthChecks.healthMonitoring", "instanceHealthChecks.deepHealthChecks"),
        "Health checks name at least one of their halves and need Slurm 26.05 or newer.",
        _API_HEALTH_CHECKS,
    ),
    CrossFieldRule(
        "health-monitoring-needs-mode",
        ("instanceHealthChecks.healthMonitoring.mode",),
        "Health monitoring names its mode; there is no default.",
        "PCS API reference, HealthMonitoring.mode",
    ),
    CrossFieldRule(
        "health-monitoring-repair-needs-monitoring",
        ("instanceHealthChecks.healthMonitoring.repairAction", "instanceHealthChecks.healthMonitoring.mode"),
        "A repair action is refused with monitoring mode NONE.",
        "PCS API reference, HealthMonitoring.repairAction",
    ),
    CrossFieldRule(
        "deep-checks-need-profile",
        (
            "instanceHealthChecks.deepHealthChecks.onStart",
            "instanceHealthChecks.deepHealthChecks.onStart.profile",
        ),
        "Deep health checks name their start-up check and its profile; there is no default.",
        "PCS API reference, DeepHealthCheckOnStart.profile",
    ),
    CrossFieldRule(
        "deep-checks-repair-needs-profile",
        (
            "instanceHealthChecks.deepHealthChecks.onStart.repairAction",
            "instanceHealthChecks.deepHealthChecks.onStart.profile",
        ),
        "A repair action is refused with profile NONE.",
        "PCS API reference, DeepHealthCheckOnStart.repairAction",
    ),
    CrossFieldRule(
        "deep-checks-need-gpus",
        ("instanceHealthChecks.deepHealthChecks.onStart.profile", "instanceConfigs[].instanceType"),
        "A profile other than NONE needs instance types with NVIDIA GPUs.",
        "PCS API reference, DeepHealthCheckOnStart.profile",
    ),
    CrossFieldRule(
        "group-idle-time-needs-slurm-25-11",
        ("slurmConfiguration.scaleDownIdleTimeInSeconds",),
        "An idle time of the group itself needs Slurm 25.11 or newer.",
        "PCS API reference, ComputeNodeGroupSlurmConfigurationRequest.scaleDownIdleTimeInSeconds",
    ),
    CrossFieldRule(
        "not-a-pcs-owned-template",
        ("customLaunchTemplate.id",),
        "Launch templates that PCS made for itself (pcs-<identifier>-do-not-delete) must not be used.",
        _GUIDE_CREATE,
    ),
    CrossFieldRule(
        "network-in-the-cluster-vpc",
        ("subnetIds", "securityGroupIds", "customLaunchTemplate"),
        "Subnets and security groups lie in the cluster's VPC and do not contradict the launch template.",
        _GUIDE_CREATE,
    ),
    CrossFieldRule(
        "instance-types-alike",
        ("instanceConfigs[].instanceType",),
        "All instance types of a group have the same architecture, number of vCPUs and number of GPUs.",
        _GUIDE_CREATE,
    ),
)


class Limit(Record):
    """A number that AWS states in text."""

    value: int
    unit: str
    source: str


SCRIPT_SIZE: Final = Limit(2 * 1024 * 1024, "bytes", _GUIDE_CONFIGURE)
"""Largest script that the agent on the node accepts; nothing in the API checks it."""

MAX_SCRIPT_BYTES: Final = SCRIPT_SIZE.value

DOWNLOAD_TRIES: Final = Limit(3, "tries", _GUIDE_CONFIGURE)
"""Downloads of one script before its onError applies. Execution is never repeated."""

DOWNLOAD_BACKOFF: Final = Limit(17, "seconds", _GUIDE_CONFIGURE)
"""About how long the tries of one download take together."""

JOIN_WINDOW: Final = Limit(30, "minutes", _GUIDE_BEST_PRACTICES)
"""About how long a node has to join Slurm; `nodeBootstrapped` scripts count against it."""

LONG_STEP: Final = Limit(5, "minutes", _GUIDE_BEST_PRACTICES)
"""What takes about this long belongs in the AMI or on a shared file system."""

ENVIRONMENT: Final[Mapping[str, str]] = dict.fromkeys(
    (
        "PCS_CLUSTER_ID",
        "PCS_CLUSTER_NAME",
        "PCS_COMPUTE_NODE_GROUP_ID",
        "PCS_COMPUTE_NODE_GROUP_NAME",
        "PCS_IS_FIRST_BOOT",
        "PCS_NODE_ID",
    ),
    _GUIDE_CONFIGURE,
)
"""Variable that every script sees -> source. PCS_IS_FIRST_BOOT is 1 on the first boot, else 0."""

CLUSTER_SIZES: Final[Mapping[str, Limit]] = {
    "SMALL": Limit(32, "nodes", "PCS API reference, CreateCluster.size"),
    "MEDIUM": Limit(512, "nodes", "PCS API reference, CreateCluster.size"),
    "LARGE": Limit(2048, "nodes", "PCS API reference, CreateCluster.size"),
}
"""Cluster size -> compute nodes it manages: the bound on the sum of maxInstanceCount over its groups."""

AGENT_MINIMUM_VERSION: Final = "1.5.0-1"
"""First PCS agent that runs lifecycle actions (PCS user guide, cng-node-lifecycle-actions-configure)."""
