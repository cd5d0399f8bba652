"""What the two differential tests share: the fragments of all rules by name, and documents by the same names."""

from __future__ import annotations

from functools import cache
from typing import Any

from support import render_source
from support.render_source import Groups, Types

from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import KEPT, Fragment
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import RULES, Rule
from pcs_policies.sources.reading import Reading

Documents = dict[str, NodeGroup]


def by_name(reading: Reading, groups: Groups, types: Types | None = None) -> Documents:
    """The documents of an input that was rendered from groups, which it holds all, and without a problem."""
    names = render_source.names_of(reading.kind.spelling, groups, types)
    found: Documents = {}
    assert reading.problems == ()
    for group in reading.groups:
        assert isinstance(group, NodeGroup), group
        found[names[group.address]] = group
    assert found.keys() == groups.keys()
    return found


@cache
def fragments() -> dict[str, tuple[Rule, Outcome, Fragment]]:
    """All fragments by a name that can be one in every language."""
    found = [
        (rule, outcome, fragment)
        for rule in RULES
        for outcome, those in (
            (Outcome.PASS, rule.module.GOOD),
            (Outcome.FAIL, rule.module.BAD),
            (Outcome.UNDECIDED, rule.module.UNDECIDED),
        )
        for fragment in those
    ]
    return {f"{rule.id}x{index}": (rule, outcome, fragment) for index, (rule, outcome, fragment) in enumerate(found)}


def has_kept(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_kept, value.values()))
    return any(map(has_kept, value)) if isinstance(value, list) else value is KEPT
