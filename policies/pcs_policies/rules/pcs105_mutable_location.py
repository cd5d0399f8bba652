"""A location that can change its content by itself is pinned.

What it checks
    A `scriptSource.scriptLocation` that moves by its name has a checksum or an S3 version beside it. These names move:
    aliases for the newest release (`mount-efs-v1-latest.sh`, a folder `latest`) and branches (a folder `main`,
    `master` or `HEAD`, `refs/heads/`, any branch at a code host). A commit hash or a release tag in the path does
    not. A checksum or version that the provider carried over from prior state does not count.

Why
    What runs as root on new nodes changes when somebody elsewhere releases or pushes: without a plan, a review or a
    change in this configuration, and not on the nodes that already run.

Fix
    Name a full version, a release tag or a commit in the location, and give the script a checksum.

Sources
    PCS user guide, cng-node-lifecycle-actions-vetted-scripts (a full version never changes, an alias moves within its
    major version). GitHub documentation, "Getting permanent links to files".
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract import aws_scripts
from pcs_policies.document import Script
from pcs_policies.redaction import label, quote, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, Tree, actions, at, script
from pcs_policies.rules.locations import Movement, is_pinned, moving
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS105"
TITLE = "mutable-location"
SEVERITY = Severity.WARNING

ALIAS = aws_scripts.location("mount-efs", "1-latest", "eu-west-1")
BRANCH = "https://raw.githubusercontent.com/example/scripts/{}/motd.sh"
COMMIT = "1f0d7b2a9c3e4f5061728394a5b6c7d8e9f00112"

_AT = (at("bootstrapped", 0, "scriptSource.scriptLocation"),)


def _at_location(location: str, **source: str) -> Tree:
    return actions(bootstrapped=[script("setup", location, **source)])


GOOD = (
    Fragment("a full version", _at_location(aws_scripts.location("mount-efs", "1.0.0", "eu-west-1"))),
    Fragment("an alias, pinned by the version of the object", _at_location(ALIAS, s3VersionId=VERSION)),
    Fragment("a branch, pinned by a checksum", _at_location(BRANCH.format("main"), checksum=SHA256)),
    Fragment("a commit", _at_location(BRANCH.format(COMMIT))),
    Fragment("a folder of a commit", _at_location(BRANCH.format(COMMIT).replace("motd", "main/motd"))),
    Fragment("a release tag", _at_location(BRANCH.format("v1.2.0"))),
    Fragment("a release tag, in full", _at_location(BRANCH.format("refs/tags/spring"))),
    Fragment("a version below a folder of that name", _at_location("s3://example-scripts/main/1.2.0/setup.sh")),
    Fragment("a file of that name", _at_location("s3://example-scripts/master.sh")),
    Fragment("a name that says nothing of it", _at_location("s3://example-main/latest-kernel/setup.sh")),
    Fragment("a location that is not known, pinned", _at_location(UNKNOWN, checksum=SHA256)),
)
BAD = (
    Fragment("the alias of an AWS-maintained script", _at_location(ALIAS), _AT),
    Fragment("an alias in a file name", _at_location("s3://example-scripts/setup_latest.sh"), _AT),
    Fragment("an alias as a folder", _at_location("https://scripts.example.com/latest/setup.sh"), _AT),
    Fragment(
        "the newest release at GitHub",
        _at_location("https://github.com/example/scripts/releases/latest/download/setup.sh"),
        _AT,
    ),
    Fragment("a branch at GitHub", _at_location(BRANCH.format("spring-cleaning")), _AT),
    Fragment("a branch at GitHub, in full", _at_location(BRANCH.format("refs/heads/main")), _AT),
    Fragment("a branch at GitLab", _at_location("https://git.example.com/hpc/scripts/-/raw/dev/setup.sh?x=1"), _AT),
    Fragment("a folder named after a branch", _at_location("s3://example-scripts/main/setup/setup.sh"), _AT),
    Fragment("the head of a repository", _at_location("https://git.example.com/plain/HEAD/setup.sh"), _AT),
)
UNDECIDED = (
    Fragment("a reference, and no pin", _at_location(UNKNOWN), _AT),
    Fragment("an alias, and a checksum that may be null", _at_location(ALIAS, checksum=UNKNOWN), _AT),
)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    found = moving(location)
    pinned = is_pinned(script)
    if location.absent:
        return  # the contract rules own missing members
    if found.movement is Movement.NONE or pinned:
        yield passed(location)
    elif found.movement is Movement.UNTOLD:
        yield undecided(
            location, f"where {label(script)} comes from is known only after apply, and nothing pins its content"
        )
    elif pinned is None:
        yield undecided(
            location, f"{label(script)} comes from {show(location)}, and whether it is pinned is known only after apply"
        )
    else:
        word = "it" if location.sensitive else quote(found.word)
        if found.movement is Movement.ALIAS:
            moves, remedy = f"{word} moves with each release", "name a full version and add a checksum"
        else:
            moves, remedy = f"{word} is a branch", "name a commit or a release tag and add a checksum"
        yield failed(
            location,
            f"{label(script)} comes from {show(location)}: {moves}, so what runs as root changes without a change here",
            remedy,
        )


check = each_script(judge)
