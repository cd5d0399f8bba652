"""Runs a command with the endpoint's environment, and stands aside: its signals and its exit code are the command's."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Final

from pcs_bridge.endpoint.sessions import points_elsewhere

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
"""What shells return for a command that does not exist, or that cannot be executed."""

_FROM_KEYBOARD: Final = (signal.SIGINT, signal.SIGQUIT)


def run(command: Sequence[str], variables: Mapping[str, str], signals: PassedOn) -> int:
    """Run a command to its end and return its exit code, 128 and the number for one that a signal ended.

    `signals` are meant for it from now on. Raises OSError when it cannot be started.
    """
    inherited = {name: value for name, value in os.environ.items() if not points_elsewhere(name)}
    child = subprocess.Popen(command, env={**inherited, **variables})
    signals.have(child)
    code = child.wait()
    return 128 - code if code < 0 else code


class PassedOn:
    """Passes signals to the child; those that come before there is one wait for it."""

    NUMBERS: Final = (*_FROM_KEYBOARD, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._early: Final[list[int]] = []

    def have(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        for number in self._early:
            child.send_signal(number)

    def on_signal(self, number: int, _: FrameType | None) -> None:
        if self._child is None:
            self._early.append(number)
        # The terminal sends its signals to the whole group. Terraform takes a second one as the order to stop at once.
        elif number not in _FROM_KEYBOARD or not _in_foreground():
            self._child.send_signal(number)


def _in_foreground() -> bool:
    """Whether this process belongs to the group that its terminal's keyboard speaks to."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
