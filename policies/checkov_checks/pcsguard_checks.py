"""The one file that checkov executes: it finds pcsguard's packages and has them register their checks.

checkov only logs what an external check raises, goes on without it, and exits 0. So this ends the scan instead.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from pathlib import Path

FAILED = 3
"""Exit code: something could not be checked, as in ``pcsguard check``."""

BESIDE = Path(__file__).resolve().parent.parent
TOP = BESIDE.parent
CONTRACT = TOP / "contract"


def _load() -> None:
    """Raises what keeps the packages from being imported, or the configuration from being used."""
    if (CONTRACT / "pcs_contract").is_dir():  # a checkout: its packages go before any that is installed
        sys.path[:0] = [path for path in (str(BESIDE), str(CONTRACT)) if path not in sys.path]
    elif str(BESIDE) not in sys.path:  # site-packages, perhaps of another environment, with much else in it
        sys.path.append(str(BESIDE))
    from pcs_policies.adapters.checkov import checks

    # What --external-checks-git makes in the working folder, which is scanned with all the rest.
    cloned = TOP.parent if TOP.parent.name.endswith("_checks") else None
    checks.register(cloned)


try:
    _load()
except Exception as error:
    if os.environ.get("PCSGUARD_DEBUG"):
        traceback.print_exc()
    print(
        f"pcsguard: the checks cannot be loaded, so nothing was checked: {error}; "
        "PCSGUARD_DEBUG=1 shows where that comes from",
        file=sys.stderr,
        flush=True,
    )
    # Of several frameworks, checkov runs each in a process of its own, and does without one that ends early.
    checkov = multiprocessing.parent_process()
    if checkov is not None and checkov.pid is not None:
        os.kill(checkov.pid, signal.SIGTERM)
    os._exit(FAILED)
