"""A checksum is one that a script can have.

What it checks
    No `scriptSource.checksum` is the SHA-256 of empty input, and none is one digit 64 times over. What a reference
    gives at apply is not judged: it was computed, not copied from somewhere.

Why
    Both pass every schema and fit no script, so that each download fails, on every node, and the script's `onError`
    applies: by default the node is terminated and its replacement fails the same way. The SHA-256 of empty input
    stands in AWS's own guide as an example; it is also what a pipeline writes when it hashes a file that it could not
    read.

Fix
    Set it to what `sha256sum FILE` prints for the very file that lies at the location.

Sources
    PCS user guide, cng-node-lifecycle-actions-examples (the example) and cng-node-lifecycle-actions-configure (a
    mismatch is a failed download). NIST FIPS 180-4 (SHA-256).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_contract.shapes import group_field
from pcs_policies.document import Script
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed
from pcs_policies.settings import Settings

ID = "PCS103"
TITLE = "checksum-plausible"
SEVERITY = Severity.ERROR

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The SHA-256 of no bytes at all."""

_AT = (at("ready", 0, "scriptSource.checksum"),)


def _with(**source: str) -> Tree:
    return actions(ready=[script("motd", "s3://example-scripts/motd.sh", **source)])


GOOD = (
    Fragment("the checksum of a script", _with(checksum=SHA256)),
    Fragment("the same in capitals", _with(checksum=SHA256.upper())),
    Fragment("a checksum that is computed", _with(checksum=UNKNOWN)),
    Fragment("no checksum, which PCS101 judges", _with()),
    Fragment("no SHA-256 at all, which the contract's own rules judge", _with(checksum="0" * 40)),
)
BAD = (
    Fragment("the checksum of empty input, as in AWS's guide", _with(checksum=EMPTY), _AT),
    Fragment("the same in capitals", _with(checksum=EMPTY.upper()), _AT),
    Fragment("nothing but zeros", _with(checksum="0" * 64), _AT),
    Fragment("one letter", _with(checksum="Aa" * 32), _AT),
)
UNDECIDED = ()


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    checksum = script.checksum
    text = (checksum.text or "").lower()
    pattern = group_field("nodeLifecycleActions.stages.nodeReady[].scriptSource.checksum").pattern
    assert pattern is not None, "the contract has a pattern for checksums"
    if not re.fullmatch(pattern, text):
        return
    if text == EMPTY:
        what = "the SHA-256 of empty input"
    elif len(set(text)) == 1:
        what = "a placeholder"
    else:
        yield passed(checksum)
        return
    if checksum.sensitive:
        what = "none that a script can have"
    yield failed(
        checksum,
        f"the checksum of {label(script)}, {show(checksum)}, is {what}: the download fails on every node",
        "set it to the SHA-256 of the script (sha256sum FILE)",
    )


check = each_script(judge)
