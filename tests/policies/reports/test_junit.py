"""JUnit XML as a CI system reads it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite
from support import report_inputs
from support.findings import finding, result
from support.pcsguard_cli import pcsguard

from pcs_policies.redaction import printable
from pcs_policies.reports import junit
from pcs_policies.settings import Settings


def suites(folder: Path, *arguments: str) -> dict[str, TestSuite]:
    report_inputs.write(folder)
    options = ("--format", "junit=junit.xml", "--select", report_inputs.RULES, *arguments)
    pcsguard("check", *report_inputs.INPUTS, *options, cwd=folder, PCSGUARD_TODAY=report_inputs.TODAY)
    return {suite.name: suite for suite in JUnitXml.fromfile(str(folder / "junit.xml"))}


def outcomes(suite: TestSuite) -> dict[str, type | None]:
    """Last word of the name of each test case -> its outcome; ``None`` for one that passes."""
    return {case.name.split(" ")[0]: type(case.result[0]) if case.result else None for case in suite}


def test_a_suite_for_each_input(tmp_path: Path) -> None:
    found = suites(tmp_path)
    assert list(found) == [*report_inputs.INPUTS, "pcsguard-waivers.toml"]
    assert outcomes(found["errored.json"]) == {"not": Error}
    assert outcomes(found["stack.tf.json"]) == {"read": None, "PCS101": Failure, "PCS104": Skipped, "PCS805": Failure}


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [((), (2, 1, 2)), (("--fail-on", "warning"), (3, 1, 1)), (("--undecided", "ignore"), (2, 0, 3))],
)
def test_only_what_fails_the_run_is_red(tmp_path: Path, arguments: tuple[str, ...], numbers: tuple[int, ...]) -> None:
    suite = suites(tmp_path, *arguments)["plan.json"]
    assert (suite.failures, suite.errors, suite.skipped) == numbers
    assert suite.tests == len(list(suite))


def test_a_clean_input_passes(tmp_path: Path) -> None:
    report_inputs.write(tmp_path)
    run = pcsguard("check", "plan.json", "--format", "junit", "--select", "PCS401", cwd=tmp_path)
    (suite,) = JUnitXml.fromstring(run.out)
    assert outcomes(suite) == {"read": None}


@given(st.text(), st.text())
def test_names_and_messages_come_back(name: str, text: str) -> None:
    out = StringIO()
    junit.write(result(finding(address=name, message=text)), Settings(), out)
    (suite,) = JUnitXml.fromstring(out.getvalue())
    (case,) = list(suite)[1:]
    assert case.classname == printable(name)
    assert case.result[0].message == printable(text)


def test_a_name_that_no_xml_can_hold_is_escaped() -> None:
    out = StringIO()
    junit.write(result(finding(address="a\x00\ud800\ufffe]]><x>")), Settings(), out)
    assert json.dumps("a\\x00\\ud800\\ufffe]]&gt;&lt;x&gt;")[1:-1].replace("\\\\", "\\") in out.getvalue()
