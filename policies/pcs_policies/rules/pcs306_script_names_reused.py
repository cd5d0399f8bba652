"""A script of one stage does not have the name of a script of the other.

What it checks
    No script in `nodeReady` has the name of one in `nodeBootstrapped`.

Why
    The API describes names as unique and does not say whether it means the stage or the group, so the request may be
    refused. Logs are kept apart by stage, yet a name that stands for two scripts misleads whoever reads them.

Fix
    Name scripts after what they do in that stage: `network-setup`, `network-check`.

Sources
    PCS API reference, NodeLifecycleScript.name (unique, scope not stated). PCS user guide,
    cng-node-lifecycle-actions-configure (log files lie in a folder per stage).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import NodeGroup
from pcs_policies.redaction import label
from pcs_policies.rules.duplicates import namesakes
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS306"
TITLE = "script-names-reused"
SEVERITY = Severity.WARNING

LOCATION = "https://scripts.example.com/network.sh"

_network = script("network", LOCATION, checksum=SHA256)
_check = script("network-check", LOCATION, checksum=SHA256)

GOOD = (
    Fragment("two names", actions(bootstrapped=[_network], ready=[_check])),
    Fragment("one stage only", actions(ready=[_network])),
)
BAD = (Fragment("one name", actions(bootstrapped=[_network], ready=[_check, _network]), (at("ready", 1, "name"),)),)
UNDECIDED = (
    Fragment(
        "a name that is a reference",
        actions(bootstrapped=[script(UNKNOWN, LOCATION, checksum=SHA256)], ready=[_network]),
        (at("ready", 0, "name"),),
    ),
    Fragment(
        "a stage that is a reference",
        actions(bootstrapped=UNKNOWN, ready=[_network]),
        ("nodeLifecycleActions.stages.nodeBootstrapped",),
    ),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    early, late = group.scripts("nodeBootstrapped"), group.scripts("nodeReady")
    if late or any(True for _ in group.unseen("nodeReady")):
        for node in group.unseen("nodeBootstrapped"):
            yield undecided(node, "which names the scripts here have is known only after apply")
    for entry, same, maybe in namesakes(late, early):
        if same:
            yield failed(
                entry.name,
                f"{label(entry)} has the name of a nodeBootstrapped script: the API calls names unique and may "
                "refuse it",
                "name it after what it does in this stage",
            )
        elif maybe:
            yield undecided(
                entry.name, f"whether {label(entry)} has the name of {label(maybe)} is known only after apply"
            )
        else:
            yield passed(entry.name)
