"""When a plugin's process has to end: terraform says so, a signal does, or terraform is gone."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Self

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Waits in the main thread for the first reason to end.

    An interrupt (SIGINT) is none: a terminal sends it to terraform and to its plugins alike, and terraform, which then
    asks with StopProvider, must be able to record what the plugin has done so far.

    That terraform is gone is seen at stdout: it is a pipe whose other end terraform holds, and which the kernel closes
    however terraform dies.
    """

    def __init__(self) -> None:
        self._reasons: Final[list[str]] = []
        self._wake_read, self._wake_write = os.pipe()

    @classmethod
    @contextmanager
    def awaited(cls) -> Iterator[Self]:
        """Take over the signals, and give them back at the end."""
        ending = cls()
        before = {number: signal.signal(number, ending._on_signal) for number in _SIGNALS}
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield ending
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(ending._wake_read)
            os.close(ending._wake_write)

    def ask(self, reason: str) -> None:
        """Ask for the end, from any thread."""
        self._reasons.append(reason)
        os.write(self._wake_write, b"\0")

    def wait(self) -> str:
        """Return the first reason, when there is one."""
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        stdout = _pipe_of_stdout()
        if stdout is not None:
            poll.register(stdout, 0)  # errors and hang-ups are always reported
        while not self._reasons:
            for descriptor, _ in poll.poll():
                if descriptor == stdout:
                    self._reasons.append("terraform is gone")
        return self._reasons[0]

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self.ask(signal.Signals(number).name)


def _pipe_of_stdout() -> int | None:
    try:
        descriptor = sys.__stdout__.fileno() if sys.__stdout__ is not None else -1
        return descriptor if stat.S_ISFIFO(os.fstat(descriptor).st_mode) else None
    except (OSError, ValueError):
        return None
