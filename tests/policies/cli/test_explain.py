"""``pcsguard explain`` as a user meets it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Snapshot
from support.pcsguard_cli import pcsguard

from pcs_policies.docs.rule_page import page
from pcs_policies.rules.table import RULES, find

HEADINGS = ("What it checks", "Why", "Fix", "Sources")


def test_in_the_terminal(tmp_path: Path, snapshot: Snapshot) -> None:
    snapshot(pcsguard("explain", "PCS201", cwd=tmp_path).out, "explain-PCS201.txt")


def test_every_rule(tmp_path: Path) -> None:
    run = pcsguard("explain", *(rule.id for rule in RULES), cwd=tmp_path)
    assert (run.code, run.err) == (0, "")
    explained = re.split(r"^(?=PCS\d{3} [a-z0-9-]+$)", run.out, flags=re.MULTILINE)[1:]
    assert [text.splitlines()[0] for text in explained] == [f"{rule.id} {rule.title}" for rule in RULES]
    for text in explained:
        for part in (*(f"\n{heading}\n  " for heading in HEADINGS), "\nBad: ", "\nGood: "):
            assert part in text


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_text_is_as_wide_as_the_terminal(tmp_path: Path, columns: int) -> None:
    run = pcsguard("explain", "PCS201", cwd=tmp_path, COLUMNS=str(columns))
    prose = run.out.split("\nSources\n")[0].splitlines()
    assert max(map(len, prose)) <= min(columns, 100)
    assert max(map(len, prose)) > min(columns, 100) - 15


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["PCS201"], ["PCS201"]),
        (["pcs201"], ["PCS201"]),
        (["no-terminate-on-ready"], ["PCS201"]),
        (["PCS201", "checksum-required"], ["PCS201", "PCS101"]),
        (["PCS201", "no-terminate-on-ready"], ["PCS201"]),
    ],
)
def test_which_rules(tmp_path: Path, names: list[str], ids: list[str]) -> None:
    run = pcsguard("explain", *names, cwd=tmp_path)
    assert run.code == 0
    titles = [f"{id} {find(id).title}" for id in ids]
    assert [line for line in run.out.splitlines() if line.startswith("PCS") and line in titles] == titles


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["PCS999"], "pcsguard: there is no rule 'PCS999'"),
        (["PCS2"], "pcsguard: there is no rule 'PCS2'"),
        (["checksum-requird"], "(did you mean 'checksum-required'?); `pcsguard rules` lists all"),
        (["PCS201", "PCS999"], "pcsguard: there is no rule 'PCS999'"),
        ([], "the following arguments are required: RULE"),
    ],
)
def test_unknown_names(tmp_path: Path, names: list[str], message: str) -> None:
    run = pcsguard("explain", *names, cwd=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_markdown_is_the_page_of_the_documentation(tmp_path: Path) -> None:
    run = pcsguard("explain", "PCS201", "--format", "markdown", cwd=tmp_path)
    assert run.out == page(find("PCS201"))


@pytest.mark.parametrize(
    ("env", "severity"),
    [
        ({}, "Severity error"),
        ({"PCSGUARD_SEVERITY": "PCS201=info"}, "Severity info by configuration (error by itself)"),
        ({"PCSGUARD_IGNORE": "PCS201"}, "Severity error; not run with this configuration"),
    ],
)
def test_the_configured_severity(tmp_path: Path, env: dict[str, Any], severity: str) -> None:
    assert pcsguard("explain", "PCS201", cwd=tmp_path, **env).out.splitlines()[1] == severity


def test_an_own_rule_without_documentation(tmp_path: Path) -> None:
    (tmp_path / "pcs901_own.py").write_text(
        "from pcs_policies.rules.rule import Severity\n"
        "ID, TITLE, SEVERITY = 'PCS901', 'own-rule', Severity.INFO\n"
        "check = lambda group, settings: ()\n"
    )
    run = pcsguard("explain", "PCS901", cwd=tmp_path, PCSGUARD_RULES="pcs901_own.py")
    assert (run.code, run.out) == (0, "PCS901 own-rule\nSeverity info\n")
