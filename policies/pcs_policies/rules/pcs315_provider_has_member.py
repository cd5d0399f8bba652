"""The chosen provider has every member that is used.

What it checks
    A group states no top-level member that the API has and its resource type has not: `securityGroupIds`,
    `sshKeyName`, `instanceHealthChecks` and `launchTemplateMode` in awscc 1.106.0, the first three in CloudFormation.
    Only the text that an author wrote can show it: what is in a plan or a state, the provider has.

Why
    `terraform validate` or the stack refuses the member, or it never reaches PCS.

Fix
    Put network and key settings into the launch template; use the `pcs_compute_node_group` resource for the rest.

Sources
    Resource schemas of awscc 1.106.0 and of AWS::PCS::ComputeNodeGroup (2026-10-20), against the PCS API reference,
    CreateComputeNodeGroup.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.spelling import LACKING
from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import UNKNOWN, Fragment
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS315"
TITLE = "provider-has-member"
SEVERITY = Severity.ERROR
NEEDS = frozenset({"source"})

GOOD = (Fragment("members that awscc has", {"name": "compute", "amiId": "ami-0123456789abcdef0"}),)
BAD = (
    Fragment("security groups", {"securityGroupIds": UNKNOWN}, ("securityGroupIds",)),
    Fragment(
        "a key and a mode", {"sshKeyName": "ops", "launchTemplateMode": "CUSTOM"}, ("sshKeyName", "launchTemplateMode")
    ),
    Fragment(
        "health checks", {"instanceHealthChecks": {"healthMonitoring": {"mode": "STANDARD"}}}, ("instanceHealthChecks",)
    ),
)
UNDECIDED: tuple[Fragment, ...] = ()


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for name in sorted(LACKING.get(group.resource_type, ())):
        node = group.after.child(name)
        if node.unset:
            yield passed(node)
        else:
            yield failed(
                node,
                f"{name} is set, but {group.resource_type} has no such member, so the group is refused or goes "
                "without it",
                "set it in the launch template, or use pcs_compute_node_group",
            )
