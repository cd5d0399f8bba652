"""Which script locations the API's own pattern accepts, matched against the whole value."""

import re

import pytest

from pcs_contract import shapes

LOCATION = "nodeLifecycleActions.stages.nodeBootstrapped[].scriptSource.scriptLocation"


def accepted(location: str) -> bool:
    pattern = shapes.group_field(LOCATION).pattern
    assert pattern is not None
    return re.fullmatch(pattern, location, re.ASCII) is not None


@pytest.mark.parametrize(
    "location",
    [
        "s3://abc/k",
        "s3://abc/k with space",
        "s3://abc/k?versionId=1",
        "https://example.com",
        "https://example.com:8443/a?b#c",
        "https://example.com/x.sh?X-Amz-Signature=0",
    ],
)
def test_accepted(location: str) -> None:
    assert accepted(location)


@pytest.mark.parametrize(
    "location",
    [
        "s3://ab/k",
        "s3://abc/",
        "s3://Abc/k",
        "s3://my_bucket/k",
        "s3://arn:aws:s3:us-east-1:123456789012:accesspoint/hpc/object/k",
        "https://localhost/x",
        "https://10.0.0.1/x",
        "https://[2001:db8::1]/x",
        "https://single/x",
        "https://user:pw@example.com/x",
        "https://example.com/a b",
        "https://example.xn--p1ai/x",
        "https://example.123/x",
        "http://example.com/x",
        "HTTPS://example.com/x",
        "ftp://example.com/x",
        "",
    ],
)
def test_refused(location: str) -> None:
    assert not accepted(location)
