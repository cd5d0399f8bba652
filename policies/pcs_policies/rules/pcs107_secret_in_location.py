"""No location carries a credential.

What it checks
    No `scriptSource.scriptLocation` holds a user name or password before the host, the signature of a presigned URL,
    a token or key in the query, or a token whose format its issuer documents. The message tells what kind it is and
    how long, never the value.

Why
    The location stands in the plan, in the state, in the console and in the API's answers, to be read by many more
    people than the script is meant for. A presigned URL is refused once it has expired, after at most seven days:
    from then on no new node can fetch the script.

Fix
    Put the script into a bucket that the role of the nodes may read and name it by its `s3://` URI. Then revoke the
    credential: it has been published.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (HTTPS locations are read without authentication) and
    cng-node-lifecycle-actions-best-practices. Amazon S3 user guide, "Download and upload objects with presigned URLs"
    (expiry).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_policies.document import Script, Template
from pcs_policies.redaction import label
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, actions, at, script
from pcs_policies.rules.locations import GAP
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.rules.secrets import describe, find
from pcs_policies.settings import Settings

ID = "PCS107"
TITLE = "secret-in-location"
SEVERITY = Severity.ERROR

_WEB = "https://scripts.example.com/motd.sh"


def _case(title: str, location: str, *places: str) -> Fragment:
    return Fragment(title, actions(ready=[script("motd", location, checksum=SHA256)]), places)


_AT = at("ready", 0, "scriptSource.scriptLocation")

GOOD = (
    _case("an object in S3", "s3://example-scripts/motd.sh"),
    _case("a public address", _WEB),
    _case("a query without a secret", f"{_WEB}?version=2&key=boot/motd.sh&versionId={VERSION}"),
    _case("an at sign in the path", "https://scripts.example.com/motd@2.sh"),
)
BAD = (
    _case("user and password", "https://deploy:example@scripts.example.com/motd.sh", _AT),
    _case("a user", "https://deploy@scripts.example.com/motd.sh", _AT),
    _case(
        "a presigned URL of S3",
        "https://example.s3.amazonaws.com/motd.sh?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        f"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260723&X-Amz-Expires=3600&X-Amz-Signature={SHA256}",
        _AT,
    ),
    _case("a shared access signature of Azure", f"https://example.blob.core.windows.net/x/motd.sh?sig={SHA256}", _AT),
    _case("a token in the query", f"{_WEB}?private_token=example", _AT),
    _case("a key in the query", f"{_WEB}?key=q7RtY2pLx9Bv4Nc8Kd3Wz6", _AT),
    _case("a token of a known format", f"https://scripts.example.com/ghp_{'0a1B' * 9}/motd.sh", _AT),
)
UNDECIDED = (_case("a reference", UNKNOWN, _AT),)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.value is None:
        if location.unknown:
            yield undecided(location, f"the location of {label(script)} is known only after apply")
        return
    found = describe(find(str(location.value)))
    if found:
        yield failed(
            location,
            f"the location of {label(script)} carries {found}: it is shown by the plan, the state and the API, and "
            "when it expires or is revoked, no new node gets the script",
            "name an s3:// location that the role of the nodes may read, and revoke the credential",
        )
    elif isinstance(location.value, Template) and _may_bring_a_query(location.value):
        yield undecided(location, f"a part of the location of {label(script)} that may be a query is not known yet")
    else:
        yield passed(location)


def _may_bring_a_query(template: Template) -> bool:
    """Whether an unresolved part stands at the very beginning, or where a query has the name of a parameter.

    In the host's place the service refuses what this rule looks for, and a folder or file is hardly given with a query.
    """
    query = str(template).partition("?")[2]
    return "://" not in template.prefix or any(GAP in pair.partition("=")[0] for pair in re.split("[&;]", query))


check = each_script(judge)
