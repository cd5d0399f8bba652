"""A way to an endpoint on which requests are throttled, fail, or are carried out without an answer."""

from __future__ import annotations

import http.client
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

REFUSALS = (
    (400, {"__type": "ThrottlingException", "message": "Too many requests.", "retryAfterSeconds": 0}),
    (500, {"__type": "InternalServerException", "message": "An internal error occurred."}),
)


@contextmanager
def unreliable(url: str, *, refused: float, lost: float, seed: int = 1) -> Iterator[str]:
    """The URL of a proxy for the endpoint at ``url`` that refuses this share of requests, and loses the answers of this
    share of the others.
    """
    dice, lock = random.Random(seed), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                refusal = dice.choice(REFUSALS) if dice.random() < refused else None
                is_lost = dice.random() < lost
            if refusal is not None:
                self._answer(refusal[0], json.dumps(refusal[1]).encode())
                return
            way = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
            try:
                way.request("POST", self.path, body, dict(self.headers.items()))
                answer = way.getresponse()
                content = answer.read()
            finally:
                way.close()
            if is_lost:
                self.close_connection = True
            else:
                self._answer(answer.status, content)

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
