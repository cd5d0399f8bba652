"""What time it is: the system's time, or one that a test moves by hand."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Seconds since 1970 in UTC."""

    def now(self) -> float: ...


class SystemClock:
    """The time of this machine."""

    def now(self) -> float:
        return time.time()


class ManualClock:
    """A time that stands still until `advance` moves it. Threads may share one."""

    def __init__(self, start: float = 1_767_225_600.0) -> None:  # 2026-01-01T00:00:00Z
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> float:
        with self._lock:
            return self._now

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once."""
        with self._lock:
            self._now += seconds


def iso(seconds: float) -> str:
    """A timestamp as the wire carries it: ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
