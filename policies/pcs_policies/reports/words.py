"""What several formats say in the same words, and where they say a thing is."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pcs_contract.record import Record
from pcs_policies.engine import matters
from pcs_policies.findings import Excuse, Finding, Result
from pcs_policies.redaction import printable
from pcs_policies.settings import Settings

STANDARD_INPUT = "-"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(counts: Mapping[str, int]) -> str:
    """One line about a run: ``2 node groups checked: 1 error, 3 waived``."""
    found = [count(counts[word], word) for word in ("error", "warning", "info") if counts[word]]
    if counts["undecided"]:
        found.append(f"{counts['undecided']} undecided")
    if counts["waived"]:
        found.append(f"{counts['waived']} waived")
    if counts["known"]:
        found.append(f"{counts['known']} in the baseline")
    if counts["left_out"]:
        found.append(f"{counts['left_out']} of these not shown")
    if counts["unchecked"]:
        found.append(f"{counts['unchecked']} not checked")
    return f"{count(counts['groups'], 'node group')} checked: {', '.join(found) or 'no findings'}"


def waived(excuse: Excuse) -> str:
    """``waived until 2027-01-31 by hpc: reason (pcsguard-waivers.toml:3)``."""
    return f"waived until {excuse.until} by {excuse.owner}: {excuse.reason} ({printable(excuse.source)})"


def lapsed(excuse: Excuse) -> str:
    """``the waiver of hpc does not hold: it ended on 2026-01-31 (pcsguard-waivers.toml:3)``."""
    return f"the waiver of {excuse.owner} does not hold: {excuse.problem} ({printable(excuse.source)})"


def message(finding: Finding) -> str:
    """What was found, what to do, and what a waiver has to do with it, as one text without line breaks."""
    parts = [finding.message]
    if finding.verdict == "undecided":
        parts[0] = f"undecided: {finding.message}"
    if finding.remedy and finding.waiver is None:
        parts.append(f"fix: {finding.remedy}")
    if finding.waiver is not None:
        parts.append(waived(finding.waiver))
    elif finding.lapsed is not None:
        parts.append(lapsed(finding.lapsed))
    return "; ".join(parts)


def fails(finding: Finding, settings: Settings) -> bool:
    """Whether a finding or undecided verdict takes part in failing the run."""
    if not finding.counts or not matters(finding.severity, settings):
        return False
    return finding.verdict == "fail" or settings.undecided == "fail"


def gone(result: Result) -> Iterator[str]:
    """What a baseline has and the run has not, and which waivers were about nothing of the run."""
    compared = result.baseline
    if compared is not None and compared.vanished:
        file = printable(compared.file)
        number = count(len(compared.vanished), "finding")
        yield f"{number} of the baseline {file} gone; `pcsguard baseline write {file} PATH...` takes them out of it:"
        for entry in compared.vanished[:TOLD]:
            yield f"  {entry.rule} {printable(entry.address)} {printable(entry.leaf)}"
        if len(compared.vanished) > TOLD:
            yield f"  and {len(compared.vanished) - TOLD} more"
    if result.unseen_waivers:
        where = ", ".join(map(printable, result.unseen_waivers[:TOLD]))
        more = f" and {len(result.unseen_waivers) - TOLD} more" if len(result.unseen_waivers) > TOLD else ""
        about = "is about no group or rule" if len(result.unseen_waivers) == 1 else "are about no group or rule"
        yield f"{count(len(result.unseen_waivers), 'waiver')} {about} of this run: {where}{more}"


TOLD = 10
"""Vanished findings, and waivers, that a report for people lists."""


class Spot(Record):
    """A place in a file as CI systems want it: relative to the working folder, with forward slashes.

    ``line`` is ``None`` where only the file is known.
    """

    file: str
    line: int | None
    column: int | None


def spot(finding: Finding) -> Spot:
    """Where to show a finding: at its line in the source, or else at the input."""
    origin = finding.place.origin
    if origin.file is not None and origin.line is not None:
        return Spot(relative(origin.file), origin.line, origin.column)
    return Spot(relative(finding.place.input), None, None)


def relative(path: str) -> str:
    """A path relative to the working folder where it lies below it, normal in form; standard input has a name."""
    if path == STANDARD_INPUT:
        return "stdin"
    path = os.path.normpath(path)
    if os.path.isabs(path):
        inside = os.path.relpath(path)
        path = path if inside.startswith(os.pardir) else inside
    return path.replace(os.sep, "/")


def numbered(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int]]:
    """Findings, each with how many before it have the same fingerprint.

    A rule may say two things of one leaf, and the same group may be in two inputs.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        fingerprint = finding.fingerprint
        yield finding, seen[fingerprint]
        seen[fingerprint] += 1


def worst_first(finding: Finding) -> tuple[int, int]:
    """Sorts findings: those that count, then by severity, undecided ones after certain ones of the same severity."""
    return (0 if finding.counts else 1, -2 * finding.severity.rank + (finding.verdict != "fail"))
