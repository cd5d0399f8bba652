"""An `s3://` location names a bucket and a key, as it would not in a URL of S3.

What it checks
    The bucket of an `s3://` location is no host name of S3 (`s3.eu-west-1.amazonaws.com`, `scripts.s3.amazonaws.com`),
    and the key carries no query (`?versionId=...`).

Why
    Both pass the API's pattern. S3 then looks for a bucket that is called like its own host, or for a key that ends in
    the query, and says "access denied": the download fails on every node, which by default terminates it.

Fix
    Write `s3://BUCKET/KEY` and put the version into `scriptSource.s3VersionId`. A URL of S3 begins with `https://`.

Sources
    PCS API reference, ScriptSource.scriptLocation (the pattern takes both). aws-plugin-for-slurm issue 3 (an endpoint
    as the bucket, seen as 403). Amazon S3 user guide, "Methods for accessing a general purpose bucket" (host names).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_policies.document import Script, Template
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, Tree, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS309"
TITLE = "s3-location-form"
SEVERITY = Severity.ERROR

_AT = (at("ready", 0, "scriptSource.scriptLocation"),)


def _located(location: object) -> Tree:
    return actions(ready=[script("motd", location, checksum=SHA256)])


GOOD = (
    Fragment("bucket and key", _located("s3://example-scripts/boot/motd.sh")),
    Fragment("a bucket with dots", _located("s3://scripts.example.com/motd.sh")),
    Fragment("a URL of S3", _located("https://example-scripts.s3.amazonaws.com/motd.sh?versionId=1")),
    Fragment("a question mark in the key", _located("s3://example-scripts/what?.sh")),
)
BAD = (
    Fragment("a version in the query", _located("s3://example-scripts/motd.sh?versionId=3HL4kqtJvjVBH40Nrjfkd"), _AT),
    Fragment("a regional endpoint", _located("s3://s3.eu-west-1.amazonaws.com/example-scripts/motd.sh"), _AT),
    Fragment("the old form of an endpoint", _located("s3://s3-eu-west-1.amazonaws.com/example-scripts/motd.sh"), _AT),
    Fragment("a bucket's own host", _located("s3://example-scripts.s3.amazonaws.com/motd.sh"), _AT),
    Fragment("a host in China", _located("s3://example-scripts.s3.cn-north-1.amazonaws.com.cn/motd.sh"), _AT),
)
UNDECIDED = (Fragment("a reference", _located(UNKNOWN), _AT),)

REMEDY = "write s3://BUCKET/KEY, and the version into s3VersionId"
_QUERY = r"\?[\w.~%-]+="


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.unknown:
        yield undecided(location, f"the location of {label(script)} is known only after apply")
        return
    value = location.value
    # A part that only apply reveals stands for some text without a slash; one letter will do.
    text = (
        "".join("x" if part is None else part for part in value.parts) if isinstance(value, Template) else location.text
    )
    if text is None or not text.startswith("s3://"):
        return
    bucket, _, key = text.removeprefix("s3://").partition("/")
    if _is_host_of_s3(bucket):
        yield failed(
            location,
            f"{label(script)} is at {show(location)}: that is a host name of S3 in place of the bucket, so the "
            "download is denied on every node",
            REMEDY,
        )
    elif re.search(_QUERY, key):
        yield failed(
            location,
            f"{label(script)} is at {show(location)}: the query becomes a part of the key, so S3 finds no such object",
            REMEDY,
        )
    else:
        yield passed(location)


def _is_host_of_s3(bucket: str) -> bool:
    for domain in (".amazonaws.com", ".amazonaws.com.cn"):
        if bucket.endswith(domain):
            return any(label == "s3" or label.startswith("s3-") for label in bucket.removesuffix(domain).split("."))
    return False


check = each_script(judge)
