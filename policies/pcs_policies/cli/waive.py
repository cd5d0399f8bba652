"""``pcsguard waive``: writes a waiver for a finding, or lists the findings that there are to waive."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import date, timedelta

from pcs_policies.cli import arguments
from pcs_policies.config import Configuration
from pcs_policies.engine import run as run_checks
from pcs_policies.errors import OK, UNCHECKED, UsageError
from pcs_policies.findings import Finding, Result
from pcs_policies.redaction import printable, quote
from pcs_policies.rules.table import every
from pcs_policies.waivers import append
from pcs_policies.waivers.entry import Waiver, parse_date, shown, today

LIST = "list"
_DAYS = re.compile("[0-9]{1,4}d")
SHORTEST = 6
"""Characters of a fingerprint that are enough to name a finding, if no other begins with them."""


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard waive",
        description="Check the inputs, and write a waiver for one finding into the file of waivers: for its rule, its "
        "node group and its leaf, with an owner, a reason and a last day. docs/waivers.md tells more.",
        epilog="examples:\n  pcsguard waive list plan.json\n"
        '  pcsguard waive 3f2a9c81d0e4b576 plan.json --owner hpc --until 30d --reason "a mirror is on its way"',
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    parser.add_argument(
        "finding",
        metavar="FINGERPRINT",
        help=f"of the finding, or its first {SHORTEST} characters or more; `list` prints those of all",
    )
    arguments.add_inputs(parser)
    waiver = parser.add_argument_group("the waiver")
    waiver.add_argument("--owner", help="who answers for it")
    waiver.add_argument("--until", metavar="DATE", help="its last day, like 2027-01-31, or in so many days, like 30d")
    waiver.add_argument("--reason", help="why the finding is acceptable until then")
    arguments.add_waivers(waiver)
    arguments.add_settings(parser)
    arguments.add_configuration(parser)
    return parser


def run(parsed: Namespace) -> int:
    configuration = arguments.configuration(parsed)
    until = None if parsed.finding == LIST else _terms(parsed, configuration)
    waivers = arguments.waivers(configuration)
    result = run_checks(arguments.inputs(parsed), configuration.rules(), configuration.settings, waivers=waivers)
    for unchecked in result.unchecked:
        print(f"pcsguard: {printable(unchecked.input)}: {printable(unchecked.reason)}", file=sys.stderr)
    found = _waivable(result)
    if until is None:
        for finding in found:
            print(_line(finding))
        return UNCHECKED if result.unchecked else OK
    finding = _named(parsed.finding, found)
    if finding.waiver is not None:
        raise UsageError(
            f"this finding is waived already, until {finding.waiver.until} by {finding.waiver.owner} "
            f"({printable(finding.waiver.source)}); change that waiver"
        )
    return _write(finding, parsed, until, configuration)


def _terms(parsed: Namespace, configuration: Configuration) -> date:
    """The last day of the waiver. Raises :class:`UsageError` unless owner, reason and day are given and make sense."""
    for name in ("owner", "until", "reason"):
        if not (getattr(parsed, name) or "").strip():
            raise UsageError(f"--{name} is missing; a waiver needs an owner, a reason and a last day")
    day = today()
    until = _last_day(parsed.until.strip(), day)
    if until is None:
        raise UsageError(
            f"--until: {quote(parsed.until)} is no date; write the last day, like 2027-01-31, or in how many days that "
            "is, like 30d"
        )
    if until < day:
        raise UsageError(f"--until: {until.isoformat()} is over already; today is {day.isoformat()}")
    days = configuration.settings.waiver_days
    if (until - day).days > days:
        last = (day + timedelta(days=days)).isoformat()
        raise UsageError(
            f"--until: a waiver may last {days} days, so {last} is the last day that it can have; the key waiver-days "
            "of the configuration says how many"
        )
    return until


def _last_day(text: str, day: date) -> date | None:
    """The date of ``2027-01-31``, or of ``30d``, counted from ``day``."""
    if _DAYS.fullmatch(text):
        return day + timedelta(days=int(text[:-1]))
    return parse_date(text)


def _waivable(result: Result) -> list[Finding]:
    """Findings and undecided verdicts of node groups, one of those that a waiver would cover together."""
    about_waivers = {rule.id for rule in result.rules if rule.waiver is not None}
    said = [finding for finding in (*result.findings, *result.undecided) if finding.rule not in about_waivers]
    return list({finding.fingerprint: finding for finding in reversed(said)}.values())[::-1]


def _line(finding: Finding) -> str:
    word = "waived" if finding.waiver else "undecided" if finding.verdict == "undecided" else finding.severity.value
    place = printable(f"{finding.place.address} {finding.place.key}".strip())
    return f"{finding.fingerprint}  {word:9}  {finding.rule} {finding.title}  {place}"


def _named(fingerprint: str, findings: Iterable[Finding]) -> Finding:
    wanted = fingerprint.lower()
    fitting = [finding for finding in findings if finding.fingerprint.startswith(wanted)]
    if len(wanted) >= SHORTEST and len(fitting) == 1:
        return fitting[0]
    hint = "`pcsguard waive list PATH...` prints all"
    if len(wanted) < SHORTEST:
        raise UsageError(f"{quote(fingerprint)} is too short to name a finding: {SHORTEST} characters at least; {hint}")
    number = "several findings begin" if fitting else "no finding of this run begins"
    raise UsageError(f"{number} with {quote(fingerprint)}; {hint}")


def _write(finding: Finding, parsed: Namespace, until: date, configuration: Configuration) -> int:
    path = configuration.new_waiver_file()
    waiver = Waiver(
        rule=finding.rule,
        address=finding.place.address,
        leaf=finding.place.key,
        owner=shown(parsed.owner),
        reason=shown(parsed.reason),
        until=until,
        file=path,
        line=None,
    )
    written = append.append(waiver, path, every(configuration.settings, configuration.own))
    print(f"{printable(written.source)}: {finding.rule} {finding.title} is waived until {until.isoformat()}")
    print(printable(f"{finding.place.address} {finding.place.key}".strip()))
    return OK
