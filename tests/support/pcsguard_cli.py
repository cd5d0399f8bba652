"""Runs the installed ``pcsguard`` command, as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

COMMAND = Path(sys.executable).with_name("pcsguard")


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document

    def places(self) -> dict[str, list[str]]:
        """``address`` -> what was said of it: ``PCS101 path``, with ``?`` behind the id of an undecided rule."""
        said: dict[str, list[str]] = {}
        for finding in self.report["findings"] + self.report["undecided"]:
            mark = "" if finding["verdict"] == "fail" else "?"
            said.setdefault(finding["address"], []).append(f"{finding['rule']}{mark} {finding['path']}")
        return said


def pcsguard(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **env: str) -> Run:
    """Run the command; nothing of the caller's own pcsguard settings reaches it."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PCSGUARD_", "NO_COLOR"))}
    done = subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**clean, **env},
        timeout=120,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def check_json(*arguments: str | Path, **options: Any) -> Run:
    return pcsguard("check", "--format", "json", *arguments, **options)
