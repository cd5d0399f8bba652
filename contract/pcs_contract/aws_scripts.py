"""The lifecycle scripts that AWS publishes: where they lie, and which flags they take.

Everything here is from the PCS user guide, cng-node-lifecycle-actions-vetted-scripts, as of the first
release (all scripts at 1.0.0, 2026-07-23). Flags are given as separate elements of `arguments`: the flag,
then its value.
"""

from collections.abc import Mapping
from functools import lru_cache

from pcs_contract.hints import Final, Literal
from pcs_contract.record import Record

SOURCE: Final = "PCS user guide, cng-node-lifecycle-actions-vetted-scripts"

RELEASE: Final = "1.0.0"
"""The release of the scripts that SCRIPTS describes; a later one may know more flags."""

BUCKET_PREFIX: Final = "aws-pcs-repo-"
"""Followed by a Region: one public bucket each, to be read from clusters of that Region."""

KEY_PREFIX: Final = "aws-pcs-node-lifecycle-scripts/"

ValueKind = Literal["absolute-path", "arn", "dns-name", "efs-id", "ldap-uri", "text"]


class Flag(Record):
    """One flag of a script. `default` is what the script takes without it; None: nothing."""

    name: str
    value: ValueKind
    required: bool = False
    default: str | None = None


class ScriptSpec(Record):
    """One script: the stage it is meant for and the flags it knows."""

    name: str
    stage: Literal["nodeBootstrapped", "nodeReady"]
    flags: tuple[Flag, ...]
    source: str = SOURCE


class AwsScript(Record):
    """A location of an AWS-maintained script, taken apart."""

    name: str
    """Such as `mount-efs`; one that SCRIPTS lacks may be newer than this table."""
    region: str
    version: str
    """`1.0.0`, or an alias such as `1-latest`."""
    pinned: bool
    """True for a full version, which AWS never changes; False for an alias, which moves with each release."""


# All five prepare what jobs rely on, or must already run when another script fails: before slurmd, then.
SCRIPTS: Final[Mapping[str, ScriptSpec]] = {
    spec.name: spec
    for spec in (
        ScriptSpec(
            "mount-efs",
            "nodeBootstrapped",
            (
                Flag("--file-system-id", "efs-id", required=True),
                Flag("--mount-point", "absolute-path", required=True),
                Flag("--options", "text", default="tls,iam"),
            ),
        ),
        ScriptSpec(
            "mount-fsx-lustre",
            "nodeBootstrapped",
            (
                Flag("--fsx-dns-name", "dns-name", required=True),
                Flag("--mount-name", "text", required=True),
                Flag("--mount-point", "absolute-path", required=True),
                Flag("--options", "text", default="noatime,flock"),
            ),
        ),
        ScriptSpec(
            "configure-efs-homes",
            "nodeBootstrapped",
            (
                Flag("--efs-id", "efs-id", required=True),
                Flag("--home-base", "absolute-path", default="/home"),
                Flag("--options", "text", default="tls,iam"),
            ),
        ),
        ScriptSpec(
            "configure-ldaps",
            "nodeBootstrapped",
            (
                Flag("--ldap-uri", "ldap-uri", required=True),
                Flag("--search-base", "text", required=True),
                Flag("--secret-arn", "arn"),
                Flag("--tls-cacert", "text"),
            ),
        ),
        ScriptSpec(
            "configure-cloudwatch-logs",
            "nodeBootstrapped",
            (Flag("--log-group-name", "text", default="/aws/pcs/${PCS_CLUSTER_ID}/lifecycle"),),
        ),
    )
}


def location(script: str, version: str, region: str) -> str:
    """Return the S3 location of a script, such as `s3://aws-pcs-repo-us-east-1/…/mount-efs-v1.0.0.sh`.

    `version` is a full version (`1.0.0`) or an alias (`1-latest`). Nothing is looked up: a version or Region
    that AWS does not have gives a location where nothing lies.
    """
    return f"s3://{BUCKET_PREFIX}{region}/{KEY_PREFIX}{script}-v{version}.sh"


@lru_cache(maxsize=4096)  # the groups of a run share their scripts
def parse_location(location: str) -> AwsScript | None:
    """Take a script location apart; None when it is not one of an AWS-maintained script.

    Reads `s3://` and S3's https addresses of the same object, and whatever stands where the Region belongs,
    because in an unfinished configuration that may be a reference (`${var.region}`).
    """
    found = _bucket_and_key(location)
    if found is None:
        return None
    bucket, key = found
    if not (bucket.startswith(BUCKET_PREFIX) and key.startswith(KEY_PREFIX) and key.endswith(".sh")):
        return None
    name, mark, version = key[len(KEY_PREFIX) : -len(".sh")].rpartition("-v")
    region = bucket[len(BUCKET_PREFIX) :]
    if not (mark and name and version and region) or "/" in name:
        return None
    return AwsScript(name, region, version, _is_full_version(version))


def _is_full_version(version: str) -> bool:
    numbers = version.split(".")
    return len(numbers) == 3 and all(number.isascii() and number.isdigit() for number in numbers)


def _bucket_and_key(location: str) -> tuple[str, str] | None:
    scheme, mark, rest = location.partition("://")
    host, slash, key = rest.partition("/")
    if not (mark and slash):
        return None
    if scheme == "s3":
        return host, key
    if scheme != "https" or not host.endswith((".amazonaws.com", ".amazonaws.com.cn")):
        return None
    key = key.partition("?")[0].partition("#")[0]
    if host.startswith(("s3.", "s3-")):
        bucket, _, key = key.partition("/")
        return bucket, key
    bucket, dot, service = host.partition(".")
    return (bucket, key) if dot and service.startswith(("s3.", "s3-")) else None
