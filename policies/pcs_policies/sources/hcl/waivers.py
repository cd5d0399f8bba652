"""Waivers in comments: ``# pcsguard:ignore PCS104 owner=hpc until=2027-01-31 reason="the bucket has no versions"``.

A waiver covers what its line begins with, or, on a line of its own, what comes next: a member, an item of a list, or
the resource. Whether it is any good is judged with all other waivers.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping

from pcs_contract.record import Record
from pcs_policies.redaction import quote
from pcs_policies.sources.hcl.scan import Scan, SyntaxProblem
from pcs_policies.sources.written import InlineWaiver

REMEDY = "it waives nothing until that is mended"

FORM = 'pcsguard:ignore PCS104 owner=NAME until=YYYY-MM-DD reason="..."'

_START = re.compile(r"(?:#+|//+|/\*+)\s*pcsguard:(?P<word>[\w-]*)(?P<rest>.*?)(?:\*/)?\s*", re.DOTALL)
_WORD = re.compile(r'\s*(?:(?P<key>[a-z]+)=(?:"(?P<quoted>[^"\n]*)"|(?P<plain>[^\s"]+))|(?P<rules>[\w,*-]+))(?=\s|,|$)')
_KEYS = ("owner", "until", "reason")


class Comment(Record):
    """A waiver before anybody knows what it is about.

    ``offset`` is where its comment begins; what it covers begins from ``first`` to ``last``.
    """

    rules: tuple[str, ...]
    told: dict[str, str]
    offset: int
    first: int
    last: int


def comments(scan: Scan, problems: list[SyntaxProblem]) -> list[Comment]:
    """The waivers of a file in their order; adds to ``problems`` those that cannot be read."""
    found = []
    code = following = len(scan.text)  # where the next code begins, and the next comment
    for start, end in reversed(scan.comments):
        code = _code(scan.clean, end, following, code)
        following = start
        begins = _START.fullmatch(scan.text[start:end])
        if begins is None:
            continue  # it only speaks of one
        line = scan.text.rfind("\n", 0, start) + 1
        first, last = (line, start) if scan.clean[line:start].strip() else (code, code)
        try:
            if begins["word"] != "ignore":
                raise SyntaxProblem(
                    start, f"this waiver should read {FORM}, but begins with {quote(begins['word'])}", remedy=REMEDY
                )
            found.append(Comment(*_read(begins["rest"], start), start, first, last))
        except SyntaxProblem as problem:
            problems.append(problem)
    return found[::-1]


def _code(clean: str, start: int, end: int, otherwise: int) -> int:
    """Where code begins between two offsets."""
    found = _SOMETHING.search(clean, start, end)
    return found.start() if found else otherwise


_SOMETHING = re.compile(r"\S")


def _read(text: str, offset: int) -> tuple[tuple[str, ...], dict[str, str]]:
    rules: list[str] = []
    told: dict[str, str] = {}
    at = 0
    while text[at:].strip(" \t\r\n,"):
        found = _WORD.match(text, at)
        key = found["key"] if found else None
        if found is None or (key is not None and (key not in _KEYS or key in told)):
            rest = text[at:].split()[0]
            raise SyntaxProblem(offset, f"this waiver should read {FORM}, but has {quote(rest)}", remedy=REMEDY)
        if key is not None:
            told[key] = found["plain"] if found["quoted"] is None else found["quoted"]
        else:
            rules += (rule for rule in found["rules"].split(",") if rule)
        at = found.end()
    if not rules:
        raise SyntaxProblem(offset, f"this waiver names no rule; it should read {FORM}", remedy=REMEDY)
    return tuple(rules), told


class Places:
    """Where the members of a node group begin."""

    def __init__(self, offsets: Mapping[str, int]) -> None:
        self._sorted = sorted((offset, len(path), path) for path, offset in offsets.items())

    def covered(self, comment: Comment) -> str | None:
        """The path that a waiver covers, the outermost one of a line; ``None`` where it stands beside none."""
        index = bisect_left(self._sorted, (comment.first, -1, ""))
        if index < len(self._sorted) and self._sorted[index][0] <= comment.last:
            return self._sorted[index][2]
        return None


def waiver(comment: Comment, path: str, file: str, line: int) -> InlineWaiver:
    told = comment.told
    return InlineWaiver(comment.rules, told.get("owner"), told.get("until"), told.get("reason"), path, file, line)
