"""Measures pcsguard and its neighbours on the same plans, and writes docs/performance.md.

Every figure is one of a whole process, as the operating system accounts for it: wall time and peak memory. The
contenders take turns, so that a machine that slows down slows all of them; medians are reported.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import custom_checks
import endpoint
import hcl
import plans
import provider
import synthesis

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
PAGE = ROOT / "docs" / "performance.md"

PATIENCE = 60.0
"""Seconds: a contender that takes longer for a plan is run once there, and not at all on larger ones."""


class Contender(NamedTuple):
    """A command that gets the path of a plan as its last argument."""

    name: str
    what: str
    command: tuple[str | Path, ...]
    codes: tuple[int, ...] = (0,)


class Figures(NamedTuple):
    """Medians of the runs: seconds of wall time, and megabytes of peak memory."""

    wall: float
    memory: float
    runs: int


def contenders(neighbours: Path, checkov: Path) -> list[Contender]:
    """pcsguard, json.load, and those of the neighbours that are installed."""
    load = "import json, sys; json.load(open(sys.argv[1]))"
    found = [
        Contender("json.load", "Python's json, parsing only", (BIN / "python", "-c", load)),
        Contender("pcsguard", "all rules", (BIN / "pcsguard", "check", "--quiet", "--fail-on", "never")),
    ]
    if (neighbours / "python").exists():
        rego = (neighbours / "python", HERE / "contenders" / "rego.py")
        found.append(Contender("regorus", "Rego, the three headline rules", rego))
    if (neighbours / "pyrrho").exists():
        pyrrho = (neighbours / "pyrrho", "--quiet", "--no-color")
        found.append(Contender("pyrrho", "its own general checks", pyrrho, (0, 1)))
    if (checkov / "checkov").exists():
        checks = HERE / "contenders" / "checkov"
        options = ("--external-checks-dir", checks, "--check", "CKV_BENCH_1", "--skip-download", "--compact", "--quiet")
        found.append(Contender("checkov", "one custom check", (checkov / "checkov", *options, "-f")))
    return found


def measure(command: Sequence[str | Path], codes: Collection[int]) -> tuple[float, float]:
    """Wall seconds and peak megabytes of one run of a command.

    Raises RuntimeError when its exit code is none of ``codes``: a command that fails is quick, and proves nothing.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        list(map(str, command)),
        cwd=tempfile.gettempdir(),  # where no configuration lies
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(map(str, command))}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def bench(size: plans.Size, plan: Path, field: list[Contender], runs: int, slow: set[str]) -> dict[str, Figures]:
    """The figures of each contender on one plan; contenders that turn out slow are added to ``slow``."""
    taken: dict[str, list[tuple[float, float]]] = {c.name: [] for c in field if c.name not in slow}
    for turn in range(runs + 1):
        for contender in field:
            if contender.name in slow:
                continue
            figures = measure([*contender.command, plan], contender.codes)
            if turn == 0 and figures[0] <= PATIENCE:
                continue  # the first turn warms the caches of the operating system
            taken[contender.name].append(figures)
            if figures[0] > PATIENCE:
                slow.add(contender.name)
            print(f"  {size.name:8} {contender.name:10} {figures[0]:7.3f} s {figures[1]:7.0f} MB", flush=True)
    return {
        name: Figures(median(w for w, _ in values), median(m for _, m in values), len(values))
        for name, values in taken.items()
        if values
    }


def start_up() -> list[tuple[str, int]]:
    """The modules that cost most when ``pcsguard check`` starts, with their own time in microseconds."""
    code = "import sys; from pcs_policies.cli.main import run; sys.exit(run())"
    done = subprocess.run(
        [BIN / "python", "-X", "importtime", "-c", code, "check", "-"],
        input='{"format_version": "1.2", "resource_changes": [], "errored": false}',
        cwd=tempfile.gettempdir(),
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines() if "|" in line]
    return sorted(((r[2].strip(), int(r[0])) for r in rows if r[0].strip().isdigit()), key=lambda row: -row[1])


def page(
    field: list[Contender], results: list[tuple[plans.Size, float, dict[str, Figures]]], modules: list[tuple[str, int]]
) -> str:
    """docs/performance.md."""
    head = [
        "# Performance",
        "",
        "Written by `make bench`: whole processes, wall time and peak memory as the operating system accounts for",
        "them, medians. Only ratios carry over to another machine. The plans are made by `benchmarks/plans.py`; no",
        "rule has a finding on them, and there is no configuration. Memory below about 45 MB is that of the process",
        "that measures.",
        "",
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}.",
        "",
        "| contender | what it does |",
        "|---|---|",
        *(f"| {c.name} | {c.what} |" for c in field),
        "",
        "## Time and memory",
        "",
        "| plan | " + " | ".join(c.name for c in field) + " | pcsguard / json.load |",
        "|---|" + "---|" * (len(field) + 1),
    ]
    rows = [_row(field, *result) for result in results]
    sections = (_source(), _synthesis(), _checkov(), _start(modules), endpoint.section(), provider.section())
    return "\n".join([*head, *rows, "", *(line for section in sections for line in (*section, ""))])


def _row(field: list[Contender], size: plans.Size, megabytes: float, figures: dict[str, Figures]) -> str:
    cells = [
        f"{figures[c.name].wall:.2f} s, {figures[c.name].memory:.0f} MB"
        if c.name in figures
        else f"over {PATIENCE:.0f} s"
        for c in field
    ]
    ours, theirs = figures["pcsguard"], figures["json.load"]
    ratio = f"{ours.wall / theirs.wall:.2f} of the time, {ours.memory / theirs.memory:.2f} of the memory"
    return f"| {size.groups:,} groups, {size.others:,} others, {megabytes:.2f} MB | {' | '.join(cells)} | {ratio} |"


def _cell(figures: Figures | None) -> str:
    if figures is None:
        return f"not run: over {PATIENCE:.0f} s on a smaller plan"
    return f"{figures.wall:.2f} s, {figures.memory:.0f} MB"


def _source() -> list[str]:
    return [
        "## Terraform source",
        "",
        "`pcsguard check` on a folder: only files that mention a node group are scanned, with what they refer to, and",
        "only the blocks that matter are parsed.",
        "",
        *hcl.table(hcl.made_up()),
        "",
        "Public repositories, whole, measured once on 2026-12-01:",
        "",
        *hcl.table(hcl.PUBLIC),
    ]


def _synthesis() -> list[str]:
    return [
        "## Constructs",
        "",
        "`python main.py` of an app whose node groups have five scripts each, with cdktf. Python and Node: processor",
        "time of the app, the import of the toolkit included, and of the process that jsii runs in; they take turns.",
        "The cost per group is what Python takes on top of the smallest app.",
        "",
        *synthesis.table(synthesis.measured()),
    ]


def _checkov() -> list[str]:
    groups, files = f"{custom_checks.GROUPS:,}", custom_checks.PARTS
    return [
        "## The rules as checkov checks",
        "",
        f"Processor time of one scan of {groups} groups in {files} files with the newest checkov; each has two scripts",
        "and one finding. checkov itself takes its time for each result of a check, as checks show that look at",
        "nothing and pass. Ours have it keep no messages that nobody asked for, and keep Python's garbage collector",
        "off what checkov has loaded (docs/decisions/0005-less-work-per-result-in-checkov.md); the same empty checks",
        "with that, *spared*, tell what is left of it, and the last column what our checks do beyond that.",
        "",
        *custom_checks.table(custom_checks.measured()),
    ]


def _start(modules: list[tuple[str, int]]) -> list[str]:
    ours = sum(cost for name, cost in modules if name.startswith("pcs_"))
    return [
        "## Start-up",
        "",
        "What `pcsguard check` imports before it reads a small plan: the ten dearest modules by their own time",
        f"(`python -X importtime`). pcsguard's own modules take {ours / 1000:.1f} ms together.",
        "",
        "| module | own time |",
        "|---|---|",
        *(f"| `{name}` | {cost / 1000:.1f} ms |" for name, cost in modules[:10]),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each contender on each plan (default: 5)")
    parser.add_argument("--only", action="append", choices=[size.name for size in plans.SIZES], help="only this plan")
    parser.add_argument(
        "--neighbours", type=Path, default=ROOT / ".venv-bench" / "bin", help="folder of the neighbours"
    )
    parser.add_argument("--checkov", type=Path, default=ROOT / ".venv-checkov" / "bin", help="folder of checkov")
    parser.add_argument("--dry-run", action="store_true", help="print the page instead of writing it")
    options = parser.parse_args()
    field = contenders(options.neighbours, options.checkov)
    folder = Path(tempfile.mkdtemp(prefix="pcsguard-bench-"))
    results = []
    slow: set[str] = set()
    try:
        for size in plans.SIZES:
            if options.only and size.name not in options.only:
                continue
            plan = folder / f"{size.name}.json"
            plans.write(size, plan)
            runs = options.runs * 4 if size.name == "small" else options.runs
            results.append((size, plan.stat().st_size / 1e6, bench(size, plan, field, runs, slow)))
    finally:
        shutil.rmtree(folder)
    text = page(field, results, start_up())
    if options.dry_run or options.only:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
