"""SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), for code scanning.

One run with the rules that were run, each with its documentation. A finding stands at its line in the source where
that is known, and otherwise at the input; its node group and leaf are logical locations. What a reader may wonder:

* An undecided verdict has the kind ``open``: "the tool concluded that there was insufficient information to decide
  whether a problem exists" (3.27.9). Its level is then ``none`` (3.27.10).
* What could not be checked is a notification of the invocation, which then was not successful (3.20.21, 3.20.14).
* A waiver is an accepted suppression: ``inSource`` beside the code, ``external`` in a file of waivers (3.35).
* ``baselineState`` is there when a baseline is, and then on every result (3.27.24).
* GitHub recognises a result by ``primaryLocationLineHash``, which it would make from the text around the line; ours
  survives edits. It takes ``security-severity`` of rules that are tagged ``security`` only.
* Nothing tells when or on which machine the run was: equal runs give equal files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, TextIO
from urllib.parse import quote

from pcs_policies import __version__
from pcs_policies.docs.rule_index import FAMILIES
from pcs_policies.findings import Excuse, Finding, Result
from pcs_policies.redaction import printable
from pcs_policies.reports.words import Spot, lapsed, numbered, relative, spot
from pcs_policies.rules import doc
from pcs_policies.rules.rule import Severity
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
SECURITY_SEVERITY = {"error": "8.0", "warning": "5.0"}
"""High and medium on GitHub's scale (docs.github.com, "SARIF support for code scanning": 7.0 and 4.0 are the least)."""

SECURITY = frozenset("167")
"""First digits of the ids of rules that are about security: integrity, access and script content."""

TAGS = {digit: title.partition(":")[0].lower().replace(" ", "-") for digit, title in FAMILIES.items()}

Json = dict[str, Any]


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` changes nothing."""
    json.dump(report(result), out, indent=2)
    out.write("\n")


def report(result: Result) -> Json:
    """The report as JSON values."""
    index = {rule.id: position for position, rule in enumerate(result.rules)}
    driver = {
        "name": "pcsguard",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in result.rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(result)],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, before, index) for finding, before in numbered((*result.findings, *result.undecided))
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> Json:
    told = doc.parse(rule.module.__doc__)
    severity = rule.severity.value
    family = rule.id[3]
    properties: Json = {"precision": "high", "tags": [TAGS.get(family, "own"), *_security(family)]}
    if severity in SECURITY_SEVERITY:
        properties["security-severity"] = SECURITY_SEVERITY[severity]
    properties["problem.severity"] = "recommendation" if rule.severity is Severity.INFO else severity
    summary = told.summary or rule.title
    checks = next((section.paragraphs for section in told.sections if section.heading == "What it checks"), ())
    return {
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": " ".join((summary, *checks))},
        "help": {"text": "\n\n".join(_help(told, "")), "markdown": "\n\n".join(_help(told, "## "))},
        "defaultConfiguration": {"level": LEVELS[severity]},
        "properties": properties,
    }


def _security(family: str) -> list[str]:
    return ["security"] if family in SECURITY else []


def _help(told: doc.RuleDoc, heading: str) -> Iterator[str]:
    yield told.summary or "There is no documentation of this rule."
    for section in told.sections:
        yield heading + section.heading
        yield from section.paragraphs


def _invocation(result: Result) -> Json:
    return {
        "executionSuccessful": not result.unchecked,
        "exitCode": result.exit_code,
        "toolExecutionNotifications": [
            {
                "level": "error",
                "message": {"text": printable(entry.reason)},
                "locations": [{"physicalLocation": _physical(Spot(relative(entry.input), None, None))}],
            }
            for entry in result.unchecked
        ],
    }


def _result(finding: Finding, before: int, index: dict[str, int]) -> Json:
    fails = finding.verdict == "fail"
    told: Json = {
        "ruleId": finding.rule,
        "ruleIndex": index.get(finding.rule, -1),
        "kind": "fail" if fails else "open",
        "level": LEVELS[finding.severity.value] if fails else "none",
        "message": {"text": "; ".join(_message(finding))},
        "locations": [_location(finding)],
        "partialFingerprints": {
            "pcsguard/v1": finding.fingerprint,
            "primaryLocationLineHash": f"{finding.fingerprint}:{before + 1}",
        },
    }
    if finding.known is not None:
        told["baselineState"] = "unchanged" if finding.known else "new"
    if finding.waiver is not None:
        told["suppressions"] = [_suppression(finding.waiver)]
    return told


def _message(finding: Finding) -> Iterator[str]:
    yield printable(finding.message)
    if finding.remedy:
        yield f"fix: {printable(finding.remedy)}"
    if finding.lapsed is not None:
        yield lapsed(finding.lapsed)


def _location(finding: Finding) -> Json:
    place = finding.place
    names = [{"fullyQualifiedName": printable(place.address), "kind": "resource"}]
    if place.key:
        leaf = {"name": printable(place.path_as_written or place.key), "kind": "property"}
        names.append({"fullyQualifiedName": printable(f"{place.address}.{place.key}"), **leaf})
    if place.origin.construct:
        names.append({"fullyQualifiedName": printable(place.origin.construct), "kind": "type"})
    return {"physicalLocation": _physical(spot(finding)), "logicalLocations": names}


def _physical(where: Spot) -> Json:
    told: Json = {"artifactLocation": {"uri": uri(where.file)}}
    if where.line is not None:
        told["region"] = {"startLine": where.line}
        if where.column is not None:
            told["region"]["startColumn"] = where.column
    return told


def uri(path: str) -> str:
    """A path as a URI reference (RFC 3986): relative ones stay relative, and none looks like a scheme."""
    encoded = quote(path.encode("utf-8", "surrogateescape" if _escaped(path) else "surrogatepass"), safe="/")
    return f"file://{encoded}" if os.path.isabs(path) else encoded


def _escaped(path: str) -> bool:
    """Whether the odd characters of a path are bytes that are no UTF-8, as the operating system hands them over."""
    return all(0xDC80 <= ord(letter) <= 0xDCFF for letter in path if 0xD800 <= ord(letter) <= 0xDFFF)


def _suppression(excuse: Excuse) -> Json:
    where = Spot(relative(excuse.file), excuse.line, None)
    return {
        "kind": "inSource" if excuse.inline else "external",
        "status": "accepted",
        "justification": f"{excuse.reason} ({excuse.owner}, until {excuse.until})",
        "location": {"physicalLocation": _physical(where)},
    }
