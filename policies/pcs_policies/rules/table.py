"""The table of all rules, in the order in which they are documented and run. A new rule is a file and a line here."""

from collections.abc import Iterable
from types import ModuleType

from pcs_contract.record import Record
from pcs_policies.errors import UsageError, nearest
from pcs_policies.rules import (
    pcs101_checksum_required,
    pcs102_secure_location,
    pcs103_checksum_plausible,
    pcs104_s3_version_pinned,
    pcs105_mutable_location,
    pcs106_trusted_location,
    pcs107_secret_in_location,
    pcs108_secret_in_argument,
    pcs109_one_location_one_checksum,
    pcs110_pinned_alias,
    pcs201_no_terminate_on_ready,
    pcs202_explicit_on_error,
    pcs203_refresh_without_effect,
    pcs204_refresh_can_terminate,
    pcs205_critical_step_may_fail,
    pcs206_optional_step_terminates,
    pcs207_needed_before_jobs,
    pcs208_logs_first,
    pcs209_known_script_arguments,
    pcs301_required_members,
    pcs302_known_values,
    pcs303_value_limits,
    pcs304_list_sizes,
    pcs305_script_names_unique,
    pcs306_script_names_reused,
    pcs307_no_null_elements,
    pcs308_s3_version_fits,
    pcs309_s3_location_form,
    pcs310_launch_template_mode,
    pcs311_pcs_owned_template,
    pcs312_health_checks,
    pcs313_spot_options_need_spot,
    pcs314_cloudformation_limits,
    pcs315_provider_has_member,
    pcs316_member_exists,
    pcs401_scaling_bounds,
    pcs402_static_accelerators,
    pcs501_drains_nodes,
    pcs502_replaces_group,
    pcs503_removal_not_planned,
    pcs504_max_lowered,
    pcs505_inherited_by_index,
    pcs801_expired_waiver,
    pcs802_unused_waiver,
    pcs803_broad_waiver,
    pcs804_long_waiver,
    pcs805_unusable_waiver,
)
from pcs_policies.rules.rule import Check, Fold, Severity, WaiverCheck
from pcs_policies.settings import Settings


class Rule(Record):
    """A rule as the engine and the documentation see it. It has a ``check``, a ``fold``, or (of waivers) a ``waiver``.

    ``needs`` names what a kind of input must carry for the rule to judge it: ``stated`` (which members the author
    wrote), ``change`` (what a plan is about to do) or ``source`` (the author's own text, with every key in it).
    """

    id: str
    title: str
    severity: Severity
    check: Check | None
    fold: Fold | None
    needs: frozenset[str]
    module: ModuleType
    waiver: WaiverCheck | None = None


def rule_of(module: ModuleType) -> Rule:
    """The rule that a module defines; :mod:`pcs_policies.rules.own` says what such a module needs to have."""
    return Rule(
        id=module.ID,
        title=module.TITLE,
        severity=module.SEVERITY,
        check=getattr(module, "check", None),
        fold=getattr(module, "fold", None),
        needs=getattr(module, "NEEDS", frozenset()),
        module=module,
        waiver=getattr(module, "waiver", None),
    )


RULES: tuple[Rule, ...] = tuple(
    rule_of(module)
    for module in (
        pcs101_checksum_required,
        pcs102_secure_location,
        pcs103_checksum_plausible,
        pcs104_s3_version_pinned,
        pcs105_mutable_location,
        pcs106_trusted_location,
        pcs107_secret_in_location,
        pcs108_secret_in_argument,
        pcs109_one_location_one_checksum,
        pcs110_pinned_alias,
        pcs201_no_terminate_on_ready,
        pcs202_explicit_on_error,
        pcs203_refresh_without_effect,
        pcs204_refresh_can_terminate,
        pcs205_critical_step_may_fail,
        pcs206_optional_step_terminates,
        pcs207_needed_before_jobs,
        pcs208_logs_first,
        pcs209_known_script_arguments,
        pcs301_required_members,
        pcs302_known_values,
        pcs303_value_limits,
        pcs304_list_sizes,
        pcs305_script_names_unique,
        pcs306_script_names_reused,
        pcs307_no_null_elements,
        pcs308_s3_version_fits,
        pcs309_s3_location_form,
        pcs310_launch_template_mode,
        pcs311_pcs_owned_template,
        pcs312_health_checks,
        pcs313_spot_options_need_spot,
        pcs314_cloudformation_limits,
        pcs315_provider_has_member,
        pcs316_member_exists,
        pcs401_scaling_bounds,
        pcs402_static_accelerators,
        pcs501_drains_nodes,
        pcs502_replaces_group,
        pcs503_removal_not_planned,
        pcs504_max_lowered,
        pcs505_inherited_by_index,
    )
)


ENFORCED: frozenset[str] = frozenset(
    (
        "PCS102",
        "PCS301",
        "PCS302",
        "PCS303",
        "PCS304",
        "PCS305",
        "PCS307",
        "PCS308",
        "PCS310",
        "PCS312",
        "PCS401",
    )
)
"""Rules about what PCS accepts: a configuration that breaks one fails in the middle of an apply, or means nothing."""


WAIVER_RULES: tuple[Rule, ...] = tuple(
    rule_of(module)
    for module in (
        pcs801_expired_waiver,
        pcs802_unused_waiver,
        pcs803_broad_waiver,
        pcs804_long_waiver,
        pcs805_unusable_waiver,
    )
)
"""Rules about waivers, which judge no node group: what :data:`RULES` promises of a rule's fragments is not for them."""


def every(settings: Settings, own: Iterable[Rule] = ()) -> tuple[Rule, ...]:
    """All rules, a user's own last, each with the severity that the settings give it.

    Raises :class:`UsageError` where the settings give a severity to a rule that does not exist.
    """
    rules = (*RULES, *WAIVER_RULES, *own)
    if not settings.severity:
        return rules
    severities = {find(name, rules).id: Severity(word) for name, word in settings.severity}
    return tuple(rule._replace(severity=severities.get(rule.id, rule.severity)) for rule in rules)


def chosen(settings: Settings, own: Iterable[Rule] = ()) -> tuple[Rule, ...]:
    """The rules that a run uses: those that ``select`` names (all, when it names none) less those of ``ignore`` and
    those below ``lowest_severity``.

    Raises :class:`UsageError` for a name that fits no rule, as a typo would silently check less, and when no rule
    is left.
    """
    rules = every(settings, own)
    check_names((*settings.select, *settings.ignore), rules)
    left = tuple(rule for rule in rules if runs(rule, settings))
    if not left:
        raise UsageError(
            f"no rule is left to run: select {_listed(settings.select)}, ignore {_listed(settings.ignore)}, "
            f"lowest severity {settings.lowest_severity}; `pcsguard rules` lists all"
        )
    return left


def runs(rule: Rule, settings: Settings) -> bool:
    """Whether a run with these settings uses a rule (whose severity is that of the settings, see :func:`every`)."""
    return (
        (not settings.select or any(_fits(name, rule) for name in settings.select))
        and not any(_fits(name, rule) for name in settings.ignore)
        and rule.severity.rank >= Severity(settings.lowest_severity).rank
    )


def check_names(names: Iterable[str], rules: Iterable[Rule]) -> None:
    """Raises :class:`UsageError` for a name that fits no rule.

    A name is an id (``PCS101``), the beginning of ids (``PCS2``) or a title (``checksum-required``).
    """
    known = tuple(rules)
    for name in names:
        if not any(_fits(name, rule) for rule in known):
            raise _no_such_rule(name, known)


def find(name: str, rules: Iterable[Rule] = (*RULES, *WAIVER_RULES)) -> Rule:
    """The rule of that id or title. Raises :class:`UsageError` when there is none."""
    known = tuple(rules)
    for rule in known:
        if name.upper() == rule.id or name.lower() == rule.title:
            return rule
    raise _no_such_rule(name, known)


def _no_such_rule(name: str, rules: Iterable[Rule]) -> UsageError:
    known = [word for rule in rules for word in (rule.id, rule.title)]
    return UsageError(f"there is no rule {name!r}{nearest(name, known)}; `pcsguard rules` lists all")


def _fits(name: str, rule: Rule) -> bool:
    return bool(name) and (rule.id.startswith(name.upper()) or rule.title == name.lower())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
