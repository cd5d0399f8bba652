"""Members with a fixed set of values have one of them.

What it checks
    `onError`, `executionPolicy`, `scriptCachingPolicy`, `purchaseOption`, `launchTemplateMode`, the allocation strategy
    and the members of the health checks have a value that the API knows, in its spelling. What only apply reveals is
    left to the API, which refuses it in the open.

Why
    boto3 sends any text. PCS refuses the request, in the middle of an apply.

Fix
    Use one of the values that the finding lists. They are case-sensitive.

Sources
    PCS API reference (valid values of each member).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_contract.spelling import FieldSpec
from pcs_policies.document import Leaf, NodeGroup, Template
from pcs_policies.redaction import show
from pcs_policies.rules.contract_limits import constrained, subject
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed
from pcs_policies.settings import Settings

ID = "PCS302"
TITLE = "known-values"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/motd.sh"


def _script(**members: object) -> Tree:
    return actions(ready=[script("motd", LOCATION, checksum=SHA256, **members)])


GOOD = (
    Fragment("values of the API", _script(onError="CONTINUE", executionPolicy="EVERY_BOOT")),
    Fragment("defaults", _script()),
    Fragment("a reference", _script(onError=UNKNOWN)),
    Fragment("a purchase option", {"purchaseOption": "SPOT", "spotOptions": {"allocationStrategy": "lowest-price"}}),
)
BAD = (
    Fragment("a value that does not exist", _script(onError="RETRY"), (at("ready", 0, "onError"),)),
    Fragment("lower case", _script(executionPolicy="every_boot"), (at("ready", 0, "executionPolicy"),)),
    Fragment("an empty string", _script(onError=""), (at("ready", 0, "onError"),)),
    Fragment(
        "a caching policy that does not exist",
        actions(ready=[script("motd", LOCATION, checksum=SHA256)], caching="ALWAYS"),
        ("nodeLifecycleActions.scriptCachingPolicy",),
    ),
    Fragment("a purchase option of EC2", {"purchaseOption": "on-demand"}, ("purchaseOption",)),
    Fragment(
        "a strategy in upper case",
        {"spotOptions": {"allocationStrategy": "LOWEST_PRICE"}},
        ("spotOptions.allocationStrategy",),
    ),
    Fragment(
        "a health check profile that does not exist",
        {"instanceHealthChecks": {"deepHealthChecks": {"onStart": {"profile": "SHORT"}}}},
        ("instanceHealthChecks.deepHealthChecks.onStart.profile",),
    ),
)
UNDECIDED: tuple[Fragment, ...] = ()


def _values_of(path: str, spec: FieldSpec) -> tuple[str, ...] | None:
    return spec.shape.enum or None


_enumerated = constrained(_values_of)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for node, values in _enumerated(group):
        assert isinstance(node, Leaf)
        if node.text in values:
            yield passed(node)
        elif node.text is not None or (isinstance(node.value, Template) and not _can_become(node.value, values)):
            yield failed(
                node,
                f"{subject(group, node)} is {show(node)}, which the API does not know: it refuses the request",
                f"use {_nearest(node, values)}",
            )


def _can_become(template: Template, values: tuple[str, ...]) -> bool:
    pattern = "".join(".*" if part is None else re.escape(part) for part in template.parts)
    return any(re.fullmatch(pattern, value) for value in values)


def _nearest(leaf: Leaf, values: tuple[str, ...]) -> str:
    """The values to choose from, the likeliest first; a sensitive value gives no hint of itself."""
    from difflib import get_close_matches

    text = "" if leaf.sensitive else str(leaf.value)[:100]
    forms = {value.lower().replace("-", "_"): value for value in values}
    found = get_close_matches(text.lower().replace("-", "_"), forms, n=1)
    first = forms[found[0]] if found else None
    rest = ", ".join(value for value in values if value != first)
    return f"{first} (or {rest})" if first else f"one of {rest}"
