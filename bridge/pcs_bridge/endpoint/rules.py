"""The conditions on several fields that only AWS's text states, by the ids of `pcs_contract.prose.CROSS_FIELD_RULES`.

A rule looks at what a request asks for and at the group that would come of it, and names the fields of the request
that are wrong. Rules about the network and about launch templates judge what EC2 knows, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pcs_bridge.endpoint.ec2 import Ec2
from pcs_contract.facts import CLUSTER_SUBNETS, NO_PURGE_TIME
from pcs_contract.limits import Problem
from pcs_contract.record import Record
from pcs_contract.shapes import shape
from pcs_policies.rules.accelerated import has_nvidia_gpus

STAGES: Final = ("nodeBootstrapped", "nodeReady")

CREATE_VERSIONS: Final = ("24.11", "25.05", "25.11", "26.05")
"""Slurm versions of new clusters (PCS API reference, SchedulerRequest.version)."""

UPDATE_VERSIONS: Final = ("24.05", *CREATE_VERSIONS)
"""Slurm versions that an update may name (PCS API reference, UpdateSchedulerRequest.version)."""

HEALTH_CHECKS_SINCE: Final = (26, 5)
"""PCS API reference, CreateComputeNodeGroup.instanceHealthChecks."""

GROUP_IDLE_TIME_SINCE: Final = (25, 11)
"""PCS API reference, ComputeNodeGroupSlurmConfigurationRequest.scaleDownIdleTimeInSeconds."""

_PCS_TEMPLATE: Final = re.compile(r"pcs-.+-do-not-delete")


class GroupCase(Record):
    """What a rule of a group judges."""

    request: Mapping[str, Any]
    group: Mapping[str, Any]
    """The group as it would be, in the names of the response."""
    before: Mapping[str, Any] | None
    """The group as it is; None for a new one."""
    cluster: Mapping[str, Any]
    region: str
    switches: Mapping[str, str]
    ec2: Ec2

    @property
    def slurm(self) -> tuple[int, ...]:
        return version(self.cluster["scheduler"]["version"])

    @property
    def template(self) -> Mapping[str, Any] | None:
        """The data of the group's launch template, where EC2 knows it."""
        named = self.group.get("customLaunchTemplate")
        return None if named is None else self.ec2.launch_template(self.region, named["id"], named["version"])

    def touches(self, *members: str) -> bool:
        """Whether the request speaks of one of these members."""
        return any(member in self.request for member in members)


GroupRule = Callable[[GroupCase], Iterator[Problem]]


def version(text: str) -> tuple[int, ...]:
    """`25.11` as numbers to compare."""
    return tuple(int(part) for part in text.split("."))


def group_problems(case: GroupCase) -> Iterator[Problem]:
    """What is wrong with a request that creates or updates a group, beyond what its shapes say."""
    for rule in (*RULES.values(), *OWN_RULES.values()):
        yield from rule(case)


def cluster_problems(request: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with a request that creates a cluster, beyond what its shapes say."""
    subnets = request["networking"].get("subnetIds", ())
    if len(subnets) > CLUSTER_SUBNETS:
        yield Problem("networking.subnetIds", f"must have at most {CLUSTER_SUBNETS} item")
    if request["scheduler"]["version"] not in CREATE_VERSIONS:
        yield Problem("scheduler.version", f"must be one of {', '.join(CREATE_VERSIONS)}")
    yield from _purge_time(request)


def cluster_update_problems(request: Mapping[str, Any], cluster: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with an update of a cluster, beyond what its shapes say."""
    wanted = request.get("scheduler", {}).get("version")
    if wanted is not None:
        current = cluster["scheduler"]["version"]
        if wanted not in UPDATE_VERSIONS:
            yield Problem("scheduler.version", f"must be one of {', '.join(UPDATE_VERSIONS)}")
        elif version(wanted) < version(current):
            yield Problem("scheduler.version", f"must not be older than {current}")
    yield from _purge_time(request)


def _purge_time(request: Mapping[str, Any]) -> Iterator[Problem]:
    accounting = request.get("slurmConfiguration", {}).get("accounting", {})
    if accounting.get("defaultPurgeTimeInDays") == NO_PURGE_TIME:
        yield Problem("slurmConfiguration.accounting.defaultPurgeTimeInDays", f"must not be {NO_PURGE_TIME}")


def scripts(actions: Mapping[str, Any] | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The scripts of a group's actions, each with its path in a request."""
    for stage in STAGES:
        for index, script in enumerate((actions or {}).get("stages", {}).get(stage, ())):
            yield f"nodeLifecycleActions.stages.{stage}[{index}]", script


def _s3_version(case: GroupCase) -> Iterator[Problem]:
    if case.switches["s3-version-with-https"] != "refused":
        return
    for path, script in scripts(case.request.get("nodeLifecycleActions")):
        source = script["scriptSource"]
        if "s3VersionId" in source and not source["scriptLocation"].startswith("s3://"):
            yield Problem(f"{path}.scriptSource.s3VersionId", "goes with an s3:// location only")


def _managed_without_template(case: GroupCase) -> Iterator[Problem]:
    if case.group["launchTemplateMode"] == "MANAGED" and case.touches("customLaunchTemplate"):
        yield Problem("customLaunchTemplate", "must be absent with launch template mode MANAGED")


def _managed_needs(case: GroupCase) -> Iterator[Problem]:
    if case.group["launchTemplateMode"] == "MANAGED":
        for member in ("amiId", "securityGroupIds"):
            if not case.group.get(member):
                yield Problem(member, "is required with launch template mode MANAGED")


def _custom_needs_template(case: GroupCase) -> Iterator[Problem]:
    if case.group["launchTemplateMode"] == "CUSTOM" and "customLaunchTemplate" not in case.group:
        yield Problem("customLaunchTemplate", "is required with launch template mode CUSTOM")


def _network_interfaces(case: GroupCase) -> Iterator[Problem]:
    if case.group.get("securityGroupIds") and case.touches("securityGroupIds", "customLaunchTemplate"):
        template = case.template
        if template is not None and template["data"].get("NetworkInterfaces"):
            yield Problem("securityGroupIds", "must be absent: the launch template defines network interfaces")


def _scaling(case: GroupCase) -> Iterator[Problem]:
    if not case.touches("scalingConfiguration"):
        return
    accepted = case.switches["scaling"]
    least, most = (case.group["scalingConfiguration"][f"{end}InstanceCount"] for end in ("min", "max"))
    if accepted != "anything" and least > most:
        yield Problem("scalingConfiguration.minInstanceCount", "must not be above maxInstanceCount")
    elif accepted == "static-or-dynamic" and most == 0:
        yield Problem("scalingConfiguration.maxInstanceCount", "must be above 0")
    elif accepted == "static-or-dynamic" and 0 < least < most:
        yield Problem("scalingConfiguration.minInstanceCount", "must be 0 or equal to maxInstanceCount")


def _spot_options(_case: GroupCase) -> Iterator[Problem]:
    # Without SPOT they have no effect, and no page says that the request is refused.
    return iter(())


_HEALTH: Final = "instanceHealthChecks"
_ON_START: Final = f"{_HEALTH}.deepHealthChecks.onStart"


def _checks(case: GroupCase, *path: str) -> Mapping[str, Any] | None:
    here: Any = case.request.get(_HEALTH)
    for member in path:
        here = None if here is None else here.get(member)
    found: Mapping[str, Any] | None = here
    return found


def _health_checks(case: GroupCase) -> Iterator[Problem]:
    checks = _checks(case)
    if checks is None:
        return
    if not checks:
        yield Problem(_HEALTH, "must have healthMonitoring, deepHealthChecks or both")
    if case.slurm < HEALTH_CHECKS_SINCE:
        yield Problem(_HEALTH, "needs Slurm 26.05 or newer")


def _monitoring_mode(case: GroupCase) -> Iterator[Problem]:
    monitoring = _checks(case, "healthMonitoring")
    if monitoring is not None and "mode" not in monitoring:
        yield Problem(f"{_HEALTH}.healthMonitoring.mode", "is required")


def _monitoring_repair(case: GroupCase) -> Iterator[Problem]:
    monitoring = _checks(case, "healthMonitoring") or {}
    if monitoring.get("mode") == "NONE" and "repairAction" in monitoring:
        yield Problem(f"{_HEALTH}.healthMonitoring.repairAction", "must be absent with mode NONE")


def _deep_profile(case: GroupCase) -> Iterator[Problem]:
    deep = _checks(case, "deepHealthChecks")
    if deep is None:
        return
    if "onStart" not in deep:
        yield Problem(_ON_START, "is required")
    elif "profile" not in deep["onStart"]:
        yield Problem(f"{_ON_START}.profile", "is required")


def _deep_repair(case: GroupCase) -> Iterator[Problem]:
    on_start = _checks(case, "deepHealthChecks", "onStart") or {}
    if on_start.get("profile") == "NONE" and "repairAction" in on_start:
        yield Problem(f"{_ON_START}.repairAction", "must be absent with profile NONE")


def _deep_gpus(case: GroupCase) -> Iterator[Problem]:
    on_start = _checks(case, "deepHealthChecks", "onStart") or {}
    if on_start.get("profile", "NONE") != "NONE" and not all(map(has_nvidia_gpus, _types(case))):
        yield Problem(f"{_ON_START}.profile", "needs instance types with NVIDIA GPUs")


def _idle_time(case: GroupCase) -> Iterator[Problem]:
    idle = case.request.get("slurmConfiguration", {}).get("scaleDownIdleTimeInSeconds")
    if idle is not None and case.slurm < GROUP_IDLE_TIME_SINCE:
        yield Problem("slurmConfiguration.scaleDownIdleTimeInSeconds", "needs Slurm 25.11 or newer")


def _pcs_template(case: GroupCase) -> Iterator[Problem]:
    if case.touches("customLaunchTemplate"):
        template = case.template
        if template is not None and _PCS_TEMPLATE.fullmatch(template["name"]):
            yield Problem("customLaunchTemplate.id", "names a launch template that PCS made for itself")


def _network(case: GroupCase) -> Iterator[Problem]:
    cluster_vpc = next(_known(case.ec2.vpc_of_subnet(case.region, id) for id in _cluster_subnets(case)), None)
    if cluster_vpc is None:
        return
    for member, vpc_of in (("subnetIds", case.ec2.vpc_of_subnet), ("securityGroupIds", case.ec2.vpc_of_security_group)):
        for index, id in enumerate(case.request.get(member, ())):
            if vpc_of(case.region, id) not in (None, cluster_vpc):
                yield Problem(f"{member}[{index}]", "is not in the VPC of the cluster")


def _cluster_subnets(case: GroupCase) -> Iterable[str]:
    subnets: Iterable[str] = case.cluster["networking"].get("subnetIds", ())
    return subnets


def _known(values: Iterable[str | None]) -> Iterator[str]:
    return (value for value in values if value is not None)


def _alike(case: GroupCase) -> Iterator[Problem]:
    types = _types(case) if case.before is None else []
    if len(set(types)) < 2:
        return
    facts = [case.ec2.instance_type(name) for name in types]
    first = next((fact for fact in facts if fact is not None), None)
    for index, fact in enumerate(facts):
        if fact is None or first is None:
            continue
        same = fact.architectures & first.architectures and fact[1:] == first[1:]
        if not same:
            path = f"instanceConfigs[{index}].instanceType"
            yield Problem(path, "must have the architecture, vCPUs and GPUs of the other instance types")


def _types(case: GroupCase) -> list[str]:
    return [config["instanceType"] for config in case.group["instanceConfigs"] if "instanceType" in config]


RULES: Final[Mapping[str, GroupRule]] = {
    "s3-version-needs-s3": _s3_version,
    "managed-without-template": _managed_without_template,
    "managed-needs-ami-and-security-groups": _managed_needs,
    "custom-needs-template": _custom_needs_template,
    "no-security-groups-with-network-interfaces": _network_interfaces,
    "static-or-dynamic": _scaling,
    "spot-options-need-spot": _spot_options,
    "health-checks-not-empty": _health_checks,
    "health-monitoring-needs-mode": _monitoring_mode,
    "health-monitoring-repair-needs-monitoring": _monitoring_repair,
    "deep-checks-need-profile": _deep_profile,
    "deep-checks-repair-needs-profile": _deep_repair,
    "deep-checks-need-gpus": _deep_gpus,
    "group-idle-time-needs-slurm-25-11": _idle_time,
    "not-a-pcs-owned-template": _pcs_template,
    "network-in-the-cluster-vpc": _network,
    "instance-types-alike": _alike,
}
"""By the ids of `CROSS_FIELD_RULES`; a test holds the two together."""


def _no_scripts(case: GroupCase) -> Iterator[Problem]:
    actions = case.request.get("nodeLifecycleActions")
    if actions is not None and not actions["stages"] and case.switches["no-scripts"] == "refused":
        yield Problem("nodeLifecycleActions.stages", "must have a stage")


def _script_names(case: GroupCase) -> Iterator[Problem]:
    scope = case.switches["script-names"]
    if scope == "anywhere" or not case.touches("nodeLifecycleActions"):
        return
    seen: set[tuple[str, str]] = set()
    merged = case.group.get("nodeLifecycleActions") or case.request["nodeLifecycleActions"]
    for path, script in scripts(merged):
        place = path.partition("[")[0] if scope == "stage" else ""
        key = (place, script["name"])
        if key in seen:
            yield Problem(f"{path}.name", "is the name of another script")
        seen.add(key)


def _ami_somewhere(case: GroupCase) -> Iterator[Problem]:
    # PCS API reference, ValidationException: the AMI is in neither the group nor the launch template.
    if not case.group.get("amiId") and case.touches("amiId", "customLaunchTemplate"):
        template = case.template
        if template is not None and not template["data"].get("ImageId"):
            yield Problem("amiId", "is required: the launch template names no AMI")


def _instance_types(case: GroupCase) -> Iterator[Problem]:
    # CreateComputeNodeGroup requires the list but the model sets no minimum: a group of no type can have no nodes.
    if case.before is None and not case.request["instanceConfigs"]:
        yield Problem("instanceConfigs", "must have at least 1 item")
    for index, config in enumerate(case.request.get("instanceConfigs", ())):
        if "instanceType" not in config:
            yield Problem(f"instanceConfigs[{index}].instanceType", "is required")


def _subnets(case: GroupCase) -> Iterator[Problem]:
    # The response's own shape, which the group has to fit, has a minimum of 1 and a pattern; the request's has neither.
    if not case.touches("subnetIds"):
        return
    if not case.request["subnetIds"]:
        yield Problem("subnetIds", "must have at least 1 item")
    for index, id in enumerate(case.request["subnetIds"]):
        if not _SUBNET_ID.fullmatch(id):
            yield Problem(f"subnetIds[{index}]", f"must match {_SUBNET_ID.pattern}")


_SUBNET_ID: Final = re.compile(shape("SubnetId").pattern or "", re.ASCII)

OWN_RULES: Final[Mapping[str, GroupRule]] = {
    "no-scripts": _no_scripts,
    "script-names": _script_names,
    "ami-somewhere": _ami_somewhere,
    "instance-types": _instance_types,
    "subnets": _subnets,
}
"""What follows from other text, or from an open question that a switch answers."""
