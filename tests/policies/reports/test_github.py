"""Workflow annotations: escaped as the runner unescapes, the most severe first, within what GitHub shows."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import report_inputs
from support.findings import EXCUSE, finding, result
from support.pcsguard_cli import pcsguard

from pcs_policies.findings import Unchecked
from pcs_policies.reports import github, markdown
from pcs_policies.reports.github import Annotation, command
from pcs_policies.rules.rule import Severity
from pcs_policies.settings import Settings

HOSTILE = "a%0A%25,:\r\n::error::x%3A%2C"

texts = st.text(st.one_of(st.characters(), st.sampled_from("%:,\r\n0ADC235")))


def unescape(text: str, *, more: bool) -> str:
    """What the runner does (ActionCommand.cs): the replacements of its table, the one for ``%`` last."""
    table = [("\r", "%0D"), ("\n", "%0A"), *([(":", "%3A"), (",", "%2C")] if more else []), ("%", "%25")]
    for letter, code in table:
        text = text.replace(code, letter)
    return text


def read(line: str) -> Annotation:
    """An annotation, read as the runner reads it: at the first ``::`` behind the name, then at commas and signs."""
    match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line, re.DOTALL)
    assert match
    level, listed, message = match.groups()
    properties = dict(entry.split("=", 1) for entry in listed.split(","))
    values = {name: unescape(value, more=True) for name, value in properties.items()}
    line_number, column = (int(values[name]) if name in values else None for name in ("line", "col"))
    told = unescape(message, more=False)
    return Annotation(level, values["title"], told, values.get("file"), line_number, column)


@given(texts, texts, st.none() | texts, st.none() | st.integers(1, 9999), st.none() | st.integers(1, 200))
@example(HOSTILE, HOSTILE, HOSTILE, 3, 4)
def test_an_annotation_comes_back_as_it_was(
    title: str, message: str, file: str | None, line: int | None, column: int | None
) -> None:
    annotation = Annotation("error", title, message, file, line, column)
    written = command(annotation)
    assert "\n" not in written
    assert "\r" not in written
    assert read(written) == annotation


def written(*findings: object, settings: Settings | None = None, **members: object) -> list[str]:
    out = StringIO()
    github.write(result(*findings, **members), settings or Settings(), out)  # type: ignore[arg-type]
    return out.getvalue().splitlines()


def levels(lines: list[str]) -> list[str]:
    return [line.split(" ")[0].strip(":") for line in lines if line.startswith("::")]


@given(texts, texts)
def test_a_finding_is_one_line_whatever_its_names_are(address: str, message: str) -> None:
    lines = written(finding(address=address, message=message, file=address or None, line=1))
    assert levels(lines) == ["error", "notice"]


def test_the_most_severe_come_first_and_nothing_is_over_the_limit() -> None:
    many = [finding(severity=severity, key=str(n)) for severity in Severity for n in range(15)]
    lines = written(*many, unchecked=(Unchecked("plan.json", "it is errored"),))
    told = levels(lines)
    assert told[0] == "error"
    assert "not checked" in lines[0]
    assert {level: told.count(level) for level in told} == {"error": 10, "warning": 10, "notice": 10}
    assert len(lines) == 45 + 1 + 1, "what is over the limit is in the log"
    assert "so 17 more are only in the log" in lines[-1]
    assert lines[-1].startswith("::notice title=pcsguard::1 node group checked: 15 errors, 15 warnings, 15 infos")


def test_what_is_only_logged_is_no_command() -> None:
    many = [finding(key=str(n), message="##[add-mask]x ::stop-commands::y") for n in range(12)]
    (logged, _) = [line for line in written(*many) if not line.startswith("::")]
    assert "##[" not in logged


@pytest.mark.parametrize(
    ("members", "settings", "level"),
    [
        ({"severity": Severity.WARNING}, Settings(), "warning"),
        ({"severity": Severity.INFO}, Settings(), "notice"),
        ({"waiver": EXCUSE}, Settings(), "notice"),
        ({"verdict": "undecided"}, Settings(), "error"),
        ({"verdict": "undecided"}, Settings(undecided="ignore"), "notice"),
        ({"verdict": "undecided", "severity": Severity.WARNING}, Settings(), "notice"),
    ],
)
def test_levels(members: dict[str, object], settings: Settings, level: str) -> None:
    assert levels(written(finding(**members), settings=settings)) == [level, "notice"]  # type: ignore[arg-type]


def test_what_is_in_the_baseline_is_not_shown() -> None:
    assert levels(written(finding(known=True))) == ["notice"]


def test_the_summary_of_the_step_is_the_markdown_report(tmp_path: Path) -> None:
    report_inputs.write(tmp_path)
    (tmp_path / "summary.md").write_text("before\n")
    arguments = ("check", "plan.json", "--format", "github", "--format", "markdown=report.md")
    run = pcsguard(*arguments, cwd=tmp_path, GITHUB_STEP_SUMMARY="summary.md")
    assert run.out.startswith("::error ")
    assert (tmp_path / "summary.md").read_text() == "before\n" + (tmp_path / "report.md").read_text()
    assert markdown.MARK in (tmp_path / "report.md").read_text()


def test_a_summary_that_cannot_be_written(tmp_path: Path) -> None:
    report_inputs.write(tmp_path)
    run = pcsguard("check", "plan.json", "--format", "github", cwd=tmp_path, GITHUB_STEP_SUMMARY="no/summary.md")
    assert run.code == 2
    assert "GITHUB_STEP_SUMMARY: no/summary.md cannot be written: No such file" in run.err
