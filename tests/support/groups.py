"""Node groups for tests, in the API's names."""

from __future__ import annotations

from typing import Any

from pcs_policies.rules.fragments import Tree

COMPLETE: Tree = {
    "name": "hpc",
    "clusterId": "pcs_example123",
    "subnetIds": ["subnet-0123456789abcdef0"],
    "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "instanceConfigs": [{"instanceType": "c7i.48xlarge"}],
    "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
}
"""Every member that the API requires, each of which it accepts."""


def complete(**members: Any) -> Tree:
    """A group that the API accepts, with further members."""
    return {**COMPLETE, **members}
