"""A value that is made once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from pcs_bridge.plugin.once import Once


def test_many_threads_make_it_once() -> None:
    made: list[object] = []
    barrier = Barrier(8)

    def make() -> object:
        made.append(object())
        return made[-1]

    once = Once(make)

    def use(_: int) -> object:
        barrier.wait(30)
        return once()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(use, range(8))) == set(made)
    assert len(made) == 1


def test_a_failure_is_the_users_and_not_the_preparers() -> None:
    attempts = iter([ValueError("first"), ValueError("second"), None])

    def make() -> str:
        failure = next(attempts)
        if failure:
            raise failure
        return "made"

    once = Once(make)
    once.prepare()
    with pytest.raises(ValueError, match="second"):
        once()
    assert once() == "made"
