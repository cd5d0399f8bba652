"""Where resources live: a small interface, and an implementation in memory.

A resource is plain JSON data, so that it can be kept in a file as well (`state`). Whatever the number of resources,
each method costs about the same: an implementation needs an index by id, by name in a parent, by order in a parent and
by due time, and nothing else.
"""

from __future__ import annotations

import heapq
import threading
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, Protocol


class Kind(StrEnum):
    """What a stored resource is; for the first three, the value is what errors call it (`resourceType`)."""

    CLUSTER = "Cluster"
    GROUP = "ComputeNodeGroup"
    QUEUE = "Queue"
    INSTANCE = "Instance"
    ANSWER = "Answer"
    """What a client token got: the answer to repeat."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a resource will become. `status` None: it will be gone. `due` in seconds since 1970."""

    due: float
    status: str | None
    error: Mapping[str, str] | None = None
    """`{code, message}` of an asynchronous failure."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A stored thing. Its maps are never changed in place: a change is a new Resource."""

    kind: Kind
    id: str
    parent: str
    """Region for clusters, id of the cluster for groups and queues, id of the group for instances."""
    name: str
    """Unique among the resources of its kind and parent."""
    facts: Mapping[str, Any]
    """What responses show, in the response's own names."""
    hidden: Mapping[str, Any] = field(default_factory=dict)
    """What no response shows."""
    tags: Mapping[str, str] = field(default_factory=dict)
    change: Change | None = None
    order: int = 0
    """Place among all resources by time of creation; the store sets it."""


class Transaction(Protocol):
    """All or nothing: an exception takes back what was put and deleted."""

    def get(self, kind: Kind, id: str) -> Resource | None: ...

    def named(self, kind: Kind, parent: str, name: str) -> Resource | None: ...

    def page(self, kind: Kind, parent: str, after: int = 0, limit: int | None = None) -> list[Resource]:
        """Resources in order of creation, beginning behind the order `after`."""
        ...

    def count(self, kind: Kind, parent: str) -> int: ...

    def everything(self, kind: Kind) -> list[Resource]:
        """All of a kind, in order of creation: for people who look, since it takes as long as there are many."""
        ...

    def due(self, now: float) -> list[Resource]:
        """Resources whose change is due, the oldest first."""
        ...

    def put(self, resource: Resource) -> Resource:
        """Store a new resource, or one in place of that with the same id, and return it with its order.

        The parent of a stored resource never changes.
        """
        ...

    def delete(self, resource: Resource) -> None: ...


class CannotKeep(Exception):
    """What there is cannot be read or stored. The text says why, and holds nothing of it."""


class Store(Protocol):
    """Keeps resources. Transactions are serial: the second begins when the first is over."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Its end raises CannotKeep when the changes cannot be stored; then there were none."""
        ...


Commit = Callable[[Mapping[int, Resource | None]], None]
"""Called at the end of a transaction with what it changed, by order; None is gone. Raising takes it all back."""


def _forget(_changed: Mapping[int, Resource | None]) -> None:
    """Nobody else needs to know."""


class MemoryStore:
    """Keeps resources as long as it lives, and tells `commit` of every change."""

    def __init__(self, resources: Iterable[Resource] = (), commit: Commit = _forget) -> None:
        """`resources` are what `commit` was told of, in their order."""
        self._lock: Final = threading.Lock()
        self._tables: Final = _Tables()
        self._commit: Final = commit
        for resource in resources:
            self._tables.set(resource.kind, resource.id, resource)
            self._tables.last_order = resource.order

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._lock:
            transaction = _MemoryTransaction(self._tables)
            try:
                yield transaction
                if transaction.changed:
                    self._commit(transaction.changed)
            except BaseException:
                transaction.roll_back()
                raise


_SPARE: Final = 1_000
"""Entries that are not worth the time to look for those that have no use any more."""


class _Tables:
    """The resources, and the indexes to find them by."""

    def __init__(self) -> None:
        self.by_id: Final[dict[tuple[Kind, str], Resource]] = {}
        self.by_name: Final[dict[tuple[Kind, str, str], str]] = {}
        self.ordered: Final[defaultdict[tuple[Kind, str], list[tuple[int, str]]]] = defaultdict(list)
        self.due: Final[list[tuple[float, int, Kind, str]]] = []
        """A heap. Entries whose resource has another change by now, or none, are passed over."""
        self.waiting = 0
        """Resources with a change."""
        self.last_order = 0

    def set(self, kind: Kind, id: str, new: Resource | None) -> Resource | None:
        """Put `new` in the place of what has this id, and return what that was."""
        old = self.by_id.pop((kind, id), None)
        if old is not None:
            del self.by_name[kind, old.parent, old.name]
            self.waiting -= old.change is not None
            if new is None:
                siblings = self.ordered[kind, old.parent]
                del siblings[bisect_right(siblings, (old.order, id)) - 1]
                if not siblings:
                    del self.ordered[kind, old.parent]
        if new is not None:
            self.by_id[kind, id] = new
            self.by_name[kind, new.parent, new.name] = id
            if old is None:
                insort(self.ordered[kind, new.parent], (new.order, id))
            if new.change is not None:
                self.waiting += 1
                heapq.heappush(self.due, (new.change.due, new.order, kind, id))
                if len(self.due) > 2 * self.waiting + _SPARE:
                    self._tidy()
        return old

    def _tidy(self) -> None:
        """Drop the entries that would be passed over: those that are due in an hour could be many by then."""
        self.due[:] = [
            (resource.change.due, resource.order, *key)
            for key, resource in self.by_id.items()
            if resource.change is not None
        ]
        heapq.heapify(self.due)


class _MemoryTransaction:
    def __init__(self, tables: _Tables) -> None:
        self._tables = tables
        self._undo: list[Callable[[], object]] = []
        self.changed: Final[dict[int, Resource | None]] = {}

    def roll_back(self) -> None:
        for undo in reversed(self._undo):
            undo()

    def get(self, kind: Kind, id: str) -> Resource | None:
        return self._tables.by_id.get((kind, id))

    def named(self, kind: Kind, parent: str, name: str) -> Resource | None:
        id = self._tables.by_name.get((kind, parent, name))
        return None if id is None else self._tables.by_id[kind, id]

    def page(self, kind: Kind, parent: str, after: int = 0, limit: int | None = None) -> list[Resource]:
        siblings = self._tables.ordered.get((kind, parent), [])
        start = bisect_right(siblings, after, key=lambda entry: entry[0])
        stop = None if limit is None else start + limit
        return [self._tables.by_id[kind, id] for _, id in siblings[start:stop]]

    def count(self, kind: Kind, parent: str) -> int:
        return len(self._tables.ordered.get((kind, parent), ()))

    def everything(self, kind: Kind) -> list[Resource]:
        found = (resource for resource in self._tables.by_id.values() if resource.kind is kind)
        return sorted(found, key=lambda resource: resource.order)

    def due(self, now: float) -> list[Resource]:
        found = {}
        heap = self._tables.due
        while heap and heap[0][0] <= now:
            due, order, kind, id = heapq.heappop(heap)
            resource = self._tables.by_id.get((kind, id))
            if resource is not None and resource.change is not None and resource.change.due == due:
                self._undo.append(partial(heapq.heappush, heap, (due, order, kind, id)))
                found[kind, id] = resource
        return list(found.values())

    def put(self, resource: Resource) -> Resource:
        known = self._tables.by_id.get((resource.kind, resource.id))
        if known is None:
            self._tables.last_order += 1
        resource = replace(resource, order=self._tables.last_order if known is None else known.order)
        self._set(resource.kind, resource.id, resource)
        self.changed[resource.order] = resource
        return resource

    def delete(self, resource: Resource) -> None:
        self._set(resource.kind, resource.id, None)
        self.changed[resource.order] = None

    def _set(self, kind: Kind, id: str, new: Resource | None) -> None:
        old = self._tables.set(kind, id, new)
        self._undo.append(lambda: self._tables.set(kind, id, old))
