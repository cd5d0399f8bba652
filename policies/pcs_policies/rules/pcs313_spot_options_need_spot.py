"""Spot options are there for groups of Spot instances only.

What it checks
    A group that states `spotOptions` has the `purchaseOption` SPOT. Without a `purchaseOption` it is ONDEMAND.

Why
    Spot options do nothing for other purchase options. Who wrote them most likely meant to pay Spot prices, and pays
    On-Demand ones.

Fix
    State `purchaseOption` SPOT, or leave `spotOptions` out.

Sources
    PCS API reference, CreateComputeNodeGroup.purchaseOption (ONDEMAND by default) and spotOptions. PCS user guide,
    working-with_cng_create.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import NodeGroup
from pcs_policies.redaction import show
from pcs_policies.rules.fragments import UNKNOWN, Fragment
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS313"
TITLE = "spot-options-need-spot"
SEVERITY = Severity.WARNING
NEEDS = frozenset({"stated"})

OPTIONS = {"allocationStrategy": "capacity-optimized"}

GOOD = (
    Fragment("Spot instances", {"purchaseOption": "SPOT", "spotOptions": OPTIONS}),
    Fragment("no Spot options", {"purchaseOption": "ONDEMAND"}),
)
BAD = (
    Fragment("On-Demand by default", {"spotOptions": OPTIONS}, ("spotOptions",)),
    Fragment("a capacity block", {"purchaseOption": "CAPACITY_BLOCK", "spotOptions": OPTIONS}, ("spotOptions",)),
)
UNDECIDED = (
    Fragment(
        "a purchase option that is a reference", {"purchaseOption": UNKNOWN, "spotOptions": OPTIONS}, ("spotOptions",)
    ),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    options, purchase = group.after.child("spotOptions"), group.after.leaf("purchaseOption")
    if options.absent or options.unset:
        return
    if not purchase.known:
        yield undecided(options, "whether spotOptions have an effect is known only after apply, with purchaseOption")
    elif purchase.value != "SPOT":
        default = ", the default" if purchase.unset else ""
        yield failed(
            options,
            f"spotOptions do nothing, as purchaseOption is {show(purchase)}{default}",
            "set purchaseOption to SPOT, or leave spotOptions out",
        )
    else:
        yield passed(options)
