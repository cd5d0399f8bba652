"""Scripts state what happens on failure and when they run.

What it checks
    Each script states `onError` and `executionPolicy`.

Why
    The defaults are the drastic choice: a failure terminates the node, and the script does not run again after a
    reboot. Left out, they also depend on the provider: awscc plans an omitted member with the value that the script
    formerly at this position had, so inserting a script can change what its neighbours do.

Fix
    State both on every script: `onError` TERMINATE, STOP_SEQUENCE or CONTINUE, `executionPolicy` FIRST_BOOT_ONLY or
    EVERY_BOOT.

Sources
    PCS API reference, NodeLifecycleScript.onError and NodeLifecycleScript.executionPolicy (defaults).
    terraform-plugin-framework issues 709, 717 and 1197 (values aligned by list position).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Leaf, Script, Stated
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS202"
TITLE = "explicit-on-error"
SEVERITY = Severity.WARNING
NEEDS = frozenset({"stated"})

LOCATION = "https://scripts.example.com/motd.sh"

GOOD = (
    Fragment(
        "both stated",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError="CONTINUE", executionPolicy="EVERY_BOOT")]),
    ),
    Fragment(
        "both stated, with the default values",
        actions(
            bootstrapped=[
                script("motd", LOCATION, checksum=SHA256, onError="TERMINATE", executionPolicy="FIRST_BOOT_ONLY")
            ]
        ),
    ),
)
BAD = (
    Fragment(
        "neither stated",
        actions(ready=[script("motd", LOCATION, checksum=SHA256)]),
        (at("ready", 0, "onError"), at("ready", 0, "executionPolicy")),
    ),
)
UNDECIDED = (
    Fragment(
        "references that may be null",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError=UNKNOWN, executionPolicy=UNKNOWN)]),
        (at("ready", 0, "onError"), at("ready", 0, "executionPolicy")),
    ),
)

DEFAULTS = {
    "onError": ("TERMINATE", "a failure terminates the node"),
    "executionPolicy": ("FIRST_BOOT_ONLY", "it does not run again after a reboot"),
}


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    yield _stated(script, "onError", script.on_error)
    yield _stated(script, "executionPolicy", script.execution_policy)


def _stated(script: Script, member: str, leaf: Leaf) -> Verdict:
    default, meaning = DEFAULTS[member]
    if leaf.stated is Stated.NO:
        return failed(
            leaf,
            f"{label(script)} does not state {member}: the default is {default}, so {meaning}",
            "state it, even where the default is meant",
        )
    if leaf.stated is Stated.MAYBE and (leaf.unknown or leaf.value == default):
        return undecided(leaf, f"whether {label(script)} states {member} cannot be told from this input")
    return passed(leaf)


check = each_script(judge)
