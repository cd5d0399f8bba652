"""A run task of HCP Terraform: checks the plan of each run with pcsguard, between plan and apply.

HCP Terraform posts to a URL of yours when a run has planned; this is the service behind that URL. It needs Python and
pcsguard, nothing else:

    RUN_TASK_KEY=...  the HMAC key that the run task is created with; requests without its signature are refused
    HCP_TERRAFORM     the only place that plans are read from and results sent to (default: https://app.terraform.io)
    PORT, HOST        where to listen (default: 8080 on 127.0.0.1: put a proxy that speaks TLS before it)

pcsguard reads its own configuration in the folder that this is started in. A plan is never written to disk.

The protocol: developer.hashicorp.com, "Run tasks integration API".
"""

import hashlib
import hmac
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

LIMIT = 1_000_000
"""Bytes of a request; those of HCP Terraform have some thousand."""

PATIENCE = 300
"""Seconds for the check of a plan; HCP Terraform waits ten minutes for a word."""

OUTCOMES = {0: "nothing fails", 1: "findings", 3: "not everything could be checked"}


class RunTask(BaseHTTPRequestHandler):
    """Answers at once, as HCP Terraform expects, and sends the result when there is one."""

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LIMIT:
            self._answer(413)
            return
        body = self.rfile.read(int(length))
        signature = hmac.new(os.environ["RUN_TASK_KEY"].encode(), body, hashlib.sha512).hexdigest()
        if not hmac.compare_digest(signature.encode(), self.headers.get("X-TFC-Task-Signature", "").encode()):
            self._answer(401)
            return
        try:
            run = json.loads(body)
            wanted = run["stage"] in ("post_plan", "pre_apply") and _ours(run["plan_json_api_url"])
            wanted = wanted and _ours(run["task_result_callback_url"]) and isinstance(run["access_token"], str)
        except (ValueError, KeyError, TypeError, AttributeError):
            wanted = False  # as in the request that only asks whether somebody is there
        self._answer(200)
        if wanted:
            Thread(target=_handle, args=(run,)).start()

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def _ours(url: str) -> bool:
    """Whether a URL is one of HCP Terraform: nobody else gets a token."""
    return url.startswith(os.environ.get("HCP_TERRAFORM", "https://app.terraform.io").rstrip("/") + "/")


def _handle(run: dict[str, Any]) -> None:
    try:
        status, message, body = check(_call(run["plan_json_api_url"], run["access_token"]))
    except Exception as error:  # what could not be checked has failed, and the run is told
        status, message, body = "failed", f"pcsguard: the plan could not be checked ({type(error).__name__})", ""
    outcome = {"outcome-id": "pcsguard", "description": message, "body": body}
    result = {
        "type": "task-results",
        "attributes": {"status": status, "message": message},
        "relationships": {"outcomes": {"data": [{"type": "task-result-outcomes", "attributes": outcome}]}},
    }
    _call(run["task_result_callback_url"], run["access_token"], json.dumps({"data": result}).encode())


def _call(url: str, token: str, body: bytes | None = None) -> bytes:
    """Read a URL, or send a result to it."""
    request = Request(url, body, {"Content-Type": "application/vnd.api+json"}, method="PATCH" if body else "GET")
    # Plans are redirected to a store, whose URL is a credential by itself: the token stays here.
    request.add_unredirected_header("Authorization", f"Bearer {token}")
    with urlopen(request, timeout=60) as response:
        answer: bytes = response.read()
    return answer


def check(plan: bytes) -> tuple[str, str, str]:
    """Status, a line, and Markdown for the page of the run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.md")
        command = ["pcsguard", "check", "--no-exec", "--format", f"markdown={report}", "-"]
        done = subprocess.run(command, input=plan, stdout=sys.stderr, timeout=PATIENCE, check=False)
        body = report.read_text(encoding="utf-8") if report.exists() else ""
    message = f"pcsguard: {OUTCOMES.get(done.returncode, 'it could not run; see its log')}"
    return ("failed" if done.returncode else "passed"), message, body


def main() -> int:
    if not os.environ.get("RUN_TASK_KEY"):
        print("RUN_TASK_KEY is not set: without it anybody could send requests", file=sys.stderr)
        return 2
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
    with ThreadingHTTPServer(address, RunTask) as server:
        print(f"listening on {server.server_address[0]!s}:{server.server_address[1]}", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
