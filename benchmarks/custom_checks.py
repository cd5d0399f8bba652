"""Measures what our checks cost in checkov, beside as many empty ones (with tests/ on PYTHONPATH)."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support import checkov
from support.checkov import Framework
from support.groups import complete

from pcs_policies.adapters.checkov import verdict
from pcs_policies.rules.fragments import SHA256, actions, script
from pcs_policies.rules.table import RULES

GROUPS, PARTS = 1000, 20
"""Node groups, and files that they are in: of a large .tf file, checkov gives up the parsing after ten seconds."""

EMPTY = Path(__file__).resolve().parent / "contenders" / "empty_checks"

FILES: dict[Framework, str] = {
    "terraform": "main.tf",
    "terraform_plan": "null.json",
    "terraform_json": "cdk.tf.json",
    "cloudformation": "template.yaml",
}
"""The one of the files of each framework that is scanned."""

CHECKS = 1 + sum(map(verdict.applies, RULES))
"""How many checks we have: one is about the input as a whole."""


class Cost(NamedTuple):
    """Processor time in seconds of one scan.

    ``bare`` is with checkov's own checks alone, ``empty`` with as many empty ones as ours, ``spared`` with empty ones
    that spare checkov what ours spare it, and ``ours`` with ours.
    """

    framework: Framework
    bare: float
    empty: float
    spared: float
    ours: float


def table(costs: list[Cost]) -> list[str]:
    """The table of the page about performance."""
    rows = [
        f"| {cost.framework} | {cost.bare:.1f} s | {cost.empty:.1f} s | {cost.spared:.1f} s | {cost.ours:.1f} s "
        f"| {cost.ours / cost.bare - 1:+.0%} | {(cost.ours - cost.spared) / cost.bare:+.0%} |"
        for cost in costs
    ]
    return [
        f"| framework | checkov alone | {CHECKS} empty checks | spared | our {CHECKS} checks | added | of that by us |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def measured() -> list[Cost]:
    """The cost in each framework."""
    return list(_measured())


def _measured() -> Iterator[Cost]:
    group = complete(
        **actions(
            bootstrapped=[
                script("cloudwatch-logs", "https://example.com/logs-v1.sh", checksum=SHA256, onError="CONTINUE"),
                script("mount-home", "https://example.com/mount-v1.sh", checksum=SHA256, arguments=["--to", "/home"]),
            ]
        )
    )
    with tempfile.TemporaryDirectory(prefix="pcsguard-bench-") as top:
        for framework, kept in FILES.items():
            folder = Path(top) / framework
            for part in range(PARTS):
                names = range(part, GROUPS, PARTS)
                checkov.write(folder / f"part{part}", {f"g{number}": group for number in names}, framework)
            for path in folder.glob("*/*"):
                if path.name != kept:
                    path.unlink()
            yield Cost(
                framework,
                bare=_run(folder, framework, None),
                empty=_run(folder, framework, EMPTY),
                spared=_run(folder, framework, EMPTY, EMPTY_CHECKS_SPARE="1"),
                ours=_run(folder, framework, checkov.CHECKS),
            )


def _run(folder: Path, framework: Framework, checks: Path | None, **env: str) -> float:
    external = () if checks is None else ("--external-checks-dir", checks)
    command = (checkov.command("checkov"), "-d", ".", "--framework", framework, *external)
    with subprocess.Popen(
        [*command, "--skip-download", "--compact", "--quiet"],
        cwd=folder,
        env={**os.environ, "EMPTY_CHECKS": str(CHECKS), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: it has findings
        raise RuntimeError(f"checkov ended with exit code {process.returncode} on {framework}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    print("\n".join(table(measured())))
