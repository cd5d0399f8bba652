"""Waiting until what a call began is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from pcs_bridge.plugin.provider import Call
from pcs_bridge.provider.client import Interrupted, backoff

UNDER_WAY: Final = frozenset({"CREATING", "UPDATING", "DELETING", "SUSPENDING", "RESUMING"})
"""Statuses that become another one without anybody's doing (PCS API reference, ComputeNodeGroup.status)."""


class TookTooLong(Exception):
    """The time for an operation is over. Its last status is the text."""


def until(ask: Callable[[], dict[str, Any] | None], deadline: float, call: Call) -> dict[str, Any] | None:
    """Ask for a resource until no operation is under way, or until it is gone, which is None.

    `deadline` is on the clock of `time.monotonic`. Raises TookTooLong and Interrupted.
    """
    tries = 0
    while True:
        current = ask()
        if current is None or current["status"] not in UNDER_WAY:
            return current
        tries += 1
        pause = backoff(tries)
        if time.monotonic() + pause > deadline:
            raise TookTooLong(current["status"])
        if call.cancelled.wait(pause):
            raise Interrupted
