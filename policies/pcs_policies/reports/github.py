"""Annotations of a GitHub workflow: each finding at its line, in the pull request and on the page of the run.

An annotation is a workflow command, ``::error file=main.tf,line=3::message`` (docs.github.com, "Workflow commands for
GitHub Actions"). GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest, so the most
severe come first, and what is over the limit is printed as plain lines of the log. Where the runner names a file for
the summary of the step (``GITHUB_STEP_SUMMARY``), the Markdown report is added to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from pcs_contract.record import Record
from pcs_policies.errors import UsageError
from pcs_policies.findings import Finding, Result
from pcs_policies.redaction import printable
from pcs_policies.reports import markdown
from pcs_policies.reports.words import Spot, fails, message, spot, summary, worst_first
from pcs_policies.settings import Settings

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
SHOWN = 10
"""Annotations of each level that GitHub shows of one step (docs.github.com, "Limits for annotations")."""

ERROR, WARNING, NOTICE = "error", "warning", "notice"


class Annotation(Record):
    """A workflow command, with its texts as they are meant."""

    level: str
    title: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the annotations; ``quiet`` leaves out the one that sums up, and the step summary."""
    left = {ERROR: SHOWN, WARNING: SHOWN, NOTICE: SHOWN if quiet else SHOWN - 1}
    dropped = 0
    for annotation in _annotations(result, settings):
        if left[annotation.level]:
            left[annotation.level] -= 1
            out.write(command(annotation) + "\n")
        else:
            dropped += 1
            out.write(_plain(annotation) + "\n")
    if quiet:
        return
    told = summary(result.counts)
    if dropped:
        told += f"; GitHub shows {SHOWN} annotations of a level, so {dropped} more are only in the log of this step"
    out.write(command(Annotation(NOTICE, "pcsguard", told)) + "\n")
    _add_summary(result, settings)


def command(annotation: Annotation) -> str:
    """An annotation as a line that a runner understands."""
    places = [("file", annotation.file), ("line", annotation.line), ("col", annotation.column)]
    properties = [(name, str(value)) for name, value in (*places, ("title", annotation.title)) if value is not None]
    listed = ",".join(f"{name}={escape_property(value)}" for name, value in properties)
    return f"::{annotation.level} {listed}::{escape_data(annotation.message)}"


def escape_data(text: str) -> str:
    """Text behind the second ``::`` (escapeData of GitHub's toolkit, packages/core/src/command.ts)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """The value of a property (escapeProperty of the same file)."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _annotations(result: Result, settings: Settings) -> Iterator[Annotation]:
    for unchecked in result.unchecked:
        told = f"{unchecked.input}: {unchecked.reason}"
        yield Annotation(ERROR, "pcsguard: not checked", printable(told))
    said = [finding for finding in (*result.findings, *result.undecided) if not finding.old]
    for finding in sorted(said, key=worst_first):
        where = _shown(spot(finding))
        title = printable(f"{finding.rule} {finding.title}")
        told = printable(f"{finding.place.address} {finding.place.path_as_written}".strip() + f": {message(finding)}")
        yield Annotation(_level(finding, settings), title, told, *where)


def _shown(where: Spot) -> tuple[str | None, int | None, int | None]:
    """Where GitHub is to show it; an input without lines, such as a plan, is no file of the repository."""
    return (None, None, None) if where.line is None else (printable(where.file), where.line, where.column)


def _level(finding: Finding, settings: Settings) -> str:
    if finding.waiver is not None:
        return NOTICE
    if finding.verdict == "undecided":
        return ERROR if fails(finding, settings) else NOTICE
    return {"error": ERROR, "warning": WARNING, "info": NOTICE}[finding.severity.value]


def _plain(annotation: Annotation) -> str:
    """A line of the log that no runner takes for a command (older ones look for ``##[`` anywhere in a line)."""
    where = f" ({annotation.file}:{annotation.line})" if annotation.file else ""
    return f"{annotation.level} {annotation.title}: {annotation.message}{where}".replace("##[", "## [")


def _add_summary(result: Result, settings: Settings) -> None:
    file = os.environ.get(STEP_SUMMARY)
    if not file:
        return
    try:
        with open(file, "a", encoding="utf-8", errors="backslashreplace") as out:
            markdown.write(result, settings, out)
    except OSError as error:
        raise UsageError(
            f"{STEP_SUMMARY}: {printable(file)} cannot be written: {error.strerror or type(error).__name__}"
        ) from None
