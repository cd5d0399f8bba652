"""The store, in memory alone and with a file."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcs_bridge.endpoint.state import opened
from pcs_bridge.endpoint.store import Change, Kind, MemoryStore, Resource, Store


class Stop(Exception):
    pass


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        with opened(tmp_path) as kept:
            yield kept


def resource(id: str, parent: str = "hpc", **parts: object) -> Resource:
    return Resource(Kind.GROUP, id, parent, f"name of {id}", {"n": 0}, **parts)  # type: ignore[arg-type]


def contents(store: Store) -> list[str]:
    with store.transaction() as transaction:
        return [entry.id for entry in transaction.page(Kind.GROUP, "hpc")]


def test_finding(store: Store) -> None:
    with store.transaction() as transaction:
        a = transaction.put(resource("a"))
        b = transaction.put(resource("b"))
        transaction.put(resource("c", "other"))
        assert transaction.get(Kind.GROUP, "a") == a
        assert transaction.get(Kind.QUEUE, "a") is None
        assert transaction.named(Kind.GROUP, "hpc", "name of b") == b
        assert transaction.named(Kind.GROUP, "other", "name of b") is None
        assert transaction.count(Kind.GROUP, "hpc") == 2
        assert [entry.id for entry in transaction.everything(Kind.GROUP)] == ["a", "b", "c"]


def test_pages_are_by_creation_and_hold_their_place(store: Store) -> None:
    with store.transaction() as transaction:
        made = [transaction.put(resource(id)) for id in "dacb"]
        assert [entry.id for entry in transaction.page(Kind.GROUP, "hpc", 0, 2)] == ["d", "a"]
        transaction.delete(made[1])
        transaction.put(resource("d"))
        assert [entry.id for entry in transaction.page(Kind.GROUP, "hpc", made[1].order, 5)] == ["c", "b"]
        transaction.put(resource("a"))
        assert [entry.id for entry in transaction.page(Kind.GROUP, "hpc")] == ["d", "c", "b", "a"]


def test_what_is_due(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.put(resource("late", change=Change(3, "ACTIVE")))
        transaction.put(resource("early", change=Change(1, "ACTIVE")))
        transaction.put(resource("put off", change=Change(1, "ACTIVE")))
        transaction.put(resource("put off", change=Change(9, "ACTIVE")))
        transaction.put(Resource(Kind.GROUP, "settled", "hpc", "settled", {}))
        gone = transaction.put(resource("gone", change=Change(1, None)))
        transaction.delete(gone)
        assert transaction.due(0.9) == []
        assert [entry.id for entry in transaction.due(3)] == ["early", "late"]
        assert transaction.due(3) == []
        assert [entry.id for entry in transaction.due(9)] == ["put off"]


def test_what_will_not_be_due_is_forgotten(store: MemoryStore) -> None:
    for number in range(1_000):
        with store.transaction() as transaction:
            transaction.put(resource("often", change=Change(9 + number, "ACTIVE")))
            transaction.put(resource("once", change=Change(8, "ACTIVE")))
            transaction.delete(transaction.put(resource(f"gone-{number}", change=Change(7, None))))
    assert len(store._tables.due) < 1_100
    with store.transaction() as transaction:
        assert [entry.id for entry in transaction.due(8)] == ["once"]
        assert transaction.due(1_007) == []
        assert [entry.id for entry in transaction.due(1_008)] == ["often"]


def test_an_exception_takes_everything_back(store: Store) -> None:
    with store.transaction() as transaction:
        kept = transaction.put(resource("kept", change=Change(1, "ACTIVE")))
        deleted = transaction.put(resource("deleted"))

    def fail_half_way() -> None:
        with store.transaction() as transaction:
            assert transaction.due(5) == [kept]
            transaction.put(Resource(Kind.GROUP, "kept", "hpc", "another name", {"n": 1}))
            transaction.delete(deleted)
            transaction.put(resource("new"))
            transaction.put(resource("new"))
            raise Stop

    with pytest.raises(Stop):
        fail_half_way()
    assert contents(store) == ["kept", "deleted"]
    with store.transaction() as transaction:
        assert transaction.get(Kind.GROUP, "kept") == kept
        assert transaction.named(Kind.GROUP, "hpc", "another name") is None
        assert transaction.due(5) == [kept]
        assert transaction.get(Kind.GROUP, "new") is None


def test_transactions_are_serial(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.put(resource("counter"))

    def add() -> None:
        for _ in range(200):
            with store.transaction() as transaction:
                found = transaction.get(Kind.GROUP, "counter")
                assert found is not None
                transaction.put(Resource(Kind.GROUP, "counter", "hpc", found.name, {"n": found.facts["n"] + 1}))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.transaction() as transaction:
        found = transaction.get(Kind.GROUP, "counter")
        assert found is not None
        assert found.facts["n"] == 800
