"""No script of the nodeReady stage terminates the node.

What it checks
    No script in `nodeReady` has `onError` TERMINATE, stated or by default: a script that does not state `onError`
    has TERMINATE.

Why
    When `nodeReady` scripts run, the node has joined the scheduler and jobs may already run on it. A failing script
    with TERMINATE kills them with the node, and since the replacement boots with the same configuration, a permanent
    error (a wrong checksum, a denied download) launches and terminates nodes until someone notices.

Fix
    State `CONTINUE` (or `STOP_SEQUENCE` to keep the rest of the stage from running). What must succeed before a job
    may start belongs in `nodeBootstrapped`.

Sources
    PCS API reference, NodeLifecycleScript.onError (default TERMINATE). PCS user guide, cng-node-lifecycle-actions
    (jobs may start before nodeReady has finished) and cng-node-lifecycle-actions-troubleshooting.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Basis, Script
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS201"
TITLE = "no-terminate-on-ready"
SEVERITY = Severity.ERROR

LOCATION = "https://scripts.example.com/motd.sh"

GOOD = (
    Fragment(
        "goes on after a failure",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError="CONTINUE")]),
    ),
    Fragment(
        "stops the stage after a failure",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError="STOP_SEQUENCE")]),
    ),
    Fragment(
        "terminates before jobs can run",
        actions(bootstrapped=[script("motd", LOCATION, checksum=SHA256, onError="TERMINATE")]),
    ),
)
BAD = (
    Fragment(
        "terminates a node that runs jobs",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError="TERMINATE")]),
        (at("ready", 0, "onError"),),
    ),
    Fragment(
        "terminates by default",
        actions(ready=[script("motd", LOCATION, checksum=SHA256)]),
        (at("ready", 0, "onError"),),
    ),
)
UNDECIDED = (
    Fragment(
        "a reference",
        actions(ready=[script("motd", LOCATION, checksum=SHA256, onError=UNKNOWN)]),
        (at("ready", 0, "onError"),),
    ),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    on_error = script.on_error
    if not on_error.known:
        yield undecided(on_error, f"what happens when {label(script)} fails is known only after apply")
    elif on_error.value != "TERMINATE":
        yield passed(on_error)
    else:
        how = " (the default, as onError is not set)" if on_error.basis is Basis.API_DEFAULT and on_error.unset else ""
        yield failed(
            on_error,
            f"{label(script)} terminates the node when it fails{how}: jobs may already run there, and the replacement "
            "fails the same way",
            "set it to CONTINUE or STOP_SEQUENCE, or move the script to nodeBootstrapped",
        )


check = each_script(judge, stage="nodeReady")
