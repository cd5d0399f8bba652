"""Measures what an app of constructs costs, for apps of several sizes: `python benchmarks/synthesis.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

RUNS = 3
SIZES = (1, 125, 250, 500, 1000)

PROGRAM = """\
import sys
import time

from cdktf import App, TerraformStack

from pcs_stacks import AwsccProvider, ComputeNodeGroup, LaunchTemplate, LifecycleScript, NodeLifecycle

app = App()
stack = TerraformStack(app, "hpc")
AwsccProvider(stack, "awscc")
scripts = [
    LifecycleScript.s3(
        f"s3://example-scripts/step-{step}.sh",
        name=f"log step {step}",
        checksum="5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        s3_version_id="v1",
        on_error="CONTINUE",
    )
    for step in range(5)
]
for number in range(int(sys.argv[1])):
    ComputeNodeGroup(
        stack,
        f"group-{number}",
        name=f"group-{number}",
        cluster="pcs_example123",
        subnet_ids=["subnet-0123456789abcdef0"],
        iam_instance_profile_arn="arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
        instance_types=["c7i.48xlarge"],
        min_instance_count=0,
        max_instance_count=4,
        launch_template=LaunchTemplate(id="lt-0123456789abcdef0", version="1"),
        node_lifecycle=NodeLifecycle(bootstrapped=scripts[:3], ready=scripts[3:]),
    )
app.synth()
print(time.process_time())
"""


class Cost(NamedTuple):
    """Medians of the processor time, in seconds: of Python, and of the Node that jsii runs in."""

    groups: int
    python: float
    node: float


def table(costs: list[Cost]) -> list[str]:
    """The table of the page about performance. The cost per group is that on top of the smallest app."""
    base = costs[0]
    rows = []
    for cost in costs:
        each = (cost.python - base.python) / (cost.groups - base.groups) * 1000 if cost is not base else None
        per_group = "" if each is None else f"{each:.1f} ms"
        rows.append(f"| {cost.groups:,} | {cost.python:.1f} s | {cost.node:.1f} s | {per_group} |")
    return ["| groups | Python | Node | Python, per group |", "|---|---|---|---|", *rows]


def measured() -> list[Cost]:
    """The cost of an app of each size."""
    with tempfile.TemporaryDirectory(prefix="pcsguard-bench-") as folder:
        main = Path(folder) / "main.py"
        main.write_text(PROGRAM, encoding="utf-8")
        return [_median(main, groups) for groups in SIZES]


def _median(main: Path, groups: int) -> Cost:
    runs = [_run(main, groups) for _ in range(RUNS)]
    return Cost(groups, *(median(run[field] for run in runs) for field in range(2)))


def _run(main: Path, groups: int) -> tuple[float, float]:
    with subprocess.Popen(
        [sys.executable, main, str(groups)],
        cwd=main.parent,
        env={**os.environ, "PCSGUARD_CDK": "cdktf", "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)  # of the process and of the Node that it has waited for
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the app of {groups} groups ended with exit code {process.returncode}")
    python = float(said)
    return python, usage.ru_utime + usage.ru_stime - python


if __name__ == "__main__":
    print("\n".join(table(measured())))
