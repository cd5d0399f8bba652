"""The launch template is not one that PCS made for itself.

What it checks
    `customLaunchTemplate.id` is not of the form `pcs-IDENTIFIER-do-not-delete`, the name that PCS gives to the launch
    templates of its own. An id (`lt-...`) or a reference does not tell the name, and is not judged.

Why
    PCS manages these templates for itself, and AWS says not to use them: a group that does can malfunction.

Fix
    Make a launch template of your own and name it by its id.

Sources
    PCS user guide, working-with_cng_create and working-with_cng_update.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_policies.document import NodeGroup, Template
from pcs_policies.redaction import show
from pcs_policies.rules.fragments import UNKNOWN, Fragment, Tree
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS311"
TITLE = "pcs-owned-template"
SEVERITY = Severity.ERROR


def _template(id: object) -> Tree:
    return {"customLaunchTemplate": {"id": id, "version": "1"}}


GOOD = (
    Fragment("an id", _template("lt-0123456789abcdef0")),
    Fragment("a reference", _template(UNKNOWN)),
)
BAD = (Fragment("a template of PCS", _template("pcs-abcd1234-do-not-delete"), ("customLaunchTemplate.id",)),)
UNDECIDED: tuple[Fragment, ...] = ()

_OWNED = re.compile(r"pcs-.+-do-not-delete", re.DOTALL)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    template = group.after.object("customLaunchTemplate").leaf("id")
    value = template.value
    text = (
        "".join("x" if part is None else part for part in value.parts) if isinstance(value, Template) else template.text
    )
    if text is None:
        return
    if _OWNED.fullmatch(text):
        yield failed(
            template,
            f"customLaunchTemplate.id is {show(template)}: PCS made that launch template for itself, and a group "
            "that uses it can malfunction",
            "use the id of a launch template of your own",
        )
    else:
        yield passed(template)
