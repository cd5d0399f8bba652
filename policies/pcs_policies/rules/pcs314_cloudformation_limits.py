"""Values fit CloudFormation's own, narrower limits.

What it checks
    In a group that goes through CloudFormation (the awscc provider, CloudFormation itself), the idle time is at least
    1 second, and what follows `instance-profile/` in the ARN of the instance profile has at most 128 characters, path
    included. Values that the API itself refuses are the business of PCS303. What only apply reveals is left to
    CloudFormation, which refuses it in the open.

Why
    The API takes -1, which gives a group the idle time of its cluster again, and long paths. CloudFormation's schema
    does not, so what works with the CLI fails here.

Fix
    Leave the idle time out to have the cluster's. Use an instance profile with a shorter path.

Sources
    CloudFormation schema, AWS::PCS::ComputeNodeGroup, 2026-10-20 (minimum and pattern). PCS API reference,
    ComputeNodeGroupSlurmConfigurationRequest.scaleDownIdleTimeInSeconds and
    CreateComputeNodeGroup.iamInstanceProfileArn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_contract.shapes import group_field
from pcs_policies.document import NodeGroup
from pcs_policies.redaction import show
from pcs_policies.rules.contract_limits import THROUGH_CLOUDFORMATION
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS314"
TITLE = "cloudformation-limits"
SEVERITY = Severity.ERROR

IDLE_TIME = "slurmConfiguration.scaleDownIdleTimeInSeconds"
PROFILE = "iamInstanceProfileArn"
SHORTEST_IDLE_TIME = 1
LONGEST_PROFILE = 128


def _idle(seconds: object) -> Tree:
    return {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": seconds}}


def _profile(name: str) -> Tree:
    return {PROFILE: f"arn:aws:iam::123456789012:instance-profile/{name}"}


GOOD = (
    Fragment("a second", _idle(1)),
    Fragment("an idle time that is a reference", _idle(UNKNOWN)),
    Fragment("an instance profile with a path", _profile("aws-pcs/compute")),
    Fragment("the longest name", _profile("n" * 128)),
)
BAD = (
    Fragment("the idle time of the cluster", _idle(-1), (IDLE_TIME,)),
    Fragment("no idle time", _idle(0), (IDLE_TIME,)),
    Fragment("a long path", _profile("p" * 100 + "/" + "n" * 28), (PROFILE,)),
)
UNDECIDED: tuple[Fragment, ...] = ()


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    if group.resource_type not in THROUGH_CLOUDFORMATION:
        return
    idle = group.after.object("slurmConfiguration").leaf("scaleDownIdleTimeInSeconds")
    if idle.number is not None and idle.number >= (group_field(IDLE_TIME).min or 0):
        if idle.number < SHORTEST_IDLE_TIME:
            yield failed(
                idle,
                f"scaleDownIdleTimeInSeconds is {show(idle)}: the API takes it, but CloudFormation takes no less than "
                f"{SHORTEST_IDLE_TIME}",
                "leave it out to have the cluster's idle time",
            )
        else:
            yield passed(idle)
    profile = group.after.leaf(PROFILE)
    if profile.text is not None and re.fullmatch(group_field(PROFILE).pattern or "", profile.text, re.ASCII):
        length = len(profile.text.partition(":instance-profile/")[2])
        if length > LONGEST_PROFILE:
            yield failed(
                profile,
                f"iamInstanceProfileArn is {show(profile)}: path and name are longer than the {LONGEST_PROFILE} "
                "characters that CloudFormation takes",
                "use an instance profile with a shorter path",
            )
        else:
            yield passed(profile)
