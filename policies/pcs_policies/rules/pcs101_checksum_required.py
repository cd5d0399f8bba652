"""Every lifecycle script has a checksum.

What it checks
    Each script states `scriptSource.checksum`, the SHA-256 of its content. A checksum that the author did not write
    but that the provider carried over from prior state does not count: providers align lists by position, so it may
    be the checksum of the script that used to stand there. One that a reference gives at apply does count.

Why
    The script runs as root on every node of the group. Without a checksum the node agent runs whatever lies at the
    location when the node boots; with one, changed content is refused before it runs.

Fix
    Set it to what `sha256sum FILE` prints (64 hexadecimal digits), or take it from the resource that uploads the
    script.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (checksums are optional, a mismatch is a failed download) and
    cng-node-lifecycle-actions-best-practices (checksums in production). Carried-over values:
    terraform-plugin-framework issue 709.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Script
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS101"
TITLE = "checksum-required"
SEVERITY = Severity.ERROR

LOCATION = "s3://example-scripts/motd.sh"

GOOD = (Fragment("a checksum beside the location", actions(ready=[script("motd", LOCATION, checksum=SHA256)])),)
BAD = (
    Fragment(
        "no checksum",
        actions(ready=[script("motd", LOCATION)]),
        (at("ready", 0, "scriptSource.checksum"),),
    ),
)
UNDECIDED = (
    Fragment(
        "a reference that may be null",
        actions(ready=[script("motd", LOCATION, checksum=UNKNOWN)]),
        (at("ready", 0, "scriptSource.checksum"),),
    ),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    checksum = script.checksum
    remedy = "set it to the SHA-256 of the script (sha256sum FILE)"
    if checksum.absent:
        yield failed(
            checksum,
            f"{label(script)} has no checksum: whatever lies at {show(script.location)} when a node boots runs as root",
            remedy,
        )
    elif checksum.unknown and not checksum.deferred:
        yield undecided(
            checksum, f"whether {label(script)} has a checksum is known only after apply, or it was left out"
        )
    elif script.inherits(checksum):
        yield failed(
            checksum,
            f"the checksum of {label(script)} is not in the configuration: the provider carried it over from the "
            "script that stood at this position, and it may not fit",
            remedy,
        )
    else:
        yield passed(checksum)


check = each_script(judge)
