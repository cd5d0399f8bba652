"""No waiver covers more than one leaf, or one script.

What it checks
    A waiver without a leaf, or with one that is neither a single value nor within a script, meets one failing leaf of
    its rule in each group that it is about.

Why
    Who wrote the waiver looked at one place. If it excused whatever its rule finds in the group, a second script with
    the same mistake would be waived before anybody has seen it. So a waiver that is too broad excuses nothing in that
    group, and its findings count.

Fix
    Write one waiver for each leaf, or, for all that a rule finds in one script, with the script as its leaf.
    `pcsguard waive` writes the leaf of the finding.

Sources
    The rules of waivers: docs/waivers.md.
"""

from __future__ import annotations

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use

ID = "PCS803"
TITLE = "broad-waiver"
SEVERITY = Severity.WARNING

TOLD = 3
"""Leaves that the message names."""


def waiver(use: Use) -> tuple[str, str] | None:
    it = use.waiver
    if not use.broad:
        return None
    leaves = ", ".join(use.broad[:TOLD])
    if len(use.broad) > TOLD:
        leaves += f" and {len(use.broad) - TOLD} more"
    meant = f"the waiver of {it.owner} for {it.rule} would cover {len(use.broad)} leaves"
    return f"{meant}, so it covers none of them: {leaves}", "write a waiver for each of them, with its leaf"
