"""What was removed from the configuration is removed by the plan.

What it checks
    `nodeLifecycleActions` and all below it: where the configuration does not state a member, the plan does not keep a
    value of prior state for it that has an effect. A literal configuration proves that; where it has references, the
    plan does not tell what they give, and nothing is said. An unstated member that holds the API's default, or an
    empty list, has no effect of its own. A whole block that is kept is one finding, at its top. The checksum, version,
    arguments, `onError` and `executionPolicy` of a script are judged here while the script that stood at that position
    had the same name; else they are another script's, and PCS505 has them. Other members of the group are not judged:
    their unstated values may come from the service (`amiId`, for one).

Why
    In awscc every lifecycle attribute is optional and computed: deleted from the configuration, it is planned again
    with its old value. Scripts that a review has seen go keep running as root, `terraform apply` says "no changes",
    and nothing in the configuration shows them.

Fix
    State the value that is meant, also where it is the default. A whole block leaves with the group only: replace it
    (`terraform apply -replace=ADDRESS`), or use the `pcs_compute_node_group` resource, which plans removals.

Sources
    terraform-provider-awscc (Optional, Computed, UseStateForUnknown on every attribute). terraform-plugin-framework
    issue 599 (prior values of computed attributes).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Basis, Change, Leaf, List, Node, NodeGroup, Object
from pcs_policies.redaction import show
from pcs_policies.rules.changes import field_spec, inheritable, is_nothing, predecessors
from pcs_policies.rules.contract_limits import subject
from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS503"
TITLE = "removal-not-planned"
SEVERITY = Severity.ERROR
NEEDS = frozenset({"change", "stated"})

LOCATION = "s3://example-scripts/motd.sh"


def _group(name: str = "motd", **members: object) -> Tree:
    return actions(ready=[script(name, LOCATION, **{"checksum": SHA256, **members})])


_FULL = _group(onError="CONTINUE", s3VersionId=VERSION, arguments=["--text", "hello"])

GOOD = (
    Fragment("a new group", _group()),
    Fragment("all of it stated", _FULL, before=_FULL),
    Fragment("a removal that is planned", {}, before=_FULL),
    Fragment("a default that was never stated", _group(onError=KEPT, executionPolicy=KEPT), before=_group()),
    Fragment("an empty list that was never stated", _group(arguments=KEPT), before=_group(arguments=[])),
    Fragment("another script's value", _group("other", onError=KEPT), before=_group(onError="CONTINUE")),
    Fragment("references, of which a plan tells little", _group(onError=UNKNOWN), before=_FULL),
    Fragment("a group that is replaced", _group(onError=KEPT), before=_FULL, change=Change.REPLACE),
    Fragment("an AMI of the service's choice", {"amiId": KEPT}, before={"amiId": "ami-0123456789abcdef0"}),
)
BAD = (
    Fragment("onError", _group(onError=KEPT), (at("ready", 0, "onError"),), before=_group(onError="CONTINUE")),
    Fragment("a checksum", _group(checksum=KEPT), (at("ready", 0, "scriptSource.checksum"),), before=_group()),
    Fragment("arguments", _group(arguments=KEPT), (at("ready", 0, "arguments"),), before=_group(arguments=["--all"])),
    Fragment("all actions", {"nodeLifecycleActions": KEPT}, ("nodeLifecycleActions",), before=_FULL),
    Fragment(
        "all actions, and nothing to apply",
        {"nodeLifecycleActions": KEPT},
        ("nodeLifecycleActions",),
        before=_FULL,
        change=Change.NO_OP,
    ),
    Fragment(
        "a stage",
        {"nodeLifecycleActions": {"stages": {"nodeBootstrapped": KEPT, "nodeReady": [script("motd", LOCATION)]}}},
        ("nodeLifecycleActions.stages.nodeBootstrapped",),
        before=actions(bootstrapped=[script("setup", LOCATION)], ready=[script("motd", LOCATION)]),
    ),
    Fragment(
        "the caching policy",
        actions(ready=[script("motd", LOCATION)], caching=KEPT),
        ("nodeLifecycleActions.scriptCachingPolicy",),
        before=actions(ready=[script("motd", LOCATION)], caching="REFRESH_ON_REBOOT"),
    ),
)
UNDECIDED: tuple[Fragment, ...] = ()


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    if group.change not in (Change.UPDATE, Change.NO_OP):
        return
    kept = list(_kept(field_spec(group.after, "nodeLifecycleActions"), group.actions))
    if not kept:
        yield passed(group.actions)
        return
    foreign = {leaf.path for script, _ in predecessors(group) for leaf in inheritable(script)}
    for node in kept:
        if node.path not in foreign:
            yield _not_removed(group, node)


def _kept(spec: FieldSpec, node: Node) -> Iterator[Node]:
    """The topmost places that nobody stated and that prior state fills."""
    if node.unset and node.basis is Basis.PRIOR_STATE:
        if not is_nothing(spec, node):
            yield node
    elif isinstance(node, List) and spec.item is not None:
        for item in node.items:
            yield from _kept(spec.item, item)
    elif isinstance(node, Object) and node.known:
        for field in spec.fields:
            yield from _kept(field, node.child(field.name))


def _not_removed(group: NodeGroup, node: Node) -> Verdict:
    missing = f"{subject(group, node)} is not in the configuration, but the plan keeps"
    if isinstance(node, Leaf):
        return failed(node, f"{missing} {show(node)} from prior state", "state the value that is meant")
    scripts = sum(1 for script in group.scripts() if script.node.path.startswith(node.path))
    if scripts:
        return failed(
            node,
            f"{missing} it from prior state: {scripts} script{'s' * (scripts > 1)} still run as root on every new node",
            "state what is meant, or replace the group to be rid of it",
        )
    return failed(node, f"{missing} it from prior state, where it still has an effect", "state the value that is meant")
