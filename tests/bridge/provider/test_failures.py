"""What is tried again, and what the user is told of what is not."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
    SSLError,
)

from pcs_bridge.plugin.paths import Key, Path
from pcs_bridge.provider import failures, places
from pcs_bridge.provider.failures import Again
from pcs_bridge.provider.kinds import NODE_GROUP

URL = "https://pcs.example.com"


def refusal(code: str, status: int = 400, **members: Any) -> ClientError:
    metadata = {"HTTPStatusCode": status, "RequestId": "r-1"}
    response: Any = {"Error": {"Code": code, "Message": "It is so."}, "ResponseMetadata": metadata, **members}
    return ClientError(response, "CreateComputeNodeGroup")


AGAIN: list[tuple[str, ClientError | BotoCoreError, Again, float]] = [
    ("throttled", refusal("ThrottlingException", retryAfterSeconds=7), Again.LATER, 7),
    ("throttled by number", refusal("SomethingNew", 429), Again.LATER, 0),
    ("a fault", refusal("InternalServerException", 500), Again.LATER, 0),
    ("unavailable", refusal("ServiceUnavailable", 503), Again.LATER, 0),
    ("invalid", refusal("ValidationException"), Again.NEVER, 0),
    ("forbidden", refusal("AccessDeniedException", 403), Again.NEVER, 0),
    ("a conflict, which waits elsewhere", refusal("ConflictException", 409), Again.NEVER, 0),
    ("a lost answer", ConnectionClosedError(endpoint_url=URL), Again.LATER, 0),
    ("a late answer", ReadTimeoutError(endpoint_url=URL), Again.LATER, 0),
    ("nobody there", EndpointConnectionError(endpoint_url=URL), Again.HARDLY, 0),
    ("no trust", SSLError(endpoint_url=URL, error=ValueError("x")), Again.NEVER, 0),
    ("no credentials", NoCredentialsError(), Again.NEVER, 0),
]


@pytest.mark.parametrize(("failure", "again", "after"), [row[1:] for row in AGAIN], ids=[row[0] for row in AGAIN])
def test_again(failure: ClientError | BotoCoreError, again: Again, after: float) -> None:
    problem = failures.classified(failure)
    assert (problem.again, problem.retry_after) == (again, after)


SCRIPT = ("node_lifecycle_actions", "stages", "node_ready", 0)

PLACES: dict[str, Path] = {
    "amiId": ("ami_id",),
    "clusterIdentifier": ("cluster_id",),
    "computeNodeGroupName": ("name",),
    "customLaunchTemplate.id": ("custom_launch_template", "template_id"),
    "nodeLifecycleActions.stages.nodeReady[0].scriptSource.checksum": (*SCRIPT, "script_source", "checksum"),
    "nodeLifecycleActions.stages.nodeReady[0].arguments[12]": (*SCRIPT, "arguments", 12),
    "subnetIds[1]": ("subnet_ids", 1),
    "tags.a.b": ("tags", Key("a.b")),
    "slurmConfiguration.gresCustomSettings[0].name": ("slurm_configuration", "gres_custom_settings", 0, Key("name")),
    # What has another form than documented still leads as far as it is understood.
    "nodeLifecycleActions.stages.nodeReady[x].name": SCRIPT[:3],
    "nodeLifecycleActions.unheard[0].name": ("node_lifecycle_actions",),
    "subnetIds[1][2]": ("subnet_ids", 1),
    "nodeLifecycleActions..stages": ("node_lifecycle_actions",),
    "clientToken": (),
    "/amiId": (),
    "": (),
    "[0]": (),
}


@pytest.mark.parametrize("path", PLACES, ids=lambda path: path or "(empty)")
def test_places(path: str) -> None:
    assert places.attribute(NODE_GROUP, path) == PLACES[path]


def told(failure: ClientError | BotoCoreError) -> list[tuple[str, str]]:
    return [(one.summary, one.text) for one in failures.refused(failure, NODE_GROUP, "create")]


def test_fields_are_told_at_their_attributes() -> None:
    fields = [{"name": "amiId", "message": "is wrong"}, {"name": "clientToken", "message": "is old"}]
    summary = "AWS PCS refused to create the compute node group (ValidationException)"
    assert told(refusal("ValidationException", fieldList=fields)) == [
        (summary, "ami_id: is wrong (request r-1)"),
        (summary, "clientToken: is old (request r-1)"),
    ]


def test_what_has_no_field_is_told_with_a_hint() -> None:
    ((summary, text),) = told(refusal("AccessDeniedException", 403))
    assert summary == "AWS PCS refused to create the compute node group (AccessDeniedException)"
    assert text == "It is so. (request r-1) The credentials lack a permission, or a policy denies it."


def test_what_looks_like_a_credential_is_not_told() -> None:
    ((_, text),) = told(EndpointConnectionError(endpoint_url="https://user:example-secret-value@pcs.example.com/"))
    assert "example-secret-value" not in text
    assert "@pcs.example.com" in text
    failed = {
        "status": "CREATE_FAILED",
        "errorInfo": [{"code": "X", "message": "no https://a:example-secret-value@b/"}],
    }
    assert "example-secret-value" not in failures.ended_badly(NODE_GROUP, "create", failed, {}).text


def test_what_never_reached_aws_is_told_with_where_to_look() -> None:
    ((summary, text),) = told(NoCredentialsError())
    assert summary == "AWS PCS could not be asked to create the compute node group"
    assert text.startswith("Unable to locate credentials. Look at the Region, the credentials and the endpoint")
