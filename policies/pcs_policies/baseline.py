"""The baseline: the findings that were there when somebody began to use pcsguard, and that do not fail a run.

A file of JSON with one finding a line, sorted, so that two branches that change it merge. A finding is recognised by
its fingerprint (see :attr:`pcs_policies.findings.Finding.fingerprint`) and its verdict: a place that was undecided and
now fails is news. Nothing else of the file is read but the address and rule, which say whether a run that does not
have the finding any more has looked for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from pcs_contract.record import Record
from pcs_policies import __version__
from pcs_policies.errors import UsageError
from pcs_policies.findings import Compared, Finding, Vanished
from pcs_policies.redaction import mask, printable
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import WAIVER_RULES, Rule

VERSION = 1
"""Of the format. A file of a later one may mean something else and is refused."""

_VERDICTS = (Outcome.FAIL.value, Outcome.UNDECIDED.value)
_WAIVERS = frozenset(rule.id for rule in WAIVER_RULES)
"""Rules that a baseline is not for: what is wrong with a waiver is never old news."""


class Entry(Record):
    """A finding of the baseline. The texts are for people who read the file."""

    address: str
    rule: str
    leaf: str
    verdict: str
    fingerprint: str


class Baseline:
    """A baseline, while a run is compared with it."""

    def __init__(self, file: str, entries: Iterable[Entry]) -> None:
        self._file = file
        self._entries = {(entry.fingerprint, entry.verdict): entry for entry in entries}
        self._found: set[tuple[str, str]] = set()
        self._judged: dict[str, set[str]] = {}

    def judged(self, address: str, rules: Iterable[Rule]) -> None:
        """Note that these rules have judged a group."""
        self._judged.setdefault(shown(address), set()).update(rule.id for rule in rules)

    def compare(self, finding: Finding) -> Finding:
        """A finding that knows whether it is in the baseline."""
        key = (finding.fingerprint, finding.verdict)
        known = key in self._entries and finding.rule not in _WAIVERS
        if known:
            self._found.add(key)
        return finding._replace(known=known)

    def result(self) -> Compared:
        """What is gone, of what the run has looked for; said when the run is over."""
        gone, not_checked = [], 0
        for key, entry in self._entries.items():
            if key in self._found:
                continue
            if entry.rule in self._judged.get(entry.address, ()):
                gone.append(Vanished(entry.rule, entry.address, entry.leaf, entry.fingerprint))
            else:
                not_checked += 1
        return Compared(self._file, tuple(gone), not_checked)


def shown(text: str) -> str:
    """An address or a leaf as it may stand in a file that is committed."""
    return printable(mask(text))


def entries(findings: Iterable[Finding]) -> list[Entry]:
    """The entries for findings, sorted; a waived one has an end of its own and is left out."""
    found = {
        Entry(shown(f.place.address), f.rule, shown(f.place.key), f.verdict, f.fingerprint)
        for f in findings
        if f.waiver is None and f.rule not in _WAIVERS
    }
    return sorted(found)


def text(found: Iterable[Entry]) -> str:
    """The content of a file with these entries."""
    lines = [json.dumps(entry._asdict()) for entry in found]
    tool = json.dumps({"name": "pcsguard", "version": __version__})
    listed = "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "baseline_version": {VERSION},\n  "tool": {tool},\n  "findings": {listed}\n}}\n'


def read(path: str) -> Baseline:
    """Read a file. Raises :class:`~pcs_policies.errors.UsageError` for one that is missing or no baseline."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise UsageError(
            f"the baseline {printable(path)} cannot be read: {error.strerror or type(error).__name__}; "
            "`pcsguard baseline write` makes one"
        ) from None
    return Baseline(path, _parse(data, path))


def _parse(data: bytes, path: str) -> list[Entry]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError(f"the baseline {printable(path)} is not valid JSON; {_AGAIN}") from None
    if not isinstance(document, dict) or not isinstance(document.get("baseline_version"), int):
        raise UsageError(f"{printable(path)} is no baseline of pcsguard: it has no baseline_version; {_AGAIN}")
    if document["baseline_version"] > VERSION:
        raise UsageError(
            f"the baseline {printable(path)} has version {document['baseline_version']}, and this pcsguard reads "
            f"{VERSION}; use the newer one that wrote it"
        )
    listed = document.get("findings")
    if not isinstance(listed, list):
        raise UsageError(f"the baseline {printable(path)} has no list of findings; {_AGAIN}")
    return [_entry(entry, position, path) for position, entry in enumerate(listed)]


_AGAIN = "restore it, or write it again with `pcsguard baseline write`"


def _entry(entry: Any, position: int, path: str) -> Entry:
    members = entry if isinstance(entry, dict) else {}
    values = [members.get(name) for name in Entry._fields]
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) == len(values):
        found = Entry(*texts)
        if found.verdict in _VERDICTS and re.fullmatch(r"[0-9a-f]{16}", found.fingerprint):
            return found
    raise UsageError(f"the baseline {printable(path)} is damaged: findings[{position}] is no finding; {_AGAIN}")
