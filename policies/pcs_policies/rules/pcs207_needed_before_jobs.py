"""What jobs need is set up before they may start.

What it checks
    No `nodeReady` script mounts file systems or brings users to the node. Such scripts are recognised by their names
    (setting `needed-before-jobs`).

Why
    When `nodeReady` scripts run, the node has joined the scheduler. A job may start before they are done, and find an
    empty mount point or an unknown user: it fails, or writes its results to the root volume, over which the file
    system is then mounted.

Fix
    Move the script to `nodeBootstrapped`, with `onError` TERMINATE.

Sources
    PCS user guide, cng-node-lifecycle-actions (order of the boot; the scheduler may start jobs before nodeReady has
    finished) and cng-node-lifecycle-actions-configure (TERMINATE is for critical setup).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Script
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.roles import Role, can_tell, role
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS207"
TITLE = "needed-before-jobs"
SEVERITY = Severity.ERROR

LOCATION = "s3://example-scripts/setup.sh"

_AT = (at("ready", 0),)


def _named(name: str, location: str = LOCATION) -> Tree:
    return script(name, location, checksum=SHA256, onError="CONTINUE")


GOOD = (
    Fragment("a mount in nodeBootstrapped", actions(bootstrapped=[_named("mount-home")])),
    Fragment("another script", actions(ready=[_named("register-with-inventory")])),
    Fragment("an exporter for a file system", actions(ready=[_named("lustre-exporter")])),
)
BAD = (
    Fragment("a mount", actions(ready=[_named("mount-home")]), _AT),
    Fragment("users", actions(ready=[_named("Configure LDAPS")]), _AT),
    Fragment("a mount by its file name", actions(ready=[_named("step 1", "s3://example-scripts/mount-efs.sh")]), _AT),
)
UNDECIDED = (
    Fragment("a script without a name", actions(ready=[_named(UNKNOWN, UNKNOWN)]), _AT),
    Fragment("a stage that is not known", actions(ready=UNKNOWN), ("nodeLifecycleActions.stages.nodeReady",)),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    if role(script, settings) is Role.NEEDED_BEFORE_JOBS:
        yield failed(
            script.node,
            f"{label(script)} ({show(script.location)}) sets up what jobs need: jobs may start before it is done, or "
            "after it has failed",
            "move it to nodeBootstrapped, with onError TERMINATE",
        )
    elif can_tell(script):
        yield passed(script.node)
    else:
        yield undecided(script.node, f"whether {label(script)} sets up what jobs need is known only after apply")


check = each_script(judge, stage="nodeReady")
