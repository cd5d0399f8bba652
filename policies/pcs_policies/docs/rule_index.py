"""The page that lists all rules."""

from __future__ import annotations

from pcs_policies.docs import markdown
from pcs_policies.rules import doc
from pcs_policies.rules.table import RULES, WAIVER_RULES, Rule

FAMILIES = {
    "1": "Integrity: is what runs what you meant",
    "2": "Lifecycle: what happens when a script fails, and when it runs",
    "3": "Contract: what the service accepts",
    "4": "Capacity and cost",
    "5": "Impact of a change",
    "6": "Access",
    "7": "Script content",
    "8": "Waivers: decisions that have to be made again",
}
"""First digit of an id -> what such rules are about."""


def page() -> str:
    parts = [
        markdown.generated("the files in policies/pcs_policies/rules"),
        "# Rules\n",
        markdown.paragraph(
            "What `pcsguard check` judges. `pcsguard rules` lists the rules as your configuration has them, "
            "`pcsguard explain PCS101` shows one in the terminal. A rule may *need* an input that tells what the "
            "author wrote (`stated`), what is about to change (`change`) or the author's own text (`source`); other "
            "inputs are judged without it. PCS900 to PCS999 are kept for [rules of your own](../writing-rules.md)."
        ),
    ]
    for digit, title in FAMILIES.items():
        family = [rule for rule in (*RULES, *WAIVER_RULES) if rule.id[3] == digit]
        if family:
            parts += [f"## {title}\n", _table(family)]
    return markdown.document(parts)


def _table(rules: list[Rule]) -> str:
    return markdown.table(
        ("rule", "severity", "needs", "says"),
        (
            (
                f"[{rule.id} {rule.title}]({rule.id}.md)",
                rule.severity.value,
                ", ".join(sorted(rule.needs)),
                doc.parse(rule.module.__doc__).summary,
            )
            for rule in rules
        ),
    )
