"""What jobs need is set up, or the node is given up.

What it checks
    No `nodeBootstrapped` script that mounts file systems or brings users to the node has `onError` CONTINUE or
    STOP_SEQUENCE. Such scripts are recognised by their names (setting `needed-before-jobs`).

Why
    When the script fails the node joins the scheduler all the same. Its jobs find no data or no users: they die one
    after the other, or fill the root volume with what belongs on the shared file system.

Fix
    Set `onError` to TERMINATE, with retries in the script: downloads are tried again, execution is not. To look into a
    failure, ship the logs off the node rather than keep a broken node.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (TERMINATE is for critical setup such as mounts or joining a
    directory, STOP_SEQUENCE for debugging). Half-built nodes that took jobs: aws-genomics-workflows issue 114.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Script
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.roles import Role, can_tell, role
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS205"
TITLE = "critical-step-may-fail"
SEVERITY = Severity.WARNING

LOCATION = "s3://example-scripts/setup.sh"

_AT = (at("bootstrapped", 0, "onError"),)


def _named(name: str, location: str = LOCATION, **members: str) -> Tree:
    return script(name, location, checksum=SHA256, **members)


GOOD = (
    Fragment("a mount that terminates", actions(bootstrapped=[_named("mount-home", onError="TERMINATE")])),
    Fragment("a mount that terminates by default", actions(bootstrapped=[_named("mount-home")])),
    Fragment("another script", actions(bootstrapped=[_named("tune-kernel", onError="CONTINUE")])),
    Fragment("an exporter for a file system", actions(bootstrapped=[_named("lustre-exporter", onError="CONTINUE")])),
    Fragment("in nodeReady, which PCS207 judges", actions(ready=[_named("mount-home", onError="CONTINUE")])),
    Fragment("what the API refuses, which PCS302 judges", actions(bootstrapped=[_named("mount-home", onError="STOP")])),
    Fragment("a script without a name that terminates", actions(bootstrapped=[_named(UNKNOWN, UNKNOWN)])),
)
BAD = (
    Fragment("goes on", actions(bootstrapped=[_named("mount-home", onError="CONTINUE")]), _AT),
    Fragment("stops the stage", actions(bootstrapped=[_named("Join domain", onError="STOP_SEQUENCE")]), _AT),
    Fragment(
        "a mount by its file name",
        actions(bootstrapped=[_named("step 1", "s3://example-scripts/mount-efs.sh", onError="CONTINUE")]),
        _AT,
    ),
)
UNDECIDED = (
    Fragment("a reference", actions(bootstrapped=[_named("mount-home", onError=UNKNOWN)]), _AT),
    Fragment("a script without a name", actions(bootstrapped=[_named(UNKNOWN, UNKNOWN, onError="CONTINUE")]), _AT),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    on_error = script.on_error
    if role(script, settings) is Role.NEEDED_BEFORE_JOBS:
        if not on_error.known:
            yield undecided(on_error, f"what happens when {label(script)} fails is known only after apply")
        elif on_error.value not in ("CONTINUE", "STOP_SEQUENCE"):  # what the API refuses is PCS302's
            yield passed(on_error)
        else:
            yield failed(
                on_error,
                f"{label(script)} sets up what jobs need, and onError is {show(on_error)}: when it fails, the node "
                "takes jobs without it",
                "set it to TERMINATE",
            )
    elif on_error.value != "TERMINATE" and not can_tell(script):
        yield undecided(on_error, f"whether {label(script)} sets up what jobs need is known only after apply")


check = each_script(judge, stage="nodeBootstrapped")
