"""What the contract rules share: a walk over the constrained places of a group, and words for them.

A rule of the 3xx range picks from the contract what it judges, once; :func:`walk` then goes through a document along
those branches only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from pcs_contract import spelling
from pcs_contract.shapes import read_only
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import List, Node, NodeGroup, Object
from pcs_policies.redaction import label, mask, printable

THROUGH_CLOUDFORMATION = frozenset({"awscc_pcs_compute_node_group", "AWS::PCS::ComputeNodeGroup"})
"""Resource types that reach PCS by way of CloudFormation's schema, which has limits of its own."""

C = TypeVar("C")


class Branch(NamedTuple, Generic[C]):
    """A field on the way to something constrained: its own constraint, those of its members, that of its items."""

    constraint: C | None
    members: tuple[tuple[str, Branch[C]], ...]
    item: Branch[C] | None


def branches(pick: Callable[[str, FieldSpec], C | None]) -> Branch[C]:
    """The constrained fields of a group. ``pick`` gets a canonical path (lists marked by ``[]``) and the field.

    What PCS sets by itself (id, status and others) is left out: no request carries it.
    """
    root = spelling.structure("api")
    members = ((field.name, _branch(field, field.name, pick)) for field in root.fields if field.name not in read_only())
    return Branch(pick("", root), tuple((name, branch) for name, branch in members if branch), None)


def _branch(spec: FieldSpec, path: str, pick: Callable[[str, FieldSpec], C | None]) -> Branch[C] | None:
    members = ((field.name, _branch(field, f"{path}.{field.name}", pick)) for field in spec.fields)
    found = tuple((name, branch) for name, branch in members if branch)
    item = None if spec.item is None else _branch(spec.item, f"{path}[]", pick)
    constraint = pick(path, spec)
    return Branch(constraint, found, item) if constraint is not None or found or item else None


def walk(branch: Branch[C], node: Node) -> list[tuple[Node, C]]:
    """The constrained places in and below ``node`` that the document holds, each with its constraint."""
    found: list[tuple[Node, C]] = []
    _collect(branch, node, found)
    return found


def _collect(branch: Branch[C], node: Node, found: list[tuple[Node, C]]) -> None:
    constraint, members, item = branch
    if constraint is not None:
        found.append((node, constraint))
    if isinstance(node, Object):
        if node.known:
            for name, member in members:
                _collect(member, node.fields[name], found)
            if item is not None:
                for value in node.fields.values():
                    _collect(item, value, found)
    elif item is not None and isinstance(node, List):
        for element in node.items:
            _collect(item, element, found)


_SCRIPT = re.compile(r"nodeLifecycleActions\.stages\.(nodeBootstrapped|nodeReady)\[(\d+)\]\.?")


def subject(group: NodeGroup, node: Node) -> str:
    """How a message calls a place: ``checksum of nodeReady script "motd"``, or the path outside of scripts."""
    match = _SCRIPT.match(node.path)
    if match is None:
        return printable(mask(node.path)) or "the group"
    stage, index = match.group(1), int(match.group(2))
    script = next((script for script in group.scripts(stage) if script.index == index), None)
    whose = label(script) if script else f"{stage}[{index}]"
    member = node.path[match.end() :].rsplit(".", 1)[-1]
    return f"{member} of {whose}" if member else whose
