"""Runs the rules over documents, one document at a time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from pcs_contract.hints import TYPE_CHECKING, Any
from pcs_policies.document import Change, MalformedGroup, NodeGroup
from pcs_policies.errors import FINDINGS, OK, UNCHECKED, InputError, worst
from pcs_policies.findings import (
    Finding,
    InputSummary,
    Result,
    Sketch,
    Skipped,
    Unchecked,
    Viewed,
    place,
    place_of,
    sketch,
    stable_key,
)
from pcs_policies.redaction import printable
from pcs_policies.rules.rule import Outcome, Severity, Verdict
from pcs_policies.rules.table import RULES, WAIVER_RULES, Rule
from pcs_policies.settings import Settings
from pcs_policies.sources.inputs import Opened
from pcs_policies.sources.reading import Reading, Removed, Unjoined, Unreadable

if TYPE_CHECKING:
    from pcs_policies.baseline import Baseline
    from pcs_policies.boot import GroupView
    from pcs_policies.waivers.entry import Waiver
    from pcs_policies.waivers.ledger import Ledger


def run(
    inputs: Iterable[Opened],
    rules: tuple[Rule, ...],
    settings: Settings,
    *,
    waivers: tuple[Waiver, ...] = (),
    baseline: Baseline | None = None,
    view: Callable[[NodeGroup], GroupView] | None = None,
) -> Result:
    """Check inputs. What cannot be read is told in the result, and the rest is checked all the same.

    ``waivers`` are those of a file; those in the source of a group come with it. Neither they nor a ``baseline``
    change what is found, only what of it counts. ``view`` makes what a report shows of a group, whose document is
    dropped when it has been judged.
    """
    tally = _Tally(settings, baseline)
    folds = _Folds(rules)
    ledger = _ledger(waivers, rules, settings) if waivers else None
    for opened in inputs:
        if opened.reading is None:
            tally.unread(opened)
            continue
        counts = tally.begin(opened.path, opened.reading)
        try:
            applicable = tuple(rule for rule in rules if rule.needs <= opened.reading.carries)
            for entry in opened.reading.groups:
                if isinstance(entry, Removed):
                    counts.removed += 1
                elif isinstance(entry, Unreadable):
                    tally.add(Unchecked(opened.path, f"{entry.address} cannot be judged: {entry.reason}"))
                elif isinstance(entry, Unjoined):
                    tally.add(Unchecked(opened.path, f"{entry.address} is judged by the plan alone: {entry.reason}"))
                elif not (settings.changed_only and entry.change is Change.NO_OP):
                    counts.groups += 1
                    if view is not None:
                        tally.show(Viewed(opened.path, entry.address, view(entry)))
                    found: Iterable[Finding | Unchecked] = check_group(entry, applicable, settings, opened.path)
                    if ledger is None and entry.waivers:
                        ledger = _ledger(waivers, rules, settings)
                    if ledger is not None:
                        found = ledger.of_group(entry, opened.path, applicable, found)
                    for said in found:
                        tally.add(said)
                    if baseline is not None:
                        baseline.judged(entry.address, applicable)
                    for failure in folds.collect(entry, applicable, settings, opened.path):
                        tally.add(failure)
        except InputError as error:  # what was found before it stays
            tally.add(Unchecked(opened.path, str(error)))
        tally.end(opened.path, opened.reading, counts)
    compared: Iterable[Finding | Unchecked] = folds.findings(settings)
    if ledger is not None:
        compared = ledger.of_run(compared)
    for said in compared:
        tally.add(said)
    for problem in ledger.problems(rules) if ledger is not None else ():
        tally.add(problem)
    return tally.result()._replace(
        rules=rules,
        baseline=baseline.result() if baseline is not None else None,
        unseen_waivers=ledger.unseen() if ledger is not None else (),
    )


def _ledger(waivers: tuple[Waiver, ...], rules: tuple[Rule, ...], settings: Settings) -> Ledger:
    from pcs_policies.waivers.ledger import Ledger  # most runs have no waiver

    return Ledger(waivers, (*RULES, *WAIVER_RULES, *rules), settings)


class _Counts:
    """What is counted of an input while it is read."""

    groups = 0
    removed = 0
    unchecked_before = 0


class _Tally:
    """What a run has found so far: all of it counted, and as much kept as a person or a program can use."""

    def __init__(self, settings: Settings, baseline: Baseline | None = None) -> None:
        self._settings = settings
        self._baseline = baseline
        self._inputs: list[InputSummary] = []
        self._findings: list[Finding] = []
        self._undecided: list[Finding] = []
        self._unchecked: list[Unchecked] = []
        self._skipped: list[Skipped] = []
        self._views: list[Viewed] = []
        self._counted: Counter[tuple[str, Severity]] = Counter()
        self._excused: Counter[str] = Counter()
        self._room = {Outcome.FAIL.value: KEPT, Outcome.UNDECIDED.value: KEPT, EXCUSED: KEPT}

    def unread(self, opened: Opened) -> None:
        """An input that was not opened, or that lay in a folder and is none of ours."""
        if opened.skipped:
            self._skipped.append(Skipped(opened.path, opened.reason))
            return
        self._unchecked.append(Unchecked(opened.path, opened.reason))
        self._inputs.append(InputSummary(opened.path, None, "unreadable", "unchecked", 0, 0, 0, None))

    def begin(self, path: str, reading: Reading) -> _Counts:
        """An input that is going to be read; what it yields goes between this and :meth:`end`."""
        counts = _Counts()
        counts.unchecked_before = len(self._unchecked)
        self._unchecked.extend(Unchecked(path, problem) for problem in reading.problems)
        return counts

    def end(self, path: str, reading: Reading, counts: _Counts) -> None:
        status = "partly" if len(self._unchecked) > counts.unchecked_before else "checked"
        kind, source = reading.kind, reading.source
        self._inputs.append(
            InputSummary(path, kind.id, kind.title, status, counts.groups, reading.drifted, counts.removed, source)
        )

    def add(self, said: Finding | Unchecked) -> None:
        if isinstance(said, Unchecked):
            self._unchecked.append(said)
            return
        if self._baseline is not None:
            said = self._baseline.compare(said)
        if said.counts:
            self._counted[said.verdict, said.severity] += 1
        else:
            self._excused["waived" if said.waiver is not None else "known"] += 1
        sort = said.verdict if said.counts else EXCUSED
        if self._room[sort]:
            self._room[sort] -= 1
            (self._findings if said.verdict == Outcome.FAIL.value else self._undecided).append(said)

    def show(self, viewed: Viewed) -> None:
        if len(self._views) < KEPT:
            self._views.append(viewed)

    def result(self) -> Result:
        failed, undecided = (
            {severity: self._counted[outcome.value, severity] for severity in reversed(Severity)}
            for outcome in (Outcome.FAIL, Outcome.UNDECIDED)
        )
        kept = len(self._findings) + len(self._undecided)
        counts = {
            "groups": sum(entry.groups for entry in self._inputs),
            **{severity.value: count for severity, count in failed.items()},
            "undecided": sum(undecided.values()),
            "waived": self._excused["waived"],
            "known": self._excused["known"],
            "unchecked": len(self._unchecked),
            "left_out": sum(self._counted.values()) + sum(self._excused.values()) - kept,
        }
        return Result(
            tuple(self._inputs),
            tuple(self._findings),
            tuple(self._undecided),
            tuple(self._unchecked),
            tuple(self._skipped),
            counts,
            exit_code(_present(failed), _present(undecided), bool(self._unchecked), self._settings),
            views=tuple(self._views),
        )


EXCUSED = "excused"
KEPT = 10_000
"""Findings, undecided verdicts, of both what is waived or in the baseline, and views of groups that a run keeps; what
comes after is only counted, so that any input ends."""


def _present(counted: Mapping[Severity, int]) -> list[Severity]:
    return [severity for severity, count in counted.items() if count]


def check_group(
    group: NodeGroup, rules: Iterable[Rule], settings: Settings, input_path: str
) -> Iterator[Finding | Unchecked]:
    """What the rules say of one document, in the order of the rules; of a rule that raises, that it could not judge."""
    for rule in rules:
        if rule.check is None:
            continue
        earlier: dict[str, Outcome] | None = None
        try:
            for verdict in rule.check(group, settings):
                if verdict.outcome is Outcome.PASS or verdict.node.outside:
                    continue
                if earlier is None:
                    earlier = _outcomes_before(group, rule, settings)
                yield _finding(group, rule, verdict, earlier, input_path)
        except Exception as error:  # whatever a rule does, the others are run, and a run is never silently fine
            yield Unchecked(input_path, f"{rule.id} cannot judge {group.address}: {_fault(rule, error)}")


def _finding(
    group: NodeGroup, rule: Rule, verdict: Verdict, earlier: Mapping[str, Outcome], input_path: str
) -> Finding:
    where = place(group, verdict.node, input_path)
    return Finding(
        rule=rule.id,
        title=rule.title,
        severity=rule.severity,
        verdict=verdict.outcome.value,
        place=where,
        message=printable(verdict.message),  # a user's own rule may have put a value into it as it is
        remedy=printable(verdict.remedy),
        introduced=_introduced(group.change, earlier.get(where.key)),
    )


def _fault(rule: Rule, error: Exception) -> str:
    """What a rule stumbled over: where in its file, never the error's own text, which may hold a value of the input."""
    if os.environ.get("PCSGUARD_DEBUG"):
        raise error
    if isinstance(error, MalformedGroup):  # of the document, not of the rule; its text holds no value
        return str(error)
    file, trace, lines = rule.module.__file__ or "", error.__traceback__, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    where = f"{os.path.basename(file)}:{lines[-1]}" if lines else "outside of its file"
    return f"the rule failed ({type(error).__name__}, {where}); this is a fault of the rule, not of the input"


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
        # Places are made when a finding needs them: a run has one for every script, and findings for few.
        self._collected: dict[str, tuple[Rule, list[Sketch], list[Any]]] = {
            rule.id: (rule, [], []) for rule in rules if rule.fold is not None
        }

    def collect(
        self, group: NodeGroup, rules: Iterable[Rule], settings: Settings, input_path: str
    ) -> Iterator[Unchecked]:
        for rule in rules:
            if rule.fold is None:
                continue
            _, places, values = self._collected[rule.id]
            try:
                for node, value in rule.fold.collect(group, settings):
                    if not node.outside:
                        places.append(sketch(group, node, input_path))
                        values.append(value)
            except Exception as error:
                yield Unchecked(input_path, f"{rule.id} cannot judge {group.address}: {_fault(rule, error)}")

    def findings(self, settings: Settings) -> Iterator[Finding | Unchecked]:
        for rule, places, values in self._collected.values():
            if rule.fold is None or not places:
                continue
            try:
                for position, message, remedy in rule.fold.judge(values, settings):
                    where = place_of(places[position])
                    yield Finding(rule.id, rule.title, rule.severity, Outcome.FAIL.value, where, message, remedy, None)
            except Exception as error:
                yield Unchecked(
                    place_of(places[0]).input, f"{rule.id} cannot compare the groups: {_fault(rule, error)}"
                )


def exit_code(failed: Iterable[Severity], undecided: Iterable[Severity], unchecked: bool, settings: Settings) -> int:
    """The exit code of a run (see :data:`pcs_policies.errors.EXIT_CODES`), from the severities that occur in it."""
    codes = [OK]
    if any(matters(severity, settings) for severity in failed):
        codes.append(FINDINGS)
    if settings.undecided == "fail" and any(matters(severity, settings) for severity in undecided):
        codes.append(UNCHECKED)
    if unchecked:
        codes.append(UNCHECKED)
    return worst(codes)


def matters(severity: Severity, settings: Settings) -> bool:
    """Whether a severity is at or above ``fail_on``."""
    return settings.fail_on != "never" and severity.rank >= Severity(settings.fail_on).rank
