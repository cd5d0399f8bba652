"""A local PCS endpoint for tests: requests that are right, a clock to turn, and a check of every response."""

from __future__ import annotations

import datetime
import http.client
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from botocore.config import Config
from botocore.exceptions import ClientError

from pcs_bridge.endpoint import Delays, Endpoint, ManualClock, running
from pcs_bridge.endpoint.ec2 import InstanceType
from pcs_contract.shapes import Shape, contract, operation

SUBNET = "subnet-0123456789abcdef0"
SECURITY_GROUP = "sg-0123456789abcdef0"
TEMPLATE = {"id": "lt-0123456789abcdef0", "version": "1"}
PROFILE = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"
CHECKSUM = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

SCRIPT = {"name": "mount", "scriptSource": {"scriptLocation": "s3://hpc-scripts/mount.sh"}}
ACTIONS = {"stages": {"nodeBootstrapped": [SCRIPT], "nodeReady": [{**SCRIPT, "name": "motd", "onError": "CONTINUE"}]}}

CLUSTER: Mapping[str, Any] = {
    "clusterName": "hpc",
    "scheduler": {"type": "SLURM", "version": "26.05"},
    "size": "SMALL",
    "networking": {"subnetIds": [SUBNET], "securityGroupIds": [SECURITY_GROUP]},
}
GROUP: Mapping[str, Any] = {
    "clusterIdentifier": "hpc",
    "computeNodeGroupName": "workers",
    "subnetIds": [SUBNET],
    "iamInstanceProfileArn": PROFILE,
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "instanceConfigs": [{"instanceType": "g5.xlarge"}],
    "customLaunchTemplate": TEMPLATE,
}


class KnowsNothing:
    """An EC2 in which nobody has made anything."""

    def vpc_of_subnet(self, region: str, id: str) -> str | None:
        return None

    def vpc_of_security_group(self, region: str, id: str) -> str | None:
        return None

    def launch_template(self, region: str, id: str, version: str) -> Mapping[str, Any] | None:
        return None

    def instance_type(self, name: str) -> InstanceType | None:
        return None


STEP = 60.0
"""Seconds that operations take in a lab."""


class Raw(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Lab:
    """An endpoint whose time stands still. Clients check nothing themselves and never try again."""

    def __init__(self, endpoint: Endpoint, clock: ManualClock) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.seen: set[str] = set()
        """Members that responses had, as `shape.member`."""
        self.pcs = self.client()

    def client(self, service: str = "pcs", region: str = "us-east-1", **options: Any) -> Any:
        config = Config(parameter_validation=False, retries={"total_max_attempts": 1}, **options)
        client = self.endpoint.client(service, region, config=config)
        client.meta.events.register("before-parse.pcs", self._check_response)
        return client

    def settle(self) -> None:
        """Let everything under way come to its end."""
        self.clock.advance(STEP)

    def cluster(self, **changes: Any) -> Any:
        """A cluster that is ACTIVE."""
        name = self.pcs.create_cluster(**{**CLUSTER, **changes})["cluster"]["name"]
        self.settle()
        return self.pcs.get_cluster(clusterIdentifier=name)["cluster"]

    def group(self, **changes: Any) -> Any:
        """A group of the cluster that is ACTIVE."""
        request = {name: value for name, value in {**GROUP, **changes}.items() if value is not None}
        group = self.pcs.create_compute_node_group(**request)["computeNodeGroup"]
        self.settle()
        return self.get_group(group["id"])

    def get_group(self, identifier: str = "workers", cluster: str = "hpc") -> Any:
        """The group as it is now."""
        return self.pcs.get_compute_node_group(clusterIdentifier=cluster, computeNodeGroupIdentifier=identifier)[
            "computeNodeGroup"
        ]

    def update_group(self, **changes: Any) -> Any:
        """The group after an update that has come to its end."""
        request = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "workers", **changes}
        self.pcs.update_compute_node_group(**request)
        self.settle()
        return self.get_group(request["computeNodeGroupIdentifier"])

    def queue(self, *groups: str, name: str = "batch") -> Any:
        """A queue that is ACTIVE."""
        configurations = [{"computeNodeGroupId": group} for group in groups]
        self.pcs.create_queue(clusterIdentifier="hpc", queueName=name, computeNodeGroupConfigurations=configurations)
        self.settle()
        return self.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier=name)["queue"]

    def register(self, group: Mapping[str, Any], instance: str = "i-1") -> Any:
        return self.pcs.register_compute_node_group_instance(
            clusterIdentifier="hpc", bootstrapId=f"{group['id']}/{instance}"
        )

    def send(self, operation_name: str, parameters: Any) -> Raw:
        """A request as JSON, just as it is given."""
        headers = {
            "X-Amz-Target": f"AWSParallelComputingService.{operation_name}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": AUTHORIZATION,
        }
        return self.http("POST", "/", headers, json.dumps(parameters).encode())

    def http(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> Raw:
        """Any request."""
        connection = http.client.HTTPConnection(urlsplit(self.endpoint.url).netloc, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return Raw(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def _check_response(self, operation_model: Any, response_dict: Any, **_: Any) -> None:
        body = json.loads(response_dict["body"])
        assert response_dict["headers"]["x-amzn-requestid"]
        if response_dict["status_code"] == 200:
            check_shape(operation(operation_model.name).output, body, operation_model.name, self.seen)
        else:
            code = body.pop("__type").rpartition("#")[2]
            if code in contract()["shapes"]:
                check_shape(operation_error(operation_model.name, code), body, code, self.seen)


AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/pcs/aws4_request, "
    "SignedHeaders=host, Signature=0"
)


@contextmanager
def lab(switches: Mapping[str, str] | None = None, **options: Any) -> Iterator[Lab]:
    """A lab with the defaults of the switches, except that a queue may be without groups: few tests need any."""
    chosen = {"empty-queue": "accepted", **(switches or {})}
    clock = ManualClock()
    with running(clock=clock, delays=Delays(STEP, STEP, STEP), switches=chosen, **options) as endpoint:
        yield Lab(endpoint, clock)


COMMON_ERRORS = {"ValidationException", "InternalServerException", "ThrottlingException"}


def operation_error(name: str, code: str) -> Shape:
    """The shape of an error, which the operation must have declared, unless it is one of AWS's common errors."""
    from pcs_contract.shapes import shape

    declared = {error.name for error in operation(name).errors} | COMMON_ERRORS
    assert code in declared, f"{name} does not declare {code}"
    return shape(code)


def check_shape(shape: Shape, value: Any, where: str, seen: set[str]) -> None:
    """Fail unless `value`, out of a response, is just what the model says."""
    if shape.type == "structure":
        assert isinstance(value, dict), where
        assert set(value) <= set(shape.members), f"{where}: {set(value) - set(shape.members)} unknown"
        assert shape.required <= set(value), f"{where}: {shape.required - set(value)} missing"
        for name, member in value.items():
            seen.add(f"{shape.name}.{name}")
            check_shape(shape.members[name], member, f"{where}.{name}", seen)
    elif shape.type == "list":
        assert isinstance(value, list), where
        assert shape.item is not None
        _check_bounds(shape, len(value), where)
        for item in value:
            check_shape(shape.item, item, f"{where}[]", seen)
    elif shape.type == "map":
        assert isinstance(value, dict), where
        assert shape.item is not None
        for key, item in value.items():
            assert isinstance(key, str), where
            check_shape(shape.item, item, f"{where}.{key}", seen)
    elif shape.type == "integer":
        assert type(value) is int, where
        _check_bounds(shape, value, where)
    else:
        assert isinstance(value, str), where
        if shape.type == "timestamp":
            datetime.datetime.fromisoformat(value)
        assert not shape.enum or value in shape.enum, f"{where}: {value}"
        assert shape.pattern is None or re.fullmatch(shape.pattern, value, re.ASCII), f"{where}: {value}"
        if shape.type == "string":
            _check_bounds(shape, len(value), where)


def _check_bounds(shape: Shape, size: int, where: str) -> None:
    assert shape.min is None or size >= shape.min, where
    assert shape.max is None or size <= shape.max, where


@contextmanager
def refused(code: str, *fields: str) -> Iterator[dict[str, Any]]:
    """Expect an error with this code, and with these fields in its list. Its members are there when it is over."""
    members: dict[str, Any] = {}
    try:
        yield members
    except ClientError as error:
        response: Any = error.response
        assert response["Error"]["Code"] == code, response["Error"]
        found = [field["name"] for field in response.get("fieldList", ())]
        assert sorted(found) == sorted(fields), response["Error"]["Message"]
        if fields:
            assert response["reason"] == "fieldValidationFailed"
        members.update(response)
    else:
        raise AssertionError(f"nothing was refused; expected {code}")


def replaced(request: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of a request with another value at a path such as `a.b[0].c`; `...` removes the member."""
    copied: dict[str, Any] = json.loads(json.dumps(request))  # deepcopy would keep parts that are in it twice as one
    *way, last = [int(part) if part.isdecimal() else part for part in re.findall(r"[^.\[\]]+", path)]
    here: Any = copied
    for part in way:
        here = here.setdefault(part, {}) if isinstance(here, dict) else here[part]
    if value is ...:
        del here[last]
    elif isinstance(here, list):
        here[last:] = [value]
    else:
        here[last] = value
    return copied
