"""What a run finds: plain records that every report reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pcs_contract import spelling as names
from pcs_policies.document import Change, Node, NodeGroup, Origin
from pcs_policies.redaction import name_of
from pcs_policies.rules.rule import Severity


class Place(NamedTuple):
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


class Finding(NamedTuple):
    """A verdict that a person should see."""

    rule: str
    title: str
    severity: Severity
    verdict: str  # "fail" or "undecided"
    place: Place
    message: str
    remedy: str
    introduced: bool | None

    @property
    def fingerprint(self) -> str:
        """Names the finding across runs: it survives edits elsewhere, moved lines and reordered scripts."""
        from hashlib import sha256

        parts = (self.rule, self.place.address, self.place.key)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Unchecked(NamedTuple):
    """Something that could not be checked, and why."""

    input: str
    reason: str


class Skipped(NamedTuple):
    """A file in a folder that is no input of ours, and how that can be told."""

    path: str
    reason: str


class InputSummary(NamedTuple):
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


class Result(NamedTuple):
    """All that a run has to tell.

    ``counts`` holds the numbers of all there was: ``groups``, findings by severity, ``undecided`` verdicts,
    ``unchecked`` places, and how many findings and undecided verdicts are ``left_out`` of the lists.
    """

    inputs: tuple[InputSummary, ...]
    findings: tuple[Finding, ...]
    undecided: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    skipped: tuple[Skipped, ...]
    counts: Mapping[str, int]
    exit_code: int


_STAGE = re.compile(r"nodeLifecycleActions\.stages\.(\w+)")
_SCRIPT = re.compile(r"nodeLifecycleActions\.stages\.(nodeBootstrapped|nodeReady)\[(\d+)\]")


def place(group: NodeGroup, node: Node, input_path: str) -> Place:
    """The place of a node."""
    match = _SCRIPT.match(node.path)
    index = int(match.group(2)) if match else None
    script = next((s for s in group.scripts(match.group(1)) if s.index == index), None) if match else None
    stage = _STAGE.match(node.path)
    return Place(
        input=input_path,
        address=group.address,
        path=node.path,
        path_as_written=names.written(node.path, group.spelling) if node.path else "",
        key=stable_key(group, node.path),
        stage=stage.group(1) if stage else None,
        script=name_of(script) if script else None,
        origin=group.origins(node.path),
        change=group.change,
    )


def stable_key(group: NodeGroup, path: str) -> str:
    """A leaf path with the script's name instead of its index, where the name is known and unique in its stage.

    ``nodeLifecycleActions.stages.nodeReady[0].onError`` becomes
    ``nodeLifecycleActions.stages.nodeReady["motd"].onError``.
    """
    match = _SCRIPT.match(path)
    if match is None:
        return path
    stage, index = match.group(1), int(match.group(2))
    named = {script.index: name_of(script) for script in group.scripts(stage)}
    name = named.get(index)
    if name is None or list(named.values()).count(name) > 1:
        return path
    return f'nodeLifecycleActions.stages.{stage}["{name}"]{path[match.end() :]}'
