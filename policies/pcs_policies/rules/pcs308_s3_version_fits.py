"""An S3 version id goes with an S3 location, and is not empty.

What it checks
    A script that states `scriptSource.s3VersionId` has an `s3://` location, and the version id is not an empty text. A
    version that may have been left out (awscc marks what is left out "known after apply", like a reference) is not
    judged beside an `https://` location.

Why
    PCS refuses a version id with an `https://` location. An empty one passes the API's model, pins nothing, and looks
    like a pin.

Fix
    Leave the version id out for `https://` locations; give it the id of an object version for `s3://` ones. To leave it
    out on a condition, use `null`.

Sources
    PCS API reference, ScriptSource.s3VersionId (S3 only, 0 to 1024 characters). terraform-provider-awscc (empty texts
    are sent, nulls are not).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import Leaf, Script, Stated, Template
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS308"
TITLE = "s3-version-fits"
SEVERITY = Severity.ERROR

S3 = "s3://example-scripts/motd.sh"
WEB = "https://scripts.example.com/motd.sh"
_AT = (at("ready", 0, "scriptSource.s3VersionId"),)


def _script(location: object, version: object) -> Tree:
    return actions(ready=[script("motd", location, s3VersionId=version, checksum=SHA256)])


GOOD = (
    Fragment("a version in S3", _script(S3, VERSION)),
    Fragment("a version that is a reference", _script(S3, UNKNOWN)),
    Fragment("no version elsewhere", actions(ready=[script("motd", WEB, checksum=SHA256)])),
    Fragment("a version elsewhere that may be null", _script(WEB, UNKNOWN)),
    Fragment("no version, and a location that is a reference", actions(ready=[script("motd", UNKNOWN)])),
)
BAD = (
    Fragment("a version elsewhere", _script(WEB, VERSION), _AT),
    Fragment("an empty version", _script(S3, ""), _AT),
)
UNDECIDED = (Fragment("a version, and a location that is a reference", _script(UNKNOWN, VERSION), _AT),)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    version = script.version
    if version.absent or (version.unknown and version.stated is not Stated.YES):
        return
    if version.text == "":
        yield failed(
            version,
            f"{label(script)} has an empty s3VersionId: it pins no version, although it looks like a pin",
            "set it to the version id of the object, or to null",
        )
        return
    scheme = _scheme(script.location)
    if scheme is None:
        yield undecided(
            version, f"{label(script)} names an S3 version, and whether it is in S3 is known only after apply"
        )
    elif scheme == "https":
        yield failed(
            version,
            f"{label(script)} names an S3 version, but is at {show(script.location)}: the API refuses that",
            "leave s3VersionId out, or use the s3:// location",
        )
    else:
        yield passed(version)


def _scheme(location: Leaf) -> str | None:
    """``https``, or whatever the location begins with instead; ``None`` when that cannot be told."""
    value = location.value
    start = value.prefix if isinstance(value, Template) else value
    if location.absent:
        return ""
    if start is None or (isinstance(value, Template) and "://" not in start):
        return None
    return str(start).split("://", 1)[0]


check = each_script(judge)
