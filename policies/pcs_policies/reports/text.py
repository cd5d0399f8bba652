"""The report for people: grouped by node group, the worst first within a group, one summary line at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from pcs_contract.hints import TextIO
from pcs_policies.document import Change
from pcs_policies.engine import matters
from pcs_policies.findings import Finding, InputSummary, Result
from pcs_policies.redaction import printable
from pcs_policies.reports.words import count, gone, lapsed, summary, waived
from pcs_policies.settings import Settings
from pcs_policies.terminal import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paint
from pcs_policies.terminal import paint as paint_for

_COLOURS = {"error": RED, "warning": YELLOW, "info": CYAN, "undecided": CYAN, "waived": DIM}
_WIDTH = 9  # of the severity column: "undecided"


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` leaves out what is not a finding."""
    for line in _lines(result, settings, paint_for(out), quiet):
        out.write(line + "\n")


def _lines(result: Result, settings: Settings, paint: Paint, quiet: bool) -> Iterator[str]:
    said = _by_input(finding for finding in (*result.findings, *result.undecided) if not finding.old)
    for entry in result.inputs:
        if not quiet:
            yield f"{printable(entry.path)}: {_about(entry)}"
        yield from _groups(said.pop(entry.path, []), paint)
        for unchecked in result.unchecked:
            if unchecked.input == entry.path:
                yield ""
                yield f"{paint('not checked', RED)}: {printable(unchecked.reason)}"
        if not quiet:
            yield ""
    for path, findings in said.items():  # what is wrong with waivers stands at their file, which is no input
        if not quiet:
            yield f"{printable(path)}: waivers"
        yield from _groups(findings, paint)
        if not quiet:
            yield ""
    if not quiet:
        for skipped in result.skipped:
            yield f"{printable(skipped.path)}: skipped, {printable(skipped.reason)}"
        yield from gone(result)
        yield from _summary(result, settings, paint)


def _by_input(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.place.input, []).append(finding)
    return found


def _groups(findings: list[Finding], paint: Paint) -> Iterator[str]:
    for _, said in groupby(sorted(findings, key=_order(findings)), key=lambda finding: finding.place.address):
        yield ""
        yield from _group(list(said), paint)


def _order(findings: list[Finding]) -> Callable[[Finding], tuple[int, bool, bool, int]]:
    """Groups in the order of the input; within a group errors before warnings, what is waived last."""
    position = {address: index for index, address in enumerate(dict.fromkeys(f.place.address for f in findings))}
    return lambda f: (position[f.place.address], f.waiver is not None, f.verdict != "fail", -f.severity.rank)


def _about(entry: InputSummary) -> str:
    if entry.kind is None:
        return "could not be read"
    parts = [entry.title, count(entry.groups, "node group") if entry.groups else "no node group to check"]
    if entry.source:
        parts.append(f"joined with {printable(entry.source)}")
    if entry.drifted:
        parts.append(f"{count(entry.drifted, 'more group')} only in drift")
    if entry.removed:
        parts.append(f"{count(entry.removed, 'more group')} deleted or forgotten")
    return ", ".join(parts)


def _group(findings: list[Finding], paint: Paint) -> Iterator[str]:
    first = findings[0].place
    change = f" ({first.change.value})" if first.change is not Change.NONE else ""
    yield f"{paint(printable(first.address), BOLD)}{change}"
    for finding in findings:
        word = finding.severity.value if finding.verdict == "fail" else "undecided"
        if finding.waiver is not None:
            word = "waived"
        head = paint(word.ljust(_WIDTH), _COLOURS[word])
        yield f"  {head} {finding.rule} {finding.title}  {paint(printable(_place(finding)), DIM)}"
        indent = " " * (_WIDTH + 3)
        yield f"{indent}{finding.message}"
        if finding.waiver is not None:
            yield f"{indent}{waived(finding.waiver)}"
            continue
        if finding.lapsed is not None:
            yield f"{indent}{lapsed(finding.lapsed)}"
        if finding.remedy:
            yield f"{indent}{paint('fix:', DIM)} {finding.remedy}"


def _place(finding: Finding) -> str:
    place = finding.place
    origin = place.origin
    if origin.line is None:
        return place.path_as_written
    at = f"{origin.file}:{origin.line}" + (f":{origin.column}" if origin.column is not None else "")
    return f"{place.path_as_written}  {at}".strip()


def _summary(result: Result, settings: Settings, paint: Paint) -> Iterator[str]:
    colour = RED if result.exit_code else GREEN
    yield paint(summary(result.counts), colour)
    if settings.undecided == "fail" and any(
        finding.counts and matters(finding.severity, settings) for finding in result.undecided
    ):
        yield (
            "undecided rules fail the run (exit code 3), because what could not be checked is not fine; "
            "--undecided=ignore lets them pass"
        )
