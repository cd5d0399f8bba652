"""Findings and results for the tests of reports, without a run."""

from __future__ import annotations

from typing import Any

from pcs_policies.document import Change, Origin
from pcs_policies.findings import Excuse, Finding, InputSummary, Place, Result, Unchecked
from pcs_policies.rules.rule import Severity
from pcs_policies.rules.table import RULES

EXCUSE = Excuse("hpc", "2027-01-31", "it is on its way", "pcsguard-waivers.toml", 3, False)


def finding(
    *,
    rule: str = "PCS101",
    severity: Severity = Severity.ERROR,
    verdict: str = "fail",
    address: str = "awscc_pcs_compute_node_group.hpc",
    key: str = "name",
    message: str = "something is wrong",
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
    introduced: bool | None = None,
    **members: Any,
) -> Finding:
    place = Place("plan.json", address, key, key, key, None, None, Origin(file, line, column), Change.NONE)
    return Finding(rule, "some-rule", severity, verdict, place, message, "mend it", introduced, **members)


def result(*findings: Finding, unchecked: tuple[Unchecked, ...] = (), exit_code: int = 1) -> Result:
    """A result with these findings, counted as a run would."""
    counting = [f for f in findings if f.counts]
    failed = [f for f in counting if f.verdict == "fail"]
    counts = {
        "groups": 1,
        **{word: sum(f.severity.value == word for f in failed) for word in ("error", "warning", "info")},
        "undecided": len(counting) - len(failed),
        "waived": sum(f.waiver is not None for f in findings),
        "known": sum(f.old for f in findings),
        "unchecked": len(unchecked),
        "left_out": 0,
    }
    return Result(
        inputs=(InputSummary("plan.json", "plan", "terraform plan", "checked", 1, 0, 0, None),),
        findings=tuple(f for f in findings if f.verdict == "fail"),
        undecided=tuple(f for f in findings if f.verdict != "fail"),
        unchecked=unchecked,
        skipped=(),
        counts=counts,
        exit_code=exit_code,
        rules=RULES,
    )
