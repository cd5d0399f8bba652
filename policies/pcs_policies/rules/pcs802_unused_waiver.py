"""Every waiver covers something.

What it checks
    A waiver whose rule has judged a node group that it is about covers at least one finding or undecided verdict. A
    waiver for a group that this run does not see, or for a rule that it does not run, is not judged; the summary
    tells of it.

Why
    A waiver that covers nothing was for something that has been mended since, or it never fitted (another script, a
    leaf that is spelled otherwise). The first waits to hide the same mistake when it comes back; the second lets
    somebody believe that a finding is waived.

Fix
    Remove the waiver, or mend its address or leaf; `pcsguard waive list` prints the leaves of all findings.

Sources
    The rules of waivers: docs/waivers.md.
"""

from __future__ import annotations

from pcs_contract.hints import TYPE_CHECKING
from pcs_policies.rules.rule import Severity

if TYPE_CHECKING:
    from pcs_policies.waivers.entry import Use

ID = "PCS802"
TITLE = "unused-waiver"
SEVERITY = Severity.WARNING


def waiver(use: Use) -> tuple[str, str] | None:
    it = use.waiver
    if it.problem or use.expired or use.broad or use.covered or not use.seen:
        return None
    message = f"the waiver of {it.owner} for {it.rule} covers nothing: the rule has no finding there"
    if use.elsewhere:
        return f"{message}, only at {', '.join(use.elsewhere)}", "mend its leaf, or remove it"
    return message, "remove it; what it was for has been mended"
