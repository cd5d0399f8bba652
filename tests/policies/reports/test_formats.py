"""All formats on the same inputs, as golden files, and what holds for every one of them."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from conftest import Snapshot
from support import report_inputs
from support.pcsguard_cli import Run, pcsguard

from pcs_policies.reports.formats import NAMES, writer

ENDING = {
    "text": "txt",
    "json": "json",
    "sarif": "json",
    "junit": "xml",
    "github": "txt",
    "gitlab": "json",
    "html": "html",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    report_inputs.write(tmp_path)
    return tmp_path


def check(folder: Path, *arguments: str) -> Run:
    options = ("--select", report_inputs.RULES, *arguments)
    return pcsguard("check", *report_inputs.INPUTS, *options, cwd=folder, PCSGUARD_TODAY=report_inputs.TODAY)


def told(text: str) -> str:
    """A report without what a page is drawn and filtered by, which is no part of what it tells."""
    page = re.sub(r"<(style|script)>.*?</\1>", r"<\1></\1>", text, flags=re.DOTALL)
    return re.sub(r"sha256-[^&]*(?=&#39;)", "sha256-...", page)


@pytest.mark.parametrize("name", NAMES)
def test_golden(folder: Path, name: str, snapshot: Snapshot) -> None:
    run = check(folder, "--format", name)
    assert (run.code, run.err) == (3, "")
    snapshot(told(run.out), f"{name}.{ENDING.get(name, 'md')}")


@pytest.mark.parametrize("name", NAMES)
def test_golden_with_a_baseline(folder: Path, name: str, snapshot: Snapshot) -> None:
    write = ("baseline", "write", "base.json", "plan.json", "--select", "PCS102,PCS104", "--isolated")
    assert pcsguard(*write, cwd=folder).code == 0
    run = check(folder, "--format", name, "--baseline", "base.json")
    snapshot(told(run.out), f"{name}-baseline.{ENDING.get(name, 'md')}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("said", ["hpc", "until 2027-01-31", "next release"])
def test_a_waived_finding_stays_visible(folder: Path, name: str, said: str) -> None:
    out = check(folder, "--format", name).out
    assert said in out or (name == "json" and said.removeprefix("until ") in out)


@pytest.mark.parametrize("name", NAMES)
def test_who_let_a_waiver_end_is_told(folder: Path, name: str) -> None:
    assert "storage" in check(folder, "--format", name).out


def test_the_report_for_programs_keeps_its_schema(folder: Path) -> None:
    schema = json.loads(files("pcs_policies.reports").joinpath("report.schema.json").read_text())
    (folder / "base.json").write_text(pcs_baseline())
    for arguments in ((), ("--baseline", "base.json")):
        report = check(folder, "--format", "json", *arguments).report
        jsonschema.Draft202012Validator(schema).validate(report)
        assert set(report) == set(schema["properties"])


def pcs_baseline() -> str:
    entry = {"address": "a.b", "rule": "PCS101", "leaf": "", "verdict": "fail", "fingerprint": "0" * 16}
    return json.dumps({"baseline_version": 1, "findings": [entry]})


def test_every_format_is_written_by_a_module_of_its_name() -> None:
    assert [callable(writer(name)) for name in NAMES] == [True] * len(NAMES)


def test_equal_runs_give_equal_reports(folder: Path) -> None:
    for name in NAMES:
        assert check(folder, "--format", name).out == check(folder, "--format", name).out
