"""Scripts in S3 name the version of the object.

What it checks
    Each script whose location is an `s3://` URI states `scriptSource.s3VersionId`. A version that the author did not
    write but that the provider carried over from prior state does not count.

Why
    Without a version, an upload to the same key changes what new nodes download. Together with a checksum that means
    that every node launched from then on fails: old and new content cannot both match. A version pins the content, so
    that an upload changes nothing until the configuration names it.

Fix
    Turn on versioning for the bucket and name the version, best from the resource that uploads the script
    (`aws_s3_object.mount.version_id`). The instance role then needs `s3:GetObjectVersion`.

Sources
    PCS API reference, NodeLifecycleScriptSource.s3VersionId. Amazon S3 API reference, GetObject (permissions).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Leaf, Script, Template
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS104"
TITLE = "s3-version-pinned"
SEVERITY = Severity.WARNING

S3 = "s3://example-scripts/motd.sh"
WEB = "https://scripts.example.com/motd.sh"

GOOD = (
    Fragment("a version", actions(ready=[script("motd", S3, s3VersionId=VERSION, checksum=SHA256)])),
    Fragment("not in S3", actions(ready=[script("motd", WEB, checksum=SHA256)])),
)
BAD = (
    Fragment(
        "no version",
        actions(ready=[script("motd", S3, checksum=SHA256)]),
        (at("ready", 0, "scriptSource.s3VersionId"),),
    ),
)
UNDECIDED = (
    Fragment(
        "a reference that may be null",
        actions(ready=[script("motd", S3, s3VersionId=UNKNOWN, checksum=SHA256)]),
        (at("ready", 0, "scriptSource.s3VersionId"),),
    ),
    Fragment(
        "no version, and a location that may be in S3",
        actions(ready=[script("motd", UNKNOWN, checksum=SHA256)]),
        (at("ready", 0, "scriptSource.s3VersionId"),),
    ),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    version = script.version
    in_s3 = _in_s3(script.location)
    if in_s3 is False:
        return
    if version.unknown and not version.deferred:
        yield undecided(
            version, f"whether {label(script)} names an S3 version is known only after apply, or it was left out"
        )
    elif version.absent and in_s3 is None:
        yield undecided(version, f"{label(script)} names no S3 version, and its location is known only after apply")
    elif version.absent:
        yield failed(
            version,
            f"{label(script)} takes the latest {show(script.location)}: an upload to that key reaches or breaks every "
            "node launched after it",
            "set it to the version id of the object",
        )
    elif script.inherits(version):
        yield failed(
            version,
            f"the S3 version of {label(script)} is not in the configuration: the provider carried it over from the "
            "script that stood at this position",
            "set it to the version id of the object",
        )
    else:
        yield passed(version)


def _in_s3(location: Leaf) -> bool | None:
    """Whether the location is in S3; ``None`` when that cannot be told."""
    value = location.value
    start = value.prefix if isinstance(value, Template) else value
    if not start:
        return None if location.unknown or isinstance(value, Template) else False
    return str(start).startswith("s3://")


check = each_script(judge)
