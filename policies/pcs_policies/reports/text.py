"""The report for people: grouped by node group, the worst first within a group, one summary line at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TextIO

from pcs_policies.document import Change
from pcs_policies.engine import matters
from pcs_policies.findings import Finding, InputSummary, Result
from pcs_policies.redaction import printable
from pcs_policies.settings import Settings
from pcs_policies.terminal import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paint
from pcs_policies.terminal import paint as paint_for

_COLOURS = {"error": RED, "warning": YELLOW, "info": CYAN, "undecided": CYAN}
_WIDTH = 9  # of the severity column: "undecided"


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` leaves out what is not a finding."""
    for line in _lines(result, settings, paint_for(out), quiet):
        out.write(line + "\n")


def _lines(result: Result, settings: Settings, paint: Paint, quiet: bool) -> Iterator[str]:
    said = _by_input((*result.findings, *result.undecided))
    for entry in result.inputs:
        if not quiet:
            yield f"{printable(entry.path)}: {_about(entry)}"
        shown = said.get(entry.path, [])
        for _, findings in groupby(sorted(shown, key=_order(shown)), key=lambda finding: finding.place.address):
            yield ""
            yield from _group(list(findings), paint)
        for unchecked in result.unchecked:
            if unchecked.input == entry.path:
                yield ""
                yield f"{paint('not checked', RED)}: {printable(unchecked.reason)}"
        if not quiet:
            yield ""
    if not quiet:
        for skipped in result.skipped:
            yield f"{printable(skipped.path)}: skipped, {printable(skipped.reason)}"
        yield from _summary(result, settings, paint)


def _by_input(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.place.input, []).append(finding)
    return found


def _order(findings: list[Finding]) -> Callable[[Finding], tuple[int, bool, int]]:
    """Groups in the order of the input; within a group errors before warnings, then by rule and place."""
    position = {address: index for index, address in enumerate(dict.fromkeys(f.place.address for f in findings))}
    return lambda f: (position[f.place.address], f.verdict != "fail", -f.severity.rank)


def _about(entry: InputSummary) -> str:
    if entry.kind is None:
        return "could not be read"
    parts = [entry.title, _count(entry.groups, "node group") if entry.groups else "no node group to check"]
    if entry.source:
        parts.append(f"joined with {printable(entry.source)}")
    if entry.drifted:
        parts.append(f"{_count(entry.drifted, 'more group')} only in drift")
    if entry.removed:
        parts.append(f"{_count(entry.removed, 'more group')} deleted or forgotten")
    return ", ".join(parts)


def _group(findings: list[Finding], paint: Paint) -> Iterator[str]:
    first = findings[0].place
    change = f" ({first.change.value})" if first.change is not Change.NONE else ""
    yield f"{paint(printable(first.address), BOLD)}{change}"
    for finding in findings:
        word = finding.severity.value if finding.verdict == "fail" else "undecided"
        head = paint(word.ljust(_WIDTH), _COLOURS[word])
        yield f"  {head} {finding.rule} {finding.title}  {paint(printable(_place(finding)), DIM)}"
        indent = " " * (_WIDTH + 3)
        yield f"{indent}{finding.message}"
        if finding.remedy:
            yield f"{indent}{paint('fix:', DIM)} {finding.remedy}"


def _place(finding: Finding) -> str:
    place = finding.place
    origin = place.origin
    if origin.line is None:
        return place.path_as_written
    return f"{place.path_as_written}  {origin.file}:{origin.line}:{origin.column}"


def _summary(result: Result, settings: Settings, paint: Paint) -> Iterator[str]:
    counts = result.counts
    found = [_count(counts[word], word) for word in ("error", "warning", "info") if counts[word]]
    if counts["undecided"]:
        found.append(f"{counts['undecided']} undecided")
    if counts["left_out"]:
        found.append(f"{counts['left_out']} of these not shown")
    if counts["unchecked"]:
        found.append(f"{counts['unchecked']} not checked")
    colour = RED if result.exit_code else GREEN
    yield paint(f"{_count(counts['groups'], 'node group')} checked: {', '.join(found) or 'no findings'}", colour)
    if settings.undecided == "fail" and any(matters(f.severity, settings) for f in result.undecided):
        yield (
            "undecided rules fail the run (exit code 3), because what could not be checked is not fine; "
            "--undecided=ignore lets them pass"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
