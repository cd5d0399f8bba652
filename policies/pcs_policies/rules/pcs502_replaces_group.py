"""A change leaves the group in place.

What it checks
    A plan does not change `name`, `clusterId` or `instanceConfigs` of a group that exists (the order of instance types
    does not matter), and does not replace it for another reason. A member that is left out is the provider's to keep.

Why
    No update can change these members: terraform deletes the group with all of its nodes and makes another. Queues
    have to let go of a group before it can be deleted, so the apply can stop half-way; the new group has a new id.

Fix
    Make the new group beside the old one, move the queue over, and remove the old one when its jobs are done.

Sources
    CloudFormation schema, AWS::PCS::ComputeNodeGroup (createOnlyProperties). PCS API reference, UpdateComputeNodeGroup
    (has none of them) and DeleteComputeNodeGroup (queues come first).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.prose import CREATE_ONLY
from pcs_policies.document import Change, Leaf, List, Node, NodeGroup, Object
from pcs_policies.redaction import show
from pcs_policies.rules.changes import differs, field_spec, reach
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS502"
TITLE = "replaces-group"
SEVERITY = Severity.WARNING
NEEDS = frozenset({"change"})


def _group(*types: str, **members: object) -> Tree:
    return {
        "name": "compute",
        "clusterId": "pcs_cluster1",
        "instanceConfigs": [{"instanceType": name} for name in types or ("c7i.large", "c6i.large")],
        "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 8},
        **members,
    }


GOOD = (
    Fragment("a new group", _group()),
    Fragment("other members change", _group(amiId="ami-0123456789abcdef0"), before=_group()),
    Fragment("another order of instance types", _group("c6i.large", "c7i.large"), before=_group()),
)
BAD = (
    Fragment("another name", _group(name="nodes"), ("name",), before=_group(), change=Change.REPLACE),
    Fragment(
        "another cluster", _group(clusterId="pcs_cluster2"), ("clusterId",), before=_group(), change=Change.REPLACE
    ),
    Fragment(
        "one type more",
        _group("c7i.large", "c6i.large", "m7i.large"),
        ("instanceConfigs",),
        before=_group(),
        change=Change.REPLACE,
    ),
    Fragment("a name that is a reference", _group(name=UNKNOWN), ("name",), before=_group(), change=Change.REPLACE),
    Fragment("for another reason", _group(), ("name",), before=_group(), change=Change.REPLACE),
    Fragment("a provider that takes it for an update", _group(name="nodes"), ("name",), before=_group()),
)
UNDECIDED = (Fragment("a cluster that is a reference", _group(clusterId=UNKNOWN), ("clusterId",), before=_group()),)

REMEDY = "make the new group beside the old one, move the queue over, then remove the old one"


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    before = group.before if group.change in (Change.UPDATE, Change.REPLACE) else None
    if before is None:
        return
    replaced = group.change is Change.REPLACE
    consequence = f"the group is deleted with its nodes{reach(before)} and made anew"
    changes = {name: _changes(group.after, before, name) for name in CREATE_ONLY}
    told = any(changes.values())
    for name, change in changes.items():
        node = group.after.child(name)
        if change:
            yield failed(
                node, f"{name} changes from {_shown(before.child(name))} to {_shown(node)}: {consequence}", REMEDY
            )
        elif change is False:
            yield passed(node)
        elif not replaced:
            yield undecided(node, f"whether {name} changes, and so replaces the group, is known only after apply")
        elif not told:
            told = True
            yield failed(node, f"{name} may change, once it is known after apply: {consequence}", REMEDY)
    if replaced and not told:
        yield failed(
            group.after.child("name"),
            f"neither name, cluster nor instance types change, yet {consequence}: it is tainted, was told to be "
            "replaced, or the provider asks for it",
            REMEDY,
        )


def _changes(after: Object, before: Object, name: str) -> bool | None:
    earlier, node = before.child(name), after.child(name)
    if node.absent or earlier.absent:
        return False
    if isinstance(earlier, List) and isinstance(node, List):
        types, others = _types(earlier), _types(node)
        return None if types is None or others is None else types != others
    return differs(field_spec(after, name), earlier, node)


def _types(configs: List) -> list[str] | None:
    leaves = [item.leaf("instanceType") for item in configs.items if isinstance(item, Object)]
    texts = [leaf.text for leaf in leaves if leaf.text is not None]
    return sorted(texts) if configs.known and len(texts) == len(configs.items) else None


def _shown(node: Node) -> str:
    if isinstance(node, List):
        return ", ".join(show(item.leaf("instanceType")) for item in node.items if isinstance(item, Object))
    assert isinstance(node, Leaf)
    return show(node)
