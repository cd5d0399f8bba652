"""S3, IAM, EC2 and STS behind the same port, and the rules that judge by what EC2 knows."""

import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from support.pcs import GROUP, SECURITY_GROUP, Lab, lab, refused

from pcs_bridge.endpoint import running
from pcs_bridge.endpoint.neighbours import Scope, scope_of

AMI = "ami-0123456789abcdef0"


@pytest.fixture(scope="module", name="shared")
def shared_fixture() -> Iterator[Lab]:
    """One for the module: moto takes a second to begin with EC2."""
    with lab() as made:
        yield made


class TestS3:
    def test_objects(self, shared: Lab) -> None:
        s3 = shared.client("s3")
        s3.create_bucket(Bucket="hpc-scripts")
        s3.put_bucket_versioning(Bucket="hpc-scripts", VersioningConfiguration={"Status": "Enabled"})
        for key in ("mount.sh", "a folder/ä+b%20c.sh", "dots/../x", "d//e"):
            made = s3.put_object(Bucket="hpc-scripts", Key=key, Body=b"#!/bin/sh\n", Metadata={"team_name": "hpc"})
            assert made["VersionId"]
            got = s3.get_object(Bucket="hpc-scripts", Key=key, VersionId=made["VersionId"])
            assert (got["Body"].read(), got["Metadata"]) == (b"#!/bin/sh\n", {"team_name": "hpc"})
            assert s3.head_object(Bucket="hpc-scripts", Key=key)["ContentLength"] == 10
        assert len(s3.list_objects_v2(Bucket="hpc-scripts")["Contents"]) == 4
        with pytest.raises(ClientError) as missing:
            s3.head_object(Bucket="hpc-scripts", Key="nothing")
        assert missing.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404

    def test_an_object_that_is_larger_than_any_pcs_request(self, shared: Lab) -> None:
        s3 = shared.client("s3")
        s3.create_bucket(Bucket="hpc-large")
        body = bytes(3 * 1024 * 1024)
        s3.put_object(Bucket="hpc-large", Key="x", Body=body)
        assert s3.get_object(Bucket="hpc-large", Key="x")["Body"].read() == body

    def test_presigned_and_unsigned(self, shared: Lab) -> None:
        s3 = shared.client("s3", signature_version="s3v4")
        s3.create_bucket(Bucket="hpc-public")
        s3.put_object(Bucket="hpc-public", Key="x", Body=b"hi", ACL="public-read")
        signed = s3.generate_presigned_url("get_object", {"Bucket": "hpc-public", "Key": "x"})
        for url in (signed, f"{shared.endpoint.url}/hpc-public/x"):
            with urllib.request.urlopen(url, timeout=30) as answer:
                assert answer.read() == b"hi"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{shared.endpoint.url}/hpc-public/y", timeout=30)


def test_sts_and_iam(shared: Lab) -> None:
    assert shared.client("sts").get_caller_identity()["Account"] == "123456789012"
    iam = shared.client("iam")
    iam.create_role(RoleName="AWSPCS-hpc", AssumeRolePolicyDocument="{}")
    iam.create_instance_profile(InstanceProfileName="AWSPCS-hpc")
    iam.add_role_to_instance_profile(InstanceProfileName="AWSPCS-hpc", RoleName="AWSPCS-hpc")
    profile = iam.get_instance_profile(InstanceProfileName="AWSPCS-hpc")["InstanceProfile"]
    assert profile["Arn"] == GROUP["iamInstanceProfileArn"]


def test_a_service_that_is_not_there(shared: Lab) -> None:
    with pytest.raises(ClientError) as raised:
        shared.client("account").get_contact_information()
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] >= 400


def test_state_is_gone_with_the_last_endpoint() -> None:
    # In a process of its own: other tests of this one have endpoints too.
    script = (
        "from pcs_bridge.endpoint import running\n"
        "with running() as one, running() as two:\n"
        "    one.client('s3').create_bucket(Bucket='hpc-scripts')\n"
        "    assert len(two.client('s3').list_buckets()['Buckets']) == 1\n"
        "with running() as three:\n"
        "    assert three.client('s3').list_buckets()['Buckets'] == []\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def types(*names: str) -> dict[str, Any]:
    return {"instanceConfigs": [{"instanceType": name} for name in names]}


# members of a create request, its launch template, fields that are refused; the names are those of `network`
RULES: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "plain", []),
    ({}, "lt-0000000000000000a", []),
    ({"subnetIds": ["there"]}, "plain", ["subnetIds[0]"]),
    ({"subnetIds": ["here", "subnet-0000000000000000a"]}, "plain", []),
    ({"securityGroupIds": ["group-there"]}, "plain", ["securityGroupIds[0]"]),
    ({"securityGroupIds": [SECURITY_GROUP]}, "interfaces", ["securityGroupIds"]),
    ({}, "interfaces", []),
    ({}, "no-ami", ["amiId"]),
    ({"amiId": AMI}, "no-ami", []),
    ({}, "pcs-0a1b2c-do-not-delete", ["customLaunchTemplate.id"]),
    (types("c6i.large", "c6g.large"), "plain", ["instanceConfigs[1].instanceType"]),
    (types("c6i.large", "m6i.large", "c6i.xlarge"), "plain", ["instanceConfigs[2].instanceType"]),
    (types("g5.xlarge", "c6i.xlarge"), "plain", ["instanceConfigs[1].instanceType"]),
    (types("c6i.large", "m6i.large"), "plain", []),
    (types("x99.large", "c6i.large"), "plain", []),
]


def network(shared: Lab) -> dict[str, str]:
    """Two networks, the cluster in one of them, and launch templates: their ids by name."""
    ec2 = shared.client("ec2")
    here, there = (ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"] for number in (1, 2))
    ids = {
        "here": ec2.create_subnet(VpcId=here, CidrBlock="10.1.1.0/24")["Subnet"]["SubnetId"],
        "there": ec2.create_subnet(VpcId=there, CidrBlock="10.2.1.0/24")["Subnet"]["SubnetId"],
        "group-there": ec2.create_security_group(VpcId=there, GroupName="a", Description="a")["GroupId"],
    }
    templates: dict[str, dict[str, Any]] = {
        "plain": {"ImageId": AMI},
        "interfaces": {"ImageId": AMI, "NetworkInterfaces": [{"DeviceIndex": 0}]},
        "no-ami": {"InstanceType": "c7i.large"},
        "pcs-0a1b2c-do-not-delete": {"ImageId": AMI},
    }
    for name, data in templates.items():
        made = ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
        ids[name] = made["LaunchTemplate"]["LaunchTemplateId"]
    shared.cluster(networking={"subnetIds": [ids["here"]], "securityGroupIds": [SECURITY_GROUP]})
    return ids


def test_rules_that_ask_ec2(shared: Lab) -> None:
    """One test: moto takes seconds to begin with EC2."""
    ids = network(shared)
    for members, template, fields in RULES:
        request: dict[str, Any] = {"subnetIds": ["here"], **members}
        for member in ("subnetIds", "securityGroupIds"):
            if member in request:
                request[member] = [ids.get(id, id) for id in request[member]]
        request["customLaunchTemplate"] = {"id": ids.get(template, template), "version": "1"}
        if fields:
            with refused("ValidationException", *fields):
                shared.group(**request)
            continue
        group = shared.group(**request)
        shared.pcs.delete_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier=group["id"])
        shared.settle()


def test_nothing_is_imported_before_it_is_needed() -> None:
    script = (
        "import sys\n"
        "from pcs_bridge.endpoint import running\n"
        "with running():\n"
        "    heavy = {'moto', 'boto3', 'botocore', 'werkzeug', 'flask', 'requests'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.parametrize(
    ("authorization", "target", "scope"),
    [
        (None, "/", None),
        ("", "/", None),
        ("Bearer x", "/", None),
        ("AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/pcs/aws4_request, x", "/", Scope("pcs", "us-east-1")),
        (
            "AWS4-HMAC-SHA256  SignedHeaders=a, Credential=AK/20260101/eu-west-1/s3/aws4_request",
            "/",
            Scope("s3", "eu-west-1"),
        ),
        ("AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/pcs/aws4", "/", None),
        ("AWS4-HMAC-SHA256 Credential=AK/20260101/evil.example.com#/pcs/aws4_request", "/", None),
        (None, "/b/k?X-Amz-Credential=AK%2F20260101%2Fus-east-1%2Fs3%2Faws4_request", Scope("s3", "us-east-1")),
    ],
)
def test_scopes(authorization: str | None, target: str, scope: Scope | None) -> None:
    assert scope_of(authorization, target) == scope


def test_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://192.0.2.1")
    with running() as endpoint:
        assert endpoint.client("pcs").list_clusters()["clusters"] == []
