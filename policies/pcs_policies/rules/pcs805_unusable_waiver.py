"""Every waiver in the source is whole.

What it checks
    A waiver in a comment or in metadata names rules that exist, an owner, a reason and its last day, and stands on a
    place that a node group has. (A file of waivers with a mistake in it ends the run before anything is checked, with
    exit code 2.)

Why
    Somebody relies on the waiver, and it excuses nothing.

Fix
    Write what is missing.

Sources
    The rules of waivers: docs/waivers.md.
"""

from __future__ import annotations

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use

ID = "PCS805"
TITLE = "unusable-waiver"
SEVERITY = Severity.ERROR


def waiver(use: Use) -> tuple[str, str] | None:
    it = use.waiver
    if not it.problem:
        return None
    whose = f" of {it.owner}" if it.owner else ""
    return (
        f"the waiver{whose} that stands here cannot be used: {it.problem}",
        "a waiver needs rules, owner, reason and until, a date like 2027-01-31",
    )
