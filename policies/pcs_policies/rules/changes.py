"""What the rules on changes share: whether a place really changes, and how many nodes a change reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Change, Leaf, List, Node, NodeGroup, Object, Script


def field_spec(group: Object, name: str) -> FieldSpec:
    """The contract's description of a top-level member."""
    return next(field for field in group.spec.fields if field.name == name)


def differs(spec: FieldSpec, before: Node, after: Node) -> bool | None:
    """Whether two states of a place have different effects; ``None`` when only apply tells.

    What is left out has the effect of its default, and an empty list or object that of none.
    """
    if isinstance(before, Leaf) and isinstance(after, Leaf):
        if not (before.known or before.absent) or not (after.known or after.absent):
            return None
        return bool(_effective(spec, before) != _effective(spec, after))
    if before.unknown or after.unknown:
        return None
    if isinstance(before, List) and isinstance(after, List):
        assert spec.item is not None
        if len(before.items) != len(after.items):
            return True
        return _any(differs(spec.item, one, other) for one, other in zip(before.items, after.items, strict=True))
    assert isinstance(before, Object)
    assert isinstance(after, Object)
    return _any(differs(field, before.child(field.name), after.child(field.name)) for field in spec.fields)


def is_nothing(spec: FieldSpec, node: Node) -> bool:
    """Whether a place has no effect: left out, empty, or what the API takes anyway."""
    if is_empty(node):
        return True
    if isinstance(node, Leaf):
        return spec.default is not None and node.value == spec.default
    if not isinstance(node, Object) or node.unknown:
        return False
    return all(is_nothing(field, node.child(field.name)) for field in spec.fields)


def is_empty(node: Node) -> bool:
    """Whether a place holds nothing at all: left out, an empty text, list or map."""
    if isinstance(node, Leaf):
        return node.absent or node.value == ""
    if isinstance(node, List):
        return not node.unknown and not node.items
    return node.absent


def inheritable(script: Script) -> tuple[Node, ...]:
    """The optional members of a script: what it gets from prior state where it does not state them."""
    return (script.checksum, script.version, script.arguments, script.on_error, script.execution_policy)


def predecessors(group: NodeGroup) -> Iterator[tuple[Script, Script]]:
    """Each script whose position had a script of another name before an update, and that script."""
    earlier = group.as_before() if group.change in (Change.UPDATE, Change.NO_OP) else None
    if earlier is None:
        return
    places = {(script.stage, script.index): script for script in earlier.scripts()}
    for script in group.scripts():
        other = places.get((script.stage, script.index))
        if other is not None and script.name.text is not None and script.name.text != other.name.text:
            yield script, other


def _effective(spec: FieldSpec, leaf: Leaf) -> object:
    return spec.default if leaf.absent else leaf.value


def _any(answers: Iterable[bool | None]) -> bool | None:
    """As :func:`any`, where an answer that nobody knows yet can only be outvoted by a yes."""
    result: bool | None = False
    for answer in answers:
        if answer:
            return True
        if answer is None:
            result = None
    return result


def reach(group: Object) -> str:
    """How many nodes run in a group, in brackets for a message; empty where its bounds do not tell."""
    scaling = group.object("scalingConfiguration")
    least, most = scaling.leaf("minInstanceCount").number, scaling.leaf("maxInstanceCount").number
    if most is None:
        return ""
    if least == most:
        return f" (all {most})" if most else " (none)"
    return f" (between {least} and {most})" if least else f" (up to {most})"


def has_no_nodes(group: Object) -> bool:
    """Whether a group is too small to have any node."""
    return group.object("scalingConfiguration").leaf("maxInstanceCount").number == 0
