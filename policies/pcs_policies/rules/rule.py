"""What a rule is made of, and the few helpers that rule files share.

A rule file has, in this order: a docstring with the headings *What it checks*, *Why*, *Fix* and *Sources*; ``ID``,
``TITLE`` and ``SEVERITY``; the fragments ``GOOD``, ``BAD`` and ``UNDECIDED``; and ``check``, a pure function from a
document to verdicts on places in it (or ``fold``, for the few rules that compare documents). Lines and columns are no
business of a rule: the report looks them up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

from pcs_policies.document import Node, NodeGroup, Script
from pcs_policies.settings import Settings


class Severity(Enum):
    """How much a finding matters; ``rank`` grows with it."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


class Outcome(Enum):
    """What a rule can say of a place."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


class Verdict(NamedTuple):
    """What a rule says of one place. ``message`` tells the fact and why it matters, ``remedy`` what to do."""

    outcome: Outcome
    node: Node
    message: str = ""
    remedy: str = ""


def passed(node: Node) -> Verdict:
    return _made(Verdict, (Outcome.PASS, node, "", ""))


_made = tuple.__new__  # what Verdict(...) does in the end; nine verdicts of ten are made here


def failed(node: Node, message: str, remedy: str) -> Verdict:
    return Verdict(Outcome.FAIL, node, message, remedy)


def undecided(node: Node, message: str) -> Verdict:
    """The input does not tell; ``message`` says what it leaves open."""
    return Verdict(Outcome.UNDECIDED, node, message)


Check = Callable[[NodeGroup, Settings], Iterable[Verdict]]


class Fold(NamedTuple):
    """A rule over a whole run. Documents are dropped one by one, so such a rule keeps only what it compares.

    ``collect`` yields places of a document, each with a small hashable value. ``judge`` gets all the values of the
    run in order, and yields the position of each that fails with its message and remedy.
    """

    collect: Callable[[NodeGroup, Settings], Iterable[tuple[Node, Any]]]
    judge: Callable[[Sequence[Any], Settings], Iterable[tuple[int, str, str]]]


def each_script(judge: Callable[[Script, Settings], Iterable[Verdict]], stage: str | None = None) -> Check:
    """A check that judges every script (of one stage, or of both) by itself.

    Where the input does not tell which scripts there are, the verdict is UNDECIDED at that place: a script that
    cannot be seen is not a script that is fine.
    """

    def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
        for node in group.unseen(stage):
            yield undecided(node, "which scripts this holds is known only after apply")
        for script in group.scripts(stage):
            yield from judge(script, settings)

    return check
