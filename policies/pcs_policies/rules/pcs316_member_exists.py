"""Every member that somebody wrote exists.

What it checks
    In the source, a node group and the objects in it have only members that a node group has: no `argumants`, no
    `on_eror`, no `script_location` beside `script_source` instead of in it. A plan shows this only together with its
    source.

Why
    Terraform refuses an unknown attribute of a resource, but not of an object within it: `terraform validate` passes,
    and the member vanishes without a word. The script then runs with the default of what was meant to be set.

Fix
    Write the member as the finding suggests, in the object where it belongs.

Sources
    Terraform language, type conversion of objects (attributes that a type does not have are discarded); tried with
    terraform 1.11.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.spelling import FieldSpec, Spelling, structure
from pcs_policies.document import List, Node, NodeGroup, Object
from pcs_policies.errors import nearest
from pcs_policies.redaction import quote
from pcs_policies.rules.contract_limits import subject
from pcs_policies.rules.fragments import SHA256, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS316"
TITLE = "member-exists"
SEVERITY = Severity.ERROR
NEEDS = frozenset({"source"})


def _script(**members: object) -> Tree:
    return actions(ready=[script("motd", "https://scripts.example.com/motd.sh", checksum=SHA256, **members)])


GOOD = (Fragment("members that exist", _script(onError="CONTINUE")),)
BAD = (
    Fragment("a misspelled member", _script(on_eror="CONTINUE"), (at("ready", 0),)),
    Fragment(
        "a member beside the object that it belongs in",
        actions(ready=[{"name": "motd", "script_location": "s3://example-scripts/motd.sh", "scriptSource": {}}]),
        (at("ready", 0),),
    ),
    Fragment("a member of nothing", {"lifecycle_hooks": "s3://example-scripts/motd.sh"}, ("",)),
)
UNDECIDED: tuple[Fragment, ...] = ()


_FATE: dict[Spelling, str] = {
    "terraform": "terraform drops what it does not know inside of an object, and says nothing",
    "cloudformation": "CloudFormation refuses it, and the stack with it",
    "api": "the AWS SDKs and the AWS CLI refuse the request",
}
"""What becomes of a member that does not exist."""


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    unknown: dict[str, list[str]] = {}
    for stranger in group.strangers:
        unknown.setdefault(stranger.path, []).append(stranger.key)
    if not unknown:
        yield passed(group.after)
    for path, keys in unknown.items():
        node = _at(group.after, path)
        has = "a member" if len(keys) == 1 else "members"
        listed = ", ".join(f"{quote(key)}{_hint(key, node, group.spelling)}" for key in keys)
        yield failed(
            node,
            f"{subject(group, node)} has {has} that no node group has, {listed}: {_FATE[group.spelling]}",
            "write it as it is called, where it belongs",
        )


def _hint(key: str, node: Node, spelling: Spelling) -> str:
    """Where a member of that name belongs, or what it is called here."""
    homes = _homes(structure(spelling), key, "the group")
    if homes:
        return f" (it belongs in {homes[0]})"
    spec = node.spec if isinstance(node, Object) else structure(spelling)
    return nearest(key, [field.written for field in spec.fields])


def _homes(spec: FieldSpec, key: str, called: str) -> list[str]:
    """What the objects are called that have a member ``key``, the outermost first."""
    found = [called] if any(field.written == key for field in spec.fields) else []
    for field in spec.fields:
        found += _homes(field, key, field.written or called)
    return found + (_homes(spec.item, key, called) if spec.item else [])


def _at(node: Node, path: str) -> Node:
    """The node at a canonical path that is known to exist."""
    for name in path.replace("[", ".").replace("]", "").split(".") if path else ():
        if isinstance(node, List):
            node = node.items[int(name)]
        elif isinstance(node, Object):
            node = node.child(name)
    return node
