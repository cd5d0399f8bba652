"""A waiver as it was written, and what became of it in a run."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from pcs_contract.record import Record
from pcs_policies.errors import UsageError
from pcs_policies.findings import Excuse
from pcs_policies.redaction import mask, printable, quote

TODAY = "PCSGUARD_TODAY"
"""Environment variable with the date that waivers are judged by, to see what a later day brings."""


class Waiver(Record):
    """A waiver. ``rule`` is an id; ``address`` is a glob (see :func:`fits`); ``until`` is its last day.

    ``leaf`` is the place that it is about, as a stable key (see :func:`pcs_policies.findings.stable_key`); empty for
    the group as a whole. ``problem`` says what is wrong with one in the source that cannot be used; then the other
    members hold what could be read.
    """

    rule: str
    address: str
    leaf: str
    owner: str
    reason: str
    until: date
    file: str
    line: int | None
    inline: bool = False
    problem: str = ""

    @property
    def source(self) -> str:
        return self.excuse().source

    def excuse(self, problem: str = "") -> Excuse:
        """What a report says of it beside a finding."""
        owner, until = self.owner, self.until.isoformat()
        return Excuse(owner, until, self.reason, self.file, self.line, self.inline, problem)


class Use(Record):
    """What a run made of a waiver.

    ``seen``: its rule judged a group that it is about. ``covered`` findings are excused, ``lapsed`` ones would be if
    it held. ``broad`` are the leaves that it would cover where that is too many, ``elsewhere`` those at which its
    rule finds something in such a group that is no business of this waiver.
    """

    waiver: Waiver
    today: date
    longest: int
    """Days from today that a waiver may last."""
    seen: bool = False
    covered: int = 0
    lapsed: int = 0
    broad: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def expired(self) -> bool:
        return self.today > self.waiver.until


def today() -> date:
    """The date that waivers are judged by, in UTC. Raises :class:`UsageError` for a variable that holds none."""
    said = os.environ.get(TODAY)
    if not said:
        return datetime.now(UTC).date()
    day = parse_date(said)
    if day is None:
        raise UsageError(f"{TODAY}: {quote(said)} is no date; write it like 2027-01-31")
    return day


def parse_date(text: str) -> date | None:
    """A date that is written like ``2027-01-31``."""
    try:
        return date.fromisoformat(text) if len(text) == len("2027-01-31") else None
    except ValueError:
        return None


def shown(text: str) -> str:
    """A text of a person (an owner, a reason) as it may be shown: on one line, without credentials."""
    return printable(mask(text.strip()))


def fits(glob: str, address: str) -> bool:
    """Whether an address fits a glob: ``*`` stands for any text, every other character for itself.

    Brackets stand for themselves too, as addresses have them: ``module.site["a"].pcs_compute_node_group.hpc[0]``.
    Takes time that grows with the length of both and not faster, whatever they are.
    """
    head, *middle = glob.split("*")
    if not middle:
        return address == glob
    tail = middle.pop()
    if len(address) < len(head) + len(tail) or not address.startswith(head) or not address.endswith(tail):
        return False
    at, end = len(head), len(address) - len(tail)
    for part in middle:
        found = address.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def says_nothing(glob: str) -> bool:
    """Whether a glob is made of wildcards only, so that any group fits it."""
    return not glob.strip("*. ")
