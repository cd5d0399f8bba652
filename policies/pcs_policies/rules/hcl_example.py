"""Fragments as a person would write them: the HCL of a node group, formatted as ``terraform fmt`` does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pcs_contract import spelling
from pcs_contract.shapes import group_field
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Template
from pcs_policies.rules.fragments import KEPT, UNKNOWN, Tree

AWSCC, PCS = "awscc_pcs_compute_node_group", "pcs_compute_node_group"

REFERENCES: Mapping[str, str] = {
    "clusterId": "awscc_pcs_cluster.hpc.cluster_id",
    "s3VersionId": "aws_s3_object.script.version_id",
}
"""Member -> what a person would refer to for it; a variable named after the member otherwise."""


def hcl(group: Tree, kind: str | None = None, name: str = "hpc") -> str:
    """The resource block of a fragment, of the resource type ``kind`` (by default one that can hold it).

    What the author left out and the provider carries over (``KEPT``) is left out here too.
    """
    lines = [f'resource "{kind or resource_type(group)}" "{name}" {{']
    lines += _indented(_members(spelling.structure("terraform"), group))
    return "\n".join((*lines, "}")) + "\n"


def resource_type(group: Tree) -> str:
    """The resource type that can hold a fragment: awscc's, or this project's where awscc lacks one of its fields."""
    return PCS if spelling.LACKING[AWSCC].intersection(group) else AWSCC


def string(text: str) -> str:
    """A text as a quoted HCL string that means just that text."""
    return f'"{_escaped(text)}"'


def _members(spec: FieldSpec, value: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an object's members; those of one line have their equals signs aligned with their neighbours'."""
    block: list[tuple[str, str]] = []
    for name, member in value.items():
        if member is KEPT:
            continue
        field = _field(spec, name)
        lines = list(_value(field, member, field.written or "value"))
        key = field.written or _map_key(name)
        if len(lines) == 1:
            block.append((key, lines[0]))
            continue
        yield from _aligned(block)
        block = []
        yield f"{key} = {lines[0]}"
        yield from lines[1:]
    yield from _aligned(block)


def _aligned(block: list[tuple[str, str]]) -> Iterator[str]:
    width = max((len(key) for key, _ in block), default=0)
    for key, value in block:
        yield f"{key.ljust(width)} = {value}"


def _value(spec: FieldSpec, value: Any, name: str) -> Iterator[str]:
    """The lines of an expression; where it is a variable, ``name`` is what a person would call it."""
    if value is UNKNOWN:
        yield REFERENCES.get(spec.name) or f"var.{name}"
    elif isinstance(value, Template):
        parts = (f"${{var.{name}}}" if part is None else _escaped(part) for part in value.parts)
        yield f'"{"".join(parts)}"'
    elif isinstance(value, dict):
        lines = _indented(_members(spec, value))
        yield "{" if lines else "{}"
        if lines:
            yield from lines
            yield "}"
    elif isinstance(value, list):
        assert spec.item is not None, f"{spec.name} is no list"
        yield from _list(spec.item, value, name.removesuffix("s"))
    elif value is None:
        yield "null"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    else:
        yield str(value) if isinstance(value, int) else string(str(value))


def _list(spec: FieldSpec, items: list[Any], name: str) -> Iterator[str]:
    """A list on one line where all its items are, one item after the other otherwise."""
    blocks = [list(_value(spec, item, name)) for item in items]
    if all(len(lines) == 1 for lines in blocks):
        yield f"[{', '.join(lines[0] for lines in blocks)}]"
        return
    yield "["
    for lines in blocks:
        yield from _indented((*lines[:-1], f"{lines[-1]},"))
    yield "]"


def _field(spec: FieldSpec, name: str) -> FieldSpec:
    if spec.kind == "map":
        assert spec.item is not None
        return spec.item
    known = next((field for field in spec.fields if field.name == name), None)
    return known or FieldSpec(name, name, "string", group_field("name"))  # a fragment may show a member that is none


def _map_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) else string(name)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(text: str) -> str:
    """The text between the quotes; a template sequence is escaped by doubling its first character."""
    shown = "".join(_ESCAPES.get(c) or (c if c.isprintable() else _code(ord(c))) for c in text)
    return re.sub(r"([$%])\{", r"\1\1{", shown)


def _code(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
