"""A log forwarder runs first when a script can terminate the node.

What it checks
    When any script has `onError` TERMINATE (stated or by default), a log forwarder is the first script of
    `nodeBootstrapped`. Log forwarders are recognised by their names (setting `log-forwarders`).

Why
    Script logs are local to the node. A node that a failing script terminates takes them along, and so does each of its
    replacements; a forwarder that runs later, or in `nodeReady`, has nothing to send by then.

Fix
    Put a forwarder first, with `onError` CONTINUE: AWS maintains `configure-cloudwatch-logs` for it.

Sources
    PCS user guide, cng-node-lifecycle-actions-best-practices, cng-node-lifecycle-actions-troubleshooting and the
    getting-started walk-through ("configure it first"). Loops whose logs nobody could fetch: aws-parallelcluster
    issue 1383.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import NodeGroup
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.roles import Role, can_tell, role
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS208"
TITLE = "logs-first"
SEVERITY = Severity.WARNING

LOGS = "https://scripts.example.com/configure-cloudwatch-logs.sh"
SETUP = "https://scripts.example.com/setup.sh"
STAGE = "nodeLifecycleActions.stages.nodeBootstrapped"

_logs = script("cloudwatch-logs", LOGS, checksum=SHA256, onError="CONTINUE")
_setup = script("setup", SETUP, checksum=SHA256, onError="TERMINATE")

GOOD = (
    Fragment("logs first", actions(bootstrapped=[_logs, _setup])),
    Fragment(
        "nothing terminates",
        actions(bootstrapped=[script("setup", SETUP, checksum=SHA256, onError="CONTINUE")]),
    ),
)
BAD = (
    Fragment("no forwarder", actions(bootstrapped=[_setup]), (STAGE,)),
    Fragment(
        "terminates by default",
        actions(bootstrapped=[script("setup", SETUP, checksum=SHA256)]),
        (STAGE,),
    ),
    Fragment("logs second", actions(bootstrapped=[_setup, _logs]), (at("bootstrapped", 1),)),
    Fragment("logs in nodeReady", actions(bootstrapped=[_setup], ready=[_logs]), (at("ready", 0),)),
)
UNDECIDED = (
    Fragment(
        "what a failure does is a reference",
        actions(bootstrapped=[script("setup", SETUP, checksum=SHA256, onError=UNKNOWN)]),
        (STAGE,),
    ),
    Fragment("a stage that is a reference", actions(bootstrapped=UNKNOWN), (STAGE,)),
)

REMEDY = "make a log forwarder with onError CONTINUE the first script of nodeBootstrapped"


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    stage = group.stage("nodeBootstrapped")
    scripts = group.scripts()
    forwarders = [script for script in scripts if role(script, settings) is Role.LOG_FORWARDER]
    if forwarders and forwarders[0].stage == "nodeBootstrapped" and forwarders[0].index == 0:
        yield passed(forwarders[0].node)
        return
    terminating = next((script for script in scripts if script.on_error.value == "TERMINATE"), None)
    if terminating is None:
        if unseen := group.unseen():
            yield undecided(unseen[0], "whether a script terminates the node is known only after apply")
        elif any(not script.on_error.known for script in scripts):
            yield undecided(stage, "whether a script terminates the node is known only after apply")
        return
    hidden = group.unseen("nodeBootstrapped")  # what is hidden in nodeReady runs too late in any case
    untold = any(not can_tell(script) for script in group.scripts("nodeBootstrapped"))
    if hidden or untold:
        yield undecided(hidden[0] if hidden else stage, "whether a log forwarder runs first is known only after apply")
    elif forwarders:
        yield failed(
            forwarders[0].node,
            f"{label(forwarders[0])} forwards logs but does not run first: when {label(terminating)} terminates the "
            "node, the logs of what ran before are lost",
            REMEDY,
        )
    else:
        yield failed(
            stage,
            f"{label(terminating)} can terminate the node and nothing forwards logs: the reason is lost with the node",
            REMEDY,
        )
