"""What AWS documents nowhere, as named switches: each has a documented default that a test can flip.

The endpoint acts on most of them. The others are about what a node does with its scripts; the endpoint runs no nodes,
so it only publishes them (`GET /_pcsguard/switches`) for whoever plays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pcs_contract.record import Record

NUMBER: Final = "NUMBER"
"""Stands for any whole number of 1 or more among a switch's values."""


class Switch(Record):
    """An open question. The first of `values` is the default; each value has its meaning."""

    name: str
    question: str
    values: Mapping[str, str]
    node: bool = False
    """Whether only a node can act on it."""

    @property
    def default(self) -> str:
        return next(iter(self.values))


SWITCHES: Final[tuple[Switch, ...]] = (
    Switch(
        "no-scripts",
        'What does `nodeLifecycleActions: {"stages": {}}` mean?',
        {
            "clears": "no actions: an update removes those there are, and nothing is shown",
            "kept": "no actions, shown as they were sent",
            "refused": "a ValidationException at `nodeLifecycleActions.stages`",
        },
    ),
    Switch(
        "stages-on-update",
        "What happens to a stage, or a caching policy, that an update with lifecycle actions leaves out?",
        {"replaced": "it is removed: the object is the whole truth", "merged": "it stays as it was"},
    ),
    Switch(
        "echo-defaults",
        "Does a response show `onError`, `executionPolicy` and `scriptCachingPolicy` that no request stated?",
        {"no": "only what was stated, as documented for health checks", "yes": "the effective values"},
    ),
    Switch(
        "script-names",
        "Where must the name of a script be unique?",
        {"stage": "within its stage", "group": "within the node group", "anywhere": "nowhere: duplicates are accepted"},
    ),
    Switch(
        "s3-version-with-https",
        "What of an `s3VersionId` beside an https location?",
        {"refused": "a ValidationException at the version", "accepted": "it is stored and shown"},
    ),
    Switch(
        "scaling",
        "Which bounds of a group are accepted?",
        {
            "static-or-dynamic": "equal and above 0, or a minimum of 0 and a maximum above 0",
            "ordered": "any with minimum not above maximum",
            "anything": "any two numbers",
        },
    ),
    Switch(
        "stop-sequence",
        "Does slurmd start after a `nodeBootstrapped` script has failed with STOP_SEQUENCE?",
        {"slurmd-starts": "yes, and `nodeReady` runs", "slurmd-stays-down": "no, the node never joins"},
        node=True,
    ),
    Switch(
        "download-failure",
        "When does the `onError` of a script that cannot be downloaded apply?",
        {"at-its-turn": "when the script would run", "at-once": "before any script runs"},
        node=True,
    ),
    Switch(
        "checksum-case",
        "Is a checksum in capitals compared without regard to case?",
        {"ignored": "yes", "matters": "no: it never matches"},
        node=True,
    ),
    Switch(
        "update-while-busy",
        "What does an update of a group or queue that is not ACTIVE get?",
        {"conflict": "a ConflictException", "accepted": "it is applied at once; the status starts anew"},
    ),
    Switch(
        "error-status",
        "Which HTTP status do modelled errors have?",
        {
            "convention": "400, and 500 for InternalServerException, as awsJson services have it",
            "by-kind": "402 for a quota, 403, 404, 409, 429 and 500",
        },
    ),
    Switch(
        "error-type",
        "How does `__type` name an error?",
        {"plain": "`ConflictException`", "qualified": "`com.amazonaws.pcs#ConflictException`"},
    ),
    Switch(
        "replacement-limit",
        "After how many failed nodes does a group get no more?",
        {"none": "never: failed nodes are replaced for ever", NUMBER: "after so many since its scripts last changed"},
    ),
    Switch(
        "empty-queue",
        "May a queue be created without compute node groups?",
        {
            "refused": "no: the text says that there must be one, though the model requires none",
            "accepted": "yes",
        },
    ),
    Switch(
        "older-agent",
        "What does a PCS agent before 1.5.0-1 do with lifecycle actions?",
        {"ignores": "nothing: the node joins without them", "fails": "the node fails to start"},
        node=True,
    ),
)
"""The errors' status and type are two switches of one question; `empty-queue` is about a text that the model does not
bear out."""

_BY_NAME: Final = {switch.name: switch for switch in SWITCHES}

DEFAULTS: Final[Mapping[str, str]] = {switch.name: switch.default for switch in SWITCHES}


class WrongSwitch(ValueError):
    """There is no such switch, or it has no such value. The text says which there are."""


def settings(changes: Mapping[str, str]) -> Mapping[str, str]:
    """All switches, with `changes` in place of their defaults. Raises WrongSwitch."""
    for name, value in changes.items():
        switch = _BY_NAME.get(name)
        if switch is None:
            raise WrongSwitch(f"there is no switch {name!r}; there are {', '.join(_BY_NAME)}")
        is_number = NUMBER in switch.values and value.isascii() and value.isdecimal() and int(value) > 0
        if not is_number and (value not in switch.values or value == NUMBER):
            raise WrongSwitch(f"switch {name} has no value {value!r}; it has {', '.join(switch.values)}")
    return {**DEFAULTS, **changes}


def parse(texts: Iterable[str]) -> dict[str, str]:
    """`name=value` texts as changes for `settings`. Raises WrongSwitch where there is no `=`."""
    changes = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise WrongSwitch(f"{text!r} is not name=value")
        changes[name.strip()] = value.strip()
    return changes


def table() -> str:
    """The switches as a Markdown table, for the documentation."""
    lines = ["| switch | question | values (the first is the default) | acted on by |", "|---|---|---|---|"]
    for switch in SWITCHES:
        values = "; ".join(f"`{value}`: {meaning}" for value, meaning in switch.values.items())
        actor = "a node" if switch.node else "the endpoint"
        lines.append(f"| `{switch.name}` | {switch.question} | {values} | {actor} |")
    return "\n".join(lines) + "\n"
