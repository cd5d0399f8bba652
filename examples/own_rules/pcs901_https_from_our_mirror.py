"""Web scripts come from our mirror.

What it checks
    Each script with an `https://` location comes from `scripts.example.com`. Scripts in S3 are not judged.

Why
    Nodes reach the internet through a proxy that lets only the mirror through: from elsewhere a script never arrives,
    and the node terminates.

Fix
    Upload the script to the mirror and use its address there.

Sources
    The network team's egress policy.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Script
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS901"
TITLE = "https-from-our-mirror"
SEVERITY = Severity.ERROR

MIRROR = "https://scripts.example.com/"
_AT = (at("ready", 0, "scriptSource.scriptLocation"),)

GOOD = (
    Fragment("the mirror", actions(ready=[script("motd", f"{MIRROR}motd.sh", checksum=SHA256)])),
    Fragment("a bucket", actions(ready=[script("motd", "s3://example-scripts/motd.sh", checksum=SHA256)])),
)
BAD = (Fragment("elsewhere", actions(ready=[script("motd", "https://example.org/motd.sh", checksum=SHA256)]), _AT),)
UNDECIDED = (Fragment("a reference", actions(ready=[script("motd", UNKNOWN, checksum=SHA256)]), _AT),)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.text is None:
        yield undecided(location, f"whether {label(script)} comes from the mirror is known only after apply")
    elif location.text.startswith("https://") and not location.text.startswith(MIRROR):
        yield failed(
            location,
            f"{label(script)} comes from {show(location)}, which nodes cannot reach",
            f"upload it to {MIRROR} and use its address there",
        )
    else:
        yield passed(location)


check = each_script(judge)
