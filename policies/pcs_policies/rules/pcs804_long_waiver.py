"""No waiver lasts longer than waivers may.

What it checks
    The last day of a waiver is at most 180 days from today, or as many as the key `waiver-days` of the configuration
    says.

Why
    A waiver that never ends is a rule that is off, without anybody having decided that. The waiver holds all the
    same; give this rule the severity `error` where such a waiver must fail the run.

Fix
    Give it a nearer end and decide again then; or, if the rule is wrong for you, turn it off in the configuration.

Sources
    The rules of waivers: docs/waivers.md.
"""

from __future__ import annotations

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use

ID = "PCS804"
TITLE = "long-waiver"
SEVERITY = Severity.WARNING


def waiver(use: Use) -> tuple[str, str] | None:
    it = use.waiver
    days = (it.until - use.today).days
    if it.problem or days <= use.longest:
        return None
    lasts = f"the waiver of {it.owner} for {it.rule} lasts {days} days, until {it.until.isoformat()}"
    return (
        f"{lasts}, and {use.longest} are the most",
        f"give it an end within {use.longest} days and decide again then",
    )
