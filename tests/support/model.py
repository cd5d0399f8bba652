"""What an input of a kind should come to: the document, made straight from the group and from what the kind carries.

No reader and no renderer is involved, so both can be held to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from support.render import is_known
from support.verdicts import outcomes

from pcs_contract import spelling
from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Below, Change, Expression, Missing, NodeGroup, Stated, build
from pcs_policies.rules.fragments import UNKNOWN, Tree
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources.kinds import Kind, References
from pcs_policies.sources.written import strangers

Found = set[tuple[str, str, str]]
"""``(rule, verdict, leaf)`` of all that rules have to say of a group."""

LATER = Expression("later")


class Case(NamedTuple):
    """A group in the API's names, with what it was before and what a plan does with it."""

    tree: Tree
    before: Tree | None = None
    change: Change = Change.NONE
    settings: Settings = Settings()


def found(kind: Kind, group: NodeGroup, settings: Settings) -> Found:
    """What the rules that can judge a kind of input say of a document."""
    return {
        (rule.id, verdict, path)
        for rule in RULES
        if rule.needs <= kind.carries
        for verdict, paths in outcomes(rule, group, settings).items()
        for path in paths
    }


def carries(kind: Kind, tree: Tree, resource_type: str) -> bool:
    """Whether a group can stand in an input of this kind, going by the table of kinds."""
    if kind.references is References.NONE and not is_known(tree):
        return False
    if kind.lacks(resource_type).intersection(tree):
        return False
    if not _holds_any_key(kind) and any(strangers(tree, "api")):
        return False
    return not any(mark in text for mark in kind.replaces for text in _texts(tree))


def expected(kind: Kind, case: Case, resource_type: str) -> Found:
    """What the rules should say of a group in an input of this kind."""
    return found(kind, document(kind, case, resource_type), case.settings)


def document(kind: Kind, case: Case, resource_type: str) -> NodeGroup:
    root = spelling.structure("api")
    complete = "source" not in kind.carries and kind.spelling == "terraform"  # with every key of the schema
    lacks = kind.lacks(resource_type)

    def filled(tree: Tree) -> Tree:
        return {**dict.fromkeys(_held(root, lacks)), **_filled(root, tree)} if complete else tree

    by_member = kind.references is References.MEMBER
    written = _with_references(case.tree) if by_member else case.tree
    stated: Any = Stated.MAYBE
    if "stated" in kind.carries:
        stated = written if by_member else {name: _stated(member) for name, member in case.tree.items()}
    return build(
        address="group",
        resource_type=resource_type,
        spelling="api",
        after=filled(written if by_member else _without_references(case.tree)),
        unknown=None if by_member else _unknown(case.tree),
        stated=stated,
        before=None if case.before is None else filled(case.before),
        change=case.change if "change" in kind.carries else Change.NONE,
        missing=Missing.NOT_JUDGED if complete else Missing.NOT_SET,
        strangers=tuple(strangers(case.tree, "api")) if _holds_any_key(kind) else (),
    )


def _holds_any_key(kind: Kind) -> bool:
    """Whether a kind is an author's own text, where a member may stand that no group has."""
    return "stated" in kind.carries and "change" not in kind.carries


def _held(root: FieldSpec, lacks: frozenset[str]) -> list[str]:
    return [field.name for field in root.fields if field.name not in lacks]


def _filled(spec: FieldSpec, value: Any) -> Any:
    if isinstance(value, dict) and spec.kind == "object":
        fields = {field.name: field for field in spec.fields}
        members = {name: _filled(fields[name], member) if name in fields else member for name, member in value.items()}
        return members if not spec.name else {**dict.fromkeys(fields), **members}
    if isinstance(value, list) and spec.item is not None:
        item = spec.item
        return [
            {**dict.fromkeys(field.name for field in item.fields), **_filled(item, each)}
            if item.kind == "object" and isinstance(each, dict)
            else _filled(item, each)
            for each in value
        ]
    return value


def _stated(member: Any) -> Any:
    return member if is_known(member) else Below.MAYBE


def _with_references(value: Any) -> Any:
    if value is UNKNOWN:
        return LATER
    if isinstance(value, dict):
        return {key: _with_references(member) for key, member in value.items()}
    return [_with_references(item) for item in value] if isinstance(value, list) else value


def _without_references(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_references(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_without_references(item) for item in value]
    return None if value is UNKNOWN else value


def _unknown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _unknown(member) for key, member in value.items()}
    return [_unknown(item) for item in value] if isinstance(value, list) else value is UNKNOWN


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, member in value.items() for text in (key, *_texts(member))]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []
