"""Scripts come from buckets and hosts that the organisation trusts.

What it checks
    The bucket or host of each `scriptSource.scriptLocation` is on the configured `allow-list`. An entry with a dot is
    a host (`scripts.example.com`), one without is a bucket (`hpc-scripts`); `s3://` in front makes it a bucket in any
    case. A `*` stands for any part of the name (`*.example.com`). The whole name has to fit, capitals make no
    difference, and a host holds for any port unless the entry names one (`scripts.example.com:8443`). An `https://`
    address of S3 is judged by its bucket: the host says nothing about who owns it. Without an `allow-list` the rule is
    off.

Why
    The script runs as root on every node. Whoever may write to its bucket or host decides what that is, and a bucket
    that was copied from an example belongs to somebody else.

Fix
    Copy the script to a bucket of your own, or add the bucket or host to `allow-list` when it is one to trust. Name
    buckets in full: anybody may make one that begins like yours.

Sources
    PCS user guide, cng-node-lifecycle-actions-best-practices. A third party's bucket, copied from a sample:
    aws-neuron-parallelcluster-samples issue 23. Amazon S3 user guide, "Methods for accessing a bucket". RFC 3986,
    section 7.6 (names before an "@").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcs_policies.document import NodeGroup, Script, Template
from pcs_policies.redaction import label, quote, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, Fragment, actions, at, script
from pcs_policies.rules.locations import GAP, Location, taken_apart
from pcs_policies.rules.rule import Severity, Verdict, each_script, failed, passed, undecided
from pcs_policies.settings import Settings

ID = "PCS106"
TITLE = "trusted-location"
SEVERITY = Severity.ERROR

_AT = (at("ready", 0, "scriptSource.scriptLocation"),)
_TRUSTED = Settings(
    allow_list=("hpc-scripts", "aws-pcs-repo-*", "s3://scripts.example.org", "scripts.example.com", "*.hpc.example.com")
)


def _case(title: str, location: str, *places: str, settings: Settings = _TRUSTED) -> Fragment:
    return Fragment(title, actions(ready=[script("motd", location, checksum=SHA256)]), tuple(places), settings=settings)


GOOD = (
    _case("a trusted bucket", "s3://hpc-scripts/motd.sh"),
    _case("a bucket by the beginning of its name", "s3://aws-pcs-repo-eu-west-1/motd.sh"),
    _case("a trusted host, with capitals and a port", "https://Scripts.Example.com:8443/motd.sh"),
    _case("a host below a trusted domain", "https://a.b.hpc.example.com/motd.sh"),
    _case("a trusted bucket by its web address", "https://hpc-scripts.s3.eu-west-1.amazonaws.com/motd.sh"),
    _case("a trusted bucket by the older web address", "https://s3.eu-west-1.amazonaws.com/hpc-scripts/motd.sh"),
    _case("a trusted bucket with dots", "s3://scripts.example.org/motd.sh"),
    _case("no allow-list", "https://example.net/motd.sh", settings=Settings()),
    _case("no allow-list, and a reference", UNKNOWN, settings=Settings()),
)
BAD = (
    _case("another bucket", "s3://hpc-scripts-2/motd.sh", *_AT),
    _case("a folder that is called like a bucket", "s3://example-scripts/hpc-scripts/motd.sh", *_AT),
    _case("another host", "https://example.net/motd.sh", *_AT),
    _case("a trusted name in front of another domain", "https://scripts.example.com.example.net/motd.sh", *_AT),
    _case("a trusted name behind another one", "https://other-scripts.example.com/motd.sh", *_AT),
    _case("a trusted name before the host", "https://scripts.example.com@example.net/motd.sh", *_AT),
    _case("a trusted name in the query", "https://example.net/?x=.hpc.example.com", *_AT),
    _case("another bucket by its web address", "https://other.s3.eu-west-1.amazonaws.com/hpc-scripts/motd.sh", *_AT),
    _case("a host that is called like a bucket", "https://aws-pcs-repo-1.example.net/motd.sh", *_AT),
    _case("a bucket that is called like a host", "s3://motd.hpc.example.com/motd.sh", *_AT),
)
UNDECIDED = (_case("a reference", UNKNOWN, *_AT),)


def judge(script: Script, settings: Settings) -> Iterator[Verdict]:
    location = script.location
    if location.absent:
        return  # the contract rules own missing members
    place = None if location.value is None else taken_apart(str(location.value))
    if location.unknown or (isinstance(location.value, Template) and (place is None or GAP in _name(place))):
        if place is not None and _trusted_whatever_follows(place, settings):
            yield passed(location)
        else:
            yield undecided(location, f"the bucket or host that {label(script)} comes from is known only after apply")
    elif place is None:
        return  # no location at all: PCS102
    elif _is_trusted(place, settings):
        yield passed(location)
    else:
        kind = "host" if place.bucket is None else "bucket"
        name = show(location) if location.sensitive else quote(_name(place))
        yield failed(
            location,
            f"{label(script)} comes from the {kind} {name}, which is not on the allow-list: who writes there decides "
            "what runs as root",
            f"copy the script to a trusted bucket, or add the {kind} to allow-list",
        )


def _name(place: Location) -> str:
    return place.host if place.bucket is None else place.bucket


def _is_trusted(place: Location, settings: Settings) -> bool:
    name = _name(place).lower()
    if not re.fullmatch(r"[a-z0-9._-]+", name):
        return False  # where clients may disagree about which host this is
    names = (name, f"{name}:{place.port}") if place.port else (name,)
    return any(_glob(entry).fullmatch(name) for entry in _entries(place, settings) for name in names)


def _trusted_whatever_follows(place: Location, settings: Settings) -> bool:
    """Whether a bucket of which the beginning is known is trusted whatever the rest will be.

    Not for hosts: what follows may hold an "@", and with it another host.
    """
    start = _name(place).partition(GAP)[0].lower()
    return place.scheme == "s3" and any(
        entry.endswith("*") and "*" not in entry[:-1] and start.startswith(entry[:-1])
        for entry in _entries(place, settings)
    )


def _entries(place: Location, settings: Settings) -> Iterator[str]:
    """The entries for buckets or for hosts: each kind of name can be made by others to look like the other kind."""
    for entry in settings.allow_list:
        _, scheme, name = entry.lower().rpartition("s3://")
        if bool(scheme or "." not in name) is (place.bucket is not None):
            yield name


def _glob(entry: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, entry.split("*"))))


_each = each_script(judge)


def check(group: NodeGroup, settings: Settings) -> Iterator[Verdict]:
    if settings.allow_list:
        yield from _each(group, settings)
