"""Evaluates expressions the way terraform does while it plans; what that leaves open is unknown.

Unknown is contagious as in terraform: an operator or function with an unknown operand is unknown; lists and objects
around it are known. Every expression ends: there are limits to depth, to steps and to the size of
values, and what would pass them is unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Protocol

from pcs_policies.document import Expression, Template
from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl import functions
from pcs_policies.sources.hcl.expressions import Node, Step, parsed, shown
from pcs_policies.sources.hcl.scan import SyntaxProblem, scan_template
from pcs_policies.sources.hcl.templates import Choice, Inner, Loop, Parts, take_apart
from pcs_policies.sources.hcl.types import (
    ANY,
    BOOL,
    LARGEST,
    NUMBER,
    STRING,
    Refused,
    Type,
    Undecided,
    Value,
    convert,
    equal,
    exact,
    holds,
    known,
    list_value,
    object_value,
    scalar,
    tuple_value,
    unify,
)

DEEPEST = 80
"""Expressions, and references between them, that are followed inside of each other."""

MOST_STEPS = 1_000_000
"""Steps that a run takes: expressions evaluated, and values handed to functions. About two seconds."""

Names = Mapping[str, Value]
"""What ``each``, ``count`` and the names of ``for`` expressions stand for."""

SENSITIVE_EACH = "(sensitive each)"
"""Among the names where ``for_each`` needed something sensitive. No identifier, so that no expression can mean it."""


class Scope(Protocol):
    """Where references lead."""

    def reference(self, root: str, steps: tuple[Step, ...], names: Names) -> tuple[Value, tuple[Step, ...]]:
        """The value that the first steps of ``root.step...`` lead to, and the steps that remain.

        Raises :class:`~pcs_policies.sources.hcl.types.Undecided`, as for all resources.
        """
        ...

    def file(self, path: str) -> bytes | None:
        """The content of a file; ``None`` where there is none.

        Raises :class:`~pcs_policies.sources.hcl.types.Undecided` for a file that nobody should read.
        """
        ...


class Nowhere:
    """A scope without anything, as for ``.tfvars`` files."""

    def reference(self, root: str, steps: tuple[Step, ...], names: Names) -> tuple[Value, tuple[Step, ...]]:
        raise Undecided

    def file(self, path: str) -> bytes | None:
        raise Undecided


class Evaluator:
    """Evaluates expressions, within the limits of one run."""

    def __init__(self) -> None:
        self._steps = MOST_STEPS
        self._depth = 0
        self._trying = 0  # inside of how many things that an error does not end
        self._touched = False  # whether something unknown was met since somebody looked
        self.sensitive = False
        """Whether something sensitive was met since somebody looked. Marks a whole expression, where terraform can
        tell the members of an object apart: rather too much is hidden than too little."""

    def value(self, node: Node, scope: Scope, names: Names) -> Value:
        """The value of an expression.

        Raises :class:`~pcs_policies.sources.hcl.types.Refused` inside of ``try`` and of branches only, and
        :class:`~pcs_policies.errors.UsageError`.
        """
        self._depth += 1
        try:
            self._charge(1)
            if self._depth > DEEPEST:
                raise Undecided
            found = _HOW[type(node)](self, node, scope, names)
            if found.size > 1:
                self._charge(1)
        except Refused:
            if self._trying:
                raise
            found = Value(ANY, Expression(""))
        except (Undecided, RecursionError, SyntaxProblem):
            found = Value(ANY, Expression(""))
        finally:
            self._depth -= 1
        if isinstance(found.raw, Expression):
            self._touched = True
            if not found.raw.text or not isinstance(node, ast.Text | ast.Group):
                found = found._replace(raw=shown(node.text, _nullable(node, found.raw)))
        elif isinstance(found.raw, Template):
            self._touched = True
        return found

    @property
    def exhausted(self) -> bool:
        """Whether the steps of the run are used up: nothing is evaluated any more."""
        return self._steps < 0

    def _charge(self, steps: int) -> None:
        self._steps -= steps
        if self._steps < 0:
            raise Undecided

    # Literals

    def _literal(self, node: ast.Literal, scope: Scope, names: Names) -> Value:
        return scalar(node.value)

    def _not_evaluated(self, node: Node, scope: Scope, names: Names) -> Value:
        raise Undecided

    def _group(self, node: ast.Group, scope: Scope, names: Names) -> Value:
        return self.value(node.inner, scope, names)

    def _sequence(self, node: ast.Sequence, scope: Scope, names: Names) -> Value:
        return tuple_value([self.value(item, scope, names) for item in node.items])

    def _mapping(self, node: ast.Mapping, scope: Scope, names: Names) -> Value:
        members = {}
        for key, member in node.members:
            name = key.value if isinstance(key, ast.Literal) else self._key(self.value(key, scope, names))
            members[name if isinstance(name, str) else self._key(scalar(name))] = self.value(member, scope, names)
        return object_value(members)

    def _key(self, value: Value) -> str:
        name = convert(value, STRING).raw
        if name is None:
            raise Refused
        if not isinstance(name, str):
            raise Undecided
        return name

    # Templates

    def _text(self, node: ast.Text, scope: Scope, names: Names) -> Value:
        taken = take_apart(node.scan, node.scan.strings[node.start])
        if taken is None:
            raise Undecided
        if taken.alone and isinstance(inner := taken.parts[0], Inner):
            return self.value(parsed(inner.text), scope, names)
        return functions.text_value(self._pieces(taken.parts, scope, names))

    def _pieces(self, parts: Parts, scope: Scope, names: Names) -> list[str | None]:
        pieces: list[str | None] = []
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
            elif isinstance(part, Inner):
                pieces += self._piece(part, scope, names)
            elif isinstance(part, Choice):
                condition = convert(self.value(parsed(part.condition), scope, names), BOOL)
                if condition.unknown:
                    pieces.append(None)
                elif condition.raw is None:
                    raise Refused
                else:
                    pieces += self._pieces(part.then if condition.raw else part.otherwise, scope, names)
            else:
                pieces += self._loop(part, scope, names)
            self._charge(1 + sum(len(piece or "") for piece in pieces[-2:]) // 100)
        return pieces

    def _piece(self, part: Inner, scope: Scope, names: Names) -> Iterable[str | None]:
        try:
            return functions.text_pieces(self.value(parsed(part.text), scope, names))
        except SyntaxProblem:
            return (None,)

    def _loop(self, loop: Loop, scope: Scope, names: Names) -> list[str | None]:
        if not loop.names:
            return [None]
        collection = self.value(parsed(loop.of), scope, names)
        if collection.unknown:
            return [None]
        pieces: list[str | None] = []
        for bound in self._bindings(loop.names, collection, names):
            pieces += self._pieces(loop.body, scope, bound)
        return pieces

    # References

    def _reference(self, node: ast.Reference, scope: Scope, names: Names) -> Value:
        if node.name in names:
            self.sensitive |= node.name == "each" and SENSITIVE_EACH in names
            return names[node.name]
        found, _ = scope.reference(node.name, (), names)
        return found

    def _traversal(self, node: ast.Traversal, scope: Scope, names: Names) -> Value:
        steps = node.steps
        if isinstance(node.of, ast.Reference) and node.of.name not in names:
            found, steps = scope.reference(node.of.name, steps, names)
        else:
            found = self.value(node.of, scope, names)
        reached = self.through(found, steps, scope, names)
        if self._trying and not known(reached.raw):
            self._touched = True
        return reached

    def through(self, value: Value, steps: tuple[Step, ...], scope: Scope, names: Names) -> Value:
        """What steps lead to from a value.

        Raises :class:`~pcs_policies.sources.hcl.types.Refused` and :class:`~pcs_policies.sources.hcl.types.Undecided`.
        """
        for index, step in enumerate(steps):
            if step.splat is not None:
                return self._splat(value, step.splat, steps[index + 1 :], scope, names)
            if value.unknown:
                raise Undecided
            if value.raw is None:
                raise Refused
            if step.name is not None:
                value = _member(value, step.name)
            elif step.key is not None:
                value = self._index(value, self.value(step.key, scope, names))
        return value

    def _splat(self, value: Value, kind: str, rest: tuple[Step, ...], scope: Scope, names: Names) -> Value:
        """``[*]`` applies all further steps to each item, ``.*`` those up to the next index."""
        if value.unknown:
            raise Undecided
        each: tuple[Step, ...] = rest
        after: tuple[Step, ...] = ()
        if kind == "*":
            until = next((index for index, step in enumerate(rest) if step.name is None), len(rest))
            each, after = rest[:until], rest[until:]
        if value.raw is None:
            items = []
        elif value.sequence:
            items = [item for _, item in exact(value)]
        else:
            items = [value]
        found = [self.through(item, each, scope, names) for item in items]
        self._charge(len(found))
        if found and value.type.kind in ("list", "set") and value.raw is not None:
            return self.through(list_value(found[0].type, found), after, scope, names)
        return self.through(tuple_value(found), after, scope, names)

    def _index(self, value: Value, key: Value) -> Value:
        if key.unknown:
            raise Undecided
        if value.sequence and value.type.kind != "set":
            position = convert(key, NUMBER).raw
            if not isinstance(position, int) or not 0 <= position < len(value.raw):
                raise Refused
            of = value.type.items[position] if value.type.kind == "tuple" else value.type.item or ANY
            return Value(of, value.raw[position], value.size)
        if value.mapping:
            return _member(value, self._key(key))
        raise Refused

    # Operators

    def _unary(self, node: ast.Unary, scope: Scope, names: Names) -> Value:
        wanted = BOOL if node.operator == "!" else NUMBER
        operand = self._operand(node.operand, wanted, scope, names)
        if operand.unknown:
            return operand
        return scalar(not operand.raw if node.operator == "!" else -operand.raw)

    def _operand(self, node: Node, wanted: Type, scope: Scope, names: Names) -> Value:
        operand = convert(self.value(node, scope, names), wanted)
        if operand.raw is None:
            raise Refused
        return operand

    def _binary(self, node: ast.Binary, scope: Scope, names: Names) -> Value:
        if node.operator in ("==", "!="):
            left, right = self.value(node.left, scope, names), self.value(node.right, scope, names)
            self._charge(left.size + right.size)
            return scalar(equal(left, right) == (node.operator == "=="))
        wanted, result, compute = _OPERATORS[node.operator]
        left = self._operand(node.left, wanted, scope, names)
        right = self._operand(node.right, wanted, scope, names)
        if left.unknown or right.unknown:  # even of false && ...: newer versions of terraform differ there
            return Value(result, Expression(""))
        return scalar(compute(left.raw, right.raw))

    def _conditional(self, node: ast.Conditional, scope: Scope, names: Names) -> Value:
        condition = convert(self.value(node.condition, scope, names), BOOL)
        then, otherwise = self._branch(node.then, scope, names), self._branch(node.otherwise, scope, names)
        if condition.raw is None:
            raise Refused
        if condition.unknown:
            nullable = any(branch is not None and _may_be_null(branch.raw) for branch in (then, otherwise))
            return Value(ANY, Expression("", nullable))
        chosen, other = (then, otherwise) if condition.raw else (otherwise, then)
        if chosen is None:
            raise Refused
        self._charge(chosen.size)
        return _as_branch(chosen, other)

    def _branch(self, node: Node, scope: Scope, names: Names) -> Value | None:
        """The value of a branch; ``None`` for one that terraform refuses, which matters only if it is taken.

        To terraform, what it refuses has no type, or that of an operator or a template nevertheless.
        """
        value = self._attempted(node, scope, names)
        return value if value is not None or _has_no_type(node) else Value(ANY, Expression(""))

    # for

    def _for(self, node: ast.For, scope: Scope, names: Names) -> Value:
        collection = self.value(node.of, scope, names)
        if collection.unknown:
            raise Undecided
        results: list[tuple[str, Value]] = []
        for bound in self._bindings(node.names, collection, names):
            if node.condition is not None:
                condition = convert(self.value(node.condition, scope, bound), BOOL)
                if condition.unknown:
                    raise Undecided
                if condition.raw is None:
                    raise Refused
                if not condition.raw:
                    continue
            key = self._key(self.value(node.key, scope, bound)) if node.key is not None else ""
            results.append((key, self.value(node.value, scope, bound)))
        if node.key is None:
            return tuple_value(value for _, value in results)
        if node.group:
            groups: dict[str, list[Value]] = {}
            for key, value in results:
                groups.setdefault(key, []).append(value)
            return object_value({key: tuple_value(values) for key, values in groups.items()})
        if len(dict(results)) < len(results):
            raise Refused
        return object_value(dict(results))

    def _bindings(self, names: tuple[str, ...], collection: Value, outer: Names) -> Iterable[Names]:
        """What the names of a loop stand for, item by item."""
        if collection.raw is None:
            raise Refused
        for key, item in exact(collection):
            self._charge(1)
            bound = (item,) if len(names) == 1 else (scalar(key), item)
            yield {**outer, **dict(zip(names, bound, strict=True))}

    # Functions

    def _call(self, node: ast.Call, scope: Scope, names: Names) -> Value:
        if node.name in ("try", "can"):
            return self._attempt(node, scope, names)
        before = self.sensitive
        arguments = [self.value(argument, scope, names) for argument in node.arguments]
        if node.expand:
            last = arguments.pop()
            if last.unknown:
                raise Undecided
            if not last.sequence or last.raw is None:
                raise Refused
            arguments += (item for _, item in exact(last))
        self._charge(sum(argument.size for argument in arguments))
        if node.name == "sensitive":
            self.sensitive = True
        elif node.name == "nonsensitive":
            self.sensitive = before
        if node.name in FILES or node.name == "templatefile":
            return self._of_file(node.name, arguments, scope)
        return functions.call(node.name, arguments)

    def _attempt(self, node: ast.Call, scope: Scope, names: Names) -> Value:
        """``try`` and ``can``: undecided as soon as something unknown was looked at, as in terraform."""
        before, self._touched = self._touched, False
        for argument in node.arguments:
            value = self._attempted(argument, scope, names)
            if self._touched:
                raise Undecided
            if node.name == "can":
                self._touched = before
                return scalar(value is not None)
            if value is not None:
                self._touched = before
                return value
        raise Refused

    def _attempted(self, node: Node, scope: Scope, names: Names) -> Value | None:
        """The value of an expression; ``None`` for one that terraform refuses."""
        self._trying += 1
        try:
            return self.value(node, scope, names)
        except Refused:
            return None
        finally:
            self._trying -= 1

    def _of_file(self, name: str, arguments: list[Value], scope: Scope) -> Value:
        """The functions that look at a file. Whatever is wrong with it may be right when terraform runs."""
        if len(arguments) != 1 + (name == "templatefile"):
            raise Refused
        path = convert(arguments[0], STRING).raw
        if not isinstance(path, str):
            raise Undecided
        data = scope.file(path)
        if name == "fileexists":
            return scalar(data is not None)
        if data is None:
            raise Undecided
        self._charge(len(data) // 1000)
        if name == "templatefile":
            return self._template(data, arguments[1])
        return functions.text_value([FILES[name](data)])

    def _template(self, data: bytes, variables: Value) -> Value:
        if variables.unknown or variables.raw is None:
            raise Undecided
        node = template(_utf8(data))
        return self.value(node, Nowhere(), dict(exact(variables)))


def template(text: str) -> ast.Text:
    """The template that a text is, without quotes. Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem`."""
    scan, _ = scan_template(text)
    return ast.Text(text, 0, len(text), scan)


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Undecided from None


FILES: dict[str, Callable[[bytes], str]] = {
    "file": _utf8,
    "filebase64": functions.in_base64_text,
    "filemd5": functions.hexadecimal("md5"),
    "filesha1": functions.hexadecimal("sha1"),
    "filesha256": functions.hexadecimal("sha256"),
    "filesha512": functions.hexadecimal("sha512"),
    "filebase64sha256": functions.in_base64("sha256"),
    "filebase64sha512": functions.in_base64("sha512"),
    "fileexists": lambda _: "",
}
"""Functions of one file, by name."""


def _member(value: Value, name: str) -> Value:
    if not value.mapping:
        raise Refused
    if name not in value.raw:
        raise Refused
    if value.type.kind == "map":
        return Value(value.type.item or ANY, value.raw[name], value.size)
    return Value(dict(value.type.members)[name], value.raw[name], value.size)


def _nullable(node: Node, unknown: Expression) -> bool:
    """Whether an expression may be null because of what it refers to."""
    if isinstance(node, ast.Call) and node.name != "try":
        return False
    return not isinstance(node, ast.Unary | ast.Binary) and unknown.may_be_null


def _may_be_null(raw: Any) -> bool:
    return raw is None or (isinstance(raw, Expression) and raw.may_be_null)


def _has_no_type(node: Node) -> bool:
    """Whether terraform tells no type of this expression where it refuses it."""
    return isinstance(node, ast.Call) or (isinstance(node, ast.Traversal) and isinstance(node.of, ast.Reference))


def _as_branch(chosen: Value, other: Value | None) -> Value:
    """The branch of a conditional that is taken, in the type that it has in common with the other one."""
    if other is None or other.type.kind == "null" or chosen.type.kind == "null":
        return chosen
    try:
        common = unify([chosen.type, other.type])
    except Undecided:
        if _settled(chosen.raw, as_set=holds(other.type, "any", "set")):
            return chosen
        raise
    if common is None:
        raise Refused
    return convert(chosen, common)


def _settled(raw: Any, *, as_set: bool) -> bool:
    """Whether a value stays what it is, whatever the type of the other branch is: texts do.

    A list that becomes a set is another one, unless it is sorted and without doubles.
    """
    if isinstance(raw, dict):
        return all(_settled(member, as_set=as_set) for member in raw.values())
    if isinstance(raw, list):
        in_order = all(isinstance(item, str) for item in raw) and raw == sorted(set(raw))
        return (not as_set or len(raw) < 2 or in_order) and all(_settled(item, as_set=as_set) for item in raw)
    return raw is None or isinstance(raw, str | Template | Expression)


def _exactly(compute: Callable[[int, int], Any]) -> Callable[[Any, Any], Any]:
    """An operator on whole numbers; with fractions the two languages may round differently."""

    def checked(left: Any, right: Any) -> Any:
        if not isinstance(left, int) or not isinstance(right, int):
            raise Undecided
        found = compute(left, right)
        if abs(found) > LARGEST:
            raise Undecided
        return found

    return checked


def _quotient(left: int, right: int) -> int:
    if right == 0:
        raise Refused
    if left % right:
        raise Undecided
    return left // right


def _remainder(left: int, right: int) -> int:
    if right == 0:
        raise Refused
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


def _ordered(compute: Callable[[Decimal, Decimal], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: compute(Decimal(repr(left)), Decimal(repr(right)))


_OPERATORS: dict[str, tuple[Type, Type, Callable[[Any, Any], Any]]] = {
    "||": (BOOL, BOOL, operator.or_),
    "&&": (BOOL, BOOL, operator.and_),
    "<": (NUMBER, BOOL, _ordered(operator.lt)),
    ">": (NUMBER, BOOL, _ordered(operator.gt)),
    "<=": (NUMBER, BOOL, _ordered(operator.le)),
    ">=": (NUMBER, BOOL, _ordered(operator.ge)),
    "+": (NUMBER, NUMBER, _exactly(operator.add)),
    "-": (NUMBER, NUMBER, _exactly(operator.sub)),
    "*": (NUMBER, NUMBER, _exactly(operator.mul)),
    "/": (NUMBER, NUMBER, _exactly(_quotient)),
    "%": (NUMBER, NUMBER, _exactly(_remainder)),
}

_How = Callable[[Evaluator, Any, Scope, Names], Value]

_HOW: dict[type[Node], _How] = {
    ast.Literal: Evaluator._literal,
    ast.Huge: Evaluator._not_evaluated,
    ast.Other: Evaluator._not_evaluated,
    ast.Group: Evaluator._group,
    ast.Sequence: Evaluator._sequence,
    ast.Mapping: Evaluator._mapping,
    ast.Text: Evaluator._text,
    ast.Reference: Evaluator._reference,
    ast.Traversal: Evaluator._traversal,
    ast.Unary: Evaluator._unary,
    ast.Binary: Evaluator._binary,
    ast.Conditional: Evaluator._conditional,
    ast.For: Evaluator._for,
    ast.Call: Evaluator._call,
}
