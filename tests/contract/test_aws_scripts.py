"""The scripts that AWS publishes: their flags, and how their locations are read."""

import re

import pytest

from pcs_contract import aws_scripts, shapes
from pcs_contract.aws_scripts import AwsScript

# Script -> required flags, then optional ones with their defaults.
FLAGS: dict[str, tuple[set[str], dict[str, str | None]]] = {
    "mount-efs": ({"--file-system-id", "--mount-point"}, {"--options": "tls,iam"}),
    "mount-fsx-lustre": (
        {"--fsx-dns-name", "--mount-name", "--mount-point"},
        {"--options": "noatime,flock"},
    ),
    "configure-efs-homes": ({"--efs-id"}, {"--home-base": "/home", "--options": "tls,iam"}),
    "configure-ldaps": ({"--ldap-uri", "--search-base"}, {"--secret-arn": None, "--tls-cacert": None}),
    "configure-cloudwatch-logs": (set(), {"--log-group-name": "/aws/pcs/${PCS_CLUSTER_ID}/lifecycle"}),
}

FOLDER = "aws-pcs-node-lifecycle-scripts"
HTTPS_KEY = f"{FOLDER}/mount-efs-v1.0.0.sh"
EFS = AwsScript("mount-efs", "us-east-1", "1.0.0", pinned=True)


def test_the_table_is_complete() -> None:
    assert {
        name: (
            {flag.name for flag in spec.flags if flag.required},
            {flag.name: flag.default for flag in spec.flags if not flag.required},
        )
        for name, spec in aws_scripts.SCRIPTS.items()
    } == FLAGS


@pytest.mark.parametrize(
    ("script", "flag", "kind"),
    [
        ("mount-efs", "--mount-point", "absolute-path"),
        ("mount-efs", "--file-system-id", "efs-id"),
        ("mount-fsx-lustre", "--mount-point", "absolute-path"),
        ("configure-efs-homes", "--efs-id", "efs-id"),
        ("configure-ldaps", "--ldap-uri", "ldap-uri"),
        ("configure-ldaps", "--secret-arn", "arn"),
        ("configure-cloudwatch-logs", "--log-group-name", "text"),
    ],
)
def test_what_a_flag_takes(script: str, flag: str, kind: str) -> None:
    assert {spec.name: spec.value for spec in aws_scripts.SCRIPTS[script].flags}[flag] == kind


def test_stages_exist() -> None:
    stages = set(shapes.shape("NodeLifecycleStages").members)
    assert {spec.stage for spec in aws_scripts.SCRIPTS.values()} <= stages


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (f"s3://aws-pcs-repo-us-east-1/{FOLDER}/mount-efs-v1.0.0.sh", EFS),
        (
            f"s3://aws-pcs-repo-eu-west-1/{FOLDER}/mount-fsx-lustre-v1-latest.sh",
            AwsScript("mount-fsx-lustre", "eu-west-1", "1-latest", pinned=False),
        ),
        (
            f"s3://aws-pcs-repo-us-gov-west-1/{FOLDER}/newer-script-v2.10.3.sh",
            AwsScript("newer-script", "us-gov-west-1", "2.10.3", pinned=True),
        ),
        (
            f"s3://aws-pcs-repo-${{var.region}}/{FOLDER}/mount-efs-v1.0.sh",
            AwsScript("mount-efs", "${var.region}", "1.0", pinned=False),
        ),
        (f"https://aws-pcs-repo-us-east-1.s3.us-east-1.amazonaws.com/{HTTPS_KEY}", EFS),
        (f"https://aws-pcs-repo-us-east-1.s3.amazonaws.com/{HTTPS_KEY}?versionId=x", EFS),
        (f"https://s3.us-east-1.amazonaws.com/aws-pcs-repo-us-east-1/{HTTPS_KEY}#x", EFS),
    ],
)
def test_locations_of_aws_scripts(location: str, expected: AwsScript) -> None:
    assert aws_scripts.parse_location(location) == expected


@pytest.mark.parametrize(
    "location",
    [
        "",
        "s3://",
        "s3://aws-pcs-repo-us-east-1",
        f"s3://aws-pcs-repo-/{FOLDER}/mount-efs-v1.0.0.sh",
        f"s3://hpc-scripts/{FOLDER}/mount-efs-v1.0.0.sh",
        f"s3://aws-pcs-repo-us-east-1/{FOLDER}/mount-efs.sh",
        f"s3://aws-pcs-repo-us-east-1/{FOLDER}/mount-efs-v1.0.0.sh.sha256",
        f"s3://aws-pcs-repo-us-east-1/{FOLDER}/old/mount-efs-v1.0.0.sh",
        "s3://aws-pcs-repo-us-east-1/other/mount-efs-v1.0.0.sh",
        f"http://aws-pcs-repo-us-east-1.s3.us-east-1.amazonaws.com/{HTTPS_KEY}",
        f"https://aws-pcs-repo-us-east-1.s3.us-east-1.amazonaws.com.example.com/{HTTPS_KEY}",
        f"https://aws-pcs-repo-us-east-1.ec2.amazonaws.com/{HTTPS_KEY}",
        f"https://example.com/{HTTPS_KEY}",
    ],
)
def test_other_locations(location: str) -> None:
    assert aws_scripts.parse_location(location) is None


@pytest.mark.parametrize("script", aws_scripts.SCRIPTS)
@pytest.mark.parametrize(("version", "pinned"), [("1.0.0", True), ("1-latest", False)])
def test_a_location_that_is_made_can_be_read_and_is_accepted(script: str, version: str, pinned: bool) -> None:
    made = aws_scripts.location(script, version, "us-east-1")
    assert aws_scripts.parse_location(made) == AwsScript(script, "us-east-1", version, pinned)
    pattern = shapes.group_field("nodeLifecycleActions.stages.nodeReady[].scriptSource.scriptLocation").pattern
    assert pattern is not None
    assert re.fullmatch(pattern, made)
