"""From the parse tree of a block to its values, and to the place of each of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from pcs_policies.redaction import quote
from pcs_policies.sources.hcl import library, templates
from pcs_policies.sources.hcl.library import Tree, trees
from pcs_policies.sources.hcl.scan import Block, Scan, SyntaxProblem

Json = dict[str, Any]

LARGEST = 300
"""Decimal digits before or behind the point up to which a number is read; no attribute takes larger ones."""


class Body(NamedTuple):
    """What a block says. ``offsets`` are where, by path as written: the key of a member, the start of a list's item."""

    values: Json
    offsets: dict[str, int]


def read(scan: Scan, block: Block) -> Body:
    """The values of a top-level block, meta-arguments included.

    An object with a computed key is an :class:`~pcs_policies.document.Expression`, since any member may be behind it;
    so is a member that a ``dynamic`` block makes. Nested blocks are objects, several of one type a list of them.
    Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem` and :class:`~pcs_policies.errors.UsageError`.
    """
    try:
        reader = _Reader(scan, block.start)
        return Body(reader.body(library.parse(scan, block), ""), reader.offsets)
    except RecursionError:
        raise SyntaxProblem(block.start, "a block that nests too deep to be read") from None


class _Reader:
    """The walk over one tree, whose offsets count from ``base``."""

    def __init__(self, scan: Scan, base: int) -> None:
        self.scan = scan
        self.base = base
        self.offsets: dict[str, int] = {}

    def body(self, tree: Tree, path: str) -> Json:
        """The members of a block at ``path``."""
        values: Json = {}
        blocks: dict[str, list[Tree]] = {}
        for child in trees(tree):
            name_tree = next(trees(child))
            name = self._text(name_tree)
            if child.data == "block":
                dynamic = name == "dynamic" and len(labels := _labels(child)) == 1
                blocks.setdefault(self._label(labels[0]) if dynamic else name, []).append(child)
                continue
            if name in values or name in blocks:
                raise SyntaxProblem(self._start(name_tree), f"{quote(name)} is set a second time")
            _, expression = trees(child)
            values[name] = self._member(name, name_tree, expression, path)
        for name, found in blocks.items():
            if name in values:
                raise SyntaxProblem(self._start(found[0]), f"{quote(name)} is set a second time")
            values[name] = self._nested(_below(path, name), found)
        return values

    def _nested(self, path: str, blocks: list[Tree]) -> Any:
        """The blocks of one type in one body."""
        self.offsets[path] = self._start(blocks[0])
        if any(_labels(block) for block in blocks):  # dynamic ones, or such as no node group has
            return templates.expression(self._text(blocks[0]))
        if len(blocks) == 1:
            return self.body(_body(blocks[0]), path)
        items = []
        for index, block in enumerate(blocks):
            self.offsets[f"{path}[{index}]"] = self._start(block)
            items.append(self.body(_body(block), f"{path}[{index}]"))
        return items

    def _member(self, name: str, key: Tree, expression: Tree, path: str) -> Any:
        below = _below(path, name)
        self.offsets[below] = self._start(key)
        return self.value(expression, below)

    def value(self, tree: Tree, path: str) -> Any:
        """The value of an expression at ``path``."""
        if tree.data == "unary_op":
            number = self._negative(tree)
            return self._expression(tree) if number is None else number
        if tree.data != "expr_term":
            return self._expression(tree)
        (inner,) = trees(tree)
        match inner.data:
            case "expr_term" | "unary_op":  # in parentheses
                return self.value(inner, path)
            case "string":
                return templates.value(self.scan, self.scan.strings[self._start(inner)])
            case "int_lit" | "float_lit":
                number = _number(self._text(inner))
                return self._expression(tree) if number is None else number
            case "literal_value":
                return {"true": True, "false": False, "null": None}[self._text(inner)]
            case "tuple":
                return self._tuple(inner, path)
            case "object":
                return self._object(inner, path)
        return self._expression(tree)

    def _tuple(self, tree: Tree, path: str) -> list[Any]:
        items = []
        for index, item in enumerate(trees(tree)):
            below = f"{path}[{index}]"
            self.offsets[below] = self._start(item)
            items.append(self.value(item, below))
        return items

    def _object(self, tree: Tree, path: str) -> Any:
        elements = [tuple(trees(element)) for element in trees(tree)]
        names = [self._key(key) for key, _ in elements]
        if None in names:
            return self._expression(tree)
        values: Json = {}
        for name, (key, expression) in zip(names, elements, strict=True):
            assert name is not None
            values[name] = self._member(name, key, expression, path)  # of two of one name terraform takes the last
        return values

    def _key(self, tree: Tree) -> str | None:
        """The name of an object's member; ``None`` where an expression gives it."""
        (key,) = trees(tree)
        if key.data == "keyword":
            return self._text(key)
        inner = next(trees(key), None)
        if len(key.children) == 1 and inner is not None and inner.data in ("identifier", "literal_value"):
            return self._text(inner)  # a bare word, even null, is a name here
        name = self.value(key, "")
        if isinstance(name, int | float) and not isinstance(name, bool):
            return str(name)
        return name if isinstance(name, str) else None

    def _negative(self, tree: Tree) -> int | float | None:
        """The number of a minus before a literal."""
        operand = next(trees(tree))
        number = self.value(operand, "") if str(tree.children[0]) == "-" else None
        return -number if isinstance(number, int | float) and not isinstance(number, bool) else None

    def _label(self, tree: Tree) -> str:
        return self._text(tree).strip('"')

    def _expression(self, tree: Tree) -> Any:
        return templates.expression(self._text(tree))

    def _text(self, tree: Tree) -> str:
        """The source of a tree, comments blank; a tree may reach over the line ends behind it."""
        return self.scan.clean[self._start(tree) : self.base + tree.meta.end_pos].strip()

    def _start(self, tree: Tree) -> int:
        start: int = self.base + tree.meta.start_pos
        return start


def _labels(block: Tree) -> list[Tree]:
    return [child for child in trees(block) if child.data != "body"][1:]


def _body(block: Tree) -> Tree:
    return next(child for child in trees(block) if child.data == "body")


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _number(text: str) -> int | float | None:
    """A whole number as ``int``, as terraform shows it, another one as ``float``; ``None`` for an absurd one."""
    number = Decimal(text)
    if number and abs(number.adjusted()) > LARGEST:
        return None
    return int(number) if number == number.to_integral_value() else float(number)
