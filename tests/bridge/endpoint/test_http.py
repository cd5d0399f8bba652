"""HTTP: what the service says of requests that are none, and what hostile ones can do, which is nothing."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError
from support.pcs import AUTHORIZATION, CLUSTER, GROUP, Lab, lab

from pcs_bridge.endpoint import errors, running
from pcs_bridge.endpoint.listener import LARGEST_NEIGHBOUR_REQUEST, is_loopback
from pcs_bridge.endpoint.protocol import LARGEST_REQUEST

TARGET = "AWSParallelComputingService.ListClusters"
HEADERS = {"X-Amz-Target": TARGET, "Content-Type": "application/x-amz-json-1.0", "Authorization": AUTHORIZATION}

MiB = 1024 * 1024


@pytest.fixture(scope="module", name="shared")
def shared_fixture() -> Iterator[Lab]:
    with lab() as made:
        yield made


# changes of the headers (None: without), body, status, error, reason
WRONG: list[tuple[dict[str, str | None], bytes, int, str, str | None]] = [
    ({"X-Amz-Target": None}, b"{}", 400, "ValidationException", "unknownOperation"),
    ({"X-Amz-Target": ""}, b"{}", 400, "ValidationException", "unknownOperation"),
    ({"X-Amz-Target": "ListClusters"}, b"{}", 400, "ValidationException", "unknownOperation"),
    ({"X-Amz-Target": f"{TARGET}s"}, b"{}", 400, "ValidationException", "unknownOperation"),
    ({"X-Amz-Target": "DynamoDB_20120810.ListTables"}, b"{}", 400, "ValidationException", "unknownOperation"),
    ({"Content-Type": None}, b"{}", 400, "ValidationException", "cannotParse"),
    ({"Content-Type": "application/json"}, b"{}", 400, "ValidationException", "cannotParse"),
    ({"Content-Type": "application/x-amz-json-1.1"}, b"{}", 400, "ValidationException", "cannotParse"),
    ({"Authorization": None}, b"{}", 403, "MissingAuthenticationTokenException", None),
    ({}, b"", 400, "ValidationException", "cannotParse"),
    ({}, b"{", 400, "ValidationException", "cannotParse"),
    ({}, b"{}}", 400, "ValidationException", "cannotParse"),
    ({}, b"[]", 400, "ValidationException", "cannotParse"),
    ({}, b'"x"', 400, "ValidationException", "cannotParse"),
    ({}, b"null", 400, "ValidationException", "cannotParse"),
    ({}, b'{"maxResults": NaN}', 400, "ValidationException", "cannotParse"),
    ({}, b'{"maxResults": Infinity}', 400, "ValidationException", "cannotParse"),
    ({}, b'{"maxResults": ' + b"9" * 5000 + b"}", 400, "ValidationException", "cannotParse"),
    ({}, b'{"nextToken": "\xff"}', 400, "ValidationException", "cannotParse"),
    ({}, b'{"nextToken": "\\ud800"}', 400, "ValidationException", "cannotParse"),
    ({}, b"\xef\xbb\xbf{}", 400, "ValidationException", "cannotParse"),
    ({}, b"[" * 200_000, 400, "ValidationException", "cannotParse"),
    ({}, b'{"a":' * 100_000, 400, "ValidationException", "cannotParse"),
    ({}, b" " * (MiB + 1), 413, "RequestEntityTooLargeException", None),
    ({}, b" " * (3 * MiB), 413, "RequestEntityTooLargeException", None),
]


@pytest.mark.parametrize(("changes", "body", "status", "error", "reason"), WRONG, ids=range(len(WRONG)))
def test_wrong_requests(
    shared: Lab, changes: dict[str, str | None], body: bytes, status: int, error: str, reason: str | None
) -> None:
    headers = {name: value for name, value in {**HEADERS, **changes}.items() if value is not None}
    answer = shared.http("POST", "/", headers, body)
    assert (answer.status, answer.json["__type"], answer.json.get("reason")) == (status, error, reason)
    assert answer.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert len(answer.headers["x-amzn-RequestId"]) == 36
    assert answer.json["message"]


def test_the_largest_request(shared: Lab) -> None:
    assert shared.http("POST", "/", HEADERS, b"{" + b" " * (LARGEST_REQUEST - 2) + b"}").status == 200


def test_a_content_type_with_parameters(shared: Lab) -> None:
    headers = {**HEADERS, "Content-Type": "Application/X-Amz-JSON-1.0; charset=utf-8"}
    assert shared.http("POST", "/", headers, b"{}").status == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
def test_other_methods(shared: Lab, method: str) -> None:
    assert shared.http(method, "/", HEADERS).status == 400


# what is sent, the beginning of the answer
HOSTILE: list[tuple[bytes, bytes]] = [
    (b"\r\n", b""),
    (b"nonsense\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET / HTTP/9.9\r\n\r\n", b"HTTP/1.1 505"),
    (b"BREW / HTTP/1.1\r\n\r\n", b"HTTP/1.1 501"),
    (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"HTTP/1.1 414"),
    (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", b"HTTP/1.1 431"),
    (b"GET / HTTP/1.1\r\n" + b"".join(b"X%d: 1\r\n" % n for n in range(200)) + b"\r\n", b"HTTP/1.1 431"),
    (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nContent-Length: 1_0\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", b"HTTP/1.1 400"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", b"HTTP/1.1 413"),
]


def connect(made: Lab) -> socket.socket:
    url = urlsplit(made.endpoint.url)
    return socket.create_connection((url.hostname, url.port), timeout=30)


def everything(connection: socket.socket) -> bytes:
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


@pytest.mark.parametrize(("sent", "answer"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_requests(shared: Lab, sent: bytes, answer: bytes) -> None:
    with connect(shared) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        found = everything(connection)
    assert found.startswith(answer)
    assert not found or b'"__type":"' in found
    assert shared.pcs.list_clusters()["clusters"] == []


def request_bytes(body: bytes, *headers: str) -> bytes:
    lines = ["POST / HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in HEADERS.items()), *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_a_connection_serves_many_requests(shared: Lab) -> None:
    with connect(shared) as connection:
        connection.sendall(request_bytes(b"{}", "Content-Length: 2") * 3)
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).count(b"HTTP/1.1 200 OK") == 3


def test_chunks(shared: Lab) -> None:
    chunks = b"1;x=y\r\n{\r\n01\r\n}\r\n0\r\nTrailer: x\r\n\r\n"
    with connect(shared) as connection:
        connection.sendall(request_bytes(chunks, "Transfer-Encoding: chunked") * 2)
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).count(b"HTTP/1.1 200 OK") == 2


def test_chunks_that_are_too_much_together(shared: Lab) -> None:
    chunk = b"80000\r\n" + b" " * 0x80000 + b"\r\n"
    with connect(shared) as connection:
        connection.sendall(request_bytes(chunk * 2 + b"1\r\n", "Transfer-Encoding: chunked"))
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(("length", "answer"), [(2, b"HTTP/1.1 100"), (MiB + 1, b"HTTP/1.1 413")])
def test_clients_that_ask_first(shared: Lab, length: int, answer: bytes) -> None:
    with connect(shared) as connection:
        connection.sendall(request_bytes(b"", f"Content-Length: {length}", "Expect: 100-continue"))
        assert connection.recv(65536).startswith(answer)


def test_a_body_that_never_comes(shared: Lab) -> None:
    with connect(shared) as connection:
        connection.sendall(request_bytes(b"{", "Content-Length: 2"))
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection) == b""


def test_too_much_for_the_neighbours_too(shared: Lab) -> None:
    with connect(shared) as connection:
        length = LARGEST_NEIGHBOUR_REQUEST + 1
        connection.sendall(b"PUT /b/k HTTP/1.1\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n" % length)
        assert connection.recv(65536).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_pcsguard/", 404),
        ("GET", "/_pcsguard/instances/x", 404),
        ("POST", "/_pcsguard/instances", 404),
        ("DELETE", "/_pcsguard/instances", 404),
        ("DELETE", "/_pcsguard/instances/%2e%2e%2f", 404),
        ("GET", "/_pcsguard/instances?x", 200),
    ],
)
def test_control(shared: Lab, method: str, path: str, status: int) -> None:
    assert shared.http(method, path).status == status


def test_a_defect_is_an_internal_error_without_details(capsys: pytest.CaptureFixture[str]) -> None:
    def defect(operation: str, parameters: Any) -> None:
        raise RuntimeError("a secret")

    with lab(before=defect) as made:
        answer = made.send("ListClusters", {})
    assert (answer.status, answer.json["__type"]) == (500, "InternalServerException")
    assert b"secret" not in answer.body
    said = capsys.readouterr().err
    assert said.startswith("pcsguard local: internal error: RuntimeError in test_http.py:")
    assert "secret" not in said


@pytest.mark.parametrize(
    ("error", "status", "members"),
    [
        (errors.throttled(7), 400, {"retryAfterSeconds": 7}),
        (errors.internal(), 500, {}),
        (errors.denied("no"), 400, {}),
        (errors.quota("no", "Cluster", "pcs_1"), 400, {"serviceCode": "pcs", "resourceId": "pcs_1"}),
    ],
    ids=lambda value: getattr(value, "code", None),
)
def test_errors_that_come_before_an_operation(error: errors.ServiceError, status: int, members: dict[str, Any]) -> None:
    def refuse(operation: str, parameters: Any) -> None:
        raise error

    with lab(before=refuse) as made, pytest.raises(ClientError) as raised:
        made.client().create_cluster(**CLUSTER)
    response: Any = raised.value.response
    assert response["Error"]["Code"] == error.code
    assert response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert {name: response[name] for name in members} == members


def test_the_log_has_no_contents() -> None:
    lines: list[str] = []
    with lab(log=lines.append) as made:
        made.cluster()
        group = made.group(nodeLifecycleActions={"stages": {}})
        secret = made.register(group)["sharedSecret"]
        made.send("GetCluster", {"clusterIdentifier": "hush"})
        made.http("POST", "/", {**HEADERS, "X-Amz-Target": "x\x1b[31m"}, b"{}")
    assert lines[0] == "pcs CreateCluster 200"
    assert "pcs RegisterComputeNodeGroupInstance 200" in lines
    assert "pcs GetCluster 400 ResourceNotFoundException" in lines
    assert not any(secret in line or "hush" in line or "hpc" in line or "\x1b" in line for line in lines)


class TestTogether:
    """Many clients at once."""

    def test_one_name_is_given_once(self, cluster: Lab) -> None:
        def create(_: int) -> bool:
            return cluster.send("CreateComputeNodeGroup", dict(GROUP)).status == HTTPStatus.OK

        with ThreadPoolExecutor(16) as pool:
            assert sum(pool.map(create, range(32))) == 1

    def test_no_update_is_lost(self, cluster: Lab) -> None:
        arn = cluster.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["arn"]

        def tag(number: int) -> int:
            return cluster.send("TagResource", {"resourceArn": arn, "tags": {f"k{number}": ""}}).status

        with ThreadPoolExecutor(16) as pool:
            assert set(pool.map(tag, range(100))) == {200}
        assert len(cluster.pcs.list_tags_for_resource(resourceArn=arn)["tags"]) == 100


def test_nothing_is_left() -> None:
    before = set(threading.enumerate())
    with running() as endpoint:
        url = urlsplit(endpoint.url)
        assert url.hostname == "127.0.0.1"
        # One that says nothing, one in the middle of a request, and one that was answered and stays.
        idle = socket.create_connection((url.hostname, url.port), timeout=30)
        half = socket.create_connection((url.hostname, url.port), timeout=30)
        half.sendall(request_bytes(b"{", "Content-Length: 2"))
        endpoint.client().list_clusters()
    for connection in (idle, half):
        with connection:
            assert connection.recv(1) == b""
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((url.hostname, url.port), timeout=30)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_over_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("there is no IPv6 here")
    with running(host="::1") as endpoint:
        assert endpoint.url.startswith("http://[::1]:")
        assert json.dumps(endpoint.client().list_clusters()["clusters"]) == "[]"
