"""No waiver has outlived its last day.

What it checks
    Every waiver, in the file of waivers and in the source that was read, lasts up to today (UTC) or longer.

Why
    A waiver is a decision with an end: until then the matter is mended, or somebody decides again. After that day it
    excuses nothing: what it covered counts again, and an error fails the run. The waiver itself is a warning, so that
    one that lies about without effect fails no run that would be fine without it.

Fix
    Mend what the waiver covered and remove it, or renew it with a reason that holds today.

Sources
    The rules of waivers: docs/waivers.md.
"""

from __future__ import annotations

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use

ID = "PCS801"
TITLE = "expired-waiver"
SEVERITY = Severity.WARNING


def waiver(use: Use) -> tuple[str, str] | None:
    it = use.waiver
    if it.problem or not use.expired:
        return None
    effect = "this run has nothing that it would cover"
    if use.lapsed:
        effect = f"{use.lapsed} finding{'s count' if use.lapsed > 1 else ' counts'} again"
    return (
        f"the waiver of {it.owner} for {it.rule} ended on {it.until.isoformat()}: {effect}",
        "mend what it covered and remove it, or let its owner decide again with a reason that holds today",
    )
