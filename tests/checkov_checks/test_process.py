"""What our checks spare checkov is nothing that it shows or that somebody asked for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import checkov
from support.checkov import VERSIONS, Version
from support.groups import complete

MESSAGE = "should_run_check CKV_PCS_101: True"
"""One of the messages of level DEBUG that checkov has for each result."""

SCANS = f"""
import gc, json, logging, sys
from checkov.logging_init import log_stream
from checkov.main import Checkov
told = []
for more in [], ["--support"]:
    logging.getLogger().setLevel(logging.DEBUG)  # as at checkov's start
    log_stream.truncate(0)
    code = Checkov(["-d", ".", "--framework", "terraform", "--skip-download", *sys.argv[1:], *more]).run(banner="")
    told.append([code, "{MESSAGE}" in log_stream.getvalue(), logging.getLogger().level, gc.get_freeze_count()])
print(json.dumps(told), file=sys.stderr)
"""
"""Scans without and with ``--support`` in one process; of each its exit code, and what was kept."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    checkov.write(tmp_path / "hpc", {"hpc": complete()}, "terraform")
    return tmp_path / "hpc"


@pytest.mark.parametrize("version", VERSIONS)
def test_messages_are_kept_for_support_alone(version: Version, folder: Path) -> None:
    command = [
        str(checkov.command(version).parent / "python"),
        "-c",
        SCANS,
        "--external-checks-dir",
        str(checkov.CHECKS),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: list[list[Any]] = json.loads(done.stderr.splitlines()[-1])
    (code, kept, level, frozen), (code_too, kept_too, level_too, frozen_too) = told
    assert (kept, level) == (False, 30)
    assert (kept_too, level_too) == (True, 10)
    assert code == code_too
    assert frozen >= frozen_too > 0  # never more: it was done once


@pytest.mark.parametrize("version", VERSIONS)
def test_messages_are_shown_to_who_asks(version: Version, folder: Path) -> None:
    asked = {"LOG_LEVEL": "DEBUG"}
    done = checkov.run("-f", "main.tf", "--framework", "terraform", cwd=folder, version=version, env=asked)
    assert MESSAGE in done.stderr
    assert 'check "checksum-required: ' in done.stderr  # ours, on its result
