"""What a rule says of one document, whether it judges documents one by one or compares those of a run."""

from __future__ import annotations

from pcs_policies.document import NodeGroup
from pcs_policies.engine import judge
from pcs_policies.rules.rule import Outcome, Verdict, failed
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings


def verdicts(rule: Rule, group: NodeGroup, settings: Settings) -> list[Verdict]:
    found = list(judge(group, rule, settings))
    if rule.fold is not None:
        places = list(rule.fold.collect(group, settings))
        values = [value for _, value in places]
        found += [failed(places[at][0], *texts) for at, *texts in rule.fold.judge(values, settings)]
    return found


def outcomes(rule: Rule, group: NodeGroup, settings: Settings) -> dict[str, set[str]]:
    """The places that fail and those that stay undecided."""
    found: dict[str, set[str]] = {"fail": set(), "undecided": set()}
    for verdict in verdicts(rule, group, settings):
        if verdict.outcome is not Outcome.PASS:
            found[verdict.outcome.value].add(verdict.node.path)
    return found
