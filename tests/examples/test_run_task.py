"""The run task, as a process of its own, beside a stand-in of HCP Terraform: real HTTP, real plans."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from support.pcsguard_cli import COMMAND

ROOT = Path(__file__).resolve().parents[2]
PLANS = ROOT / "examples" / "plans"
KEY, TOKEN = "example-key", "example-token"


class Hcp(ThreadingHTTPServer):
    """What of HCP Terraform a run task meets: plans, behind a redirection to a store, and results."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str | None]] = []
        self.results: Queue[dict[str, Any]] = Queue()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Hcp

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        if self.path.startswith("/plans/"):
            self.send_response(307)
            self.send_header("Location", f"{self.server.url}/store/{self.path.removeprefix('/plans/')}")
            self.end_headers()
            return
        file = PLANS / f"{self.path.removeprefix('/store/')}.json"
        self.send_response(200 if file.is_file() else 404)
        self.end_headers()
        if file.is_file():
            self.wfile.write(file.read_bytes())

    def do_PATCH(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.server.results.put(json.loads(body)["data"])

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


class Service(NamedTuple):
    hcp: Hcp
    url: str

    def post(self, body: bytes, signature: str | None = None) -> int:
        signed = hmac.new(KEY.encode(), body, hashlib.sha512).hexdigest() if signature is None else signature
        request = Request(self.url, body, {"X-TFC-Task-Signature": signed})
        try:
            with urlopen(request, timeout=30) as response:
                return int(response.status)
        except HTTPError as error:
            error.close()
            return error.code

    def run(self, **members: Any) -> bytes:
        """The request of a run (developer.hashicorp.com, "Run tasks integration API")."""
        run = {
            "payload_version": 1,
            "stage": "post_plan",
            "access_token": TOKEN,
            "plan_json_api_url": f"{self.hcp.url}/plans/bad",
            "task_result_callback_url": f"{self.hcp.url}/callback",
        }
        return json.dumps({**run, **members}).encode()

    def result(self) -> dict[str, Any]:
        return self.hcp.results.get(timeout=60)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Hcp() as hcp:
        Thread(target=hcp.serve_forever).start()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PCSGUARD_")}
        more = {"RUN_TASK_KEY": KEY, "HCP_TERRAFORM": hcp.url, "PORT": "0", "PCSGUARD_IGNORE": "PCS104"}
        path = f"{COMMAND.parent}:{os.environ['PATH']}"
        with subprocess.Popen(
            [sys.executable, ROOT / "examples" / "ci" / "run_task.py"],
            env={**clean, **more, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            try:
                assert process.stdout
                yield Service(hcp, f"http://{process.stdout.readline().removeprefix('listening on ').strip()}")
            finally:
                process.terminate()
                hcp.shutdown()


@pytest.mark.parametrize(
    ("plan", "status", "message"),
    [
        ("good", "passed", "pcsguard: nothing fails"),
        ("bad", "failed", "pcsguard: findings"),
        ("missing", "failed", "pcsguard: the plan could not be checked (HTTPError)"),
    ],
)
def test_a_run_gets_its_result(service: Service, plan: str, status: str, message: str) -> None:
    service.hcp.seen.clear()
    assert service.post(service.run(plan_json_api_url=f"{service.hcp.url}/plans/{plan}")) == 200
    result = service.result()
    assert result["attributes"] == {"status": status, "message": message}
    (outcome,) = result["relationships"]["outcomes"]["data"]
    assert ("PCS201 no-terminate-on-ready" in outcome["attributes"]["body"]) is (plan == "bad")
    token = f"Bearer {TOKEN}"
    assert service.hcp.seen == [(f"/plans/{plan}", token), (f"/store/{plan}", None), ("/callback", token)]


@pytest.mark.parametrize(
    ("members", "signature", "status"),
    [
        ({}, "", 401),
        ({}, "0" * 128, 401),
        ({}, "ü", 401),
        ({"stage": "pre_plan"}, None, 200),
        ({"plan_json_api_url": "https://app.example.com/plans/bad"}, None, 200),
        ({"task_result_callback_url": None}, None, 200),
        ({"plan_json_api_url": "file:///etc/hostname"}, None, 200),
    ],
    ids=["unsigned", "wrong-key", "no-hex", "before-the-plan", "elsewhere", "nowhere-to-answer", "a-file"],
)
def test_what_is_not_acted_on(service: Service, members: dict[str, Any], signature: str | None, status: int) -> None:
    service.hcp.seen.clear()
    assert service.post(service.run(**members), signature) == status
    # A run behind it: were anything to come of the first one, it would be there by then.
    assert service.post(service.run(plan_json_api_url=f"{service.hcp.url}/plans/good")) == 200
    assert service.result()["attributes"]["status"] == "passed"
    with pytest.raises(Empty):
        service.hcp.results.get_nowait()
    assert len(service.hcp.seen) == 3


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"null", b"\xff", b'{"stage": "post_plan"}'])
def test_a_request_that_is_none(service: Service, body: bytes) -> None:
    assert service.post(body) == 200


def test_it_does_not_start_without_a_key() -> None:
    env = {name: value for name, value in os.environ.items() if name != "RUN_TASK_KEY"}
    command = [sys.executable, str(ROOT / "examples" / "ci" / "run_task.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "RUN_TASK_KEY is not set: without it anybody could send requests\n",
    )
