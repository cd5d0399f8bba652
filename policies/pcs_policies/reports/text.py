"""The report for people: grouped by node group, the worst first within a group, one summary line at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TextIO

from pcs_policies.document import Change
from pcs_policies.engine import matters
from pcs_policies.findings import Finding, InputSummary, Result
from pcs_policies.redaction import printable
from pcs_policies.settings import Settings

Paint = Callable[[str, str], str]
"""Puts an ANSI colour code around a text, or does not."""

_RED, _YELLOW, _CYAN, _BOLD, _DIM = "31", "33", "36", "1", "2"
_COLOURS = {"error": _RED, "warning": _YELLOW, "info": _CYAN, "undecided": _CYAN}
_WIDTH = 9  # of the severity column: "undecided"


def write(result: Result, settings: Settings, out: TextIO, *, colour: bool = False, quiet: bool = False) -> None:
    paint = _painted if colour else _plain
    for line in _lines(result, settings, paint, quiet):
        out.write(line + "\n")


def _lines(result: Result, settings: Settings, paint: Paint, quiet: bool) -> Iterator[str]:
    for entry in result.inputs:
        if not quiet:
            yield f"{printable(entry.path)}: {_about(entry)}"
        shown = [f for f in (*result.findings, *result.undecided) if f.place.input == entry.path]
        for _, findings in groupby(sorted(shown, key=_order(shown)), key=lambda finding: finding.place.address):
            yield ""
            yield from _group(list(findings), paint)
        for unchecked in result.unchecked:
            if unchecked.input == entry.path:
                yield ""
                yield f"{paint('not checked', _RED)}: {printable(unchecked.reason)}"
        if not quiet:
            yield ""
    if not quiet:
        yield from _summary(result, settings, paint)


def _order(findings: list[Finding]) -> Callable[[Finding], tuple[int, bool, int]]:
    """Groups in the order of the input; within a group errors before warnings, then by rule and place."""
    position = {address: index for index, address in enumerate(dict.fromkeys(f.place.address for f in findings))}
    return lambda f: (position[f.place.address], f.verdict != "fail", -f.severity.rank)


def _about(entry: InputSummary) -> str:
    if entry.kind is None:
        return "could not be read"
    parts = [entry.title, _count(entry.groups, "node group") if entry.groups else "no node group to check"]
    if entry.drifted:
        parts.append(f"{_count(entry.drifted, 'more group')} only in drift")
    if entry.removed:
        parts.append(f"{_count(entry.removed, 'more group')} deleted or forgotten")
    return ", ".join(parts)


def _group(findings: list[Finding], paint: Paint) -> Iterator[str]:
    first = findings[0].place
    change = f" ({first.change.value})" if first.change is not Change.NONE else ""
    yield f"{paint(printable(first.address), _BOLD)}{change}"
    for finding in findings:
        word = finding.severity.value if finding.verdict == "fail" else "undecided"
        head = paint(word.ljust(_WIDTH), _COLOURS[word])
        yield f"  {head} {finding.rule} {finding.title}  {paint(printable(_place(finding)), _DIM)}"
        indent = " " * (_WIDTH + 3)
        yield f"{indent}{finding.message}"
        if finding.remedy:
            yield f"{indent}{paint('fix:', _DIM)} {finding.remedy}"


def _place(finding: Finding) -> str:
    place = finding.place
    origin = place.origin
    if origin.line is None:
        return place.path_as_written
    return f"{place.path_as_written}  {origin.file}:{origin.line}:{origin.column}"


def _summary(result: Result, settings: Settings, paint: Paint) -> Iterator[str]:
    counts = result.counts()
    found = [_count(counts[word], word) for word in ("error", "warning", "info") if counts[word]]
    if counts["undecided"]:
        found.append(f"{counts['undecided']} undecided")
    if counts["unchecked"]:
        found.append(f"{counts['unchecked']} not checked")
    colour = _RED if result.exit_code else "32"
    yield paint(f"{_count(counts['groups'], 'node group')} checked: {', '.join(found) or 'no findings'}", colour)
    if settings.undecided == "fail" and any(matters(f.severity, settings) for f in result.undecided):
        yield (
            "undecided rules fail the run (exit code 3), because what could not be checked is not fine; "
            "--undecided=ignore lets them pass"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _plain(text: str, code: str) -> str:
    return text
