"""``pcsguard rules``: all rules, with the severities that the configuration gives them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from pcs_policies.cli import arguments
from pcs_policies.config import Configuration
from pcs_policies.errors import OK
from pcs_policies.redaction import printable
from pcs_policies.rules.table import Rule, every, runs

HEAD = ("id", "title", "severity", "needs", "")


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard rules",
        description="List the rules, your own included, as the configuration has them. `needs` says what an input must "
        "tell for a rule to judge it: `stated`, which members the author wrote (a state does not tell); `change`, what "
        "is about to happen (a plan tells); `source`, the author's own text (HCL tells).",
        formatter_class=arguments.Help,
        epilog="`pcsguard explain PCS101` tells more about one.",
        allow_abbrev=False,
    )
    arguments.add_configuration(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to list (default: text)")
    return parser


def run(parsed: Namespace) -> int:
    configuration = arguments.configuration(parsed)
    entries = [_entry(rule, configuration) for rule in every(configuration.settings, configuration.own)]
    if parsed.format == "json":
        json.dump({"configuration": configuration.file, "rules": entries}, sys.stdout, indent=2)
        print()
    else:
        for line in _lines(entries, configuration.file):
            print(line)
    return OK


def _entry(rule: Rule, configuration: Configuration) -> dict[str, Any]:
    own_severity = rule.module.SEVERITY
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity.value,
        "default_severity": own_severity.value,
        "needs": sorted(rule.needs),
        "runs": runs(rule, configuration.settings),
    }


def _lines(entries: list[dict[str, Any]], file: str | None) -> Iterator[str]:
    rows = [HEAD, *(_row(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    left_out = sum(not entry["runs"] for entry in entries)
    yield ""
    yield f"{len(entries)} rules" + (f", {left_out} of them not run" if left_out else "")
    yield f"configuration: {printable(file) if file else 'no file'}"


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    notes = []
    if not entry["runs"]:
        notes.append("not run")
    if entry["severity"] != entry["default_severity"]:
        notes.append(f"{entry['default_severity']} by itself")
    return entry["id"], entry["title"], entry["severity"], ", ".join(entry["needs"]), ", ".join(notes)
