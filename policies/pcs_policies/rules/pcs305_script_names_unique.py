"""No two scripts of a stage have the same name.

What it checks
    Within `nodeBootstrapped`, and within `nodeReady`, every script has a name of its own. Names are compared as they
    are: `Motd` and `motd` are two. The same name in both stages is the business of PCS306.

Why
    The API describes names as unique. The log file is called after the stage and the script, so of two scripts with
    one name the logs get mixed up or lost, just when a failure has to be understood.

Fix
    Give each script a name that tells what it does there.

Sources
    PCS API reference, NodeLifecycleScript.name. PCS user guide, cng-node-lifecycle-actions-configure (log files).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import STAGES, NodeGroup
from pcs_policies.redaction import label
from pcs_policies.rules.duplicates import namesakes
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS305"
TITLE = "script-names-unique"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/setup.sh"

_setup = script("setup", LOCATION, checksum=SHA256)
_other = script("network", LOCATION, checksum=SHA256)

GOOD = (
    Fragment("two names", actions(ready=[_setup, _other])),
    Fragment("one name in both stages", actions(bootstrapped=[_setup], ready=[_setup])),
    Fragment("a single script whose name is a reference", actions(ready=[script(UNKNOWN, LOCATION)])),
)
BAD = (
    Fragment("one name", actions(ready=[_setup, _other, _setup]), (at("ready", 2, "name"),)),
    Fragment(
        "one name, three times",
        actions(bootstrapped=[_setup, _setup, _setup]),
        (at("bootstrapped", 1, "name"), at("bootstrapped", 2, "name")),
    ),
)
UNDECIDED = (
    Fragment(
        "a name that is a reference",
        actions(ready=[_setup, script(UNKNOWN, LOCATION, checksum=SHA256)]),
        (at("ready", 1, "name"),),
    ),
    Fragment("a stage that is a reference", actions(ready=UNKNOWN), ("nodeLifecycleActions.stages.nodeReady",)),
    Fragment("a script that is a reference", actions(ready=[_setup, UNKNOWN]), (at("ready", 1),)),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    for stage in STAGES:
        for node in group.unseen(stage):
            yield undecided(node, "which names the scripts here have is known only after apply")
        for entry, same, maybe in namesakes(group.scripts(stage)):
            if same:
                yield failed(
                    entry.name,
                    f"{label(entry)} has the name of the script at position {same.index} of the stage: names are "
                    "unique, and both would write to one log file",
                    "give it a name of its own",
                )
            elif maybe:
                yield undecided(
                    entry.name,
                    f"whether {label(entry)} has the name of {label(maybe)} is known only after apply",
                )
            else:
                yield passed(entry.name)
