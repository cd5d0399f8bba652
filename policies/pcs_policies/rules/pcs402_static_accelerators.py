"""Instances with accelerators do not run when there is no job for them.

What it checks
    A group whose `minInstanceCount` is above 0 has no instance types of the accelerated computing families (GPUs,
    Trainium, Inferentia, FPGAs and so on), told by the letters of the type's name.

Why
    A static group runs, and is billed, around the clock. With accelerators that is most of a cluster's bill; a script
    that fails on such nodes makes them be replaced, and billed, until someone notices. It may be meant, for reserved
    capacity: hence a note and no warning.

Fix
    Make the group dynamic (`minInstanceCount` 0), or waive the finding where the capacity is paid for anyway.

Sources
    PCS user guide, working-with_cng_create (static groups). EC2 user guide for instance types, "Accelerated computing"
    (families) and naming conventions (letters of the series).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import NodeGroup, Object
from pcs_policies.redaction import show
from pcs_policies.rules.accelerated import accelerators
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS402"
TITLE = "static-accelerators"
SEVERITY = Severity.INFO

_AT = ("scalingConfiguration.minInstanceCount",)


def _group(least: object, *types: object) -> Tree:
    scaling = {"minInstanceCount": least, "maxInstanceCount": 4}
    return {"scalingConfiguration": scaling, "instanceConfigs": [{"instanceType": name} for name in types]}


GOOD = (
    Fragment("dynamic", _group(0, "p5.48xlarge")),
    Fragment("static without accelerators", _group(4, "hpc7a.96xlarge")),
    Fragment("local disks are none", _group(4, "i4g.large")),
    Fragment("no such type by its letters", _group(4, "gpu")),
)
BAD = (
    Fragment("GPUs", _group(4, "p6-b200.48xlarge"), _AT),
    Fragment("Trainium", _group(4, "trn2.48xlarge"), _AT),
    Fragment("one type of several", _group(4, "c7i.large", "g6e.xlarge"), _AT),
)
UNDECIDED = (
    Fragment("a minimum that is a reference", _group(UNKNOWN, "p5.48xlarge"), _AT),
    Fragment("a type that is a reference", _group(4, UNKNOWN), _AT),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    least = group.after.object("scalingConfiguration").leaf("minInstanceCount")
    if least.absent or (least.number is not None and least.number <= 0):
        return
    configs = group.after.list("instanceConfigs")
    types = [item.leaf("instanceType") for item in configs.items if isinstance(item, Object)]
    costly = next((leaf for leaf in types if leaf.text is not None and accelerators(leaf.text)), None)
    open_ = configs.unknown or any(leaf.text is None and not leaf.absent for leaf in types)
    if costly is not None and least.number is not None:
        what = accelerators(str(costly.value))
        yield failed(
            least,
            f"at least {show(least)} instances run at all times, and {show(costly)} has {what}: they are billed "
            "without a job, too",
            "put it at 0, or waive this where the capacity is paid for anyway",
        )
    elif costly is not None or open_:
        yield undecided(least, "whether instances with accelerators run at all times is known only after apply")
    else:
        yield passed(least)
