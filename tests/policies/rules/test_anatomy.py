"""Every rule is wired and documented in full: what the documentation and the other tests rely on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import render
from support.verdicts import verdicts

from pcs_policies.document import NodeGroup
from pcs_policies.rules import table
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import RULES, WAIVER_RULES, Rule
from pcs_policies.sources import plan

HEADINGS = ["What it checks", "Why", "Fix", "Sources"]
FOLDER = Path(table.__file__).parent

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
each_rule_of_any_sort = pytest.mark.parametrize("rule", [*RULES, *WAIVER_RULES], ids=lambda rule: rule.id)


def test_every_rule_file_is_in_the_table_once_and_in_order() -> None:
    files = sorted(path.stem for path in FOLDER.glob("pcs[0-9]*.py"))
    assert [rule.module.__name__.rsplit(".", 1)[1] for rule in (*RULES, *WAIVER_RULES)] == files


@each_rule_of_any_sort
def test_the_file_is_named_after_the_rule(rule: Rule) -> None:
    name = rule.module.__name__.rsplit(".", 1)[1]
    assert name == f"{rule.id.lower()}_{rule.title.replace('-', '_')}"


@each_rule_of_any_sort
def test_the_documentation_has_the_fixed_headings(rule: Rule) -> None:
    text = rule.module.__doc__ or ""
    assert re.findall(r"^(\S.*[^.])$", text, re.MULTILINE)[-len(HEADINGS) :] == HEADINGS
    assert re.match(r"^[A-Z].*\.\n\n", text), "the first line is a sentence"


@each_rule
def test_there_are_fragments_of_each_outcome(rule: Rule) -> None:
    assert rule.module.GOOD
    assert rule.module.BAD
    for fragment in (*rule.module.BAD, *rule.module.UNDECIDED):
        assert fragment.at, f"{fragment.title}: says where"


@each_rule
def test_a_finding_tells_fact_and_remedy(rule: Rule) -> None:
    for fragment in rule.module.BAD:
        (group,) = plan.read(render.planned(fragment), "plan.json").groups
        assert isinstance(group, NodeGroup)
        for verdict in verdicts(rule, group, fragment.settings):
            if verdict.outcome is Outcome.FAIL:
                assert len(verdict.message.split()) >= 6, verdict.message
                assert verdict.remedy
                assert not verdict.message.endswith(".")
                assert "\n" not in verdict.message + verdict.remedy
