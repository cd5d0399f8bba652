"""What each kind of input is and can carry: one table for the engine, the tests and the documentation."""

from __future__ import annotations

from typing import NamedTuple

from pcs_contract.spelling import Spelling

TERRAFORM_TYPES = ("awscc_pcs_compute_node_group", "pcs_compute_node_group")
"""Resource types of a compute node group: HashiCorp's awscc provider, and the provider of this project."""


class Kind(NamedTuple):
    """A kind of input. ``carries`` lists what rules may need of it (see ``Rule.needs``)."""

    id: str
    title: str
    spelling: Spelling
    carries: frozenset[str]
    made_by: str


PLAN = Kind(
    "plan",
    "terraform plan",
    "terraform",
    frozenset({"stated", "change"}),
    "`terraform show -json PLANFILE`, or the plan file itself",
)
STATE = Kind("state", "terraform state", "terraform", frozenset(), "`terraform show -json` without a plan")
CDKTF = Kind(
    "cdktf",
    "terraform JSON",
    "terraform",
    frozenset({"stated", "source"}),
    "`cdktf synth` (`cdktf.out`, a stack's `cdk.tf.json`), or any `.tf.json`",
)
HCL = Kind(
    "hcl", "terraform source", "terraform", frozenset({"stated", "source"}), "a folder of `.tf` files, or one of them"
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

KINDS: tuple[Kind, ...] = (PLAN, STATE, CDKTF, HCL, API_REQUEST, API_RESPONSE)
