"""GitLab code quality: every member that GitLab asks for, and no fingerprint twice."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from support.findings import EXCUSE, finding, result

from pcs_policies.findings import Result, Unchecked
from pcs_policies.reports import gitlab
from pcs_policies.rules.rule import Severity
from pcs_policies.settings import Settings


def entries(given: Result) -> list[dict[str, Any]]:
    out = StringIO()
    gitlab.write(given, Settings(), out)
    listed: list[dict[str, Any]] = json.loads(out.getvalue())
    return listed


def test_where_and_what() -> None:
    (entry,) = entries(result(finding(file="./stacks/../main.tf", line=3)))
    assert entry == {
        "description": "awscc_pcs_compute_node_group.hpc: something is wrong; fix: mend it",
        "check_name": "PCS101 some-rule",
        "fingerprint": finding().fingerprint,
        "severity": "critical",
        "location": {"path": "main.tf", "lines": {"begin": 3}},
    }


@pytest.mark.parametrize(
    ("members", "severity"),
    [
        ({"severity": Severity.WARNING}, "major"),
        ({"severity": Severity.INFO}, "info"),
        ({"waiver": EXCUSE}, "info"),
        ({"known": True}, "critical"),
        ({"verdict": "undecided"}, "critical"),
    ],
)
def test_severities(members: dict[str, Any], severity: str) -> None:
    (entry,) = entries(result(finding(**members)))
    assert entry["severity"] == severity


def test_no_fingerprint_is_there_twice() -> None:
    unchecked = (Unchecked("a", "x"), Unchecked("a", "x"))
    listed = entries(result(finding(), finding(), finding(message="another"), unchecked=unchecked))
    assert len({entry["fingerprint"] for entry in listed}) == len(listed) == 5
    assert [entry["severity"] for entry in listed[:2]] == ["blocker"] * 2
