"""No alias for the newest release has a checksum.

What it checks
    A `scriptSource.scriptLocation` that names the newest release (`mount-efs-v1-latest.sh`, a folder `latest`) has no
    checksum beside it, unless an `s3VersionId` ties both to one object.

Why
    The alias moves and the checksum stays. From the next release on, every download fails: new nodes are terminated
    or come up without the script, groups that worked for months fail at once, and nobody here has changed anything.

Fix
    Name the full version that the checksum belongs to. Where the object has a version in S3, naming that is as good.

Sources
    PCS user guide, cng-node-lifecycle-actions-vetted-scripts (an alias moves within its major version) and
    cng-node-lifecycle-actions-configure (a mismatch is a failed download).
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract import aws_scripts
from pcs_policies.document import Script
from pcs_policies.redaction import label, quote, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, at, script
from pcs_policies.rules.locations import Movement, has_checksum, has_version, moving
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS110"
TITLE = "pinned-alias"
SEVERITY = Severity.ERROR

ALIAS = aws_scripts.location("mount-efs", "1-latest", "eu-west-1")
FULL = aws_scripts.location("mount-efs", "1.0.0", "eu-west-1")

_AT = (at("bootstrapped", 0, "scriptSource.scriptLocation"),)


def _at_location(location: str, **source: str) -> Tree:
    return actions(bootstrapped=[script("setup", location, **source)])


GOOD = (
    Fragment("a full version with a checksum", _at_location(FULL, checksum=SHA256)),
    Fragment("an alias without a checksum, which PCS105 judges", _at_location(ALIAS)),
    Fragment("an alias with a checksum and a version", _at_location(ALIAS, checksum=SHA256, s3VersionId=VERSION)),
    Fragment(
        "a version in a web address of S3",
        _at_location(f"https://example.s3.amazonaws.com/x-latest.sh?versionId={VERSION}", checksum=SHA256),
    ),
    Fragment(
        "a branch with a checksum",
        _at_location("https://raw.githubusercontent.com/example/scripts/main/motd.sh", checksum=SHA256),
    ),
    Fragment("a location that is not known, without a checksum", _at_location(UNKNOWN)),
)
BAD = (
    Fragment("the alias of an AWS-maintained script", _at_location(ALIAS, checksum=SHA256), _AT),
    Fragment("an alias as a folder", _at_location("s3://example-scripts/latest/setup.sh", checksum=SHA256), _AT),
    Fragment("an alias in a file name", _at_location("https://example.com/setup-latest.sh", checksum=SHA256), _AT),
)
UNDECIDED = (
    Fragment("a checksum that may be null", _at_location(ALIAS, checksum=UNKNOWN), _AT),
    Fragment("a version that may be null", _at_location(ALIAS, checksum=SHA256, s3VersionId=UNKNOWN), _AT),
    Fragment("a location that may be an alias", _at_location(UNKNOWN, checksum=SHA256), _AT),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    found = moving(location)
    checksum, version = has_checksum(script), has_version(script)
    if found.movement in (Movement.NONE, Movement.BRANCH) or checksum is False or version:
        yield passed(location)
    elif found.movement is Movement.UNTOLD:
        yield undecided(location, f"whether the location of {label(script)} is an alias is known only after apply")
    elif checksum is None or version is None:
        member = "a checksum" if checksum is None else "an S3 version"
        yield undecided(
            location,
            f"{label(script)} comes from {show(location)}, and whether it has {member} is known only after apply",
        )
    else:
        word = "it" if location.sensitive else quote(found.word)
        yield failed(
            location,
            f"{label(script)} pins the content of {show(location)}: {word} moves with each release, so from the next "
            "one on the download fails on every new node",
            "name the full version that the checksum belongs to",
        )


check = each_script(judge)
