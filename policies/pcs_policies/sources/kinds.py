"""What each kind of input is and can carry: one table for the engine, the tests and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from pcs_contract.record import Record
from pcs_contract.spelling import LACKING, Spelling

TERRAFORM_TYPES = ("awscc_pcs_compute_node_group", "pcs_compute_node_group")
"""Resource types of a compute node group: HashiCorp's awscc provider, and the provider of this project."""

FILLS_NOTHING_IN = "/pcsguard/pcs"
"""How the address ends of the provider that leaves null what nobody wrote: whatever a plan of it has, or will have,
was stated."""

CLOUDFORMATION_TYPE = "AWS::PCS::ComputeNodeGroup"
"""Resource type of a compute node group in CloudFormation."""


class References(Enum):
    """What a kind of input tells of an attribute with a reference in it, whose value only apply reveals."""

    NONE = "it has none: every value is there"
    ATTRIBUTE = "that the author wrote the attribute; of the members below it, not which"
    MEMBER = "each member that the author wrote, and which of them are references"


class Kind(Record):
    """A kind of input. ``carries`` lists what rules may need of it (see ``Rule.needs``).

    A text that has one of ``replaces`` in it cannot stand for itself: something else comes in its place.
    """

    id: str
    title: str
    spelling: Spelling
    carries: frozenset[str]
    made_by: str
    references: References = References.NONE
    replaces: tuple[str, ...] = ()

    def lacks(self, resource_type: str) -> frozenset[str]:
        """Canonical top-level fields that it cannot hold of a group: what its provider has not, unless an author may
        write it all the same (PCS315 finds it).
        """
        if "source" in self.carries:
            return frozenset()
        return LACKING.get(resource_type, frozenset())


PLAN = Kind(
    "plan",
    "terraform plan",
    "terraform",
    frozenset({"stated", "change"}),
    "`terraform show -json PLANFILE`, or the plan file itself",
    References.ATTRIBUTE,
)
STATE = Kind("state", "terraform state", "terraform", frozenset(), "`terraform show -json` without a plan")
CDKTF = Kind(
    "cdktf",
    "terraform JSON",
    "terraform",
    frozenset({"stated", "source"}),
    "`cdktf synth` (`cdktf.out`, a stack's `cdk.tf.json`), or any `.tf.json`",
    References.MEMBER,
)
HCL = Kind(
    "hcl",
    "terraform source",
    "terraform",
    frozenset({"stated", "source"}),
    "a folder of `.tf` files, or one of them",
    References.MEMBER,
)
API_REQUEST = Kind(
    "api-request",
    "API request",
    "api",
    frozenset({"stated", "source"}),
    "the JSON input of `aws pcs create-compute-node-group` or `update-compute-node-group`, or of their option "
    "`--node-lifecycle-actions`",
)
API_RESPONSE = Kind("api", "API response", "api", frozenset(), "`aws pcs get-compute-node-group`")
CLOUDFORMATION = Kind(
    "cloudformation",
    "CloudFormation template",
    "cloudformation",
    frozenset({"stated", "source"}),
    "a CloudFormation template, YAML or JSON",
    References.MEMBER,
    replaces=("{{resolve:",),
)

KINDS: tuple[Kind, ...] = (PLAN, STATE, CDKTF, HCL, CLOUDFORMATION, API_REQUEST, API_RESPONSE)

DEPEND_ON_PROVIDER: Mapping[str, str] = {
    "PCS301": "CloudFormation makes up a name that is left out, the API does not",
    "PCS303": "an empty value clears what a group has, in an update; not in CloudFormation, nor in a new group",
    "PCS310": "where a provider has no launch template mode, that of a group that exists already cannot be seen",
    "PCS314": "limits of CloudFormation's own",
    "PCS315": "members that a resource type lacks",
}
"""Rules that judge what a resource type can, each with what makes the difference. All others say the same of the same
group, whatever resource type and kind of input it comes as, wherever the kind carries what they need."""
