"""Type constraints of variables (https://developer.hashicorp.com/terraform/language/expressions/type-constraints)."""

from __future__ import annotations

from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl.evaluate import Evaluator, Nowhere
from pcs_policies.sources.hcl.expressions import Node
from pcs_policies.sources.hcl.types import ANY, Type, Undecided, Value

_WORDS = {"any": ANY, **{word: Type(word) for word in ("string", "number", "bool")}}
_OLD = {"string": Type("string"), "list": Type("list", ANY), "map": Type("map", ANY)}
"""Constraints as they were written before terraform 0.12, in quotes."""


def constraint(node: Node | None, evaluator: Evaluator) -> Type:
    """The type that an expression in ``type = ...`` means; any type without one.

    Raises :class:`~pcs_policies.sources.hcl.types.Undecided`.
    """
    if node is None:
        return ANY
    if isinstance(node, ast.Reference):
        found = _WORDS.get(node.name) or _OLD.get(node.name)
        if found is not None:
            return found
    if isinstance(node, ast.Text | ast.Literal):
        old = evaluator.value(node, Nowhere(), {}).raw
        if isinstance(old, str) and old in _OLD:
            return _OLD[old]
    if isinstance(node, ast.Call) and len(node.arguments) == 1:
        (inner,) = node.arguments
        if node.name in ("list", "set", "map"):
            return Type(node.name, constraint(inner, evaluator))
        if node.name == "tuple" and isinstance(inner, ast.Sequence):
            return Type("tuple", items=tuple(constraint(item, evaluator) for item in inner.items))
        if node.name == "object" and isinstance(inner, ast.Mapping):
            return _object(inner, evaluator)
    raise Undecided


def _object(node: ast.Mapping, evaluator: Evaluator) -> Type:
    members: dict[str, Type] = {}
    optional: dict[str, Value | None] = {}
    for key, member in node.members:
        name = evaluator.value(key, Nowhere(), {}).raw
        if not isinstance(name, str):
            raise Undecided
        of = member
        if isinstance(member, ast.Call) and member.name == "optional" and len(member.arguments) in (1, 2):
            of, *default = member.arguments
            optional[name] = evaluator.value(default[0], Nowhere(), {}) if default else None
        members[name] = constraint(of, evaluator)
    return Type("object", members=tuple(sorted(members.items())), optional=tuple(sorted(optional.items())))
