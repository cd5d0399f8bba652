"""What the API requires is there.

What it checks
    Every member that the API requires of a request is present: of the group (`clusterId`, `subnetIds`,
    `iamInstanceProfileArn`, `scalingConfiguration`, `instanceConfigs` and, where CloudFormation does not make one up,
    `name`), of a script (`name`, `scriptSource`, `scriptLocation`), of `nodeLifecycleActions` (`stages`), of a launch
    template, of Slurm settings and of instance types. `subnetIds` and `instanceConfigs` have at least one entry. What
    only apply reveals counts as present.

Why
    CloudFormation and awscc take several of them as optional. PCS refuses the request, in the middle of an apply.

Fix
    Set the member.

Sources
    PCS API reference, CreateComputeNodeGroup and the types it is made of (required members) and InstanceConfig (an
    entry is nothing but its type). PCS API reference, ComputeNodeGroup.subnetIds (at least one). CloudFormation schema,
    AWS::PCS::ComputeNodeGroup (`Name` is optional there).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.spelling import FieldSpec
from pcs_policies.document import List, NodeGroup, Object
from pcs_policies.rules.contract_limits import THROUGH_CLOUDFORMATION, constrained, subject
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS301"
TITLE = "required-members"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/setup.sh"
COMPLETE: Tree = {
    "name": "compute",
    "clusterId": "pcs_cluster1",
    "subnetIds": ["subnet-0123456789abcdef0"],
    "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-compute",
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 8},
    "instanceConfigs": [{"instanceType": "c7i.large"}],
    "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
    **actions(bootstrapped=[script("setup", LOCATION, checksum=SHA256)]),
}


def _without(name: str) -> Tree:
    return {key: value for key, value in COMPLETE.items() if key != name}


GOOD = (
    Fragment("all there", COMPLETE),
    Fragment("references", {**COMPLETE, "clusterId": UNKNOWN, "subnetIds": UNKNOWN, "customLaunchTemplate": UNKNOWN}),
    Fragment("CloudFormation makes the name up", _without("name")),
)
BAD = (
    Fragment("no cluster", _without("clusterId"), ("clusterId",)),
    Fragment("no subnets", _without("subnetIds"), ("subnetIds",)),
    Fragment("an empty list of subnets", {**COMPLETE, "subnetIds": []}, ("subnetIds",)),
    Fragment("no instance profile", _without("iamInstanceProfileArn"), ("iamInstanceProfileArn",)),
    Fragment("no scaling", _without("scalingConfiguration"), ("scalingConfiguration",)),
    Fragment(
        "half of scaling",
        {**COMPLETE, "scalingConfiguration": {"minInstanceCount": 0}},
        ("scalingConfiguration.maxInstanceCount",),
    ),
    Fragment("no instance types", _without("instanceConfigs"), ("instanceConfigs",)),
    Fragment("an empty list of instance types", {**COMPLETE, "instanceConfigs": []}, ("instanceConfigs",)),
    Fragment("an entry without a type", {**COMPLETE, "instanceConfigs": [{}]}, ("instanceConfigs[0].instanceType",)),
    Fragment(
        "a launch template without a version",
        {**COMPLETE, "customLaunchTemplate": {"id": UNKNOWN}},
        ("customLaunchTemplate.version",),
    ),
    Fragment(
        "Slurm settings without a value",
        {**COMPLETE, "slurmConfiguration": {"slurmCustomSettings": [{"parameterName": "Weight"}]}},
        ("slurmConfiguration.slurmCustomSettings[0].parameterValue",),
    ),
    Fragment(
        "actions without stages",
        {**COMPLETE, "nodeLifecycleActions": {"scriptCachingPolicy": "CACHE_ONCE"}},
        ("nodeLifecycleActions.stages",),
    ),
    Fragment(
        "a script without a name",
        {**COMPLETE, **actions(ready=[{"scriptSource": {"scriptLocation": LOCATION}}])},
        (at("ready", 0, "name"),),
    ),
    Fragment(
        "a script without a source",
        {**COMPLETE, **actions(ready=[{"name": "setup"}])},
        (at("ready", 0, "scriptSource"),),
    ),
    Fragment(
        "a source without a location",
        {**COMPLETE, **actions(ready=[{"name": "setup", "scriptSource": {"checksum": SHA256}}])},
        (at("ready", 0, "scriptSource.scriptLocation"),),
    ),
)
UNDECIDED: tuple[Fragment, ...] = ()

ALSO_REQUIRED = {"InstanceConfig": frozenset({"instanceType"})}
"""Shape -> members without which an entry means nothing, although the model does not mark them."""
NOT_EMPTY = frozenset({"subnetIds", "instanceConfigs"})
MADE_UP = frozenset({"name"})
"""Members of the group that CloudFormation makes up when they are left out."""


def _required_of(path: str, spec: FieldSpec) -> tuple[str, ...] | None:
    members = spec.shape.required | ALSO_REQUIRED.get(spec.shape.name, frozenset())
    return tuple(field.name for field in spec.fields if field.name in members) or None


_required = constrained(_required_of)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for node, required in _required(group):
        if not isinstance(node, Object) or not node.known:
            continue
        top = node is group.after
        for name in required:
            child = node.child(name)
            if child.absent:
                if not (top and name in MADE_UP and group.resource_type in THROUGH_CLOUDFORMATION):
                    yield failed(
                        child,
                        f"{subject(group, node)} has no {name}: the API requires it and refuses the request",
                        f"set {name}",
                    )
            elif top and name in NOT_EMPTY and isinstance(child, List) and child.known and not child.items:
                yield failed(child, f"{name} is empty: a group needs at least one", f"give {name} an entry")
            else:
                yield passed(child)
