"""What goes wrong on purpose, so that clients can be tested: which call meets which fault, as a seed decides.

A plan is text such as `throttle=0.1,internal@Create*=2x,latency=20ms-80ms`. Nothing in it depends on the order in which
calls arrive from several clients: what a call meets follows from the seed, its operation, the names of what it is about
and how many calls of that operation there have been for those names. So a run can be repeated, concurrent or not.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Final

from pcs_bridge.endpoint import identifiers
from pcs_bridge.endpoint.errors import ServiceError, internal, throttled
from pcs_bridge.endpoint.status import Verb
from pcs_bridge.endpoint.store import Kind, Transaction
from pcs_contract.record import Record
from pcs_contract.shapes import contract

HEADER: Final = "X-Pcsguard-Fault"
"""A request with this header meets the faults of the plan in it, and no others."""

LONGEST_LATENCY: Final = 600.0
"""Seconds: ten minutes, longer than SDKs wait for an answer unless told otherwise."""

RETRY_AFTER: Final = 1
"""`ThrottlingException.retryAfterSeconds`. Ours."""


class Fault(StrEnum):
    """What can go wrong; the value is its name in a plan."""

    THROTTLE = "throttle"
    INTERNAL = "internal"
    DROP = "drop"
    DROP_ANSWER = "drop-answer"
    LATENCY = "latency"
    CREATE_FAILS = "create-fails"
    UPDATE_FAILS = "update-fails"
    DELETE_FAILS = "delete-fails"


MEANINGS: Final[Mapping[Fault, str]] = {
    Fault.THROTTLE: "a ThrottlingException, and nothing is done",
    Fault.INTERNAL: "an InternalServerException, and nothing is done",
    Fault.DROP: "the connection is closed without an answer, and nothing is done",
    Fault.DROP_ANSWER: "the call is done, and the connection is closed without an answer",
    Fault.LATENCY: "the call is done at once, and its answer comes so much later",
    Fault.CREATE_FAILS: "the call succeeds, and what it creates ends as CREATE_FAILED",
    Fault.UPDATE_FAILS: "the call succeeds, and what it updates ends as UPDATE_FAILED",
    Fault.DELETE_FAILS: "the call succeeds, and what it deletes ends as DELETE_FAILED",
}

_ABOUT: Final = {Fault.CREATE_FAILS: "Create*", Fault.UPDATE_FAILS: "Update*", Fault.DELETE_FAILS: "Delete*"}
"""The operations that a fault is about, where those are not all."""

_INSTEAD: Final[Mapping[Fault, Callable[[], ServiceError]]] = {
    Fault.DROP: internal,  # which nobody gets to see
    Fault.THROTTLE: lambda: throttled(RETRY_AFTER),
    Fault.INTERNAL: internal,
}
"""What comes instead of the call. A call that meets several meets the first."""


class WrongFault(ValueError):
    """A plan cannot be read. The text says what is wrong and what there is."""


class Entry(Record):
    """A part of a plan: how often the calls of some operations meet a fault."""

    fault: Fault
    operations: str
    """Names of operations as a pattern: `*`, `Create*`, `GetQueue`."""
    probability: float = 0.0
    first: int = 0
    """So many calls meet it for certain, counted for each operation and what it is about."""
    shortest: float = 0.0
    longest: float = 0.0
    """Seconds of latency."""


class Met(Record):
    """What a call meets."""

    latency: float = 0.0
    """Seconds until the answer is sent."""
    error: ServiceError | None = None
    """What is answered instead of doing the call."""
    dropped: bool = False
    """Whether the connection is closed instead of an answer."""
    fails: bool = False
    """Whether what the call begins will fail."""


NOTHING: Final = Met()


def parse(text: str) -> tuple[Entry, ...]:
    """Read a plan; of several entries for the same fault and operation the last one counts. Raises WrongFault."""
    return tuple(_entry(part.strip()) for part in text.split(",") if part.strip())


class Faults:
    """A plan in force, and what has come of it. Threads may share it.

    It counts calls, which takes a little memory for every name that clients come up with.
    """

    def __init__(self, plan: str = "", seed: int | None = None) -> None:
        """Without a seed, one is chosen. Raises WrongFault."""
        self.plan: Final = plan
        self.seed: Final = secrets.randbits(32) if seed is None else seed
        self._entries: Final = parse(plan)
        self._lock: Final = threading.Lock()
        self._calls: Final[Counter[tuple[str, str]]] = Counter()
        self._met: Final[Counter[Fault]] = Counter()

    def meet(self, operation: str, subject: str, own: tuple[Entry, ...] | None = None) -> Met:
        """What the next call of an operation meets, by the plan or by the call's `own`. `subject` is `subject(...)`."""
        with self._lock:
            number = self._calls[operation, subject]
            self._calls[operation, subject] += 1
        latency, found = 0.0, set()
        for entry in _applying(self._entries if own is None else own, operation):
            drawn = _draw(self.seed, entry.fault, operation, subject, number)
            if entry.fault is Fault.LATENCY:
                latency = entry.shortest + drawn * (entry.longest - entry.shortest)
            if number < entry.first or drawn < entry.probability:
                found.add(entry.fault)
        instead = next((fault for fault in _INSTEAD if fault in found), None)
        if instead is not None:
            found &= {instead, Fault.LATENCY}
        with self._lock:
            self._met.update(found)
        return Met(
            latency,
            None if instead is None else _INSTEAD[instead](),
            dropped=bool(found & {Fault.DROP, Fault.DROP_ANSWER}),
            fails=bool(found & set(_ABOUT)),
        )

    def shown(self) -> dict[str, Any]:
        """The plan, its seed, and how many calls met each fault."""
        with self._lock:
            met = {fault.value: self._met[fault] for fault in Fault if self._met[fault]}
        return {"faults": self.plan, "seed": self.seed, "met": met}


def subject(parameters: Mapping[str, Any], region: str, transaction: Transaction) -> str:
    """What a call is about, in names: ids are chance, and differ from run to run."""
    return "/".join([region, *_names(parameters, transaction)])


def failure(kind: Kind, verb: Verb, name: str) -> Mapping[str, str]:
    """The error of something that fails because of a fault."""
    return {"code": "InjectedFault", "message": f"The fault {verb}-fails made the {kind} {name} fail."}


def table() -> str:
    """The faults as a Markdown table, for the documentation."""
    rows = (f"| `{fault}` | {meaning} |" for fault, meaning in MEANINGS.items())
    return "\n".join(["| fault | what the client sees |", "|---|---|", *rows]) + "\n"


def _applying(entries: tuple[Entry, ...], operation: str) -> Iterable[Entry]:
    return {entry.fault: entry for entry in entries if fnmatchcase(operation, entry.operations)}.values()


def _draw(seed: int, fault: Fault, operation: str, subject: str, number: int) -> float:
    """A number from 0 to below 1 that depends on nothing else: no generator whose state other calls move."""
    text = "\0".join((str(seed), fault, operation, subject, str(number)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest()) / 2**56


_IDENTIFIED: Final = {
    "clusterIdentifier": Kind.CLUSTER,
    "computeNodeGroupIdentifier": Kind.GROUP,
    "queueIdentifier": Kind.QUEUE,
}
_NAMED: Final = ("clusterName", "computeNodeGroupName", "queueName")


def _names(parameters: Mapping[str, Any], transaction: Transaction) -> Iterator[str]:
    for member, kind in _IDENTIFIED.items():
        if member in parameters:
            yield _name(kind, parameters[member], transaction)
    for member in _NAMED:
        if member in parameters:
            yield parameters[member]
    named = identifiers.named(parameters.get("resourceArn", ""))
    if named is not None:
        yield _name(Kind.CLUSTER, named.cluster, transaction)
        yield _name(named.kind, named.id, transaction)
    group, _, instance = parameters.get("bootstrapId", "").partition("/")
    if group:
        yield _name(Kind.GROUP, group, transaction)
        yield instance


def _name(kind: Kind, identifier: str, transaction: Transaction) -> str:
    if not identifiers.is_id(identifier):
        return identifier
    resource = transaction.get(kind, identifier)
    return "" if resource is None else resource.name


def _entry(text: str) -> Entry:
    target, equals, value = text.partition("=")
    name, at, operations = (part.strip() for part in target.partition("@"))
    if not equals:
        raise WrongFault(f"{text!r} is not fault=value")
    if name not in list(Fault):
        raise WrongFault(f"there is no fault {name!r}; there are {', '.join(Fault)}")
    fault = Fault(name)
    about = _ABOUT.get(fault, "*")
    known = [operation for operation in contract()["operations"] if fnmatchcase(operation, about)]
    if at and not any(fnmatchcase(operation, operations) for operation in known):
        raise WrongFault(f"{fault} has no operation {operations!r}; it has {', '.join(known)}")
    entry = Entry(fault, operations or about)
    return _latency(entry, value.strip()) if fault is Fault.LATENCY else _often(entry, value.strip())


_COUNT: Final = re.compile(r"([0-9]{1,6})x")
_FRACTION: Final = re.compile(r"[01]|[01]?\.[0-9]{1,9}")
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s)")


def _often(entry: Entry, value: str) -> Entry:
    count = _COUNT.fullmatch(value)
    if count:
        return entry._replace(first=int(count[1]))
    if not _FRACTION.fullmatch(value) or float(value) > 1:
        raise WrongFault(
            f"{entry.fault} has no value {value!r}; it has a probability such as 0.1, or a count such as 2x"
        )
    return entry._replace(probability=float(value))


def _latency(entry: Entry, value: str) -> Entry:
    shortest, dash, longest = value.partition("-")
    bounds = _seconds(shortest), _seconds(longest if dash else shortest)
    if bounds[0] is None or bounds[1] is None or not bounds[0] <= bounds[1] <= LONGEST_LATENCY:
        raise WrongFault(
            f"latency has no value {value!r}; it has a time such as 50ms or 2s, or two such as 20ms-80ms, up to "
            f"{LONGEST_LATENCY:.0f}s"
        )
    return entry._replace(probability=1.0, shortest=bounds[0], longest=bounds[1])


def _seconds(text: str) -> float | None:
    match = _DURATION.fullmatch(text.strip())
    return None if match is None else float(match[1]) / (1000 if match[2] == "ms" else 1)
