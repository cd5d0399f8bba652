"""``pcsguard rules`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.pcsguard_cli import Run, pcsguard

from pcs_policies.rules.table import RULES, WAIVER_RULES

EVERY = (*RULES, *WAIVER_RULES)

OWN = """\
from pcs_policies.rules.rule import Severity
ID, TITLE, SEVERITY, NEEDS = "PCS901", "own-rule", Severity.INFO, {"stated", "change"}
def check(group, settings):
    return ()
"""


def rules(folder: Path, *arguments: str, **env: Any) -> Run:
    return pcsguard("rules", *arguments, cwd=folder, **env)


def rows(text: str) -> dict[str, list[str]]:
    """Id -> the other cells."""
    return {line.split()[0]: line.split()[1:] for line in text.split("\n\n")[0].splitlines()[1:]}


def test_all_rules_in_columns(tmp_path: Path) -> None:
    run = rules(tmp_path)
    assert (run.code, run.err) == (0, "")
    table, footer = run.out.split("\n\n")
    assert list(rows(run.out)) == [rule.id for rule in EVERY]
    assert footer == f"{len(EVERY)} rules\nconfiguration: no file\n"
    head = table.splitlines()[0]
    assert head.split() == ["id", "title", "severity", "needs"]
    severity = head.index("severity")
    assert all(line[severity - 2 : severity] == "  " for line in table.splitlines()), "the columns are aligned"


@pytest.mark.parametrize(
    ("text", "rule", "cells"),
    [
        ("", "PCS104", ["s3-version-pinned", "warning"]),
        ('ignore = ["PCS1"]', "PCS104", ["s3-version-pinned", "warning", "not", "run"]),
        ('select = ["PCS2"]', "PCS104", ["s3-version-pinned", "warning", "not", "run"]),
        ('preset = "baseline"', "PCS104", ["s3-version-pinned", "warning", "not", "run"]),
        ('severity = { PCS104 = "error" }', "PCS104", ["s3-version-pinned", "error", "warning", "by", "itself"]),
        (
            'preset = "baseline"\nseverity = { PCS104 = "error" }',
            "PCS104",
            ["s3-version-pinned", "error", "warning", "by", "itself"],
        ),
        ('rules = ["pcs901_own.py"]', "PCS901", ["own-rule", "info", "change,", "stated"]),
    ],
)
def test_the_configuration_is_honoured(tmp_path: Path, text: str, rule: str, cells: list[str]) -> None:
    (tmp_path / "pcsguard.toml").write_text(text)
    (tmp_path / "pcs901_own.py").write_text(OWN)
    run = rules(tmp_path)
    assert rows(run.out)[rule] == cells
    assert run.out.endswith("configuration: pcsguard.toml\n")


def test_the_footer_counts_what_is_not_run(tmp_path: Path) -> None:
    run = rules(tmp_path, PCSGUARD_SELECT="PCS101")
    assert f"{len(EVERY)} rules, {len(EVERY) - 1} of them not run" in run.out


def test_json(tmp_path: Path) -> None:
    run = rules(tmp_path, "--format", "json", PCSGUARD_SEVERITY="PCS202=info", PCSGUARD_IGNORE="PCS202")
    document = json.loads(run.out)
    assert document["configuration"] is None
    assert next(rule for rule in document["rules"] if rule["id"] == "PCS202") == {
        "id": "PCS202",
        "title": "explicit-on-error",
        "severity": "info",
        "default_severity": "warning",
        "needs": ["stated"],
        "runs": False,
    }


def test_a_wrong_configuration_is_wrong_here_too(tmp_path: Path) -> None:
    (tmp_path / "pcsguard.toml").write_text("failon = 1")
    run = rules(tmp_path)
    assert (run.code, run.out) == (2, "")
    assert "(did you mean 'fail-on'?)" in run.err
    assert rules(tmp_path, "--isolated").code == 0
