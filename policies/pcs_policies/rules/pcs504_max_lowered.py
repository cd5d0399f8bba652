"""An update does not lower the maximum of a group.

What it checks
    A planned update leaves `maxInstanceCount` as it is or raises it.

Why
    PCS removes the nodes above the new maximum at once: their instances are terminated, and the jobs on them fail and
    go back to the queue. Nothing is drained.

Fix
    Drain the nodes first, or plan it for a time without jobs, and waive the finding then.

Sources
    PCS user guide, working-with_cng_update.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Change, NodeGroup
from pcs_policies.redaction import show
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS504"
TITLE = "max-lowered"
SEVERITY = Severity.WARNING
NEEDS = frozenset({"change"})

_AT = ("scalingConfiguration.maxInstanceCount",)


def _group(most: object) -> Tree:
    return {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": most}}


GOOD = (
    Fragment("a new group", _group(4)),
    Fragment("raised", _group(16), before=_group(8)),
    Fragment("as it was", _group(8), before=_group(8)),
    Fragment("the group is replaced anyway", _group(4), before=_group(8), change=Change.REPLACE),
)
BAD = (
    Fragment("lowered", _group(4), _AT, before=_group(8)),
    Fragment("parked", _group(0), _AT, before=_group(8)),
)
UNDECIDED = (Fragment("a reference", _group(UNKNOWN), _AT, before=_group(8)),)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    before = group.before if group.change is Change.UPDATE else None
    if before is None:
        return
    most = group.after.object("scalingConfiguration").leaf("maxInstanceCount")
    earlier = before.object("scalingConfiguration").leaf("maxInstanceCount")
    if earlier.number is None or most.absent:
        return
    if most.number is None:
        if earlier.number > 0:
            yield undecided(most, "whether maxInstanceCount is lowered is known only after apply")
    elif most.number < earlier.number:
        yield failed(
            most,
            f"maxInstanceCount goes from {show(earlier)} to {show(most)}: the instances above are terminated at "
            "once, and their jobs fail",
            "drain those nodes first, or plan it for a time without jobs",
        )
    else:
        yield passed(most)
