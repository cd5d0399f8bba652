"""Waivers that stand in the source: beside the code that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from pcs_contract import spelling as names
from pcs_policies.document import NodeGroup
from pcs_policies.errors import UsageError
from pcs_policies.findings import stable_key
from pcs_policies.redaction import quote
from pcs_policies.rules.table import Rule, find
from pcs_policies.sources.written import InlineWaiver
from pcs_policies.waivers.entry import Waiver, parse_date, shown

_OWN = re.compile(r"PCS9\d\d")
"""Rules of a user's own; one that this configuration does not name may be run with another."""


def waivers(group: NodeGroup, rules: Iterable[Rule]) -> Iterator[Waiver]:
    """The waivers that the source of a group holds, one for each rule that they name."""
    known = tuple(rules)
    for written in group.waivers:
        for name in written.rules or ("",):
            yield _waiver(written, name, group, known)


def _waiver(written: InlineWaiver, name: str, group: NodeGroup, rules: tuple[Rule, ...]) -> Waiver:
    leaf = _place(written.path, group)
    until = parse_date((written.until or "").strip())
    rule, problem = _rule(name, rules)
    if not problem and leaf is None:
        problem = f"{quote(written.path)} is no place in a node group"
    if not problem:
        problem = _lacks(written, until)
    return Waiver(
        rule=rule,
        address=group.address,
        leaf=leaf or "",
        owner=shown(written.owner or ""),
        reason=shown(written.reason or ""),
        until=until or date.min,
        file=written.file,
        line=written.line or None,
        inline=True,
        problem=problem,
    )


def _rule(name: str, rules: tuple[Rule, ...]) -> tuple[str, str]:
    """The id of a rule, and what is wrong with its name."""
    if not name.strip():
        return "", "it names no rule"
    if _OWN.fullmatch(name.strip()):
        return name.strip(), ""
    try:
        rule = find(name.strip(), rules)
    except UsageError as error:
        return shown(name), str(error)
    if rule.waiver is not None:
        return rule.id, f"{rule.id} is about waivers themselves and cannot be waived"
    return rule.id, ""


def _lacks(written: InlineWaiver, until: date | None) -> str:
    for member, value in (("owner", written.owner), ("reason", written.reason), ("until", written.until)):
        if not (value or "").strip():
            return f"it has no {member}"
    return "" if until else f"{quote(written.until or '')} is no date; write the last day, like 2027-01-31"


def _place(path: str, group: NodeGroup) -> str | None:
    """A path as written, or in the API's names, as a stable key; ``None`` where a group has no such place."""
    if not path:
        return ""
    try:
        canonical = names.canonical(path, group.spelling) or names.canonical(path, "api")
    except ValueError:
        return None
    return None if canonical is None else stable_key(group, canonical)
