"""Markdown for a comment on a pull request, or for the summary of a CI step.

What the change brings comes first, then what was there before it; a table says what and where, and the details are
folded. Names and values come from the input, and a pull request may hold anything: none of it can make markup, a
link, a mention or a table cell of its own. GitHub takes 65,536 characters; what does not fit is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

from pcs_contract.record import Record
from pcs_policies.findings import Finding, Result
from pcs_policies.redaction import printable
from pcs_policies.reports.words import count, gone, lapsed, spot, summary, waived, worst_first
from pcs_policies.settings import Settings

LIMIT = 60_000
"""Bytes of a report. A comment on GitHub may have 65,536 characters; some room is left for what is put around it."""

MARK = "<!-- pcsguard -->"
"""The first line, by which a workflow finds the comment that it wrote before."""


T = TypeVar("T")


class _Section(Record):
    """Findings under one heading."""

    heading: str
    findings: list[Finding]
    folded: bool = False
    details: str = "What to do"


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` writes nothing where there is nothing to tell."""
    if quiet and not (result.findings or result.undecided or result.unchecked):
        return
    out.write(text(result))


def text(result: Result, limit: int = LIMIT) -> str:
    """The report, at most ``limit`` bytes long."""
    page = _Page(limit)
    page.add(f"{MARK}\n### pcsguard: {_outcome(result.exit_code)}\n\n{summary(result.counts)}\n")
    page.add_each("\n**Not checked**\n\n", result.unchecked, lambda entry: _bullet(f"{entry.input}: {entry.reason}"))
    for section in _sections(result):
        _add_section(page, section)
    told = [escape(line.strip()) for line in gone(result)]
    if told:
        page.add("\n" + "<br>\n".join(told) + "\n")
    return page.text()


def _outcome(code: int) -> str:
    return {0: "nothing fails", 1: "findings"}.get(code, "not everything could be checked")


def _sections(result: Result) -> Iterator[_Section]:
    counting = [f for f in (*result.findings, *result.undecided) if f.counts]
    introduced = [f for f in counting if f.introduced]
    there = [f for f in counting if f.introduced is False]
    about_waivers = {rule.id for rule in result.rules if rule.waiver is not None}
    untold = [f for f in counting if f.introduced is None and f.rule not in about_waivers]
    yield _Section("Introduced by this change", introduced)
    yield _Section("Findings", untold)
    yield _Section("Already there", there)
    yield _Section("Waivers to look at", [f for f in counting if f.rule in about_waivers])
    waived_ones = [f for f in (*result.findings, *result.undecided) if f.waiver is not None]
    yield _Section("Waived", waived_ones, details="By whom, until when and why")
    yield _Section("In the baseline", [f for f in (*result.findings, *result.undecided) if f.old], folded=True)


def _add_section(page: _Page, section: _Section) -> None:
    findings = sorted(section.findings, key=worst_first)
    if not findings:
        return
    title = f"{section.heading} ({len(findings)})"
    head = f"\n<details><summary>{title}</summary>\n\n" if section.folded else f"\n**{title}**\n\n"
    close = "\n</details>\n" if section.folded else ""
    page.add_each(f"{head}| | rule | where | what |\n|---|---|---|---|\n", findings, _row, close)
    if not section.folded:
        fold = f"\n<details><summary>{section.details}</summary>\n\n"
        page.add_each(fold, [f for f in findings if _details(f)], _detail, "\n</details>\n")


def _row(finding: Finding) -> str:
    word = "undecided" if finding.verdict == "undecided" else finding.severity.value
    where = spot(finding)
    line = f"<br>{code(f'{where.file}:{where.line}')}" if where.line is not None else ""
    place = f"{code(finding.place.address)} {code(finding.place.path_as_written)}{line}"
    return f"| {word} | {finding.rule} {escape(finding.title)} | {place} | {escape(finding.message)} |\n"


def _details(finding: Finding) -> list[str]:
    told = []
    if finding.waiver is not None:
        return [waived(finding.waiver)]
    if finding.lapsed is not None:
        told.append(lapsed(finding.lapsed))
    if finding.remedy:
        told.append(finding.remedy)
    return told


def _detail(finding: Finding) -> str:
    told = "; ".join(_details(finding))
    return f"- {finding.rule} {code(finding.place.address)} {code(finding.place.key)}: {escape(told)}\n"


def _bullet(told: str) -> str:
    return f"- {escape(told)}\n"


def escape(told: str) -> str:
    """Text of an input as text of a page: every character that could mean something is written as a reference.

    GitHub looks at the finished text too, for mentions, references to issues, addresses and emoji. A character that
    takes no room, behind those that begin one, keeps it from finding any.
    """
    return _refer(_BEGINS.sub(f"\\g<0>{_JOINER}", printable(told)))


def code(told: str) -> str:
    """Text of an input in a fixed font, where GitHub looks for nothing; empty for no text."""
    return f"<code>{_refer(printable(told))}</code>" if told else ""


def _refer(told: str) -> str:
    return _WWW.sub(r"\g<1>&#46;", "".join(_REFERENCES.get(letter, letter) for letter in told))


_REFERENCES = {letter: f"&#{ord(letter)};" for letter in "&<>\"'`*_~[]()!|\\#@:$"}
_JOINER = "\u2060"  # WORD JOINER
_BEGINS = re.compile(r"[@#:]|www(?=\.)", re.IGNORECASE)
_WWW = re.compile(r"(www)\.", re.IGNORECASE)


class _Page:
    """A text that grows up to a limit and says what it had to leave out."""

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit - _ROOM
        self._dropped = 0

    def add(self, part: str) -> None:
        if self._fits(part):
            self._put(part)

    def add_each(self, head: str, items: Iterable[T], line: Callable[[T], str], close: str = "") -> None:
        """A list with what comes before and behind it; whole lines only, and nothing at all for no items."""
        lines = [line(item) for item in items]
        if not lines:
            return
        if not self._fits(head + lines[0] + close):
            self._dropped += len(lines)
            return
        self._put(head)
        self._left -= len(close.encode())
        for position, entry in enumerate(lines):
            if not self._fits(entry):
                self._dropped += len(lines) - position
                break
            self._put(entry)
        self._parts.append(close)

    def text(self) -> str:
        if self._dropped:
            self._parts.append(f"\n{count(self._dropped, 'more line')} did not fit here; see the log of the run.\n")
        return "".join(self._parts)

    def _fits(self, part: str) -> bool:
        return len(part.encode("utf-8", "surrogatepass")) <= self._left

    def _put(self, part: str) -> None:
        self._parts.append(part)
        self._left -= len(part.encode("utf-8", "surrogatepass"))


_ROOM = 100
"""Bytes for the line that says what is missing."""
