"""What a rule says of a resource, in checkov's three words."""

from __future__ import annotations

from typing import NamedTuple

from pcs_contract import spelling
from pcs_policies.adapters.checkov.normalise import Seen
from pcs_policies.document import NodeGroup
from pcs_policies.engine import check_group
from pcs_policies.findings import Finding
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings
from pcs_policies.sources.reading import Unreadable


class Verdict(NamedTuple):
    """``passed`` is ``None`` where there is nothing to judge; ``keys`` are the attributes that ``details`` tell of."""

    passed: bool | None
    details: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


NOTHING = Verdict(None)
PASSED = Verdict(True)


def applies(rule: Rule) -> bool:
    """Whether a single resource can decide a rule: it compares no groups, and needs no change of a plan."""
    return rule.check is not None and "change" not in rule.needs


def of_rule(rule: Rule, seen: Seen, settings: Settings) -> Verdict:
    """The verdict of a rule. What cannot be judged does not pass."""
    if seen.group is None or not rule.needs <= seen.kind.carries:
        return NOTHING
    if isinstance(seen.group, Unreadable):
        return Verdict(False, (f"not judged: {seen.group.reason}",))
    said = check_group(seen.group, (rule,), settings, "")
    counting = [one for one in said if not _is_open(one) or settings.undecided == "fail"]
    if not counting:
        return PASSED
    keys = (key_of(seen.group, one.place.path) for one in counting if isinstance(one, Finding))
    return Verdict(False, tuple(map(_detail, counting)), tuple(dict.fromkeys(keys)))


def of_input(seen: Seen) -> Verdict:
    """Whether all of the input could be checked, and this resource in it."""
    if seen.group is None:
        return NOTHING
    reasons = [*seen.problems]
    if isinstance(seen.group, Unreadable):
        reasons.append(f"{seen.group.address} is not judged: {seen.group.reason}")
    return Verdict(False, tuple(reasons)) if reasons else PASSED


def _is_open(said: object) -> bool:
    return isinstance(said, Finding) and said.verdict == "undecided"


def _detail(said: object) -> str:
    if not isinstance(said, Finding):
        return f"not judged: {getattr(said, 'reason', '')}"
    where = said.place.path_as_written
    if _is_open(said):
        return f"{where}: undecided, so not passed: {said.message}"
    return f"{where}: {said.message}; fix: {said.remedy}"


def key_of(group: NodeGroup, path: str) -> str:
    """An attribute as checkov writes it: ``node_lifecycle_actions/stages/node_ready/[0]/on_error``."""
    key = spelling.written(path, group.spelling).replace("[", ".[").replace(".", "/") if path else ""
    return f"Properties/{key}".rstrip("/") if group.spelling == "cloudformation" else key
