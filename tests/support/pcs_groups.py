"""Groups for the provider's tests that have, together, every field that a request can set; all as PCS accepts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from support.pcs import CHECKSUM, GROUP, PROFILE, SECURITY_GROUP, SUBNET, TEMPLATE

from pcs_contract.shapes import Shape

NEW: Final[Mapping[str, Any]] = {
    **{name: value for name, value in GROUP.items() if name not in ("clusterIdentifier", "computeNodeGroupName")},
    "clusterId": "hpc",
    "name": "workers",
}
"""What a group has to have, in the names of the API's response."""


def _script(name: str, on_error: str, policy: str, key: str) -> dict[str, Any]:
    source = {"scriptLocation": f"s3://hpc-scripts/{key}", "s3VersionId": f"v-{key}", "checksum": CHECKSUM}
    return {
        "name": name,
        "onError": on_error,
        "executionPolicy": policy,
        "arguments": ["--quiet", ""],
        "scriptSource": source,
    }


def _everything(suffix: str, **changes: Any) -> dict[str, Any]:
    return {
        **NEW,
        "amiId": f"ami-0{suffix}",
        "sshKeyName": f"key-{suffix}",
        "securityGroupIds": [SECURITY_GROUP, f"sg-0123456789abcde{suffix}"],
        "subnetIds": [SUBNET, f"subnet-0123456789abcde{suffix}"],
        "iamInstanceProfileArn": PROFILE + suffix,
        "scalingConfiguration": {"minInstanceCount": 1, "maxInstanceCount": 1},
        "purchaseOption": "SPOT",
        "spotOptions": {"allocationStrategy": "lowest-price"},
        "launchTemplateMode": "CUSTOM",
        "customLaunchTemplate": {**TEMPLATE, "version": f"{len(suffix)}"},
        "slurmConfiguration": {
            "scaleDownIdleTimeInSeconds": 600,
            "slurmCustomSettings": [
                {"parameterName": "Weight", "parameterValue": suffix},
                {"parameterName": "Features", "parameterValue": "a"},
            ],
            "gresCustomSettings": [{"name": "gpu", "count": "1"}],
        },
        "nodeLifecycleActions": {
            "scriptCachingPolicy": "REFRESH_ON_REBOOT",
            "stages": {
                "nodeBootstrapped": [_script("mount", "STOP_SEQUENCE", "EVERY_BOOT", f"mount-{suffix}.sh")],
                "nodeReady": [_script("motd", "CONTINUE", "EVERY_BOOT", f"motd-{suffix}.sh")],
            },
        },
        "instanceHealthChecks": {
            "healthMonitoring": {"mode": "STANDARD", "repairAction": "REPLACE"},
            "deepHealthChecks": {"onStart": {"profile": "QUICK", "repairAction": "ISOLATE"}},
        },
        **changes,
    }


EVERYTHING: Final[Mapping[str, Any]] = _everything("a1", tags={"Team": "hpc", "Stage": "test"})

OTHERWISE: Final[Mapping[str, Any]] = _everything(
    "b2",
    tags={"Team": "ops", "Owner": "me"},
    scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 2},
    purchaseOption="ONDEMAND",
    spotOptions={"allocationStrategy": "capacity-optimized"},
    slurmConfiguration={
        "scaleDownIdleTimeInSeconds": 700,
        "slurmCustomSettings": [{"parameterName": "Weight", "parameterValue": "b2"}],
        "gresCustomSettings": [{"name": "gpu", "count": "2"}],
    },
    instanceHealthChecks={
        "healthMonitoring": {"mode": "STANDARD", "repairAction": "AUTO"},
        "deepHealthChecks": {"onStart": {"profile": "LONG", "repairAction": "AUTO"}},
    },
)
"""The same group with another value in every field that an update can change, but for the launch template mode."""

MANAGED: Final[Mapping[str, Any]] = {
    **{name: value for name, value in EVERYTHING.items() if name != "customLaunchTemplate"},
    "launchTemplateMode": "MANAGED",
}


def members(shape: Shape, path: str = "") -> Iterator[str]:
    """The paths of all members that a shape has, at any depth."""
    if shape.item is not None:
        yield from members(shape.item, path)
    for name, member in shape.members.items():
        here = f"{path}.{name}" if path else name
        yield here
        yield from members(member, here)


def said(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all members that a request has, at any depth; those of a map are its own."""
    if isinstance(value, list):
        for item in value:
            yield from said(item, path)
    elif isinstance(value, dict) and path != "tags":
        for name, member in value.items():
            here = f"{path}.{name}" if path else name
            yield here
            yield from said(member, here)
