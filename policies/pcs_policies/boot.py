"""What the nodes of a group run when they boot: a document as a reader needs it, before and after a change.

Everything here is text that may be shown: secrets are hidden and control characters escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from pcs_contract.record import Record
from pcs_policies.document import STAGES, Basis, Change, Leaf, NodeGroup, Object, Script, State
from pcs_policies.redaction import HIDDEN, LONGEST_READ, mask, printable
from pcs_policies.rules import pcs501_drains_nodes, pcs502_replaces_group, pcs504_max_lowered
from pcs_policies.rules.rule import Outcome
from pcs_policies.settings import Settings

ON_REBOOT = {
    ("CACHE_ONCE", "FIRST_BOOT_ONLY"): "nothing",
    ("CACHE_ONCE", "EVERY_BOOT"): "run again, from the copy on the node",
    ("REFRESH_ON_REBOOT", "FIRST_BOOT_ONLY"): "downloaded again, not run",
    ("REFRESH_ON_REBOOT", "EVERY_BOOT"): "downloaded again and run",
}
"""(scriptCachingPolicy, executionPolicy) -> what becomes of a script when a node reboots (PCS user guide,
cng-node-lifecycle-actions-configure)."""

WHEN = {"nodeBootstrapped": "before slurmd starts", "nodeReady": "jobs may already run"}
"""Stage -> when its scripts run (PCS user guide, cng-node-lifecycle-actions)."""

ON_ERROR = {
    "TERMINATE": "the node is terminated, and the group launches another",
    "STOP_SEQUENCE": "the scripts behind it in this stage are not run; the node stays",
    "CONTINUE": "the next script is run",
}
"""onError -> what becomes of a node when the script, or its download, fails (PCS user guide,
cng-node-lifecycle-actions-configure)."""


class Step(Record):
    """What a node does at boot besides running scripts."""

    name: str
    about: str


BEFORE_SCRIPTS = (
    Step("register", "the node registers with the cluster and gets the lifecycle actions of its group"),
    Step("download", "the scripts of both stages are fetched; after three tries, onError decides"),
)
BETWEEN_STAGES = Step("slurmd", "joins the cluster: jobs may start here")
"""The boot around the two stages (PCS user guide, cng-node-lifecycle-actions and -configure)."""

LATER = "known after apply"
NOTHING = "none"
SHORT = 8
"""Characters that tell one checksum or version from another."""


class Row(Record):
    """A fact: its value, and the one before the change where that is another one."""

    name: str
    now: str
    was: str | None


class ScriptView(Record):
    """A script. ``mark`` is ``+`` added, ``-`` removed, ``~`` changed or empty; ``position`` counts from 1.

    ``on_error`` is a key of :data:`ON_ERROR`, or empty where the input does not tell.
    """

    mark: str
    position: int
    rows: tuple[Row, ...]
    on_error: str


class StageView(Record):
    """A stage in boot order. ``unseen``: only apply reveals which scripts there are, or some of them."""

    name: str
    when: str
    scripts: tuple[ScriptView, ...]
    unseen: bool


class Impact(Record):
    """What a change does to running nodes. ``kind`` is one of :data:`IMPACTS`; ``certain``: it does not hang on what
    only apply reveals.
    """

    kind: str
    certain: bool
    text: str


class GroupView(Record):
    """A node group. ``change`` is empty for inputs that describe none; so is ``impact`` where no node is lost."""

    address: str
    change: str
    impact: tuple[Impact, ...]
    rows: tuple[Row, ...]
    stages: tuple[StageView, ...]


class _Told(Record):
    """A fact as text, with what to say of its basis, and with what to compare it by (the text may be shortened)."""

    text: str
    note: str = ""
    key: Any = None

    def __str__(self) -> str:
        return f"{self.text or NOTHING} ({self.note})" if self.note else self.text or NOTHING


T = TypeVar("T")
Facts = tuple[tuple[str, Callable[[T], _Told]], ...]


def view(group: NodeGroup) -> GroupView:
    """A group as a reader needs it; with its state before the change where the input has one."""
    before = group.as_before()
    return GroupView(
        address=printable(group.address),
        change="" if group.change is Change.NONE else group.change.value,
        impact=tuple(_impact(group)),
        rows=_rows(_GROUP, group.after, before.after if before else None),
        stages=tuple(_stage(name, group, before) for name in STAGES),
    )


def sharing() -> Callable[[NodeGroup], GroupView]:
    """:func:`view` for a run of many groups, which keeps what they have in common once."""
    kept: dict[StageView, StageView] = {}

    def shared(group: NodeGroup) -> GroupView:
        seen = view(group)
        return seen._replace(stages=tuple(kept.setdefault(stage, stage) for stage in seen.stages))

    return shared


IMPACTS = {
    "replace": pcs502_replaces_group,
    "drain": pcs501_drains_nodes,
    "jobs fail": pcs504_max_lowered,
}
"""What a change may do to running nodes -> the rule that works it out, whether or not it is one of a run."""


def _impact(group: NodeGroup) -> Iterator[Impact]:
    for kind, rule in IMPACTS.items():
        verdicts = [said for said in rule.check(group, Settings()) if said.outcome is not Outcome.PASS]
        said = min(verdicts, key=lambda said: said.outcome is not Outcome.FAIL, default=None)
        if said is None:
            continue
        certain = said.outcome is Outcome.FAIL
        yield Impact(kind, certain, printable(said.message))
        if certain and kind == "replace":  # there is no more to lose
            return


def _rows(facts: Facts[T], now: T, was: T | None) -> tuple[Row, ...]:
    """The facts that there are, now or before."""
    return tuple(_row_of(facts, now, was))


def _row_of(facts: Facts[T], now: T, was: T | None) -> Iterator[Row]:
    for name, tell in facts:
        told, earlier = tell(now), None if was is None else tell(was)
        if told.text or (earlier and earlier.text):
            changed = earlier is not None and earlier.key != told.key
            yield Row(name, str(told), str(earlier) if changed else None)


def _stage(name: str, group: NodeGroup, before: NodeGroup | None) -> StageView:
    now = group.scripts(name)
    pairs = _pairs(now, before.scripts(name) if before else ())
    caching = group.actions.leaf("scriptCachingPolicy")
    caching_before = before.actions.leaf("scriptCachingPolicy") if before else caching
    scripts = []
    for script, earlier in pairs:
        was = None if earlier is None else _Placed(earlier, caching_before)
        if script is not None:
            rows = _rows(_SCRIPT, _Placed(script, caching), was)
            changed = "~" if any(row.was is not None for row in rows) else ""
            mark = "+" if before is not None and was is None else changed
            scripts.append(ScriptView(mark, script.index + 1, rows, _on_error(script)))
        elif was is not None:
            rows = _rows(_SCRIPT, was, None)
            scripts.append(ScriptView("-", was.script.index + 1, rows, _on_error(was.script)))
    return StageView(name, WHEN[name], tuple(scripts), any(True for _ in group.unseen(name)))


class _Placed(Record):
    """A script, and the caching policy of its group."""

    script: Script
    caching: Leaf


def _pairs(now: Sequence[Script], was: Sequence[Script]) -> Iterator[tuple[Script | None, Script | None]]:
    """Scripts with what they were before the change, then the removed ones.

    A script is the one that had its name, or else its location (it was renamed), or else its position.
    """
    left = list(was)
    found: dict[int, Script] = {}
    for same in (_same_name, _same_location, _same_position):
        for script in now:
            earlier = next((other for other in left if script.index not in found and same(script, other)), None)
            if earlier is not None:
                found[script.index] = earlier
                left.remove(earlier)
    for script in now:
        yield script, found.get(script.index)
    for earlier in left:
        yield None, earlier


def _same_name(script: Script, other: Script) -> bool:
    return script.name.text is not None and script.name.text == other.name.text


def _same_location(script: Script, other: Script) -> bool:
    return script.location.text is not None and script.location.text == other.location.text


def _same_position(script: Script, other: Script) -> bool:
    return script.name.text is None and script.index == other.index


def _leaf(leaf: Leaf, shown: Callable[[str], str] = lambda text: text) -> _Told:
    """The effective value of a leaf, and why it is that where nobody stated it."""
    if leaf.outside:
        return _Told("")
    if leaf.sensitive:
        return _Told(HIDDEN, key=(leaf.state, leaf.value))
    if leaf.state is State.UNKNOWN:
        return _Told(LATER, key=leaf.state)
    if leaf.state is State.ABSENT:
        return _Told("")
    note = {Basis.API_DEFAULT: "default", Basis.PRIOR_STATE: "from prior state"}.get(leaf.basis or Basis.CONFIGURATION)
    value = str(leaf.value)
    if len(value) > LONGEST_READ:
        return _Told(f"a value of {len(value)} characters", key=value)
    text = shown(_readable(value))
    return _Told(text, note or "" if leaf.unset else "", leaf.value)


@lru_cache(maxsize=4096)  # the groups of a run have most of their values in common
def _readable(value: str) -> str:
    return printable(mask(value))


def _joined(told: list[tuple[str, _Told]], separator: str = ", ") -> _Told:
    """Facts in one row, each behind its word."""
    texts = [f"{word} {fact}".strip() for word, fact in told if fact.text]
    return _Told(separator.join(texts), key=tuple(fact.key for _, fact in told))


def _short(text: str) -> str:
    return text[:SHORT]


def _pin(placed: _Placed) -> _Told:
    checksum, version = _leaf(placed.script.checksum, _short), _leaf(placed.script.version, _short)
    if not checksum.text and not version.text:
        return _Told("unpinned", key=(None, None))
    return _joined([("checksum", checksum if checksum.text else _Told(NOTHING)), ("version", version)])


def _arguments(placed: _Placed) -> _Told:
    """How many; their values are the likeliest place for a secret."""
    arguments = placed.script.arguments
    if arguments.unknown:
        return _Told(LATER, key=arguments.state)
    values = [_leaf(item).key for item in arguments.items if isinstance(item, Leaf)]
    return _Told(str(len(values)) if values else "", key=tuple(values))


def _reboot(placed: _Placed) -> _Told:
    caching, execution = placed.caching, placed.script.execution_policy
    text = ON_REBOOT.get((caching.value, execution.value), "not documented")
    if not (caching.known and execution.known):
        text = LATER
    return _Told(text, key=text)


def _on_error(script: Script) -> str:
    text = "" if script.on_error.sensitive else script.on_error.text
    return text if text in ON_ERROR else ""


def _scaling(group: Object) -> _Told:
    scaling = group.object("scalingConfiguration")
    least, most = _leaf(scaling.leaf("minInstanceCount")), _leaf(scaling.leaf("maxInstanceCount"))
    return _joined([("", least), ("to", most)], " ")


def _instances(group: Object) -> _Told:
    configs = group.list("instanceConfigs")
    if configs.unknown:
        return _Told(LATER, key=configs.state)
    types = [_leaf(config.leaf("instanceType")) for config in configs.items if isinstance(config, Object)]
    return _joined([("", told) for told in types])


def _template(group: Object) -> _Told:
    template = group.object("customLaunchTemplate")
    return _joined([("", _leaf(template.leaf("id"))), ("version", _leaf(template.leaf("version")))], " ")


_GROUP: Facts[Object] = (
    ("scaling", _scaling),
    ("instances", _instances),
    ("purchase", lambda group: _leaf(group.leaf("purchaseOption"))),
    ("image", lambda group: _leaf(group.leaf("amiId"))),
    ("launch mode", lambda group: _leaf(group.leaf("launchTemplateMode"))),
    ("launch template", _template),
    ("caching", lambda group: _leaf(group.object("nodeLifecycleActions").leaf("scriptCachingPolicy"))),
)

_SCRIPT: Facts[_Placed] = (
    ("name", lambda placed: _leaf(placed.script.name)),
    ("position", lambda placed: _Told(str(placed.script.index + 1), key=placed.script.index)),
    ("location", lambda placed: _leaf(placed.script.location)),
    ("pin", _pin),
    ("arguments", _arguments),
    ("on error", lambda placed: _leaf(placed.script.on_error)),
    ("runs", lambda placed: _leaf(placed.script.execution_policy)),
    ("on reboot", _reboot),
)
