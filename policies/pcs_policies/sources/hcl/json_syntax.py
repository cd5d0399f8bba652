"""Terraform's JSON syntax as expressions (https://developer.hashicorp.com/terraform/language/syntax/json).

Strings are templates there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pcs_policies.errors import InputError
from pcs_policies.redaction import printable
from pcs_policies.sources import text as texts
from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl.expressions import Node, parsed
from pcs_policies.sources.hcl.scan import SyntaxProblem, scan_template
from pcs_policies.sources.reading import Json

if TYPE_CHECKING:
    from pcs_policies.sources.hcl.files import Definition


def node(value: Any, *, literal: bool = False) -> Node:
    """The expression that JSON stands for; ``literal``: its strings are no templates."""
    if isinstance(value, str):
        return ast.Literal(value, 0, len(value), value) if literal else template(value)
    if isinstance(value, list):
        return ast.Sequence("", 0, 0, tuple(node(item, literal=literal) for item in value))
    if isinstance(value, dict):
        members = ((key, member) for key, member in value.items() if key != "//" or literal)
        return ast.Mapping(
            "", 0, 0, tuple((node(key, literal=literal), node(member, literal=literal)) for key, member in members)
        )
    return ast.Literal("", 0, 0, value)


def template(text: str) -> Node:
    """A string, which is a template."""
    if "${" not in text and "%{" not in text:
        return ast.Literal(text, 0, len(text), text)
    try:
        scan, _ = scan_template(text)
    except SyntaxProblem:
        return ast.Other(text, 0, len(text))
    return ast.Text(text, 0, len(text), scan)


class Definitions:
    """What the JSON files of a module define. Files that cannot be read define nothing; others tell of them."""

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths

    @cached_property
    def _documents(self) -> list[Json]:
        return [document for path in self._paths if (document := _read(path)) is not None]

    def find(self, kind: str, name: str) -> Definition | None:
        """As :meth:`~pcs_policies.sources.hcl.files.Folder.find`."""
        from pcs_policies.sources.hcl.files import Definition

        for document in self._documents:
            for part in _objects(document.get(kind)):
                if name not in part:
                    continue
                if kind == "locals":
                    return Definition(None, None, {name: node(part[name])})
                for body in _objects(part[name]):
                    return Definition(None, None, {key: _member(kind, key, value) for key, value in body.items()})
        return None

    def bodies(self, kind: str) -> Iterator[tuple[str, Json]]:
        """The blocks of a kind with one label, such as module calls, by name."""
        for document in self._documents:
            for part in _objects(document.get(kind)):
                yield from ((name, body) for name, value in part.items() for body in _objects(value))


def _member(kind: str, key: str, value: Any) -> Node:
    if kind == "variable" and key == "type" and isinstance(value, str):
        try:
            return parsed(value)
        except SyntaxProblem:
            return ast.Other(value, 0, len(value))
    return node(value, literal=kind == "variable")


def _objects(value: Any) -> list[Json]:
    """A block's objects: terraform takes one, or a list of them that are merged."""
    return [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]


def _read(path: str) -> Json | None:
    try:
        document = texts.parse(texts.decode(texts.read(path)))
    except InputError:
        return None
    return document if isinstance(document, dict) else None


def variables(path: str) -> Json:
    """The values in a ``.tfvars.json`` file. Raises :class:`~pcs_policies.errors.InputError`."""
    document = texts.parse(texts.decode(texts.read(path)))
    if not isinstance(document, dict):
        raise InputError(f"{printable(path)} holds no object of variables")
    return document
