"""The life of a cluster, group or queue: which statuses there are, and how one follows from another.

A call sets the status under way (CREATING) together with what it will become and when. Time alone does the rest: each
call first settles what is due by then, so nothing runs between calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final

from pcs_bridge.endpoint.clock import iso
from pcs_bridge.endpoint.errors import conflict
from pcs_bridge.endpoint.store import Change, Kind, Resource, Transaction

ACTIVE: Final = "ACTIVE"


class Verb(StrEnum):
    """What a call does to a resource."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


UNDER_WAY: Final = {Verb.CREATE: "CREATING", Verb.UPDATE: "UPDATING", Verb.DELETE: "DELETING"}
FAILED: Final = {Verb.CREATE: "CREATE_FAILED", Verb.UPDATE: "UPDATE_FAILED", Verb.DELETE: "DELETE_FAILED"}

_STABLE: Final = frozenset({ACTIVE, "SUSPENDED", *FAILED.values()})

ALLOWED: Final[Mapping[tuple[Kind, Verb], frozenset[str]]] = {
    (Kind.CLUSTER, Verb.UPDATE): frozenset({ACTIVE, "UPDATE_FAILED", "SUSPENDED"}),
    (Kind.GROUP, Verb.UPDATE): frozenset({ACTIVE, "UPDATE_FAILED"}),
    (Kind.QUEUE, Verb.UPDATE): frozenset({ACTIVE, "UPDATE_FAILED"}),
    **{(kind, Verb.DELETE): _STABLE for kind in (Kind.CLUSTER, Kind.GROUP, Kind.QUEUE)},
}
"""Statuses from which a resource may be updated or deleted.

Source for clusters: PCS API reference, UpdateCluster. For groups and queues none are documented: those that are
settled, less those that an update cannot mend. Deleting: not while something else is under way (ConflictException).
"""


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds between a call and its end. AWS takes minutes; the default is long enough to be seen by who polls."""

    create: float = 0.2
    update: float = 0.2
    delete: float = 0.2

    @classmethod
    def parse(cls, text: str) -> Delays:
        """`0.5`, or `create=2,delete=0`. Raises ValueError with what is wrong."""
        known = [field.name for field in fields(cls)]
        if "=" not in text:
            return cls(*[_seconds(text)] * len(known))
        chosen = {}
        for part in text.split(","):
            name, _, value = part.partition("=")
            if name.strip() not in known:
                raise ValueError(f"there is no delay {name.strip()!r}; there are {', '.join(known)}")
            chosen[name.strip()] = _seconds(value)
        return cls(**chosen)

    def of(self, verb: Verb) -> float:
        return {Verb.CREATE: self.create, Verb.UPDATE: self.update, Verb.DELETE: self.delete}[verb]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_DELAY:
        raise ValueError(f"{text!r} is no number of seconds from 0 to {LONGEST_DELAY}")
    return seconds


LONGEST_DELAY: Final = 86_400
"""Seconds: a day, longer than any operation of the real service may take."""

Failure = Callable[[Kind, Verb, str], "Mapping[str, str] | None"]
"""Says whether what was begun with a kind of resource and its name will fail: `{code, message}` or None."""


def never(_kind: Kind, _verb: Verb, _name: str) -> Mapping[str, str] | None:
    """Nothing fails."""
    return None


def check_allowed(resource: Resource, verb: Verb, any_status: bool = False) -> None:
    """Raise ConflictException unless the status lets this begin. `any_status`: all but those on the way out."""
    status = resource.facts["status"]
    allowed = status != UNDER_WAY[Verb.DELETE] if any_status else status in ALLOWED[resource.kind, verb]
    if not allowed:
        raise conflict(
            f"The {resource.kind} {resource.name} is in status {status}, so it cannot be {verb}d now.",
            resource.kind,
            resource.id,
        )


def begin(resource: Resource, verb: Verb, now: float, delays: Delays, failure: Failure) -> Resource:
    """The resource as it is from now on, with what it will become."""
    facts = {**resource.facts, "status": UNDER_WAY[verb], "modifiedAt": iso(now)}
    facts.pop("errorInfo", None)
    error = failure(resource.kind, verb, resource.name)
    after = FAILED[verb] if error else None if verb is Verb.DELETE else ACTIVE
    return replace(resource, facts=facts, change=Change(now + delays.of(verb), after, error))


def settle(transaction: Transaction, now: float) -> None:
    """Let everything become what it is by now."""
    for resource in transaction.due(now):
        change = resource.change
        assert change is not None
        if change.status is None:
            transaction.delete(resource)
            continue
        facts = {**resource.facts, "status": change.status, "modifiedAt": iso(change.due)}
        if change.error is not None:
            facts["errorInfo"] = [dict(change.error)]
        transaction.put(replace(resource, facts=facts, change=None))
