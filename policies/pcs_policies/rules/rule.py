"""What a rule is made of, and the few helpers that rule files share.

A rule file has, in this order: a docstring with the headings *What it checks*, *Why*, *Fix* and *Sources*; ``ID``,
``TITLE`` and ``SEVERITY``; the fragments ``GOOD``, ``BAD`` and ``UNDECIDED``; and ``check``, a pure function from a
document to verdicts on places in it (or ``fold``, for the few rules that compare documents). Lines and columns are no
business of a rule: the report looks them up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from pcs_contract.hints import TYPE_CHECKING, Any
from pcs_contract.record import Record
from pcs_policies.document import Node, NodeGroup, Script
from pcs_policies.settings import Settings

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use


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


class Verdict(Record):
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


class Fold(Record):
    """A rule over a whole run. Documents are dropped one by one, so such a rule keeps only what it compares.

    ``collect`` yields places of a document, each with a small hashable value. ``judge`` gets all the values of the
    run in order, and yields the position of each that fails with its message and remedy.
    """

    collect: Callable[[NodeGroup, Settings], Iterable[tuple[Node, Any]]]
    judge: Callable[[Sequence[Any], Settings], Iterable[tuple[int, str, str]]]


WaiverCheck = Callable[["Use"], tuple[str, str] | None]
"""What a rule about waivers says of one and of what became of it: message and remedy, or nothing."""


def each_script(judge: Callable[[Script, Settings], Iterable[Verdict]], stage: str | None = None) -> Check:
    """A check that judges every script (of one stage, or of both) by itself.

    Where the input does not tell which scripts there are, the verdict is UNDECIDED at that place: a script that
    cannot be seen is not a script that is fine.
    """

    memory = _Memory()

    def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
        for node in group.unseen(stage):
            yield undecided(node, "which scripts this holds is known only after apply")
        for script in group.scripts(stage):
            said = memory.recall(script, settings)
            if said is None:
                said = list(judge(script, settings))
                memory.keep(script, said)
            yield from said

    return check


class _Memory:
    """What a rule said of scripts, to be said again of one that is alike in every fact.

    The groups of a fleet share their scripts, and a rule is a pure function; so most scripts of a large plan need no
    second judgement.
    """

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._said: dict[int, list[tuple[Outcome, int, str, str]]] = {}

    def recall(self, script: Script, settings: Settings) -> list[Verdict] | None:
        """The verdicts on a script that is like one that was judged with the same settings; ``None`` without one."""
        if settings is not self._settings:
            self._said.clear()
            self._settings = settings
        said = self._said.get(script.likeness)
        if said is None:
            return None
        nodes = script.nodes
        return [_made(Verdict, (outcome, nodes[at], message, remedy)) for outcome, at, message, remedy in said]

    def keep(self, script: Script, verdicts: list[Verdict]) -> None:
        """Remember verdicts, unless one is on a place that is not the script's own."""
        at = {id(node): position for position, node in enumerate(script.nodes)}
        if all(id(verdict.node) in at for verdict in verdicts):
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            self._said[script.likeness] = [(v.outcome, at[id(v.node)], v.message, v.remedy) for v in verdicts]


REMEMBERED = 512
"""Scripts that a rule remembers: more than a fleet shares, few enough to cost no memory to speak of."""
