"""An update leaves running nodes alone.

What it checks
    A planned update of a group does not change `nodeLifecycleActions` or `instanceHealthChecks`. Effective values are
    compared: to state a default that held before is no change. One finding per group, at the member that changes.

Why
    The actions of a running instance cannot be changed. PCS drains every node of the group and replaces it: jobs finish
    first, but login sessions are killed, and the group is ACTIVE again long before all is done. Even a renamed script
    does that. A new script that fails, fails on each replacement.

Fix
    Plan it for a quiet time, try it on a group of one node first, or waive it where it is meant.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (immutable per instance, DRAIN replacement) and
    working-with_cng_update (interactive processes). PCS API reference, UpdateComputeNodeGroup.instanceHealthChecks.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Change, NodeGroup
from pcs_policies.rules.changes import differs, field_spec, has_no_nodes, reach
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS501"
TITLE = "drains-nodes"
SEVERITY = Severity.WARNING
NEEDS = frozenset({"change"})

LOCATION = "https://scripts.example.com/setup.sh"


def _group(name: object = "setup", least: int = 0, most: int = 8, **members: object) -> Tree:
    scaling = {"minInstanceCount": least, "maxInstanceCount": most}
    return {
        **actions(bootstrapped=[script(name, LOCATION, checksum=SHA256, **members)]),
        "scalingConfiguration": scaling,
    }


def _checked(mode: str) -> Tree:
    return {**_group(), "instanceHealthChecks": {"healthMonitoring": {"mode": mode}}}


_AT = ("nodeLifecycleActions",)

GOOD = (
    Fragment("a new group", _group()),
    Fragment("nothing changes", _group(), before=_group()),
    Fragment("a default is stated", _group(onError="TERMINATE"), before=_group()),
    Fragment("an empty list for none", _group(arguments=[]), before=_group()),
    Fragment("other members change", _group(most=16), before=_group()),
    Fragment("no nodes to drain", _group("prepare", most=0), before=_group(most=0)),
    Fragment("the group is replaced anyway", _group("prepare"), before=_group(), change=Change.REPLACE),
)
BAD = (
    Fragment("a script is renamed", _group("prepare", least=4, most=4), _AT, before=_group(least=4, most=4)),
    Fragment("onError changes", _group(onError="CONTINUE"), _AT, before=_group()),
    Fragment("the first actions of a group", _group(), _AT, before={}),
    Fragment("the actions are removed", {}, _AT, before=_group()),
    Fragment("health checks change", _checked("STANDARD"), ("instanceHealthChecks",), before=_checked("NONE")),
    Fragment("both change", {**_checked("NONE"), **_group("prepare")}, _AT, before=_checked("STANDARD")),
)
UNDECIDED = (
    Fragment(
        "a checksum that is a reference",
        actions(bootstrapped=[script("setup", LOCATION, checksum=UNKNOWN)]),
        _AT,
        before=_group(),
    ),
    Fragment("actions that are a reference", {"nodeLifecycleActions": UNKNOWN}, _AT, before=_group()),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    before = group.before if group.change is Change.UPDATE else None
    if before is None:
        return
    if has_no_nodes(before):
        yield passed(group.actions)
        return
    open_ = None
    for name in ("nodeLifecycleActions", "instanceHealthChecks"):
        earlier, node = before.child(name), group.after.child(name)
        changes = differs(field_spec(group.after, name), earlier, node)
        if changes:
            what = "removes" if node.absent else "adds" if earlier.absent else "changes"
            yield failed(
                node,
                f"the update {what} {name}: PCS drains every node of the group{reach(before)} and replaces it; jobs "
                "finish first, login sessions are killed",
                "plan it for a quiet time, and try it on a group of one node first",
            )
            return
        if changes is None:
            open_ = open_ or node
    if open_:
        yield undecided(open_, "whether the update changes it, and so drains every node, is known only after apply")
    else:
        yield passed(group.actions)
