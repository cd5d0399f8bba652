"""No refresh at reboot can terminate a healthy node.

What it checks
    With `scriptCachingPolicy` REFRESH_ON_REBOOT no script has `onError` TERMINATE, stated or by default. When the
    script runs makes no difference: it is downloaded either way.

Why
    A download that fails at a reboot does not fall back to the cached copy: the script's `onError` applies. While the
    bucket, the host or the network is away, each node that reboots is terminated, although it was set up and healthy;
    its replacement cannot be set up then either.

Fix
    Set `scriptCachingPolicy` to CACHE_ONCE, the default: EVERY_BOOT scripts run from the cache then. Where the refresh
    is needed, set `onError` to CONTINUE on what a node can do without.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (caching and execution, and that a failed refresh does not fall
    back to the cache). Whether it also hits scripts that would not run again is not documented.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Basis, NodeGroup, Script
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS204"
TITLE = "refresh-can-terminate"
SEVERITY = Severity.WARNING

_CACHING = ("nodeLifecycleActions.scriptCachingPolicy",)
_AT = (at("bootstrapped", 0, "onError"),)


def _refreshed(*, caching: str | None = "REFRESH_ON_REBOOT", **members: str) -> Tree:
    setup = script("setup", "s3://example-scripts/setup.sh", checksum=SHA256, **members)
    return actions(bootstrapped=[setup], caching=caching)


GOOD = (
    Fragment("goes on after a failure", _refreshed(onError="CONTINUE")),
    Fragment("terminates, and is downloaded once", _refreshed(onError="TERMINATE", caching="CACHE_ONCE")),
    Fragment("terminates, and is downloaded once by default", _refreshed(onError="TERMINATE", caching=None)),
    Fragment("a policy that is not known, and nothing terminates", _refreshed(onError="CONTINUE", caching=UNKNOWN)),
)
BAD = (
    Fragment("terminates", _refreshed(onError="TERMINATE", executionPolicy="EVERY_BOOT"), _AT),
    Fragment("terminates by default", _refreshed(), _AT),
    Fragment("does not run again", _refreshed(onError="TERMINATE", executionPolicy="FIRST_BOOT_ONLY"), _AT),
)
UNDECIDED = (
    Fragment("a reference", _refreshed(onError=UNKNOWN), _AT),
    Fragment("a policy that is not known", _refreshed(onError="TERMINATE", caching=UNKNOWN), _CACHING),
    Fragment(
        "a stage that is not known",
        actions(bootstrapped=UNKNOWN, caching="REFRESH_ON_REBOOT"),
        ("nodeLifecycleActions.stages.nodeBootstrapped",),
    ),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    caching = group.actions.leaf("scriptCachingPolicy")
    scripts = group.scripts()
    unseen = tuple(group.unseen())
    if caching.absent or (caching.known and caching.value != "REFRESH_ON_REBOOT"):
        return
    if not caching.known:
        if unseen or any(not script.on_error.known or script.on_error.value == "TERMINATE" for script in scripts):
            yield undecided(caching, "whether scripts that terminate the node are refreshed is known only after apply")
        return
    for node in unseen:
        yield undecided(node, "which scripts this holds is known only after apply")
    yield from map(_judge, scripts)


def _judge(script: Script) -> Verdict:
    on_error = script.on_error
    if not on_error.known:
        return undecided(on_error, f"what happens when {label(script)} fails is known only after apply")
    if on_error.value != "TERMINATE":
        return passed(on_error)
    how = " by default, as onError is not set" if on_error.basis is Basis.API_DEFAULT and on_error.unset else ""
    return failed(
        on_error,
        f"{label(script)} is refreshed at reboot and terminates the node when it fails{how}: while its location cannot "
        "be reached, healthy nodes that reboot are lost",
        "set scriptCachingPolicy to CACHE_ONCE, or onError to CONTINUE",
    )
