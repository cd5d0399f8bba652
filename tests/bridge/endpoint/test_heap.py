"""One heap for all threads, seen in what glibc tells of its own."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from pcs_bridge.endpoint import heap

THREADS = """
import ctypes, os, threading, time
{call}
together = threading.Barrier(8)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p

def work():
    together.wait()
    blocks = [libc.malloc(100_000) for _ in range(100)]
    together.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fdopen(1, b"w")))
libc.fflush(None)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has a heap for each thread")
@pytest.mark.parametrize(
    ("call", "one"),
    [
        pytest.param("", False, id="as it is"),
        pytest.param("from pcs_bridge.endpoint import heap; heap.share()", True, id="shared"),
    ],
)
def test_threads_share_one_heap(call: str, one: bool) -> None:
    done = subprocess.run([sys.executable, "-c", THREADS.format(call=call)], capture_output=True, text=True, check=True)
    heaps = done.stdout.count("<heap nr=")
    assert (heaps == 1) is one, heaps


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_nothing_happens(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("ctypes.CDLL", None)
    heap.share()
