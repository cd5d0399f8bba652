"""What the page shows, without a word of HTML: groups that boot alike in one section, findings where they bite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pcs_contract.record import Record
from pcs_policies.boot import IMPACTS, GroupView, Impact, Row, ScriptView, StageView
from pcs_policies.findings import Finding, Result, Viewed
from pcs_policies.redaction import printable
from pcs_policies.reports.words import count, fails, lapsed, numbered, relative, spot, waived, worst_first
from pcs_policies.rules import doc
from pcs_policies.settings import Settings

T = TypeVar("T")

WORDS = ("error", "warning", "info", "undecided", "excused")
"""What a finding is filtered by: its severity; that it is undecided; that it is waived or in the baseline."""

OPENED = 8
"""Sections up to which those with something to tell are open from the start; of more, a reader opens what the index
leads to."""


class Card(Record):
    """A finding. ``ids`` name it in the page, one for each group that it is about; ``word`` is one of :data:`WORDS`.

    ``notes`` say what a waiver or a baseline has to do with it. ``address`` is where it is, for those in no section.
    """

    ids: tuple[str, ...]
    word: str
    severity: str
    rule: str
    title: str
    message: str
    remedy: str
    path: str
    at: str
    address: str
    introduced: bool | None
    notes: tuple[str, ...]


class ScriptCards(Record):
    """A script, with what was found of it. ``rows`` are its facts by name."""

    id: str
    view: ScriptView
    rows: Mapping[str, Row]
    cards: tuple[Card, ...]

    @property
    def worst(self) -> str:
        """The word of its worst finding that counts; empty for none."""
        return next((card.word for card in self.cards if card.word != "excused"), "")

    @property
    def moved_only(self) -> bool:
        """Whether it stands at another position, and is otherwise what it was."""
        return {row.name for row in self.view.rows if row.was is not None} == {"position"}


class StageCards(Record):
    """A stage, with what was found of it as a whole."""

    view: StageView
    scripts: tuple[ScriptCards, ...]
    cards: tuple[Card, ...]


class Member(Record):
    """A node group, or what the node groups of a section have in common, but for the scripts."""

    address: str
    rows: tuple[Row, ...]
    impact: tuple[Impact, ...]
    cards: tuple[Card, ...]


class Group(Record):
    """A section: the node groups that run the same scripts, with the same findings in them.

    ``common`` is what else they have in common, and ``members`` what each has of its own. ``impact`` is that of any of
    them, one of a kind; ``counts`` has the findings of all by word.
    """

    id: str
    input: str
    change: str
    common: Member
    members: tuple[Member, ...]
    impact: tuple[Impact, ...]
    stages: tuple[StageCards, ...]
    counts: Mapping[str, int]


class Affected(Record):
    """What a change does to running nodes, and to those of which groups: pairs of a section's id and an address."""

    impact: Impact
    groups: tuple[tuple[str, str], ...]


class RuleText(Record):
    """The documentation of a rule that found something."""

    id: str
    title: str
    told: doc.RuleDoc


class Told(Record):
    """All that the page tells. ``opened`` are the ids of the sections that are open from the start; ``changes``: some
    input tells of a change; ``removed`` groups are deleted or forgotten; ``several``: the groups are of more than one
    input; ``unseen`` groups are in no section.
    """

    outcome: str
    passed: bool
    counts: Mapping[str, int]
    groups: tuple[Group, ...]
    opened: frozenset[str]
    changes: bool
    removed: int
    affected: tuple[Affected, ...]
    several: bool
    unseen: int
    elsewhere: tuple[Card, ...]
    rules: tuple[RuleText, ...]


Found = list[tuple[str, Finding]]
"""Findings, each with its id in the page."""


def tell(result: Result, settings: Settings, *, quiet: bool = False) -> Told:
    """What the page tells of a run; ``quiet`` leaves out the groups without a finding."""
    findings = (*result.findings, *result.undecided)
    said: dict[tuple[str, str], Found] = {}
    for finding, before in numbered(sorted(findings, key=worst_first)):
        identity = f"f-{finding.fingerprint}" + (f"-{before + 1}" if before else "")
        said.setdefault((finding.place.input, finding.place.address), []).append((identity, finding))
    groups = _groups(result.views, said, quiet)
    there = {finding.rule for finding in findings}
    return Told(
        outcome=_outcome(result, settings),
        passed=result.exit_code == 0,
        counts=Counter(_word(finding) for finding in findings),
        groups=groups,
        opened=_opened(groups),
        changes=any(group.change for group in groups),
        removed=sum(entry.removed for entry in result.inputs),
        affected=_affected(groups),
        several=len({group.input for group in groups}) > 1,
        unseen=result.counts["groups"] - len(result.views),
        elsewhere=tuple(_card([identity], finding) for found in said.values() for identity, finding in found),
        rules=tuple(
            RuleText(rule.id, rule.title, doc.parse(rule.module.__doc__)) for rule in result.rules if rule.id in there
        ),
    )


def _outcome(result: Result, settings: Settings) -> str:
    if result.exit_code not in (0, 1):
        return "Not everything could be checked"
    failing = sum(fails(finding, settings) for finding in result.findings)
    if not failing:
        return "Nothing fails"
    return f"{count(failing, 'finding')} {'fails' if failing == 1 else 'fail'} the run"


def _opened(groups: Sequence[Group]) -> frozenset[str]:
    if len(groups) > OPENED:
        return frozenset()
    telling = [group for group in groups if group.counts or group.change not in ("", "no-op")]
    return frozenset(group.id for group in telling or groups)


def _affected(groups: Iterable[Group]) -> tuple[Affected, ...]:
    """What the change does, the most severe first."""
    found: dict[Impact, list[tuple[str, str]]] = {}
    for group in groups:
        for member in group.members:
            for impact in (*group.common.impact, *member.impact):
                found.setdefault(impact, []).append((group.id, member.address))
    order = list(IMPACTS)
    ordered = sorted(found.items(), key=lambda item: (not item[0].certain, order.index(item[0].kind), -len(item[1])))
    return tuple(Affected(impact, tuple(of)) for impact, of in ordered)


Slot = tuple[str, int | None]
"""A stage and the position of a script in it; without one, the stage as a whole."""


class _Judged(Record):
    """A node group with its findings, by where the page shows them (``None``: at the group) and by what they say."""

    viewed: Viewed
    found: Found
    at: Mapping[Slot | None, Mapping[Finding, list[str]]]

    @property
    def boot(self) -> tuple[Any, ...]:
        """Equal for groups that may share a section."""
        found = frozenset((slot, tuple(said)) for slot, said in self.at.items() if slot is not None)
        return (self.viewed.input, self.viewed.view.change, self.viewed.view.stages, found)


def _groups(views: Iterable[Viewed], said: dict[tuple[str, str], Found], quiet: bool) -> tuple[Group, ...]:
    """The sections, the worst first; takes out of ``said`` what they tell."""
    alike: dict[Any, list[_Judged]] = {}
    for viewed in views:
        judged = _judged(viewed, said.pop((viewed.input, viewed.address), []))
        if judged.found or not quiet:
            alike.setdefault(judged.boot, []).append(judged)
    ordered = sorted(alike.values(), key=lambda members: min(map(_rank, members)))
    return tuple(_group(f"g{number}", members) for number, members in enumerate(ordered, 1))


def _judged(viewed: Viewed, found: Found) -> _Judged:
    at: dict[Slot | None, dict[Finding, list[str]]] = {}
    for identity, finding in found:
        at.setdefault(_where(finding, viewed.view), {}).setdefault(_anywhere(finding), []).append(identity)
    return _Judged(viewed, found, at)


_SCRIPT = re.compile(r"nodeLifecycleActions\.stages\.(\w+)(?:\[(\d+)\])?")


def _where(finding: Finding, view: GroupView) -> Slot | None:
    """Where the page shows a finding: at its script, or else at its stage, or else at the group."""
    match = _SCRIPT.match(finding.place.path)
    stage = next((stage for stage in view.stages if match and stage.name == match[1]), None)
    if match is None or stage is None:
        return None
    position = None if match[2] is None else int(match[2]) + 1
    shown = {script.position for script in stage.scripts if script.mark != "-"}
    return stage.name, position if position in shown else None


def _anywhere(finding: Finding) -> Finding:
    """A finding without what tells it from the same finding of another group."""
    place = finding.place
    origin = place.origin._replace(pointer=None, construct=None)
    return finding._replace(place=place._replace(address="", origin=origin))


def _rank(judged: _Judged) -> tuple[Any, ...]:
    counting = [finding for _, finding in judged.found if finding.counts]
    return (0, *min(map(worst_first, counting)), -len(counting)) if counting else (1, not judged.found)


def _group(identity: str, members: Sequence[_Judged]) -> Group:
    first = members[0].viewed.view
    views = [judged.viewed.view for judged in members]
    of_groups = [judged.at.get(None, {}) for judged in members]
    said = _in_all(of_groups)
    common = Member(
        address=first.address,
        rows=_in_all([view.rows for view in views]),
        impact=_in_all([view.impact for view in views]),
        cards=_cards(said, of_groups),
    )
    at = {
        slot: _cards(found, [judged.at[slot] for judged in members])
        for slot, found in members[0].at.items()
        if slot is not None
    }
    return Group(
        id=identity,
        input=printable(members[0].viewed.input),
        change=first.change,
        common=common,
        members=tuple(_member(judged, common, said) for judged in members),
        impact=_of_each_kind(impact for view in views for impact in view.impact),
        stages=tuple(_stage(f"{identity}-{number}", stage, at) for number, stage in enumerate(first.stages, 1)),
        counts=Counter(_word(finding) for judged in members for _, finding in judged.found),
    )


def _of_each_kind(impacts: Iterable[Impact]) -> tuple[Impact, ...]:
    """One impact of each kind, a certain one where there is one."""
    found: dict[str, Impact] = {}
    for impact in impacts:
        if impact.certain or impact.kind not in found:
            found[impact.kind] = impact
    return tuple(found.values())


def _member(judged: _Judged, common: Member, said: Sequence[Finding]) -> Member:
    view, found = judged.viewed.view, judged.at.get(None, {})
    return Member(
        address=view.address,
        rows=_less(view.rows, common.rows),
        impact=_less(view.impact, common.impact),
        cards=_cards(_less(found, said), [found]),
    )


def _in_all(lists: Sequence[Iterable[T]]) -> tuple[T, ...]:
    """What is in every one of the lists, in the order of the first."""
    first, *others = lists
    sets = [frozenset(other) for other in others]
    return tuple(item for item in first if all(item in other for other in sets))


def _less(items: Iterable[T], others: Sequence[T]) -> tuple[T, ...]:
    return tuple(item for item in items if item not in others)


def _stage(identity: str, stage: StageView, at: Mapping[Slot, tuple[Card, ...]]) -> StageCards:
    scripts = []
    for number, script in enumerate(stage.scripts, 1):
        cards = at.get((stage.name, script.position), ()) if script.mark != "-" else ()
        scripts.append(ScriptCards(f"{identity}-{number}", script, {row.name: row for row in script.rows}, cards))
    return StageCards(stage, tuple(scripts), at.get((stage.name, None), ()))


def _cards(said: Iterable[Finding], of_groups: Sequence[Mapping[Finding, list[str]]]) -> tuple[Card, ...]:
    """The cards of findings that each of the groups has."""
    return tuple(_card([identity for found in of_groups for identity in found[finding]], finding) for finding in said)


def _card(ids: Sequence[str], finding: Finding) -> Card:
    where = spot(finding)
    return Card(
        ids=tuple(ids),
        word=_word(finding),
        severity=finding.severity.value if finding.verdict == "fail" else "undecided",
        rule=finding.rule,
        title=printable(finding.title),
        message=printable(finding.message),
        remedy=printable(finding.remedy),
        path=printable(finding.place.path_as_written),
        at="" if where.line is None else printable(f"{where.file}:{where.line}"),
        address=printable(finding.place.address or relative(finding.place.input)),
        introduced=finding.introduced,
        notes=tuple(map(printable, _notes(finding))),
    )


def _word(finding: Finding) -> str:
    if not finding.counts:
        return "excused"
    return finding.severity.value if finding.verdict == "fail" else "undecided"


def _notes(finding: Finding) -> list[str]:
    notes = ["in the baseline"] if finding.known else []
    if finding.waiver is not None:
        notes.append(waived(finding.waiver))
    if finding.lapsed is not None:
        notes.append(lapsed(finding.lapsed))
    return notes
