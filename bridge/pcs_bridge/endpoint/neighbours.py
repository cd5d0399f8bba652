"""S3, IAM, EC2, STS and whatever else moto plays, in this process and behind the same port.

moto has no server here and needs none: `BotocoreStubber`, through which `mock_aws` answers boto3, takes any prepared
request for an AWS address and returns status, headers and body. So a request that came in on our port is given the
address that it would have had without `AWS_ENDPOINT_URL`, and handed over. That needs neither flask nor a second port.

moto keeps its state per process: endpoints of one process share it, and it is emptied when the last of them stops.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from pcs_bridge.endpoint.ec2 import InstanceType
from pcs_bridge.endpoint.sessions import client
from pcs_contract.record import Record

DEFAULT_REGION: Final = "us-east-1"

_SCOPE: Final = re.compile(r"[^/]+/[0-9]{8}/(?P<region>[a-z0-9-]{1,40})/(?P<service>[a-z0-9-]{1,40})/aws4_request")
_CREDENTIAL: Final = re.compile(r"^AWS4-HMAC-SHA256\s+.*?Credential=(?P<scope>[^,\s]+)", re.ASCII)

_NO_REGION: Final = frozenset({"iam", "cloudfront", "route53", "budgets", "organizations"})
"""Services with one address for all Regions."""


class Scope(Record):
    """What a request is signed for (SigV4's credential scope)."""

    service: str
    region: str


class Reply(Record):
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def scope_of(authorization: str | None, target: str) -> Scope | None:
    """What a request is signed for, by its header or, for a presigned URL, by its query. No signature is verified."""
    match = _CREDENTIAL.match(authorization or "")
    if match is not None:
        credential = match["scope"]
    else:
        query = parse_qs(urlsplit(target).query)
        credential = query.get("X-Amz-Credential", [""])[0]
    scope = _SCOPE.fullmatch(credential)
    return None if scope is None else Scope(scope["service"], scope["region"])


class Neighbours:
    """Hands requests to moto, one at a time, since moto is not made for threads."""

    def __init__(self) -> None:
        self.used_services: Final[set[str]] = set()

    def __enter__(self) -> Neighbours:
        _moto.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        _moto.release()

    def handle(
        self, scope: Scope | None, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes
    ) -> Reply:
        """Answer a request for another service than PCS; unsigned ones are S3's, which has public objects.

        `target` is the path and query of the request line.
        """
        service, region = scope or Scope("s3", DEFAULT_REGION)
        self.used_services.add(service)
        try:
            return _moto.process(method, f"https://{_host(service, region)}{target}", headers, body)
        except Exception as defect:  # of moto, or a package that this service of moto's needs and nobody installed
            return Reply(500, {}, f"moto failed: {type(defect).__name__}".encode())


def _host(service: str, region: str) -> str:
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{service}.{suffix}" if service in _NO_REGION else f"{service}.{region}.{suffix}"


class _Moto:
    """moto, imported when it is first needed: that takes half a second, and EC2 one more."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._users = 0
        self._stubber: Any = None

    def acquire(self) -> None:
        with self._lock:
            self._users += 1

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._stubber is not None:
                from moto.core.base_backend import BackendDict

                BackendDict.reset()

    def process(self, method: str, url: str, headers: Iterable[tuple[str, str]], body: bytes) -> Reply:
        with self._lock:
            if self._stubber is None:
                from moto.core.botocore_stubber import BotocoreStubber

                self._stubber = BotocoreStubber()
            from botocore.awsrequest import AWSPreparedRequest
            from botocore.compat import HTTPHeaders

            prepared = HTTPHeaders()
            for name, value in headers:
                # The Host is part of the address by now.
                if name.lower() != "host":
                    prepared[name] = value
            answer = self._stubber.process_request(AWSPreparedRequest(method, url, prepared, body, False))
        if answer is None:
            return Reply(501, {}, b"moto does not know this service")
        status, reply_headers, content = answer
        raw = content.encode() if isinstance(content, str) else bytes(content or b"")
        return Reply(int(status), {str(name): str(value) for name, value in dict(reply_headers).items()}, raw)


_moto: Final = _Moto()


class MotoEc2:
    """Asks moto's EC2 in its own language, with a client whose requests never leave the process.

    Nothing is asked before somebody has called EC2 through this endpoint: what was not made cannot be known. Instance
    types are the exception, which moto knows from the start.
    """

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours: Final = neighbours
        self._clients: Final[dict[str, Any]] = {}
        self._types: Final[dict[str, InstanceType | None]] = {}

    def vpc_of_subnet(self, region: str, id: str) -> str | None:
        found = self._ask(region, lambda ec2: ec2.describe_subnets(SubnetIds=[id])["Subnets"])
        return found[0]["VpcId"] if found else None

    def vpc_of_security_group(self, region: str, id: str) -> str | None:
        found = self._ask(region, lambda ec2: ec2.describe_security_groups(GroupIds=[id])["SecurityGroups"])
        return found[0]["VpcId"] if found else None

    def launch_template(self, region: str, id: str, version: str) -> Mapping[str, Any] | None:
        found = self._ask(
            region,
            lambda ec2: ec2.describe_launch_template_versions(LaunchTemplateId=id, Versions=[version])[
                "LaunchTemplateVersions"
            ],
        )
        return {"name": found[0]["LaunchTemplateName"], "data": found[0]["LaunchTemplateData"]} if found else None

    def instance_type(self, name: str) -> InstanceType | None:
        if name not in self._types:
            found = self._asked(
                DEFAULT_REGION, lambda ec2: ec2.describe_instance_types(InstanceTypes=[name])["InstanceTypes"]
            )
            self._types[name] = _instance_type(found[0]) if found else None
        return self._types[name]

    def _ask(self, region: str, question: Callable[[Any], Any]) -> Any:
        return self._asked(region, question) if "ec2" in self._neighbours.used_services else None

    def _asked(self, region: str, question: Callable[[Any], Any]) -> Any:
        from botocore.exceptions import ClientError

        if region not in self._clients:
            self._clients[region] = _inner_client(region)
        try:
            return question(self._clients[region])
        except ClientError:  # there is no such thing
            return None


def _instance_type(facts: Mapping[str, Any]) -> InstanceType:
    return InstanceType(
        frozenset(facts["ProcessorInfo"]["SupportedArchitectures"]),
        facts["VCpuInfo"]["DefaultVCpus"],
        sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", ())),
    )


def _inner_client(region: str) -> Any:
    from botocore.awsrequest import AWSResponse
    from botocore.compat import HTTPHeaders

    made = client("ec2", region, f"https://{_host('ec2', region)}", {})

    def answer(request: Any, **_: Any) -> Any:
        reply = _moto.process(request.method, request.url, list(request.headers.items()), request.body or b"")
        headers = HTTPHeaders.from_dict(dict(reply.headers))
        return AWSResponse(request.url, reply.status, headers, _Raw(reply.body))

    made.meta.events.register("before-send.ec2", answer)
    return made


class _Raw(io.BytesIO):
    """A body as botocore reads it."""

    def stream(self, **_: Any) -> Iterable[bytes]:
        yield self.read()
