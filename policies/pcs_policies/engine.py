"""Runs the rules over documents, one document at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pcs_policies.document import Change, NodeGroup
from pcs_policies.errors import FINDINGS, OK, UNCHECKED, InputError, worst
from pcs_policies.findings import Finding, InputSummary, Place, Result, Unchecked, place, stable_key
from pcs_policies.rules.rule import Outcome, Severity, Verdict
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings
from pcs_policies.sources.detect import open_input
from pcs_policies.sources.kinds import Kind
from pcs_policies.sources.reading import Unreadable


def run(paths: Iterable[str], rules: tuple[Rule, ...], settings: Settings, *, may_execute: bool = True) -> Result:
    """Check inputs. What cannot be read is told in the result, and the rest is checked all the same."""
    inputs: list[InputSummary] = []
    findings: list[Finding] = []
    undecided: list[Finding] = []
    unchecked: list[Unchecked] = []
    folds = _Folds(rules)
    for path in paths:
        groups = 0
        known = len(unchecked)
        try:
            reading = open_input(path, may_execute=may_execute)
        except InputError as error:
            unchecked.append(Unchecked(path, str(error)))
            inputs.append(InputSummary(path, None, "unreadable", "unchecked", 0, 0, 0))
            continue
        unchecked.extend(Unchecked(path, problem) for problem in reading.problems)
        applicable = tuple(rule for rule in rules if rule.needs <= reading.kind.carries)
        try:
            for group in reading.groups:
                if isinstance(group, Unreadable):
                    unchecked.append(Unchecked(path, f"{group.address} cannot be judged: {group.reason}"))
                    continue
                if settings.changed_only and group.change is Change.NO_OP:
                    continue
                groups += 1
                for finding in check_group(group, applicable, settings, path):
                    (findings if finding.verdict == Outcome.FAIL.value else undecided).append(finding)
                folds.collect(group, applicable, settings, path)
        except InputError as error:
            unchecked.append(Unchecked(path, str(error)))
        inputs.append(_summary(path, reading.kind, groups, len(unchecked) > known, reading.drifted, reading.removed))
    findings.extend(folds.findings(settings))
    code = exit_code(findings, undecided, unchecked, settings)
    return Result(tuple(inputs), tuple(findings), tuple(undecided), tuple(unchecked), code)


def _summary(path: str, kind: Kind, groups: int, incomplete: bool, drifted: int, removed: int) -> InputSummary:
    return InputSummary(path, kind.id, kind.title, "partly" if incomplete else "checked", groups, drifted, removed)


def check_group(group: NodeGroup, rules: Iterable[Rule], settings: Settings, input_path: str) -> Iterator[Finding]:
    """The findings of one document, in the order of the rules."""
    for rule in rules:
        earlier: dict[str, Outcome] | None = None
        for verdict in judge(group, rule, settings):
            if verdict.outcome is Outcome.PASS:
                continue
            if earlier is None:
                earlier = _outcomes_before(group, rule, settings)
            where = place(group, verdict.node, input_path)
            yield Finding(
                rule=rule.id,
                title=rule.title,
                severity=rule.severity,
                verdict=verdict.outcome.value,
                place=where,
                message=verdict.message,
                remedy=verdict.remedy,
                introduced=_introduced(group.change, earlier.get(where.key)),
            )


def judge(group: NodeGroup, rule: Rule, settings: Settings) -> Iterator[Verdict]:
    """The verdicts of one rule, without those on places that the provider's schema does not have."""
    if rule.check is not None:
        for verdict in rule.check(group, settings):
            if not verdict.node.outside:
                yield verdict


def _outcomes_before(group: NodeGroup, rule: Rule, settings: Settings) -> dict[str, Outcome]:
    """The verdicts that the rule would have given before the change, by stable key."""
    before = group.as_before()
    if before is None:
        return {}
    return {stable_key(before, v.node.path): v.outcome for v in judge(before, rule, settings)}


def _introduced(change: Change, earlier: Outcome | None) -> bool | None:
    """Whether this change brings the finding; ``None`` where the input does not tell."""
    if change is Change.NO_OP:
        return False
    if change is Change.NONE or earlier is Outcome.UNDECIDED:
        return None
    return earlier is not Outcome.FAIL


class _Folds:
    """The run-wide rules: what they have collected so far, and what they make of it in the end."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._collected: dict[str, tuple[Rule, list[Place], list[Any]]] = {
            rule.id: (rule, [], []) for rule in rules if rule.fold is not None
        }

    def collect(self, group: NodeGroup, rules: Iterable[Rule], settings: Settings, input_path: str) -> None:
        for rule in rules:
            if rule.fold is not None:
                _, places, values = self._collected[rule.id]
                for node, value in rule.fold.collect(group, settings):
                    if not node.outside:
                        places.append(place(group, node, input_path))
                        values.append(value)

    def findings(self, settings: Settings) -> Iterator[Finding]:
        for rule, places, values in self._collected.values():
            assert rule.fold is not None
            for position, message, remedy in rule.fold.judge(values, settings):
                yield Finding(
                    rule.id, rule.title, rule.severity, Outcome.FAIL.value, places[position], message, remedy, None
                )


def exit_code(
    findings: Iterable[Finding], undecided: Iterable[Finding], unchecked: Iterable[Unchecked], settings: Settings
) -> int:
    """The exit code of a run (see :data:`pcs_policies.errors.EXIT_CODES`)."""
    codes = [OK]
    if any(matters(finding.severity, settings) for finding in findings):
        codes.append(FINDINGS)
    if settings.undecided == "fail" and any(matters(finding.severity, settings) for finding in undecided):
        codes.append(UNCHECKED)
    if any(True for _ in unchecked):
        codes.append(UNCHECKED)
    return worst(codes)


def matters(severity: Severity, settings: Settings) -> bool:
    """Whether a severity is at or above ``fail_on``."""
    return settings.fail_on != "never" and severity.rank >= Severity(settings.fail_on).rank
