"""From the parse tree of a block to what its members say, and to the place of each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcs_contract.record import Record
from pcs_policies.redaction import quote
from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl import library
from pcs_policies.sources.hcl.evaluate import Evaluator, Names, Scope
from pcs_policies.sources.hcl.expressions import Node, Reader
from pcs_policies.sources.hcl.library import Tree, trees
from pcs_policies.sources.hcl.scan import Block, Scan, SyntaxProblem
from pcs_policies.sources.hcl.templates import take_apart

Json = dict[str, Any]

Members = dict[str, "Node | Members | list[Members]"]
"""The members of a block: expressions; nested blocks, several of one type as a list."""


class Body(Record):
    """What a block says. ``offsets`` are where, by path as written: the key of a member, the start of a list's item."""

    members: Members
    offsets: dict[str, int]


def read(scan: Scan, block: Block) -> Body:
    """The members of a top-level block, meta-arguments included.

    Nested blocks are objects, several of one type a list of them; what a ``dynamic`` block makes is not evaluated.
    Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem` and :class:`~pcs_policies.errors.UsageError`.
    """
    try:
        reader = _BodyReader(scan, block.start)
        return Body(reader.body(library.parse(scan, block), ""), reader.offsets)
    except RecursionError:
        raise SyntaxProblem(block.start, "a block that nests too deep to be read") from None


def evaluate(members: Members, evaluator: Evaluator, scope: Scope, names: Names) -> Json:
    """The values of a block's members."""
    return {name: _evaluated(member, evaluator, scope, names) for name, member in members.items()}


def _evaluated(member: Any, evaluator: Evaluator, scope: Scope, names: Names) -> Any:
    if isinstance(member, Mapping):
        return evaluate(dict(member), evaluator, scope, names)
    if isinstance(member, list):
        return [_evaluated(item, evaluator, scope, names) for item in member]
    return evaluator.value(member, scope, names).raw


def sensitive(members: Members, evaluator: Evaluator, scope: Scope, names: Names) -> Json:
    """What of a block's members comes from something sensitive, in the shape of
    :attr:`~pcs_policies.sources.written.Written.sensitive`.
    """
    return {name: _sensitive(member, evaluator, scope, names) for name, member in members.items()}


def _sensitive(member: Any, evaluator: Evaluator, scope: Scope, names: Names) -> Any:
    while isinstance(member, ast.Group):
        member = member.inner
    if isinstance(member, Mapping):
        return sensitive(dict(member), evaluator, scope, names)
    if isinstance(member, list):
        return [_sensitive(item, evaluator, scope, names) for item in member]
    if isinstance(member, ast.Sequence):
        return [_sensitive(item, evaluator, scope, names) for item in member.items]
    if isinstance(member, ast.Mapping):
        named = [(_name(key), value) for key, value in member.members]
        if all(name is not None for name, _ in named):
            return {name: _sensitive(value, evaluator, scope, names) for name, value in named}
    evaluator.sensitive = False
    evaluator.value(member, scope, names)
    return evaluator.sensitive or evaluator.exhausted  # what could not be looked at a second time may be


class _BodyReader(Reader):
    """The walk over the tree of one block."""

    def __init__(self, scan: Scan, base: int) -> None:
        super().__init__(scan, base)
        self.offsets: dict[str, int] = {}

    def body(self, tree: Tree, path: str) -> Members:
        """The members of a block at ``path``."""
        members: Members = {}
        blocks: dict[str, list[Tree]] = {}
        for child in trees(tree):
            name_tree = next(trees(child))
            name = self.text(name_tree)
            if child.data == "block":
                dynamic = name == "dynamic" and len(labels := _labels(child)) == 1
                blocks.setdefault(self.text(labels[0]).strip('"') if dynamic else name, []).append(child)
                continue
            if name in members or name in blocks:
                raise SyntaxProblem(self.start(name_tree), f"{quote(name)} is set a second time")
            _, expression = trees(child)
            members[name] = node = self.node(expression)
            self._place(node, _below(path, name), self.start(name_tree))
        for name, found in blocks.items():
            if name in members:
                raise SyntaxProblem(self.start(found[0]), f"{quote(name)} is set a second time")
            members[name] = self._nested(_below(path, name), found)
        return members

    def _nested(self, path: str, blocks: list[Tree]) -> Any:
        """The blocks of one type in one body."""
        self.offsets[path] = self.start(blocks[0])
        if any(_labels(block) for block in blocks):  # dynamic ones, or such as no node group has
            return ast.Other(self.scan.clean, self.start(blocks[0]), self.base + blocks[0].meta.end_pos)
        if len(blocks) == 1:
            return self.body(_body(blocks[0]), path)
        items = []
        for index, block in enumerate(blocks):
            self.offsets[f"{path}[{index}]"] = self.start(block)
            items.append(self.body(_body(block), f"{path}[{index}]"))
        return items

    def _place(self, node: Node, path: str, offset: int) -> None:
        """Note where the member or item at ``path`` is, and what is literally inside of it."""
        self.offsets[path] = offset
        while isinstance(node, ast.Group):
            node = node.inner
        if isinstance(node, ast.Text):
            take_apart(self.scan, self.scan.strings[node.start])  # a wrong one is told now
        elif isinstance(node, ast.Sequence):
            for index, item in enumerate(node.items):
                self._place(item, f"{path}[{index}]", item.start)
        elif isinstance(node, ast.Mapping):
            for key, member in node.members:
                name = _name(key)
                if name is not None:
                    self._place(member, _below(path, name), key.start)


def _name(key: Node) -> str | None:
    """The name of an object's member; ``None`` where an expression gives it."""
    while isinstance(key, ast.Group):
        key = key.inner
    if isinstance(key, ast.Literal):
        return key.value if isinstance(key.value, str) else str(key.value)
    if isinstance(key, ast.Text):
        taken = take_apart(key.scan, key.scan.strings[key.start])
        if taken is not None and all(isinstance(part, str) for part in taken.parts):
            return "".join(map(str, taken.parts))
    return None


def _labels(block: Tree) -> list[Tree]:
    return [child for child in trees(block) if child.data != "body"][1:]


def _body(block: Tree) -> Tree:
    return next(child for child in trees(block) if child.data == "body")


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
