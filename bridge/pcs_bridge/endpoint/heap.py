"""One heap for all threads, where the C library would give each its own.

glibc opens a new heap for a thread that finds the others in use, up to eight for each processor (mallopt(3),
M_ARENA_MAX). What lives long, as resources and answers do, then comes to lie in all of them, and each keeps free what
the others need: with hundreds of connections, memory grows for many minutes while what is in use stays the same.
Python lets in one thread at a time anyway.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_ARENA_MAX: Final = -8
"""`M_ARENA_MAX` in glibc's malloc.h."""


def share() -> None:
    """For the rest of the process. C libraries that have no such setting are left as they are."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)
