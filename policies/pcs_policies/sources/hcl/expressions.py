"""Expressions of terraform's language, and how the parse tree of python-hcl2 becomes one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pcs_policies.document import Expression
from pcs_policies.sources.hcl import library
from pcs_policies.sources.hcl.library import Tree, trees
from pcs_policies.sources.hcl.scan import Scan, scan_expression

LONGEST = 200
"""Characters of an expression's text that are kept."""

MOST_DIGITS = 300
"""Decimal digits before or behind the point up to which a number is read; no attribute takes larger ones."""


@dataclass(frozen=True, slots=True)
class Node:
    """An expression, and where it is: from ``start`` to ``end`` in ``source``, which has no comments."""

    source: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """As it was written. A tree may reach over the line ends behind it."""
        return self.source[self.start : self.end].strip()


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """``None``, a boolean, a number, or the bare name of an object's member."""

    value: Any


@dataclass(frozen=True, slots=True)
class Huge(Node):
    """A number that is too large to be true."""


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A quoted string or heredoc, which ``templates`` takes apart when it is needed. ``scan`` knows its parts."""

    scan: Scan


@dataclass(frozen=True, slots=True)
class Group(Node):
    """An expression in parentheses."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """The first name of a reference."""

    name: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a traversal: ``.name`` (``name``), ``[key]`` (``key``), ``.*`` or ``[*]`` (``splat``)."""

    name: str | None = None
    key: Node | None = None
    splat: str | None = None


@dataclass(frozen=True, slots=True)
class Traversal(Node):
    """Steps from a value into it. What follows ``[*]`` is applied to each item."""

    of: Node
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """``-x`` or ``!x``."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """An operator between two expressions."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function call; ``expand``: the last argument is a list of arguments."""

    name: str
    arguments: tuple[Node, ...]
    expand: bool


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """``[...]``, a tuple to terraform."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping(Node):
    """``{...}``, an object to terraform; a key that is a bare word is a :class:`Literal`."""

    members: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class For(Node):
    """``[for ...]`` or, with a ``key``, ``{for ...}``. ``names`` are one or two; ``group`` is ``...``."""

    names: tuple[str, ...]
    of: Node
    key: Node | None
    value: Node
    group: bool
    condition: Node | None


@dataclass(frozen=True, slots=True)
class Other(Node):
    """Something that is not evaluated: the blocks that a ``dynamic`` block makes."""


def shown(text: str, nullable: bool = False) -> Expression:
    """An expression by its text, on one line and not too long; that it mentions ``null`` is never cut off."""
    line = " ".join(text.split())
    says_so = Expression(line).may_be_null
    if len(line) > LONGEST:
        rest = " null ..." if says_so else ""
        line = f"{line[: LONGEST - len(rest) - 3].rstrip()}...{rest}"
    return Expression(line, nullable and not says_so)


@lru_cache(maxsize=4096)
def parsed(text: str) -> Node:
    """The expression that a text is, such as one inside of ``${...}``.

    Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem` and :class:`~pcs_policies.errors.UsageError`.
    """
    scan = scan_expression(f"({text}\n)")
    found = Reader(scan, -library.BEFORE).node(library.parse_expression(scan.skeleton, scan.clean))
    assert isinstance(found, Group)
    return found.inner


class Reader:
    """Makes expressions of trees, whose offsets count from ``base`` in the text of ``scan``."""

    def __init__(self, scan: Scan, base: int) -> None:
        self.scan = scan
        self.base = base

    def text(self, tree: Tree) -> str:
        return self.scan.clean[self.start(tree) : self.base + tree.meta.end_pos].strip()

    def start(self, tree: Tree) -> int:
        start: int = self.base + tree.meta.start_pos
        return start

    def _span(self, tree: Tree) -> tuple[str, int, int]:
        return self.scan.clean, self.start(tree), self.base + tree.meta.end_pos

    def node(self, tree: Tree) -> Node:
        """The expression of a tree."""
        span = self._span(tree)
        match tree.data:
            case "expr_term":
                return self._term(tree, span)
            case "unary_op":
                operator, operand = str(tree.children[0]), self.node(next(trees(tree)))
                if operator == "-" and isinstance(operand, Literal) and _is_number(operand.value):
                    return Literal(*span, -operand.value)
                return Unary(*span, operator, operand)
            case "binary_op":
                left, term = trees(tree)
                operator_tree, right = trees(term)
                return Binary(*span, self.text(operator_tree), self.node(left), self.node(right))
            case "conditional":
                return Conditional(*span, *(self.node(part) for part in trees(tree)))
        return Other(*span)

    def _term(self, tree: Tree, span: tuple[str, int, int]) -> Node:
        (inner,) = trees(tree)
        match inner.data:
            case "string":
                return Text(*self._span(inner), self.scan)
            case "int_lit" | "float_lit":
                number = literal_number(self.text(inner))
                return Huge(*span) if number is None else Literal(*span, number)
            case "literal_value":
                return Literal(*span, {"true": True, "false": False, "null": None}[self.text(inner)])
            case "identifier":
                return Reference(*span, self.text(inner))
            case "tuple":
                return Sequence(*span, tuple(self.node(item) for item in trees(inner)))
            case "object":
                return Mapping(*span, tuple(self._member(element) for element in trees(inner)))
            case "function_call":
                return self._call(inner, span)
            case "for_tuple_expr" | "for_object_expr":
                return self._for(inner, span)
            case "index_expr_term" | "get_attr_expr_term" | "attr_splat_expr_term" | "full_splat_expr_term":
                return self._traversal(tree, span)
            case "expr_term" | "unary_op" | "binary_op" | "conditional":
                return Group(*span, self.node(inner))
        return Other(*span)

    def _member(self, element: Tree) -> tuple[Node, Node]:
        key_tree, value = trees(element)
        (key,) = trees(key_tree)
        inner = next(trees(key), None)
        word = key.data == "keyword" or (
            len(key.children) == 1 and inner is not None and inner.data in ("identifier", "literal_value")
        )  # a bare word, even null, is a name here
        return Literal(*self._span(key_tree), self.text(key)) if word else self.node(key), self.node(value)

    def _call(self, tree: Tree, span: tuple[str, int, int]) -> Node:
        names = [self.text(child) for child in trees(tree) if child.data == "identifier"]
        arguments = next((child for child in trees(tree) if child.data == "arguments"), None)
        if arguments is None:
            return Call(*span, "::".join(names), (), False)
        expand = any(str(token) == "..." for token in arguments.children if not hasattr(token, "data"))
        return Call(*span, "::".join(names), tuple(self.node(child) for child in trees(arguments)), expand)

    def _for(self, tree: Tree, span: tuple[str, int, int]) -> Node:
        intro, *rest = trees(tree)
        *names, of = trees(intro)
        condition = next((self.node(next(trees(part))) for part in rest if part.data == "for_cond"), None)
        results = [self.node(part) for part in rest if part.data != "for_cond"]
        key = results[0] if len(results) == 2 else None
        group = any(str(token) == "..." for token in tree.children if not hasattr(token, "data"))
        return For(*span, tuple(map(self.text, names)), self.node(of), key, results[-1], group, condition)

    def _traversal(self, tree: Tree, span: tuple[str, int, int]) -> Node:
        """A whole traversal. Its steps lie inside of each other in the tree, the last one outermost."""
        parts: list[list[Step]] = []
        while True:
            (inner,) = trees(tree)
            if inner.data not in _STEPS or "(" in map(str, tree.children):
                break
            tree, step = trees(inner)
            parts.append(list(self._steps(step)))
        return Traversal(*span, self.node(tree), tuple(step for part in reversed(parts) for step in part))

    def _steps(self, tree: Tree) -> list[Step]:
        match tree.data:
            case "get_attr":
                return [Step(name=self.text(next(trees(tree))))]
            case "short_index":
                return [Step(key=Literal(*self._span(tree), int(str(tree.children[1]))))]
            case "braces_index":
                return [Step(key=self.node(next(trees(tree))))]
        splat = [Step(splat="*" if tree.data == "attr_splat" else "[*]")]
        return splat + [step for child in trees(tree) for step in self._steps(child)]


_STEPS = frozenset({"index_expr_term", "get_attr_expr_term", "attr_splat_expr_term", "full_splat_expr_term"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def literal_number(text: str) -> int | float | None:
    """A whole number as ``int``, as terraform shows it, another one as ``float``.

    ``None`` for an absurd one, and for one with more digits than a ``float`` has.
    """
    number = Decimal(text)
    if number and abs(number.adjusted()) > MOST_DIGITS:
        return None
    if number == number.to_integral_value():
        return int(number)
    found = float(number)
    return found if Decimal(repr(found)) == number else None
