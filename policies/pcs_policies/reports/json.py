"""The report for programs. Its schema is ``report.schema.json``; within a major version members are only added."""

from __future__ import annotations

import json
from typing import Any, TextIO

from pcs_policies import __version__
from pcs_policies.findings import Compared, Excuse, Finding, Result
from pcs_policies.settings import Settings

SCHEMA_VERSION = "1.1"


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; programs get all of it, ``quiet`` or not."""
    json.dump(report(result), out, indent=2)
    out.write("\n")


def report(result: Result) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pcsguard", "version": __version__},
        "inputs": [
            {
                "path": entry.path,
                "kind": entry.kind,
                "status": entry.status,
                "groups": entry.groups,
                "groups_only_in_drift": entry.drifted,
                "groups_removed": entry.removed,
                "source": entry.source,
            }
            for entry in result.inputs
        ],
        "findings": [_finding(finding) for finding in result.findings],
        "undecided": [_finding(finding) for finding in result.undecided],
        "unchecked": [{"input": entry.input, "reason": entry.reason} for entry in result.unchecked],
        "skipped": [{"path": entry.path, "reason": entry.reason} for entry in result.skipped],
        "unseen_waivers": list(result.unseen_waivers),
        "baseline": None if result.baseline is None else _baseline(result.baseline),
        "summary": dict(result.counts),
        "exit_code": result.exit_code,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "title": finding.title,
        "severity": finding.severity.value,
        "verdict": finding.verdict,
        "address": finding.place.address,
        "path": finding.place.path,
        "path_as_written": finding.place.path_as_written,
        "leaf": finding.place.key,
        "stage": finding.place.stage,
        "script": finding.place.script,
        "message": finding.message,
        "remedy": finding.remedy,
        "origin": finding.place.origin._asdict(),
        "change": finding.place.change.value,
        "introduced": finding.introduced,
        "waiver": _waiver(finding.waiver),
        "lapsed_waiver": _waiver(finding.lapsed),
        "known": finding.known,
        "fingerprint": finding.fingerprint,
    }


def _waiver(excuse: Excuse | None) -> dict[str, Any] | None:
    if excuse is None:
        return None
    told: dict[str, Any] = {
        "owner": excuse.owner,
        "until": excuse.until,
        "reason": excuse.reason,
        "source": excuse.source,
    }
    return {**told, "problem": excuse.problem} if excuse.problem else told


def _baseline(compared: Compared) -> dict[str, Any]:
    return {
        "file": compared.file,
        "vanished": [entry._asdict() for entry in compared.vanished],
        "not_checked": compared.not_checked,
    }
