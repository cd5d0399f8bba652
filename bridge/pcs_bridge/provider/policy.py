"""`policy`: the rules of pcsguard inside of a plan, where it is known exactly what the author stated.

What PCS refuses anyway is told already (see `checks`); here are the rules on what it accepts. A provider is not told
the address of a resource, so waivers, which name addresses, have no effect here, and it sees one group at a time, so
nothing compares groups: that is for `pcsguard check`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error, warning
from pcs_bridge.plugin.once import Once
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.values import Object, wholly_known
from pcs_bridge.provider import places
from pcs_bridge.provider.checks import document
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_policies.document import Change, MalformedGroup
from pcs_policies.rules.rule import Outcome, Severity
from pcs_policies.rules.table import ENFORCED

if TYPE_CHECKING:
    from pcs_policies.config import Configuration
    from pcs_policies.findings import Finding
    from pcs_policies.rules.table import Rule

_CARRIES: Final = frozenset({"stated", "change"})
"""What a plan tells the rules (see `pcs_policies.rules.table.Rule.needs`)."""

_ARGUMENT: Final = re.compile(r"\.arguments\[\d+\]$")
_QUOTES_NOTHING: Final = frozenset({"PCS107", "PCS108"})


class Policy:
    """The rules, with the settings of the configuration file of the folder in which terraform runs."""

    def __init__(self, *, enforced: bool) -> None:
        self._enforced: Final = enforced
        self._configuration: Final = Once(_configuration)

    def judge(self, config: Object, prior: Object | None, planned: Planned) -> Iterator[Diagnostic]:
        """What the rules say of a group that is planned.

        Raises Failed where pcsguard's configuration is of no use.
        """
        from pcs_policies.engine import check_group
        from pcs_policies.findings import Unchecked

        configuration = self._configuration()
        settings = configuration.settings
        change = _change(prior, planned)
        if change is Change.NO_OP and settings.changed_only:
            return
        try:
            group = document(NODE_GROUP, config, prior=prior, change=change, sensitive=False)
        except MalformedGroup as malformed:
            yield self._unchecked(str(malformed))
            return
        for said in check_group(group, _applicable(configuration, change), settings, ""):
            if isinstance(said, Unchecked):
                yield self._unchecked(said.reason)
            elif said.verdict == Outcome.FAIL.value or (
                wholly_known(config) and settings.undecided == "fail" and _counts(said, settings.fail_on)
            ):
                yield self._diagnostic(said, settings.fail_on)

    def _diagnostic(self, finding: Finding, fail_on: str) -> Diagnostic:
        message = f"{finding.message[:1].upper()}{finding.message[1:]}"
        if _ARGUMENT.search(finding.place.path) and finding.rule not in _QUOTES_NOTHING:
            # Terraform does not tell a provider which values are sensitive, and arguments are where secrets are.
            message = "This argument is wrong; it is not quoted here, since it might be sensitive"
        remedy = f" To mend it, {finding.remedy}." if finding.remedy else ""
        make = error if self._enforced and _counts(finding, fail_on) else warning
        return make(
            f"{finding.rule} {finding.title}", f"{message}.{remedy}", places.attribute(NODE_GROUP, finding.place.path)
        )

    def _unchecked(self, reason: str) -> Diagnostic:
        make = error if self._enforced else warning
        return make("A rule could not check the group", f"{reason}.")


def _counts(finding: Finding, fail_on: str) -> bool:
    return fail_on != "never" and finding.severity.rank >= Severity(fail_on).rank


def _change(prior: Object | None, planned: Planned) -> Change:
    if prior is None:
        return Change.CREATE
    if planned.replace:
        return Change.REPLACE
    return Change.NO_OP if planned.state is prior else Change.UPDATE


def _applicable(configuration: Configuration, change: Change) -> tuple[Rule, ...]:
    """The rules to run. Terraform plans a replacement twice, the second time as a new group, which all rules judge."""
    return tuple(
        rule
        for rule in configuration.rules()
        if rule.id not in ENFORCED
        and rule.needs <= _CARRIES
        and (change is not Change.REPLACE or "change" in rule.needs)
    )


def _configuration() -> Configuration:
    from pcs_policies.config import load
    from pcs_policies.errors import UsageError

    try:
        return load()
    except UsageError as wrong:
        raise Failed(error("The configuration of pcsguard cannot be used", f"{wrong}.")) from wrong
