"""How the command leaves: at once where it may, and never before what it wrote is out."""

import subprocess
import sys

import pytest

LEAVE = (
    "import sys; {before}import pcs_policies.cli.main as cli; "
    "cli.run = lambda: print('said', end='') or sys.stdout.flush() or sys.stderr.write('told') and 3; cli.main()"
)


@pytest.mark.parametrize(
    ("before", "end"),
    [
        ("", ""),
        ("import threading; threading.Thread(target=lambda: print(', thread', end='')).start(); ", ", thread"),
        ("import atexit; atexit.register(print, ', handler', end=''); ", ", handler"),
    ],
    ids=["at-once", "a-thread", "an-exit-handler"],
)
def test_what_is_left_to_do_is_done(before: str, end: str) -> None:
    code = LEAVE.format(before=before)
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "told")
    assert sorted([done.stdout.replace(end, ""), end]) == sorted(["said", end])
    assert end in done.stdout
