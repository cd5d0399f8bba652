"""A group is static or dynamic, and its bounds are the right way round.

What it checks
    `minInstanceCount` is not above `maxInstanceCount`, and it is 0 (dynamic) or the same as `maxInstanceCount`
    (static). Negative counts are the business of PCS303.

Why
    PCS supports nothing in between: a group that always runs a few nodes and adds some on demand does not exist. Such
    bounds pass the API's model and every client, and come to nothing when the group is applied or scales.

Fix
    For a base of running nodes plus some on demand, make two groups and give both to the queue.

Sources
    PCS user guide, working-with_cng_create (static and dynamic groups).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import NodeGroup
from pcs_policies.redaction import show
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS401"
TITLE = "scaling-bounds"
SEVERITY = Severity.ERROR

_AT = ("scalingConfiguration.minInstanceCount",)


def _bounds(least: object, most: object) -> Tree:
    return {"scalingConfiguration": {"minInstanceCount": least, "maxInstanceCount": most}}


GOOD = (
    Fragment("dynamic", _bounds(0, 8)),
    Fragment("static", _bounds(4, 4)),
    Fragment("parked", _bounds(0, 0)),
    Fragment("dynamic, up to a reference", _bounds(0, UNKNOWN)),
)
BAD = (
    Fragment("the wrong way round", _bounds(8, 4), _AT),
    Fragment("neither static nor dynamic", _bounds(2, 8), _AT),
)
UNDECIDED = (
    Fragment("a minimum that is a reference", _bounds(UNKNOWN, 8), _AT),
    Fragment("a maximum that is a reference", _bounds(2, UNKNOWN), _AT),
    Fragment("bounds that are references", {"scalingConfiguration": UNKNOWN}, _AT),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    scaling = group.after.object("scalingConfiguration")
    low, high = scaling.leaf("minInstanceCount"), scaling.leaf("maxInstanceCount")
    least, most = low.number, high.number
    if low.absent or high.absent or (least is not None and least < 0) or (most is not None and most < 0):
        return  # the contract rules own what is missing or negative
    if least == 0:
        yield passed(low)
    elif least is None or most is None:
        yield undecided(low, "whether minInstanceCount fits maxInstanceCount is known only after apply")
    elif least > most:
        yield failed(
            low,
            f"minInstanceCount is {show(low)} and above maxInstanceCount, {show(high)}: no number of nodes fits both",
            "put it at 0 for a dynamic group, or at maxInstanceCount for a static one",
        )
    elif least < most:
        yield failed(
            low,
            f"minInstanceCount is {show(low)} and maxInstanceCount {show(high)}: PCS has static groups (both the "
            "same) and dynamic ones (minimum 0), and no mix of the two",
            "put it at 0 or at maxInstanceCount, or make two groups for the queue",
        )
    else:
        yield passed(low)
