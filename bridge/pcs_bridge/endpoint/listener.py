"""HTTP/1.1 for the service and its neighbours: one thread for each connection, bounded bodies, and a clean end."""

from __future__ import annotations

import ipaddress
import json
import socket
import socketserver
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from pcs_bridge.endpoint import bodies, control, protocol
from pcs_bridge.endpoint.errors import ServiceError, malformed, too_large, unsigned
from pcs_bridge.endpoint.faults import HEADER as FAULT_HEADER
from pcs_bridge.endpoint.neighbours import Neighbours, Reply, Scope, scope_of
from pcs_bridge.endpoint.service import Service
from pcs_contract.shapes import contract

LARGEST_NEIGHBOUR_REQUEST: Final = 64 * 1024 * 1024
"""Bytes of a body for moto: scripts and Terraform states are far smaller, and moto holds objects in memory. Ours."""

IDLE: Final = 60
"""Seconds that a connection may say nothing, between requests or within one."""

LAST_WORDS: Final = 5
"""Seconds for handlers to end when the server stops. None takes that long unless moto does."""

Log = Callable[[str], None]
"""Takes a line about each request: method or operation, status and error. Never values."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class CannotListen(Exception):
    """The address is taken, or not one of this machine."""


class Listener(HTTPServer):
    """Listens from the moment it is made; `start` begins to answer, `stop` ends it all and waits for it."""

    request_queue_size = 256

    def __init__(self, host: str, port: int, service: Service, neighbours: Neighbours, log: Log | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.service: Final = service
        self.neighbours: Final = neighbours
        self.log: Final = log
        self.stopping: Final = threading.Event()
        self._open: Final[dict[socket.socket, threading.Thread]] = {}
        self._open_lock: Final = threading.Lock()
        self._accepting: Final = threading.Thread(target=self._accept, name="pcs-accept", daemon=True)
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise CannotListen(error.strerror or str(error)) from error

    def server_bind(self) -> None:
        # Not HTTPServer's own, which asks DNS for this machine's name.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]  # type: ignore[assignment]

    @property
    def url(self) -> str:
        # "Any address" is none to connect to.
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(str(self.server_name), str(self.server_name))
        return f"http://[{host}]:{self.server_port}" if ":" in host else f"http://{host}:{self.server_port}"

    def start(self) -> None:
        self._accepting.start()

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self._accepting.join()
        self.server_close()
        with self._open_lock:
            handlers = list(self._open.items())
        for connection, _ in handlers:
            _hang_up(connection)
        for _, thread in handlers:
            thread.join(LAST_WORDS)

    def _accept(self) -> None:
        self.serve_forever(poll_interval=0.05)

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self._handle, args=(request, client_address), name="pcs-connection", daemon=True
        )
        with self._open_lock:
            self._open[request] = thread
        thread.start()

    def _handle(self, request: socket.socket, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError:
            pass  # the client is gone, or said nothing for too long
        except Exception as defect:
            print(f"pcsguard local: internal error: {type(defect).__name__} in a connection", file=sys.stderr)
        finally:
            with self._open_lock:
                self._open.pop(request, None)
            self.shutdown_request(request)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # it is gone already
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """One connection. Answers are buffered and sent at once, head and body together."""

    server: Listener
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # of what is no request: in HTTP/0.9 the answer would have no head
    timeout = IDLE
    wbufsize = -1
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        try:
            body = bodies.read(self.headers, self.rfile, self._limit())
        except bodies.Unreadable as unreadable:
            self.close_connection = True
            self._refuse(unreadable.error)
            return
        scope = self._scope()
        if self._for_control():
            self._control(body)
        elif self._for_pcs(scope):
            self._pcs(scope, body)
        else:
            self._neighbour(scope, body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _serve  # noqa: N815

    def _for_control(self) -> bool:
        return self.path.startswith(control.PREFIX)

    def _for_pcs(self, scope: Scope | None) -> bool:
        if scope is not None:
            return scope.service == "pcs"
        # Unsigned. What speaks JSON is meant for PCS, the rest for S3, which has public objects.
        return "X-Amz-Target" in self.headers or protocol.CONTENT_TYPE in self.headers.get("Content-Type", "")

    def _scope(self) -> Scope | None:
        return scope_of(self.headers.get("Authorization"), self.path)

    def _limit(self) -> int:
        small = self._for_control() or self._for_pcs(self._scope())
        return protocol.LARGEST_REQUEST if small else LARGEST_NEIGHBOUR_REQUEST

    # What the body is for.

    def _pcs(self, scope: Scope | None, body: bytes) -> None:
        if scope is None:
            self._refuse(unsigned())
            return
        target = self.headers.get("X-Amz-Target")
        given = self.headers.get_all(FAULT_HEADER)
        own_faults = None if given is None else ",".join(given)
        answer = self.server.service.answer(
            self.command, target, self.headers.get("Content-Type"), body, scope.region, own_faults
        )
        name = (target or "").rpartition(".")[2]
        what = f"pcs {name if name in contract()['operations'] else '-'}"
        cut_short = answer.delay > 0 and self.server.stopping.wait(answer.delay)
        if cut_short or answer.dropped:
            self._note(what, None, "dropped")
            self.close_connection = True
            _hang_up(self.connection)
            return
        self._note(what, answer.status, answer.error)
        self._send(answer.status, {"Content-Type": protocol.CONTENT_TYPE}, answer.body)

    def _neighbour(self, scope: Scope | None, body: bytes) -> None:
        target = _path_and_query(self.path)
        reply = self.server.neighbours.handle(scope, self.command, target, self.headers.items(), body)
        self._note(f"{scope.service if scope else 's3'} {self.command}", reply.status, None)
        self._send_reply(reply)

    def _control(self, request: bytes) -> None:
        status, content = control.answer(self.server.service, self.command, self.path, request)
        body = b"" if content is None else json.dumps(content, indent=2).encode() + b"\n"
        self._note(f"control {self.command}", status, None)
        self._send(status, {"Content-Type": "application/json"} if body else {}, body)

    def handle_expect_100(self) -> bool:
        length = bodies.declared(self.headers.get("Content-Length", ""))
        if length is not None and length > self._limit():
            # The client has sent nothing yet and waits to hear whether it should.
            self.close_connection = True
            self._refuse(too_large(self._limit()))
            return False
        self.send_response_only(HTTPStatus.CONTINUE)
        self.end_headers()
        self.wfile.flush()
        return True

    # Answering.

    def _refuse(self, error: ServiceError) -> None:
        answer = self.server.service.refuse(error)
        self._note(self.command, answer.status, error.code)
        self._send(answer.status, {"Content-Type": protocol.CONTENT_TYPE}, answer.body)

    def _send(self, status: HTTPStatus, headers: Mapping[str, str], body: bytes) -> None:
        self._send_reply(Reply(status, {**headers, "x-amzn-RequestId": str(uuid.uuid4())}, body))

    def _send_reply(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        given = {name.lower(): (name, value) for name, value in reply.headers.items()}
        bodiless = self.command == "HEAD" or reply.status in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
        if not (bodiless and "content-length" in given):
            given["content-length"] = ("Content-Length", str(len(reply.body)))
        if reply.status == HTTPStatus.NO_CONTENT:
            del given["content-length"]
        given.pop("connection", None)
        given.pop("transfer-encoding", None)
        given.setdefault("date", ("Date", self.date_time_string()))
        for name, value in given.values():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if not bodiless:
            self.wfile.write(reply.body)
        self.wfile.flush()

    def _note(self, what: str, status: int | None, error: str | None) -> None:
        if self.server.log is not None:
            said = (what, None if status is None else str(int(status)), error)
            self.server.log(" ".join(part for part in said if part))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the base class says of requests that it cannot read: in JSON, like all other errors here."""
        self.close_connection = True
        if getattr(self, "command", None) is None:
            self.command = ""
        error = malformed(HTTPStatus(code).phrase)
        self._note("-", code, error.code)
        body = protocol.failure(error, self.server.service.switches).body
        self._send(HTTPStatus(code), {"Content-Type": protocol.CONTENT_TYPE}, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are noted where they are answered, and without their contents."""


def _path_and_query(target: str) -> str:
    """The path and query of a request line, which may name a whole URL."""
    if target.startswith("/"):
        return target
    url = urlsplit(target)
    return f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
