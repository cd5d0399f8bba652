"""Waiting until what a call began is over."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, Final

from pcs_bridge.plugin.provider import Call

UNDER_WAY: Final = frozenset({"CREATING", "UPDATING", "DELETING", "SUSPENDING", "RESUMING"})
"""Statuses that become another one without anybody's doing (PCS API reference, ComputeNodeGroup.status)."""

FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 20.0
"""Seconds: the longest wait after the first try, and after any."""

UNSEEN: Final = 5
"""Times that a new resource may not be found: reads of AWS may lag behind its writes."""


class Interrupted(Exception):
    """The user has told terraform to stop while a call, or what it began, was not over."""


class TookTooLong(Exception):
    """The time for an operation is over; the text is the last status."""


def pause(tries: int, call: Call, least: float = 0.0) -> None:
    """Wait before another try: the longer, the more there were, and never as long as others that wait too.

    Raises Interrupted.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries - 1, 16))
    if call.cancelled.wait(max(least, random.uniform(longest / 2, longest))):
        raise Interrupted


def until_over(
    ask: Callable[[], dict[str, Any] | None], deadline: float, call: Call, *, new: bool = False
) -> dict[str, Any] | None:
    """Ask for a resource until no operation is under way, or until it is gone, which is None.

    `deadline` is on the clock of `time.monotonic`; `new` says that the resource was made just now, so that not to find
    it means little at first. Raises TookTooLong and Interrupted.
    """
    tries = 0
    while True:
        current = ask()
        tries += 1
        unseen = current is None and new and tries <= UNSEEN
        if not unseen and (current is None or current["status"] not in UNDER_WAY):
            return current
        if time.monotonic() > deadline:
            raise TookTooLong("not found" if current is None else current["status"])
        pause(tries, call)
