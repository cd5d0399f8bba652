"""The table of all rules, in the order in which they are documented and run. A new rule is a file and a line here."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import NamedTuple

from pcs_policies.errors import UsageError, nearest
from pcs_policies.rules import (
    pcs101_checksum_required,
    pcs102_secure_location,
    pcs104_s3_version_pinned,
    pcs201_no_terminate_on_ready,
    pcs202_explicit_on_error,
    pcs208_logs_first,
)
from pcs_policies.rules.rule import Check, Fold, Severity


class Rule(NamedTuple):
    """A rule as the engine and the documentation see it. It has a ``check`` or a ``fold``.

    ``needs`` names what a kind of input must carry for the rule to judge it: ``stated`` (which members the author
    wrote) or ``change`` (what a plan is about to do).
    """

    id: str
    title: str
    severity: Severity
    check: Check | None
    fold: Fold | None
    needs: frozenset[str]
    module: ModuleType


def _rule(module: ModuleType) -> Rule:
    return Rule(
        id=module.ID,
        title=module.TITLE,
        severity=module.SEVERITY,
        check=getattr(module, "check", None),
        fold=getattr(module, "fold", None),
        needs=getattr(module, "NEEDS", frozenset()),
        module=module,
    )


RULES: tuple[Rule, ...] = tuple(
    _rule(module)
    for module in (
        pcs101_checksum_required,
        pcs102_secure_location,
        pcs104_s3_version_pinned,
        pcs201_no_terminate_on_ready,
        pcs202_explicit_on_error,
        pcs208_logs_first,
    )
)


def chosen(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that a run uses: those that ``select`` names (all, when it names none) less those of ``ignore``.

    A name is an id (``PCS101``), the beginning of ids (``PCS2``) or a title (``checksum-required``). Raises
    :class:`UsageError` for a name that fits no rule: a typo would silently check less.
    """
    wanted, unwanted = tuple(select), tuple(ignore)
    for name in (*wanted, *unwanted):
        if not any(_fits(name, rule) for rule in RULES):
            known = [rule.id for rule in RULES] + [rule.title for rule in RULES]
            raise UsageError(f"there is no rule {name!r}{nearest(name, known)}; `pcsguard rules` lists all")
    return tuple(
        rule
        for rule in RULES
        if (not wanted or any(_fits(name, rule) for name in wanted)) and not any(_fits(name, rule) for name in unwanted)
    )


def _fits(name: str, rule: Rule) -> bool:
    return bool(name) and (rule.id.startswith(name.upper()) or rule.title == name.lower())
