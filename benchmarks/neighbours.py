"""Runs pcsguard and its neighbours on one plan full of faults, and writes docs/comparison.md: who finds what.

The faults are the BAD fragments of pcsguard's rules, each in a node group of its own that is complete otherwise. A
neighbour has found one when it says anything at all of that group; pcsguard, when the rule in question does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from support import render
from support.groups import COMPLETE, complete

from pcs_policies.rules.fragments import Fragment, Tree
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources.kinds import PLAN

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
PAGE = ROOT / "docs" / "comparison.md"

CLEAN = "clean"
FAMILIES = {
    "1": "integrity",
    "2": "lifecycle",
    "3": "contract",
    "4": "capacity",
    "5": "change",
}

TEXT = """\
# What other tools find

Written by `make bench`, which runs them for real. {version} and its neighbours get one plan with {total} faults: the
faulty examples of pcsguard's rules that need no configuration, each in a node group of its own that is complete
otherwise. A neighbour has found a fault when it says anything of its group.

{table}

- **checkov {checkov}** has no check of its own for PCS. **One custom check** ({lines} lines) is what a team writes
  first: every script has a checksum. Such checks see plan, HCL and CloudFormation in four different shapes.
- **Rego** is the language of **conftest** and OPA. The policy ({rego} lines) is a straightforward one for checksums,
  locations and TERMINATE; it was run with regorus. What nobody wrote a rule for is not found.
- **conftest** and **tflint** themselves were *not* run: their programs could not be had on the machine that wrote this.
  For conftest, the row on Rego tells what such a policy finds. tflint reads source, not plans, and whether one of its
  rule sets says anything of `awscc` was not tried.
- **cfn-lint** judges CloudFormation templates, not plans: [that comparison](inputs/cfn-lint.md) has a page of its own.

The faults are pcsguard's own, so the table tells what it costs to do without its rules; it finds all of them by
definition. It does not tell which tool is better at what the others are for: checkov has a thousand checks for
everything else in a plan, conftest takes any policy on any file, tflint finds invalid instance types in source. What a
run costs stands in [performance](performance.md). In this plan each value is known; where a provider leaves values
unknown, pcsguard says *undecided*, and a policy that does not ask for it says nothing, or something wrong.
"""


class Fault(NamedTuple):
    """A group with a fault in it, and the rule that the fault is for."""

    name: str
    rule: str


Found = set[str]
"""Names of groups that something was said of."""


def faults() -> Iterator[tuple[Fault, Fragment]]:
    """The BAD fragments that a plan can hold, and that need no configuration."""
    for rule in RULES:
        for index, fragment in enumerate(rule.module.BAD):
            if rule.needs <= PLAN.carries and fragment.settings == Settings():
                yield Fault(f"{rule.id}x{index}".lower(), rule.id), fragment


def group_of(fragment: Fragment) -> Tree:
    """The fragment as a complete group, but for the members that it is about by their absence."""
    absent = {path for path in fragment.at if path in COMPLETE and path not in fragment.group}
    return {name: member for name, member in complete(**fragment.group).items() if name not in absent}


def plan(cases: list[tuple[Fault, Fragment]]) -> dict[str, Any]:
    """One plan of all groups, and a clean one."""
    whole = _named(CLEAN, render.plan(COMPLETE))
    for fault, fragment in cases:
        before = None if fragment.before is None else complete(**fragment.before)
        part = _named(fault.name, render.plan(group_of(fragment), before=before, change=fragment.change))
        whole["resource_changes"] += part["resource_changes"]
        for member in ("configuration", "planned_values"):
            whole[member]["root_module"]["resources"] += part[member]["root_module"]["resources"]
    return whole


def _named(name: str, document: dict[str, Any]) -> dict[str, Any]:
    """The plan with its group under another name, and that in the planned values too, where checkov looks."""
    (change,) = document["resource_changes"]
    (resource,) = document["configuration"]["root_module"]["resources"]
    for part in (change, resource):
        part["name"], part["address"] = name, f"{part['type']}.{name}"
    planned = {**{key: change[key] for key in ("address", "mode", "type", "name", "provider_name")}}
    planned |= {"schema_version": 0, "values": change["change"]["after"], "sensitive_values": {}}
    return {**document, "planned_values": {"root_module": {"resources": [planned]}}}


def said(command: list[str | Path]) -> Any:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def by_pcsguard(file: Path) -> Found:
    report = said([BIN / "pcsguard", "check", "--isolated", "--format", "json", file])
    return {
        _name(finding["address"])
        for finding in report["findings"]
        if _name(finding["address"]) in (CLEAN, f"{finding['rule'].lower()}{_name(finding['address'])[6:]}")
    }


def by_checkov(command: Path, *options: str | Path) -> Callable[[Path], Found]:
    def run(file: Path) -> Found:
        reports = said([command, *options, "--skip-download", "--compact", "-o", "json", "-f", file])
        reports = reports if isinstance(reports, list) else [reports]
        failed = [check for report in reports for check in report.get("results", {}).get("failed_checks", [])]
        return {_name(check["resource"]) for check in failed}

    return run


def by_rego(python: Path) -> Callable[[Path], Found]:
    script = HERE / "contenders" / "rego.py"
    return lambda file: {_name(address) for address, _ in said([python, script, file])}


def _name(address: str) -> str:
    return address.rpartition(".")[2]


def lines(file: Path) -> int:
    text = file.read_text(encoding="utf-8").splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith(("#", '"""')) for line in text)


def table(cases: list[Fault], rows: list[tuple[str, Found]]) -> str:
    """Who found how many, by family of rules."""

    def found(names: Found, digit: str) -> str:
        of = [case for case in cases if case.rule[3] == digit]
        return f"{sum(case.name in names for case in of)} of {len(of)}"

    head = f"| | {' | '.join(FAMILIES.values())} | all |\n|---|{'---|' * (len(FAMILIES) + 1)}\n"
    body = (
        f"| {title} | {' | '.join(found(names, digit) for digit in FAMILIES)} "
        f"| {sum(case.name in names for case in cases)} of {len(cases)} |\n"
        for title, names in rows
    )
    return (head + "".join(body)).rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neighbours", type=Path, default=ROOT / ".venv-bench" / "bin", help="folder of regorus")
    parser.add_argument("--checkov", type=Path, default=ROOT / ".venv-checkov" / "bin", help="folder of checkov")
    options = parser.parse_args()
    cases = list(faults())
    checkov, custom = options.checkov / "checkov", HERE / "contenders" / "checkov"
    contenders: list[tuple[str, Callable[[Path], Found]]] = [
        ("pcsguard", by_pcsguard),
        ("checkov, as it comes", by_checkov(checkov)),
        ("checkov, one custom check", by_checkov(checkov, "--external-checks-dir", custom)),
        ("Rego, three rules", by_rego(options.neighbours / "python")),
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan(cases)), encoding="utf-8")
        rows = [(title, run(file)) for title, run in contenders]
    for title, names in rows:
        assert CLEAN not in names, f"{title} complains of a group without a fault"
    versions = [
        subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
        for command in (BIN / "pcsguard", checkov)
    ]
    PAGE.write_text(
        TEXT.format(
            version=f"pcsguard {versions[0]}",
            checkov=versions[1],
            total=len(cases),
            table=table([fault for fault, _ in cases], rows),
            lines=lines(custom / "bench_checksum.py"),
            rego=lines(HERE / "contenders" / "headline.rego"),
        ),
        encoding="utf-8",
    )
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
