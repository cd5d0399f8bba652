"""Every rule does on its own fragments what its documentation says, whatever kind of plan or state carries them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import render
from support.verdicts import outcomes

from pcs_policies.document import NodeGroup
from pcs_policies.rules import example
from pcs_policies.rules.fragments import Fragment
from pcs_policies.rules.hcl_example import AWSCC
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import RULES, Rule
from pcs_policies.sources import plan, state
from pcs_policies.sources.kinds import HCL, PLAN, STATE, Kind


def cases(kind: Kind, *, references: bool = True) -> list[Any]:
    """The fragments of all rules that a kind of input can carry; without ``references``, those that are all known."""
    return [
        pytest.param(rule, outcome, fragment, id=f"{rule.id}-{outcome.value}-{fragment.title}")
        for rule in RULES
        if rule.needs <= kind.carries
        for outcome, fragments in (
            (Outcome.PASS, rule.module.GOOD),
            (Outcome.FAIL, rule.module.BAD),
            (Outcome.UNDECIDED, rule.module.UNDECIDED),
        )
        for fragment in fragments
        if references or render.is_known(fragment.group)
    ]


def expected(outcome: Outcome, fragment: Fragment) -> dict[str, set[str]]:
    return {kind: set(fragment.at) if outcome.value == kind else set() for kind in ("fail", "undecided")}


def only(groups: Iterator[Any]) -> NodeGroup:
    (group,) = groups
    assert isinstance(group, NodeGroup)
    return group


@pytest.mark.parametrize(("rule", "outcome", "fragment"), cases(PLAN))
def test_in_a_plan(rule: Rule, outcome: Outcome, fragment: Fragment) -> None:
    document = render.planned(fragment)
    group = only(plan.read(document, "plan.json").groups)
    assert outcomes(rule, group, fragment.settings) == expected(outcome, fragment)


# One reference anywhere makes every member that was left out ambiguous there, so only literal fragments are exact.
@pytest.mark.parametrize(("rule", "outcome", "fragment"), cases(PLAN, references=False))
def test_in_a_plan_where_what_is_left_out_is_known_after_apply(
    rule: Rule, outcome: Outcome, fragment: Fragment
) -> None:
    document = render.planned(fragment, "computed")
    group = only(plan.read(document, "plan.json").groups)
    assert outcomes(rule, group, fragment.settings) == expected(outcome, fragment)


@pytest.mark.parametrize(("rule", "outcome", "fragment"), cases(STATE, references=False))
def test_in_a_state(rule: Rule, outcome: Outcome, fragment: Fragment) -> None:
    document = render.state(fragment.group)
    group = only(state.read(document, "state.json").groups)
    assert outcomes(rule, group, fragment.settings) == expected(outcome, fragment)


@pytest.mark.parametrize(("rule", "outcome", "fragment"), cases(HCL))
def test_in_source(rule: Rule, outcome: Outcome, fragment: Fragment) -> None:
    group = example.document(fragment, AWSCC if "source" in rule.needs else None, planned=False)
    assert outcomes(rule, group, fragment.settings) == expected(outcome, fragment)
