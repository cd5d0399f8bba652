"""What a configuration is told before anything is sent: the limits of the contract and the rules on several fields.

Both are the rules of `pcs_policies` about the contract; this module makes the document that they judge, and says what
they find with attributes. Rules about what is accepted and unwise are not among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.plugin.values import Object, Unknown, Value
from pcs_bridge.provider import places
from pcs_bridge.provider.kinds import Kind
from pcs_policies.document import Change, MalformedGroup, NodeGroup, Stated, Template, build
from pcs_policies.rules import table
from pcs_policies.rules.rule import Outcome
from pcs_policies.rules.table import Rule
from pcs_policies.settings import Settings

_RULES: Final[tuple[Rule, ...]] = tuple(rule for rule in table.RULES if rule.id in table.ENFORCED)
_SETTINGS: Final = Settings()


def group_problems(kind: Kind, config: Object) -> Iterator[Diagnostic]:
    """What PCS would refuse of a compute node group, as far as the configuration is known."""
    try:
        group = document(kind, config)
    except MalformedGroup as malformed:
        yield error("The value has the wrong form", f"{malformed}.", places.attribute(kind, malformed.path))
        return
    for rule in _RULES:
        assert rule.check is not None
        for verdict in rule.check(group, _SETTINGS):
            if verdict.outcome is Outcome.FAIL:
                yield error(
                    f"AWS PCS does not accept this ({rule.id} {rule.title})",
                    f"{verdict.message}. To mend it, {verdict.remedy}.",
                    places.attribute(kind, verdict.node.path),
                )


def document(
    kind: Kind,
    config: Object,
    *,
    prior: Object | None = None,
    change: Change = Change.CREATE,
    sensitive: bool = True,
) -> NodeGroup:
    """A configuration as the document that rules judge. Raises MalformedGroup.

    Terraform does not tell a provider which values are sensitive; while all are, no message quotes one.
    """
    return build(
        address="",
        resource_type=kind.type_name,
        spelling="terraform",
        change=change,
        after=_known(config),
        before=prior,
        unknown=_unknown(config),
        sensitive=sensitive,
        stated=_stated(config),
    )


def _known(value: Value) -> Any:
    match value:
        case Unknown():
            # Of "http://${...}" terraform tells how it begins, which is enough to refuse it.
            return Template((value.prefix, None)) if value.prefix else None
        case dict():
            return {name: _known(member) for name, member in value.items()}
        case list():
            return [_known(item) for item in value]
        case Decimal():
            return float(value)  # as a document has fractions
    return value


def _unknown(value: Value) -> Any:
    match value:
        case Unknown():
            return not value.prefix
        case dict():
            return {name: _unknown(member) for name, member in value.items()}
        case list():
            return [_unknown(item) for item in value]
    return False


def _stated(value: Value) -> Any:
    match value:
        case Unknown():
            return Stated.YES
        case dict():
            return {name: _stated(member) for name, member in value.items()}
        case list():
            return [_stated(item) for item in value]
    return value
