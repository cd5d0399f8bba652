"""JUnit XML, for the test page of a CI system (Jenkins, GitLab, Azure Pipelines and others).

A test suite is an input, and a test case is a finding: its class is the node group and its name is the rule and the
leaf, so that a CI system recognises it from run to run. What fails the run is a failure, what could not be decided or
checked is an error, and everything else (below ``--fail-on``, waived, in the baseline) is skipped and says why. Each
suite begins with a test case for the input itself, which passes where all of it was read, so that no suite is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO
from xml.etree import ElementTree as Xml

from pcs_contract.record import Record
from pcs_policies.findings import Finding, InputSummary, Result, Unchecked
from pcs_policies.redaction import printable
from pcs_policies.reports.words import fails, message, spot, waived
from pcs_policies.settings import Settings


class _Case(Record):
    """A test case; ``outcome`` is ``failure``, ``error``, ``skipped`` or empty for one that passes."""

    classname: str
    name: str
    outcome: str = ""
    message: str = ""
    text: str = ""
    file: str | None = None
    line: int | None = None


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` changes nothing."""
    root = Xml.Element("testsuites", name="pcsguard")
    for name, cases in _suites(result, settings):
        listed = list(cases)
        suite = Xml.SubElement(root, "testsuite", {"name": printable(name), **_numbers(listed)})
        for case in listed:
            _add(suite, case)
    Xml.indent(root)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(Xml.tostring(root, encoding="unicode"))
    out.write("\n")


def _suites(result: Result, settings: Settings) -> Iterator[tuple[str, Iterator[_Case]]]:
    said: dict[str, list[Finding]] = {}
    for finding in (*result.findings, *result.undecided):
        said.setdefault(finding.place.input, []).append(finding)
    for entry in result.inputs:
        problems = [unchecked for unchecked in result.unchecked if unchecked.input == entry.path]
        yield entry.path, _cases(entry, problems, said.pop(entry.path, []), settings)
    for path, findings in said.items():
        yield path, (_case(finding, settings) for finding in findings)


def _cases(
    entry: InputSummary, problems: list[Unchecked], findings: list[Finding], settings: Settings
) -> Iterator[_Case]:
    if not problems:
        yield _Case(entry.path, "read whole")
    for problem in problems:
        yield _Case(entry.path, "not checked", "error", problem.reason, problem.reason, file=entry.path)
    for finding in findings:
        yield _case(finding, settings)


def _case(finding: Finding, settings: Settings) -> _Case:
    where = spot(finding)
    name = f"{finding.rule} {finding.title} {finding.place.key}".strip()
    if fails(finding, settings):
        outcome, short = "failure" if finding.verdict == "fail" else "error", finding.message
    else:
        outcome, short = "skipped", _reason(finding)
    return _Case(finding.place.address, name, outcome, short, message(finding), where.file, where.line)


def _reason(finding: Finding) -> str:
    """Why a finding does not fail the run."""
    if finding.waiver is not None:
        return waived(finding.waiver)
    if finding.old:
        return f"in the baseline: {finding.message}"
    word = finding.severity.value if finding.verdict == "fail" else "undecided"
    return f"{word}, does not fail the run: {finding.message}"


def _numbers(cases: list[_Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
    }


def _add(suite: Xml.Element, case: _Case) -> None:
    attributes = {"classname": case.classname, "name": case.name}
    if case.file is not None:
        attributes["file"] = case.file
    if case.line is not None:
        attributes["line"] = str(case.line)
    # XML 1.0 has no way to write control characters and lone surrogates, so they are made printable
    test = Xml.SubElement(suite, "testcase", {key: printable(value) for key, value in attributes.items()})
    if case.outcome:
        told = Xml.SubElement(test, case.outcome, message=printable(case.message))
        if case.text != case.message:
            told.text = printable(case.text)
