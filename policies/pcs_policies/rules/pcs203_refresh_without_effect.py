"""Scripts are refreshed at reboot only where that can change what runs.

What it checks
    With `scriptCachingPolicy` REFRESH_ON_REBOOT there is a script that runs again after a reboot (`executionPolicy`
    EVERY_BOOT) and whose content can have changed: neither a checksum nor a version pins it, and its location is not a
    full version of an AWS-maintained script.

Why
    A script that runs on the first boot only is downloaded again and not run. A pinned script can only be the same, or
    fail. What is left of the refresh is its cost: each reboot needs the network and the bucket, there is no way back
    to the cached copy, and a failed download has the effect of a failed script.

Fix
    Set CACHE_ONCE, the default. To bring new content to running nodes, change the configuration: the service drains
    and replaces them.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (caching and execution, and that a failed refresh does not fall
    back to the cache) and cng-node-lifecycle-actions-vetted-scripts (a full version never changes).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract import aws_scripts
from pcs_policies.document import NodeGroup, Script
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, script
from pcs_policies.rules.locations import either, is_full_aws_version, is_pinned
from pcs_policies.rules.rule import Severity, Verdict, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS203"
TITLE = "refresh-without-effect"
SEVERITY = Severity.WARNING

LOCATION = "s3://example-scripts/setup.sh"

_AT = ("nodeLifecycleActions.scriptCachingPolicy",)


def _setup(location: str = LOCATION, policy: str = "EVERY_BOOT", **source: str) -> Tree:
    return script("setup", location, executionPolicy=policy, **source)


def _refreshed(*scripts: object, caching: str | None = "REFRESH_ON_REBOOT") -> Tree:
    return actions(bootstrapped=list(scripts), caching=caching)


_once = _setup(policy="FIRST_BOOT_ONLY")

GOOD = (
    Fragment("a script that runs again and may have changed", _refreshed(_once, _setup())),
    Fragment("pinned, and downloaded once", _refreshed(_setup(checksum=SHA256), caching="CACHE_ONCE")),
    Fragment("pinned, and downloaded once by default", _refreshed(_setup(checksum=SHA256), caching=None)),
    Fragment("a policy that is not known, and an effect", _refreshed(_setup(), caching=UNKNOWN)),
)
BAD = (
    Fragment("no script runs again", _refreshed(_once), _AT),
    Fragment("no script runs again, by default", _refreshed(script("setup", LOCATION)), _AT),
    Fragment("what runs again has a checksum", _refreshed(_once, _setup(checksum=SHA256)), _AT),
    Fragment("what runs again has a version", _refreshed(_setup(s3VersionId=VERSION)), _AT),
    Fragment(
        "what runs again is a full version of AWS's",
        _refreshed(_setup(aws_scripts.location("mount-efs", "1.0.0", "eu-west-1"))),
        _AT,
    ),
)
UNDECIDED = (
    Fragment("a policy that is not known", _refreshed(_once, caching=UNKNOWN), _AT),
    Fragment("a checksum that may be null", _refreshed(_setup(checksum=UNKNOWN)), _AT),
    Fragment("when the script runs is not known", _refreshed(_setup(policy=UNKNOWN)), _AT),
    Fragment("a script that is not known", _refreshed(_once, UNKNOWN), _AT),
)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    caching = group.actions.leaf("scriptCachingPolicy")
    scripts = group.scripts()
    unseen = any(True for _ in group.unseen())
    if caching.absent or not (scripts or unseen):
        return
    if caching.known and caching.value != "REFRESH_ON_REBOOT":
        yield passed(caching)
        return
    effect = either(*map(_gains, scripts), *([None] if unseen else []))
    if effect:
        yield passed(caching)
    elif effect is None or not caching.known:
        yield undecided(caching, "whether a refresh at reboot can change what runs is known only after apply")
    else:
        again = any(script.execution_policy.value == "EVERY_BOOT" for script in scripts)
        why = "each script that runs again is pinned" if again else "no script has executionPolicy EVERY_BOOT"
        yield failed(
            caching,
            f"scriptCachingPolicy is REFRESH_ON_REBOOT, but {why}: a refresh changes nothing and can only fail",
            "set it to CACHE_ONCE",
        )


def _gains(script: Script) -> bool | None:
    """Whether a refresh can change what this script does; ``None`` when that cannot be told."""
    policy = script.execution_policy
    pinned = either(is_pinned(script), is_full_aws_version(script))
    if pinned or (policy.known and policy.value != "EVERY_BOOT"):
        return False
    return True if pinned is False and policy.known else None
