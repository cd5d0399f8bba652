"""Measures how HCL is read: a made-up repository of 5 MB with three node groups, and repositories on this machine.

``python benchmarks/hcl.py [FOLDER...]`` prints whole processes (wall time, as the operating system accounts for it),
and for each folder how much of its HCL was read, scanned and parsed. Nothing of other repositories is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

RUNS = 5
MEGABYTE = 1_000_000

OTHERS = """
resource "aws_s3_object" "object_{n}" {{
  # The script of step {n}.
  bucket = aws_s3_bucket.scripts.id
  key    = "steps/{n}/${{var.site}}.sh"
  tags   = merge(local.tags, {{ Step = "{n}", Owner = "hpc" }})
  content = <<-EOT
    #!/bin/bash
    echo "step {n} of ${{var.site}}"
  EOT
}}

variable "step_{n}" {{
  type    = object({{ name = string, size = optional(number, {n}) }})
  default = {{ name = "step-{n}" }}
}}

locals {{
  step_{n} = {{ for name, size in {{ a = 1, b = 2 }} : "${{name}}-{n}" => size * {n} }}
}}
"""

GROUPS = """
variable "site" { default = "north" }
variable "checksum" { default = null }
locals {
  tags    = { Site = var.site }
  bucket  = "s3://scripts-${var.site}"
  scripts = [for name in ["mount", "motd"] : {
    name          = name
    on_error      = "CONTINUE"
    script_source = { script_location = "${local.bucket}/${name}.sh", checksum = var.checksum }
  }]
}
module "site" {
  source  = "./site"
  scripts = local.scripts
  groups  = { cpu = { max = 4 }, gpu = { max = 2 } }
}
resource "awscc_pcs_compute_node_group" "login" {
  name                   = "login-${var.site}"
  tags                   = local.tags
  scaling_configuration  = { min_instance_count = 1, max_instance_count = 1 }
  node_lifecycle_actions = { stages = { node_ready = local.scripts } }
}
"""

SITE = """
variable "scripts" { type = list(any) }
variable "groups" { type = map(object({ max = number, min = optional(number, 0) })) }
resource "awscc_pcs_compute_node_group" "site" {
  for_each               = var.groups
  name                   = each.key
  scaling_configuration  = { min_instance_count = each.value.min, max_instance_count = each.value.max }
  node_lifecycle_actions = { stages = { node_bootstrapped = var.scripts } }
}
"""


class Share(NamedTuple):
    """Bytes of HCL below a folder: in all files, in those that were scanned, and what was parsed."""

    total: int
    scanned: int
    parsed: int


def repository(folder: Path, megabytes: float, files: int) -> None:
    """Make a repository with three node groups among other things."""
    (folder / "site").mkdir(parents=True)
    (folder / "site" / "main.tf").write_text(SITE)
    size, number = megabytes * MEGABYTE / files, 0
    for file in range(files):
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(OTHERS.format(n=number))
            length += len(parts[-1])
            number += 1
        # Last of all, so that what the groups refer to is not found at once.
        parts += [GROUPS] if file == files - 1 else []
        (folder / f"steps_{file:03}.tf").write_text("".join(parts))


def process(folder: Path) -> tuple[float, str]:
    """Median seconds of ``pcsguard check`` on a folder, and its last line."""
    command = [str(Path(sys.executable).with_name("pcsguard")), "check", "--fail-on", "never", str(folder)]
    taken = []
    last = ""
    for _ in range(RUNS):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - started)
        last = (done.stdout.strip().splitlines() or [""])[-1]
    return median(taken), last


def share(folder: Path) -> Share:
    """How much of a folder's HCL is scanned and parsed when it is checked."""
    from pcs_policies.errors import InputError
    from pcs_policies.sources.hcl import files, library
    from pcs_policies.sources.hcl.scan import scan
    from pcs_policies.sources.inputs import Options, open_inputs

    counted = {"scanned": 0, "parsed": 0}

    def counting(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted_call(text: str, *others: Any) -> Any:
            counted[what] += len(text)
            return function(text, *others)

        return counted_call

    with (
        patch.object(library, "_tree", counting("parsed", library._tree)),
        patch.object(files, "scan", counting("scanned", scan)),
    ):
        for opened in open_inputs([str(folder)], Options()):
            with suppress(InputError):
                list(opened.reading.groups if opened.reading else ())
    total = sum(os.path.getsize(path) for path in folder.rglob("*.tf") if path.is_file())
    return Share(total, counted["scanned"], counted["parsed"])


class Row(NamedTuple):
    """What reading a folder takes; ``scanned`` and ``parsed`` are shares of its bytes of HCL."""

    name: str
    megabytes: float
    seconds: float
    scanned: float
    parsed: float


PUBLIC = (
    Row("aws-samples/aws-hpc-recipes", 0.05, 0.71, 1.13, 0.129),
    Row("aws-samples/sample-parallel-computing-service", 0.05, 0.38, 1.0, 0.111),
    Row("openbraininstitute/aws-terraform-deployment", 0.55, 0.48, 0.65, 0.0062),
    Row("amplify-education/python-hcl2", 0.01, 0.19, 0.0, 0.0),
)
"""Public repositories, measured on 2026-12-01 while the machine did other things too; all files of a repository are
looked at, a module that is called twice is scanned twice."""


def row(name: str, folder: Path) -> Row:
    """Measure a folder."""
    seconds, _ = process(folder)
    found = share(folder)
    return Row(name, found.total / MEGABYTE, seconds, found.scanned / found.total, found.parsed / found.total)


def made_up() -> list[Row]:
    """Measure repositories that are made for it, each with three node groups."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, megabytes, files in (
            ("three groups", 0.01, 1),
            ("5 MB in 100 files", 5, 100),
            ("5 MB in one file", 5, 1),
        ):
            place = Path(folder, name.replace(" ", "_"))
            repository(place, megabytes, files)
            rows.append(row(name, place))
    return rows


def table(rows: Iterable[Row]) -> list[str]:
    """Rows as a table in Markdown."""
    return [
        "| source | HCL | time | time per MB | scanned | parsed |",
        "|---|---|---|---|---|---|",
        *(
            f"| {r.name} | {r.megabytes:.2f} MB | {r.seconds:.2f} s | {r.seconds / r.megabytes:.2f} s "
            f"| {r.scanned:.0%} | {r.parsed:.2%} |"
            for r in rows
        ),
    ]


def main() -> None:
    rows = [*made_up(), *(row(Path(folder).name, Path(folder)) for folder in sys.argv[1:])]
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
