"""A value that is made once, by whoever needs it first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Calls `make` on first use, in one thread while others wait. When it raises, the next use tries again."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Final = make
        self._lock: Final = Lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def prepare(self) -> None:
        """Make it now; should that fail, it is for the first use to say so."""
        with suppress(Exception):
            self()
