"""Holds waivers against findings: which they excuse, and which waivers are no good.

A waiver is about a place: its leaf, or the whole group. It excuses what its rule finds at that place and below it, if
that is one leaf, or if the place is a script or lies within one. Otherwise it would cover more than anybody has
looked at: it is too broad, and excuses nothing in that group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from pcs_contract.record import Record
from pcs_policies.document import Change, NodeGroup, Origin
from pcs_policies.findings import Finding, Place, Unchecked
from pcs_policies.redaction import mask, printable
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings
from pcs_policies.waivers import inline
from pcs_policies.waivers.entry import Use, Waiver, fits, today

_IN_SCRIPT = re.compile(r"nodeLifecycleActions\.stages\.\w+\[")
TOLD = 3
"""Leaves that a message names at most."""


class _Account:
    """What has become of a waiver so far."""

    def __init__(self, waiver: Waiver) -> None:
        self.waiver = waiver
        self.input: str | None = None  # of a waiver in the source: the input that it was read with
        self.seen = False
        self.covered = 0
        self.lapsed = 0
        self.broad: list[str] = []
        self.elsewhere: list[str] = []


class _Claim(Record):
    """A waiver that is about a group, and the place in that group."""

    account: _Account
    leaf: str


class Ledger:
    """The waivers of a run. Groups are told one by one, in the end what compares them, then the problems.

    ``rules`` are all that a waiver in the source may name.
    """

    def __init__(self, waivers: Iterable[Waiver], rules: Iterable[Rule], settings: Settings) -> None:
        self._today = today()
        self._longest = settings.waiver_days
        self._rules = tuple(rules)
        self._accounts = [_Account(waiver) for waiver in waivers]
        self._inline: dict[tuple[str, int | None, str, int], _Account] = {}
        self._later: dict[tuple[str, str], list[_Claim]] = {}

    def of_group(
        self, group: NodeGroup, input_path: str, rules: Iterable[Rule], said: Iterable[Finding | Unchecked]
    ) -> Iterable[Finding | Unchecked]:
        """What was said of a group, with those findings excused that a waiver covers. ``rules`` judged the group."""
        judging = {rule.id: rule for rule in rules}
        claims = [claim for claim in self._claims(group, input_path) if claim.account.waiver.rule in judging]
        if not claims:
            return said
        for claim in claims:
            claim.account.seen = True
        later = [claim for claim in claims if judging[claim.account.waiver.rule].fold is not None]
        if later:
            self._later[input_path, group.address] = later
        return self._excuse(said, [claim for claim in claims if claim not in later])

    def of_run(self, said: Iterable[Finding | Unchecked]) -> Iterator[Finding | Unchecked]:
        """The same for what compares the groups of the run."""
        found: dict[tuple[str, str], list[Finding]] = {}
        for entry in said:
            if isinstance(entry, Unchecked):
                yield entry
            else:
                found.setdefault((entry.place.input, entry.place.address), []).append(entry)
        for where, findings in found.items():
            yield from self._excuse(findings, self._later.get(where, []))

    def _claims(self, group: NodeGroup, input_path: str) -> Iterator[_Claim]:
        for account in self._accounts:
            if fits(account.waiver.address, group.address):
                yield _Claim(account, account.waiver.leaf)
        for number, waiver in enumerate(inline.waivers(group, self._rules) if group.waivers else ()):
            # one waiver, however many instances of the group there are, and inputs that are joined with the source
            key = (waiver.file, waiver.line, waiver.rule, number)
            account = self._inline.setdefault(key, _Account(waiver))
            account.input = input_path
            if not waiver.problem:
                yield _Claim(account, waiver.leaf)

    def _excuse(self, said: Iterable[Finding | Unchecked], claims: Iterable[_Claim]) -> list[Finding | Unchecked]:
        excused = list(said)
        for account, leaf in claims:
            of_rule = [
                (position, entry)
                for position, entry in enumerate(excused)
                if isinstance(entry, Finding) and entry.rule == account.waiver.rule
            ]
            meant = [(position, finding) for position, finding in of_rule if _below(leaf, finding.place.key)]
            if not meant:
                account.elsewhere += [finding.place.key for _, finding in of_rule][:TOLD]
                continue
            leaves = list(dict.fromkeys(finding.place.key for _, finding in meant))
            problem = self._problem(account.waiver, leaf, leaves)
            if problem:
                account.lapsed += len(meant)
                if not self._expired(account.waiver):
                    account.broad += leaves
            else:
                account.covered += len(meant)
            excuse = account.waiver.excuse(problem)
            for position, finding in meant:
                if finding.waiver is None:
                    lapsed = finding._replace(lapsed=excuse)
                    excused[position] = lapsed if problem else finding._replace(waiver=excuse, lapsed=None)
        return excused

    def _expired(self, waiver: Waiver) -> bool:
        return self._today > waiver.until

    def _problem(self, waiver: Waiver, leaf: str, leaves: list[str]) -> str:
        """Why a waiver does not hold for what it is meant for; empty where it does."""
        if self._expired(waiver):
            return f"it ended on {waiver.until.isoformat()}"
        if len(leaves) > 1 and not _IN_SCRIPT.match(leaf):
            return f"it is too broad: it would cover {len(leaves)} leaves"
        return ""

    def problems(self, rules: Iterable[Rule]) -> Iterator[Finding]:
        """What those of ``rules`` that judge waivers say of them."""
        judging = tuple(rule for rule in rules if rule.waiver is not None)
        for account in (*self._accounts, *self._inline.values()):
            use = _use(account, self._today, self._longest)
            for rule in judging:
                said = rule.waiver(use) if rule.waiver is not None else None
                if said is not None:
                    message, remedy = said
                    yield _finding(rule, use.waiver, account.input, message, remedy)

    def unseen(self) -> tuple[str, ...]:
        """Where the waivers stand, of those in force, whose rule has judged no group that they are about."""
        return tuple(
            account.waiver.source
            for account in self._accounts
            if not account.seen and not self._expired(account.waiver)
        )


def _use(account: _Account, day: date, longest: int) -> Use:
    return Use(
        waiver=account.waiver,
        today=day,
        longest=longest,
        seen=account.seen,
        covered=account.covered,
        lapsed=account.lapsed,
        broad=_leaves(account.broad),
        elsewhere=_leaves(account.elsewhere)[:TOLD],
    )


def _leaves(keys: Iterable[str]) -> tuple[str, ...]:
    """Leaves for a message; their script names are the input's, so they go through the gate like any other value."""
    return tuple(printable(mask(key)) for key in dict.fromkeys(keys))


def _below(place: str, key: str) -> bool:
    """Whether a leaf is a place or lies below it."""
    return not place or key == place or key.startswith((f"{place}.", f"{place}["))


def _finding(rule: Rule, waiver: Waiver, input_path: str | None, message: str, remedy: str) -> Finding:
    place = Place(
        input=input_path or waiver.file,
        address=waiver.address,
        path=waiver.leaf,
        path_as_written=waiver.leaf,
        key=f"{waiver.rule} {waiver.leaf}".strip(),
        stage=None,
        script=None,
        origin=Origin(file=waiver.file, line=waiver.line),
        change=Change.NONE,
    )
    return Finding(rule.id, rule.title, rule.severity, Outcome.FAIL.value, place, message, remedy, None)
