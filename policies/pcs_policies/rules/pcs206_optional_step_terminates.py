"""What a node can do without does not terminate it.

What it checks
    No `nodeBootstrapped` script that forwards logs, monitors, tags or greets has `onError` TERMINATE, stated or by
    default. Such scripts are recognised by their names (settings `log-forwarders` and `best-effort`). In `nodeReady`
    PCS201 forbids TERMINATE to all.

Why
    A node that could run jobs is terminated because its login message or its metrics did not work, and so is its
    replacement: the queue stands still over something that nobody needs for a job.

Fix
    Set `onError` to CONTINUE.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (CONTINUE is for best-effort tasks). aws-hpc-recipes,
    recipes/pcs-scripts (best effort goes with CONTINUE).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Basis, Script
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.roles import Role, can_tell, role
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS206"
TITLE = "optional-step-terminates"
SEVERITY = Severity.WARNING

LOCATION = "s3://example-scripts/setup.sh"

_AT = (at("bootstrapped", 0, "onError"),)


def _named(name: str, location: str = LOCATION, **members: str) -> Tree:
    return script(name, location, checksum=SHA256, **members)


GOOD = (
    Fragment("a greeting that may fail", actions(bootstrapped=[_named("motd", onError="CONTINUE")])),
    Fragment("logs that may fail", actions(bootstrapped=[_named("cloudwatch-logs", onError="STOP_SEQUENCE")])),
    Fragment("another script", actions(bootstrapped=[_named("tune-kernel", onError="TERMINATE")])),
    Fragment("a mount", actions(bootstrapped=[_named("mount-logs", onError="TERMINATE")])),
    Fragment("in nodeReady, which PCS201 judges", actions(ready=[_named("motd", onError="TERMINATE")])),
    Fragment(
        "a script without a name that goes on",
        actions(bootstrapped=[_named(UNKNOWN, UNKNOWN, onError="CONTINUE")]),
    ),
)
BAD = (
    Fragment("a greeting", actions(bootstrapped=[_named("motd", onError="TERMINATE")]), _AT),
    Fragment("logs, by default", actions(bootstrapped=[_named("Ship logs")]), _AT),
    Fragment("an exporter for a file system", actions(bootstrapped=[_named("lustre-exporter")]), _AT),
    Fragment(
        "tags by the file name",
        actions(bootstrapped=[_named("step 1", "s3://example-scripts/apply-node-name-tag.sh")]),
        _AT,
    ),
)
UNDECIDED = (
    Fragment("a reference", actions(bootstrapped=[_named("motd", onError=UNKNOWN)]), _AT),
    Fragment("a script without a name", actions(bootstrapped=[_named(UNKNOWN, UNKNOWN)]), _AT),
)

WORK = {Role.LOG_FORWARDER: "forwards logs", Role.BEST_EFFORT: "does what a node can do without"}


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    on_error = script.on_error
    purpose = role(script, settings)
    if purpose in WORK:
        if not on_error.known:
            yield undecided(on_error, f"what happens when {label(script)} fails is known only after apply")
        elif on_error.value != "TERMINATE":
            yield passed(on_error)
        else:
            how = " by default, as onError is not set" if on_error.basis is Basis.API_DEFAULT and on_error.unset else ""
            yield failed(
                on_error,
                f"{label(script)} {WORK[purpose]} and terminates the node when it fails{how}: nodes that could run "
                "jobs are lost over it",
                "set it to CONTINUE",
            )
    elif not can_tell(script) and (not on_error.known or on_error.value == "TERMINATE"):
        yield undecided(on_error, f"whether {label(script)} is needed on the node is known only after apply")


check = each_script(judge, stage="nodeBootstrapped")
