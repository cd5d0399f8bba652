"""What a run finds: plain records that every report reads."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from pcs_contract import spelling as names
from pcs_contract.hints import TYPE_CHECKING
from pcs_contract.record import Record
from pcs_contract.spelling import Spelling
from pcs_policies.document import Change, Node, NodeGroup, Origin
from pcs_policies.redaction import name_of
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.boot import GroupView
    from pcs_policies.rules.table import Rule


class Place(Record):
    """Where in a run something is: what is left of a node when its document is dropped.

    ``key`` is the leaf path with names in place of list positions.
    """

    input: str
    address: str
    path: str
    path_as_written: str
    key: str
    stage: str | None
    script: str | None
    origin: Origin
    change: Change


class Excuse(Record):
    """The waiver of a finding. ``until`` is its last day (``2027-01-31``); ``inline``: it stands in the source.

    ``problem`` says why it does not hold, and is empty for one that does.
    """

    owner: str
    until: str
    reason: str
    file: str
    line: int | None
    inline: bool
    problem: str = ""

    @property
    def source(self) -> str:
        """Where it stands: ``pcsguard-waivers.toml:3``."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Finding(Record):
    """A verdict that a person should see.

    ``waiver`` is the one that excuses it, ``lapsed`` one that was meant to and does not hold. ``known`` tells whether
    the baseline has it; ``None`` where there is no baseline.
    """

    rule: str
    title: str
    severity: Severity
    verdict: str  # "fail" or "undecided"
    place: Place
    message: str
    remedy: str
    introduced: bool | None
    waiver: Excuse | None = None
    lapsed: Excuse | None = None
    known: bool | None = None

    @property
    def counts(self) -> bool:
        """Whether it has a say in the exit code: it is neither waived nor in the baseline."""
        return self.waiver is None and not self.known

    @property
    def old(self) -> bool:
        """Whether the baseline is what it is excused by."""
        return bool(self.known) and self.waiver is None

    @property
    def fingerprint(self) -> str:
        """Names the finding across runs: it survives edits elsewhere, moved lines and reordered scripts."""
        from hashlib import sha256

        parts = (self.rule, self.place.address, self.place.key)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Unchecked(Record):
    """Something that could not be checked, and why."""

    input: str
    reason: str


class Skipped(Record):
    """A file in a folder that is no input of ours, and how that can be told."""

    path: str
    reason: str


class InputSummary(Record):
    """What became of one input. ``status`` is ``checked``, ``partly`` or ``unchecked``; ``source`` is what a plan was
    joined with.
    """

    path: str
    kind: str | None
    title: str
    status: str
    groups: int
    drifted: int
    removed: int
    source: str | None


class Vanished(Record):
    """An entry of the baseline that a run looked for and did not find any more."""

    rule: str
    address: str
    leaf: str
    fingerprint: str


class Compared(Record):
    """A baseline, compared with a run: what is gone, and how many entries are about what the run did not check."""

    file: str
    vanished: tuple[Vanished, ...]
    not_checked: int


class Viewed(Record):
    """A node group that was judged, as its nodes boot."""

    input: str
    address: str
    view: "GroupView"


class Result(Record):
    """All that a run has to tell.

    ``counts`` holds the numbers of all there was: ``groups``; findings by severity and ``undecided`` verdicts, less
    those that are ``waived`` and those ``known`` from the baseline; ``unchecked`` places; and how many findings and
    undecided verdicts of any sort are ``left_out`` of the lists. ``rules`` are those that were run, and
    ``unseen_waivers`` say where the waivers stand that are about nothing of this run. ``views`` are there where a
    report shows the groups themselves.
    """

    inputs: tuple[InputSummary, ...]
    findings: tuple[Finding, ...]
    undecided: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    skipped: tuple[Skipped, ...]
    counts: Mapping[str, int]
    exit_code: int
    rules: "tuple[Rule, ...]" = ()
    baseline: Compared | None = None
    unseen_waivers: tuple[str, ...] = ()
    views: tuple[Viewed, ...] = ()


_SCRIPT = r"nodeLifecycleActions\.stages\.(\w+)(?:\[(\d+)\])?"


def place(group: NodeGroup, node: Node, input_path: str) -> Place:
    """The place of a node."""
    return place_of(sketch(group, node, input_path))


Sketch = tuple[str, str, str, str | None, str | None, str, Spelling, Callable[[str], Origin], Change]
"""What a place is made of, without the document that it is in: small, for runs that keep one for every script."""


def sketch(group: NodeGroup, node: Node, input_path: str) -> Sketch:
    """What :func:`place_of` makes the place of a node from."""
    path = node.path
    stage, script, key = _script_at(group, path)
    return input_path, group.address, path, stage, script, key, group.spelling, group.origins, group.change


def place_of(sketch: Sketch) -> Place:
    """The place of a sketch."""
    input_path, address, path, stage, script, key, spelling, origins, change = sketch
    written = names.written(path, spelling) if path else ""
    return Place(input_path, address, path, written, key, stage, script, origins(path), change)


def stable_key(group: NodeGroup, path: str) -> str:
    """A leaf path with the script's name instead of its index, where the name is known and unique in its stage.

    ``nodeLifecycleActions.stages.nodeReady[0].onError`` becomes
    ``nodeLifecycleActions.stages.nodeReady["motd"].onError``. A quote or backslash in the name has a backslash before
    it, so that no name can look like the key of another script.
    """
    return _script_at(group, path)[2]


def _script_at(group: NodeGroup, path: str) -> tuple[str | None, str | None, str]:
    """The stage and the script that a place is in, where it is in one, and its stable key."""
    match = re.match(_SCRIPT, path)
    if match is None:
        return None, None, path
    stage, index = match.groups()
    if index is None:
        return stage, None, path
    named = {script.index: name_of(script) for script in group.scripts() if script.stage == stage}
    name = named.get(int(index))
    if name is None or list(named.values()).count(name) > 1:
        return stage, name, path
    return stage, name, _named(stage, name, path[match.end() :])


@lru_cache(maxsize=4096)  # the groups of a run share their scripts, and then this text too
def _named(stage: str, name: str, member: str) -> str:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'nodeLifecycleActions.stages.{stage}["{quoted}"]{member}'
