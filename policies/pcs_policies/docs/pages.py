"""All generated files, in memory."""

from __future__ import annotations

from pcs_policies.docs import config_page, config_schema, exit_code_page, input_page, rule_index, rule_page
from pcs_policies.rules.table import RULES, WAIVER_RULES

RULES_FOLDER = "docs/rules"
"""Holds generated pages only: what is no page of a rule is removed from it."""


def pages() -> dict[str, str]:
    """Path, relative to the repository -> text."""
    return {
        "docs/configuration.md": config_page.page(),
        "docs/pcsguard.schema.json": config_schema.page(),
        "docs/exit-codes.md": exit_code_page.page(),
        "docs/inputs/index.md": input_page.page(),
        f"{RULES_FOLDER}/index.md": rule_index.page(),
        **{f"{RULES_FOLDER}/{rule.id}.md": rule_page.page(rule) for rule in (*RULES, *WAIVER_RULES)},
    }
