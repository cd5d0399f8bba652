"""GitLab code quality: what a merge request shows as a change of quality, and where.

The format is GitLab's subset of the Code Climate specification (docs.gitlab.com, "Code Quality", "Code Quality report
format"): every entry has a description, a check name, a fingerprint that no other entry has, a severity, and a path
with a line. GitLab compares with the target branch itself, so what is in a baseline is told like everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, TextIO

from pcs_policies.findings import Finding, Result
from pcs_policies.redaction import printable
from pcs_policies.reports.words import message, numbered, relative, spot
from pcs_policies.settings import Settings

SEVERITIES = {"error": "critical", "warning": "major", "info": "info"}
NOT_CHECKED = "blocker"
"""What could not be checked is worse than any finding."""


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` changes nothing."""
    json.dump(list(_entries(result)), out, indent=2)
    out.write("\n")


def _entries(result: Result) -> Iterator[dict[str, Any]]:
    for number, unchecked in enumerate(result.unchecked):
        told = f"not checked: {unchecked.reason}"
        identity = f"{unchecked.input}\0{unchecked.reason}\0{number}"
        yield _entry("pcsguard-not-checked", told, NOT_CHECKED, _digest(identity), relative(unchecked.input), None)
    for finding, before in numbered((*result.findings, *result.undecided)):
        where = spot(finding)
        fingerprint = finding.fingerprint if not before else _digest(f"{finding.fingerprint}\0{before}")
        told = f"{finding.place.address}: {message(finding)}"
        yield _entry(f"{finding.rule} {finding.title}", told, _severity(finding), fingerprint, where.file, where.line)


def _severity(finding: Finding) -> str:
    return SEVERITIES["info"] if finding.waiver is not None else SEVERITIES[finding.severity.value]


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _entry(check: str, told: str, severity: str, fingerprint: str, path: str, line: int | None) -> dict[str, Any]:
    return {
        "description": printable(told),
        "check_name": check,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": printable(path), "lines": {"begin": line or 1}},
    }
