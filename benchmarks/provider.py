"""Measures the Terraform provider: its cold start, and plans and applies of many groups against the local endpoint.

``python benchmarks/provider.py`` prints tables in Markdown. Needs terraform on PATH; everything else is this machine's:
the endpoint is in this process, and what AWS would take for an operation is set to nothing.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from pcs_bridge.endpoint import Delays, Endpoint, running
from pcs_bridge.plugin import handshake
from pcs_bridge.provider import install

RUNS = 9
"""Cold starts; of what takes seconds, each is run once."""
PLANNED = 200
APPLIED = (125, 250, 500)
PARALLELISM = 10
"""Operations at a time: terraform's own default."""

MODULES = ("grpc", "google.protobuf.internal.builder", "cryptography.hazmat.primitives.asymmetric.ec", "msgpack")


def section() -> list[str]:
    """The section of the performance page."""
    return [
        "## The provider",
        "",
        "`terraform` with the provider `pcs` and the local endpoint, whose operations take no time. Terraform starts a",
        "provider several times in a command: what a small plan costs is mostly that. Processor time is that of",
        "terraform and its providers; the endpoint's comes on top. Terraform writes its whole state after each",
        "resource, so its own part of an apply grows with the square of their number: for comparison, it makes as many",
        "of its own `terraform_data` with the same content, which take no provider at all.",
        "",
        *_starts(),
        "",
        *_groups(),
    ]


# From spawn to handshake.


class Start(NamedTuple):
    """A cold start: milliseconds of wall time and of processor time."""

    what: str
    wall: float
    processor: float


def _starts() -> list[str]:
    python = [sys.executable, "-P", "-c"]
    rows = [
        _start("bare Python", lambda: subprocess.run([*python, ""], check=True)),
        *(
            _start(f"import `{name}`", partial(subprocess.run, [*python, f"import {name}"], check=True))
            for name in MODULES
        ),
    ]
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        program = install.write(Path(folder))[0]
        rows.append(_start("the provider, from spawn to handshake", lambda: _handshake(program, folder)))
    return [
        f"Cold start, median of {RUNS}:",
        "",
        "| what | time | processor time |",
        "|---|---|---|",
        *(f"| {row.what} | {row.wall:.0f} ms | {row.processor:.0f} ms |" for row in rows),
    ]


def _start(what: str, run: Callable[[], object]) -> Start:
    taken = []
    for _ in range(RUNS):
        started, before = time.perf_counter(), _processor()
        run()
        taken.append((time.perf_counter() - started, _processor() - before))
    return Start(what, *(median(seconds) * 1000 for seconds in zip(*taken, strict=True)))


def _handshake(program: Path, temporary: str) -> None:
    """Start a provider as terraform does, with TLS, and end it as soon as it has told where it listens."""
    env = {
        **os.environ,
        "TMPDIR": temporary,
        handshake.COOKIE_NAME: handshake.COOKIE_VALUE,
        handshake.VERSIONS_NAME: "6",
        handshake.CLIENT_CERTIFICATE_NAME: "a certificate",
    }
    with subprocess.Popen([program], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout
        line = process.stdout.readline()
        process.kill()
    if not line.startswith(b"1|6|unix|"):
        raise RuntimeError("the provider did not start")


# Plans and applies.


class Row(NamedTuple):
    """One command on so many groups: seconds of wall time, and of processor time in all and in the providers."""

    what: str
    groups: int
    wall: float
    everything: float
    provider: float


def _groups() -> list[str]:
    folder = Path(tempfile.mkdtemp(prefix="pcsguard-bench-"))
    try:
        install.write(folder)
        (folder / "terraform.rc").write_text(install.cli_configuration(folder), encoding="utf-8")
        rows = []
        with running(delays=Delays(0, 0, 0)) as endpoint:
            run = partial(_run, folder, endpoint)
            for count in sorted({PLANNED, *APPLIED}):
                rows += _life(run, folder / str(count), endpoint, count)
            for count in APPLIED:
                rows.append(_comparison(run, folder / f"comparison-{count}", count))
    finally:
        shutil.rmtree(folder)
    return [
        "| command | groups | time | processor time | of it the provider's | provider's per group |",
        "|---|---|---|---|---|---|",
        *(
            f"| {r.what} | {r.groups} | {r.wall:.2f} s | {r.everything:.2f} s | {r.provider:.2f} s "
            f"| {r.provider / r.groups * 1000:.1f} ms |"
            for r in sorted(rows, key=lambda row: (row.what, row.groups))
        ),
    ]


def _life(run: Run, work: Path, endpoint: Endpoint, count: int) -> list[Row]:
    """Plan and make so many groups in a cluster of their own, and plan them again."""
    cluster = f"c-{count}"
    endpoint.client("pcs").create_cluster(
        clusterName=cluster,
        scheduler={"type": "SLURM", "version": "26.05"},
        size="LARGE",
        networking={"subnetIds": ["subnet-0123456789abcdef0"], "securityGroupIds": ["sg-0123456789abcdef0"]},
    )
    work.mkdir()
    (work / "main.tf.json").write_text(json.dumps(configuration(cluster, count)), encoding="utf-8")
    at_a_time = f"-parallelism={PARALLELISM}"
    run(work, "init", count, "init")
    planned = run(work, "plan, all of them new", count, "plan", "-out=plan")
    applied = run(work, "apply", count, "apply", at_a_time, "plan")
    rows = [applied] if count in APPLIED else []
    if count == PLANNED:
        rows += [planned, run(work, "plan, none of them changed", count, "plan", at_a_time)]
    return rows


def _comparison(run: Run, work: Path, count: int) -> Row:
    """Make so many resources of terraform's own, with what the groups hold."""
    groups = configuration("hpc", count)["resource"]["pcs_compute_node_group"]
    data = {name: {"input": group} for name, group in groups.items()}
    work.mkdir()
    (work / "main.tf.json").write_text(json.dumps({"resource": {"terraform_data": data}}), encoding="utf-8")
    run(work, "init", count, "init")
    run(work, "plan", count, "plan", "-out=plan")
    return run(work, "apply, `terraform_data`", count, "apply", f"-parallelism={PARALLELISM}", "plan")


Run = Callable[..., Row]
"""Runs terraform: folder, what the row is called, groups, arguments."""


def _run(home: Path, endpoint: Endpoint, work: Path, what: str, count: int, *arguments: str) -> Row:
    log = work / "log"
    log.unlink(missing_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TF_CLI_CONFIG_FILE": str(home / "terraform.rc")}
    env |= {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", **endpoint.environment}
    env |= {"TF_LOG_PROVIDER": "DEBUG", "TF_LOG_PATH": str(log)}
    started, before = time.perf_counter(), _processor()
    done = subprocess.run(["terraform", *arguments], cwd=work, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"terraform {arguments[0]}: {done.stderr}")
    row = Row(what, count, time.perf_counter() - started, _processor() - before, _logged(log))
    print(row, file=sys.stderr, flush=True)
    return row


def _processor() -> float:
    """Seconds of processor time that all processes took that have ended by now and were started from here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _logged(log: Path) -> float:
    """Seconds of processor time that providers took, as they say at their end."""
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    return sum(float(seconds) for seconds in re.findall(r"processor_seconds=([0-9.]+)", text))


def configuration(cluster: str, count: int) -> Mapping[str, Any]:
    """So many groups with two scripts each, in terraform's JSON syntax."""
    source = {"script_location": "s3://hpc-scripts/setup.sh", "checksum": "0123456789abcdef" * 4}
    scripts = [
        {"name": name, "on_error": "CONTINUE", "execution_policy": "EVERY_BOOT", "script_source": source}
        for name in ("mount", "motd")
    ]
    group = {
        "cluster_id": cluster,
        "subnet_ids": ["subnet-0123456789abcdef0"],
        "iam_instance_profile_arn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
        "scaling_configuration": {"min_instance_count": 0, "max_instance_count": 1},
        "instance_configs": [{"instance_type": "c7i.large"}],
        "custom_launch_template": {"template_id": "lt-0123456789abcdef0", "version": "1"},
        "node_lifecycle_actions": {"stages": {"node_bootstrapped": scripts}},
    }
    groups = {f"g{index}": {**group, "name": f"group-{index}"} for index in range(count)}
    return {
        "terraform": {"required_providers": {"pcs": {"source": install.SOURCE}}},
        "resource": {"pcs_compute_node_group": groups},
    }


if __name__ == "__main__":
    print("\n".join(section()))
