"""Finds the processes that were started with a given environment variable: descendants, wherever they ended up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def with_variable(name: str, value: str) -> list[int]:
    """Process ids, this process left out. Needs ``/proc``; skips the test where there is none."""
    proc = Path("/proc")
    if not (proc / "self" / "environ").exists():
        pytest.skip("there is no /proc to look for processes in")
    wanted = f"{name}={value}".encode()
    found = []
    for entry in proc.iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environ = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue  # it ended in the meantime, or is not ours
        if wanted in environ and state != "Z":
            found.append(int(entry.name))
    return found


def eventually(holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
