"""Scripts come from `https://` or `s3://` locations that the service accepts.

What it checks
    Each `scriptSource.scriptLocation` matches the API's own pattern: `s3://BUCKET/KEY`, or `https://` with a dotted
    host name that ends in letters, an optional port and a path without white space. So no `http://`, no IP address,
    no host of a single label, no user name or password before the host, no empty key.

Why
    Over plain HTTP anyone on the path decides what runs as root. The other forms pass `terraform plan`, awscc and
    CloudFormation, whose own pattern is just `https://` and anything, and are refused by the service when it is too
    late: in the middle of an apply.

Fix
    Use `https://HOST/PATH` or `s3://BUCKET/KEY`. Download from elsewhere belongs in the pipeline that uploads scripts.

Sources
    PCS API reference, NodeLifecycleScriptSource.scriptLocation (pattern). CloudFormation registry schema of
    AWS::PCS::ComputeNodeGroup, 2026-10-20 (the looser pattern).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pcs_contract.shapes import group_field
from pcs_policies.document import Script, Template
from pcs_policies.redaction import label, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS102"
TITLE = "secure-location"
SEVERITY = Severity.ERROR

_AT = (at("ready", 0, "scriptSource.scriptLocation"),)


def _located(location: object) -> dict[str, object]:
    return actions(ready=[script("motd", location, checksum=SHA256)])


GOOD = (
    Fragment("an object in S3", _located("s3://example-scripts/boot/motd.sh")),
    Fragment("a web server", _located("https://scripts.example.com:8443/motd.sh?v=1")),
)
BAD = (
    Fragment("plain HTTP", _located("http://scripts.example.com/motd.sh"), _AT),
    Fragment("another scheme", _located("ftp://scripts.example.com/motd.sh"), _AT),
    Fragment("no scheme", _located("scripts/motd.sh"), _AT),
    Fragment("upper-case scheme", _located("HTTPS://scripts.example.com/motd.sh"), _AT),
    Fragment("a host of one label", _located("https://localhost/motd.sh"), _AT),
    Fragment("an IP address", _located("https://192.0.2.10/motd.sh"), _AT),
    Fragment("user and password", _located("https://deploy:example@scripts.example.com/motd.sh"), _AT),
    Fragment("white space", _located("https://scripts.example.com/my motd.sh"), _AT),
    Fragment("no key", _located("s3://example-scripts/"), _AT),
    Fragment("a bucket name that S3 does not have", _located("s3://Example_Scripts/motd.sh"), _AT),
)
UNDECIDED = (Fragment("a reference", _located(UNKNOWN), _AT),)

REMEDY = "use https://HOST/PATH or s3://BUCKET/KEY"
SCHEMES = ("https://", "s3://")
_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*)://"


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.absent:
        return  # the contract rules own missing members
    if isinstance(location.value, Template):
        fault = _fault_of_template(location.value)
        if fault is None:
            yield undecided(location, f"the scheme of {label(script)}'s location is known only after apply")
            return
    elif location.text is None:
        yield undecided(location, f"the location of {label(script)} is known only after apply")
        return
    else:
        fault = _fault(location.text)
    if fault:
        yield failed(location, f"{label(script)} is at {show(location)}: {fault}", REMEDY)
    else:
        yield passed(location)


@lru_cache(maxsize=4096)  # the groups of a run share their scripts
def _fault(text: str) -> str:
    """What is wrong with a location; empty when the API's pattern takes it."""
    pattern = group_field("nodeLifecycleActions.stages.nodeReady[].scriptSource.scriptLocation").pattern
    assert pattern is not None, "the contract has a pattern for script locations"
    if re.fullmatch(pattern, text):
        return ""
    scheme = re.match(_SCHEME, text)
    if scheme is None:
        return "it names no scheme, so the service refuses it"
    if scheme.group(0) == "http://":
        return "plain HTTP, so anyone on the path decides what runs as root; the service refuses it"
    if scheme.group(0) not in SCHEMES:
        return f"{scheme.group(0)} is neither https:// nor s3://, and the service refuses it"
    return f"{_host_fault(text)}, so the service refuses it, in the middle of an apply"


def _host_fault(text: str) -> str:
    rest = text.split("://", 1)[1]
    if text.startswith("s3://"):
        bucket, _, key = rest.partition("/")
        return "it names no key" if bucket and not key else "S3 has no bucket of that name"
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        return "it carries credentials before the host"
    if re.search(r"\s", text):
        return "it contains white space"
    if re.fullmatch(r"\[.*\](:\d*)?|[\d.]+(:\d*)?", authority):
        return "its host is an IP address"
    if "." not in authority:
        return "its host has no domain"
    return "its host is no public host name"


def _fault_of_template(template: Template) -> str | None:
    """As :func:`_fault`, from the literal parts; ``None`` when they do not even tell the scheme."""
    prefix = template.prefix
    scheme = re.match(_SCHEME, prefix)
    if scheme is None:
        return None if ":" not in prefix else "it is neither https:// nor s3://, and the service refuses it"
    if scheme.group(0) not in SCHEMES:
        return _fault(scheme.group(0))
    if prefix.startswith("https://") and any(re.search(r"\s", part) for part in template.parts if part):
        return "it contains white space, so the service refuses it, in the middle of an apply"
    return ""


check = each_script(judge)
