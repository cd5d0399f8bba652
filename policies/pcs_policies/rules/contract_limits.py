"""What the contract rules share: the constrained places of a group, and words for them.

A rule of the 3xx range picks from the contract what it judges, once; :func:`constrained` then finds the places of a
document that this is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from pcs_contract.hints import TypeVar
from pcs_contract.shapes import read_only
from pcs_contract.spelling import FieldSpec, Spelling, structure
from pcs_policies.document import Node, NodeGroup, Object, nodes_of
from pcs_policies.redaction import label, mask, printable

THROUGH_CLOUDFORMATION = frozenset({"awscc_pcs_compute_node_group", "AWS::PCS::ComputeNodeGroup"})
"""Resource types that reach PCS by way of CloudFormation's schema, which has limits of its own."""

C = TypeVar("C")


def constrained(pick: Callable[[str, FieldSpec], C | None]) -> Callable[[NodeGroup], list[tuple[Node, C]]]:
    """What finds the constrained places of a document, each with its constraint.

    ``pick`` gets a canonical path (lists marked by ``[]``) and the field there, and returns its constraint, if any. It
    is asked once for each field. What PCS sets by itself (id, status and others) is left out: no request carries it.
    """

    @cache
    def constraints(spelling: Spelling) -> dict[FieldSpec, C]:
        return {
            field: constraint for path, field in _all_fields(spelling) if (constraint := pick(path, field)) is not None
        }

    @cache
    def in_actions(spelling: Spelling) -> Callable[[Object], list[tuple[Node, C]]]:
        found = constraints(spelling)
        return lambda actions: _among(nodes_of(actions), found)

    def places(group: NodeGroup) -> list[tuple[Node, C]]:
        own = _among(group.nodes, constraints(group.spelling))
        return own + group.of_actions(in_actions(group.spelling))

    return places


def _among(nodes: list[Node], constraints: dict[FieldSpec, C]) -> list[tuple[Node, C]]:
    return [(node, constraints[node.spec]) for node in nodes if node.spec in constraints]


@cache
def _all_fields(spelling: Spelling) -> tuple[tuple[str, FieldSpec], ...]:
    return tuple(_fields(structure(spelling), ""))


def _fields(spec: FieldSpec, path: str) -> Iterator[tuple[str, FieldSpec]]:
    yield path, spec
    for field in spec.fields:
        if path or field.name not in read_only():
            yield from _fields(field, f"{path}.{field.name}" if path else field.name)
    if spec.item is not None:
        yield from _fields(spec.item, f"{path}[]")


_SCRIPT = r"nodeLifecycleActions\.stages\.(nodeBootstrapped|nodeReady)\[(\d+)\]\.?"


def subject(group: NodeGroup, node: Node) -> str:
    """How a message calls a place: ``checksum of nodeReady script "motd"``, or the path outside of scripts."""
    match = re.match(_SCRIPT, node.path)
    if match is None:
        return printable(mask(node.path)) or "the group"
    stage, index = match.group(1), int(match.group(2))
    script = next((script for script in group.scripts(stage) if script.index == index), None)
    whose = label(script) if script else f"{stage}[{index}]"
    member = node.path[match.end() :].rsplit(".", 1)[-1]
    return f"{member} of {whose}" if member else whose
