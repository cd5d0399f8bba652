"""What a request makes of a group or cluster: its facts from the members of a Create or an Update.

The rules for values that an update leaves out, or sends empty, are those of the members' texts in the PCS API
reference (UpdateComputeNodeGroupRequest); what no text says is a switch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pcs_bridge.endpoint.rules import STAGES
from pcs_contract.prose import DEFAULTS
from pcs_contract.updates import CLEARING

Facts = Mapping[str, Any]

EMPTY_REMOVES: Final = ("amiId", "securityGroupIds", "sshKeyName")
"""Members of an update with a value (`CLEARING`) that removes the setting."""

REPLACED: Final = (
    "subnetIds",
    "iamInstanceProfileArn",
    "scalingConfiguration",
    "purchaseOption",
    "spotOptions",
    "launchTemplateMode",
    "customLaunchTemplate",
    "instanceHealthChecks",
)
"""Members of an update that take the place of the whole setting."""

REPLACES_NODES: Final = ("nodeLifecycleActions", "instanceHealthChecks")
"""Settings whose change drains and replaces every instance (PCS user guide, cng-node-lifecycle-actions-configure; PCS
API reference, UpdateComputeNodeGroup.instanceHealthChecks)."""


def new_group(request: Facts, switches: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a new group, in the names of the response."""
    group: dict[str, Any] = {
        "purchaseOption": DEFAULTS["purchaseOption"],
        "launchTemplateMode": DEFAULTS["launchTemplateMode"],
        "instanceConfigs": request["instanceConfigs"],
    }
    return updated_group(group, request, switches)


def updated_group(group: Facts, request: Facts, switches: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a group after an update."""
    after = dict(group)
    for member in REPLACED:
        if member in request:
            after[member] = request[member]
    for member in EMPTY_REMOVES:
        if member in request:
            _set(after, member, None if request[member] == CLEARING[member] else request[member])
    if after["launchTemplateMode"] == "MANAGED":
        after.pop("customLaunchTemplate", None)
    if "slurmConfiguration" in request:
        _set(after, "slurmConfiguration", _slurm(group.get("slurmConfiguration", {}), request["slurmConfiguration"]))
    if "nodeLifecycleActions" in request:
        actions = _actions(group.get("nodeLifecycleActions"), request["nodeLifecycleActions"], switches)
        _set(after, "nodeLifecycleActions", actions)
    return after


def updated_slurm(configuration: Facts, request: Facts) -> dict[str, Any]:
    """The Slurm settings of a cluster after an update: members that it leaves out stay, also one level deeper."""
    after = dict(configuration)
    for member, value in request.items():
        nested = isinstance(value, dict) and isinstance(after.get(member), dict)
        after[member] = {**after[member], **value} if nested else value
    return after


def shown_actions(actions: Facts, switches: Mapping[str, str]) -> Facts:
    """Lifecycle actions as a response shows them."""
    if switches["echo-defaults"] != "yes":
        return actions
    stages = {}
    for stage, scripts in actions["stages"].items():
        path = f"nodeLifecycleActions.stages.{stage}[]"
        defaults = {member: DEFAULTS[f"{path}.{member}"] for member in ("onError", "executionPolicy")}
        stages[stage] = [{**defaults, **script} for script in scripts]
    policy = DEFAULTS["nodeLifecycleActions.scriptCachingPolicy"]
    return {"scriptCachingPolicy": policy, **actions, "stages": stages}


def _actions(before: Facts | None, request: Facts, switches: Mapping[str, str]) -> Facts | None:
    if not request["stages"]:
        return request if switches["no-scripts"] == "kept" else None
    if before is None or switches["stages-on-update"] == "replaced":
        return request
    # Stages in their own order, so that the same content is the same whichever way it came about.
    stages = {**before["stages"], **request["stages"]}
    return {**before, **request, "stages": {stage: stages[stage] for stage in STAGES if stage in stages}}


def _slurm(before: Facts, request: Facts) -> Facts | None:
    after = {**before, **request}
    if after.get("scaleDownIdleTimeInSeconds") == CLEARING["slurmConfiguration.scaleDownIdleTimeInSeconds"]:
        del after["scaleDownIdleTimeInSeconds"]
    return after or None


def _set(facts: dict[str, Any], member: str, value: object) -> None:
    if value is None:
        facts.pop(member, None)
    else:
        facts[member] = value
