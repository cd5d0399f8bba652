"""The process of a plugin, from terraform's start of it to its end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NoReturn

from pcs_bridge.plugin import handshake
from pcs_bridge.plugin.ending import Ending
from pcs_bridge.plugin.logs import Logger, level_of

if TYPE_CHECKING:
    import grpc

    from pcs_bridge.plugin.calls import Calls
    from pcs_bridge.plugin.provider import Provider

_THREADS: Final = 256
"""Calls at a time. Threads are made when needed; more than `terraform -parallelism` will ever ask for, so that a
StopProvider is heard while all handlers wait for AWS."""

_UNLIMITED: Final = -1
"""Bytes of a message. grpc's own limit of 4 MiB is less than what terraform sends (it takes 64 MiB)."""

_GRACE: Final = 1.0
"""Seconds in which handlers may still end when the process must. Terraform kills a plugin that takes two."""


def run(provider: Callable[[], Provider]) -> NoReturn:
    """Be a plugin; the main function of a provider's program.

    `provider` is called once, after terraform has been told where to connect: what it imports does not delay that.
    """
    code = serve(provider, os.environ)
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is cleaned up. What is left is Python's own end, for which terraform would wait: joining grpc's and
    # the executor's threads, one of which may hang in a handler.
    os._exit(code)


def serve(provider: Callable[[], Provider], environ: Mapping[str, str]) -> int:
    """Serve until terraform is done, a signal comes or terraform is gone; return the exit code.

    Must run in the main thread, because signals arrive there.
    """
    try:
        handshake.check(environ)
    except handshake.Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    log = Logger(level_of(environ))
    with Ending.awaited() as ending:
        try:
            _serve(provider, handshake.wants_tls(environ), log, ending)
        except OSError as failure:  # no folder for the socket, or terraform left before it was told of one
            print(f"The provider cannot start: {failure}", file=sys.stderr)
            return 1
    return 0


def _serve(provider: Callable[[], Provider], tls: bool, log: Logger, ending: Ending) -> None:
    # Whatever grpc's core would print goes to stderr as plain text, which terraform logs at a level of its choice.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from pcs_bridge.plugin.calls import Calls
    from pcs_bridge.plugin.once import Once
    from pcs_bridge.plugin.sockets import private_socket

    once = Once(provider)
    calls = Calls(once, log)
    with private_socket() as socket:
        server, certificate = _started(calls, socket, tls, ending)
        print(handshake.line(socket, certificate), flush=True)
        log.debug("serving", protocol=handshake.PROTOCOL, tls=int(tls))
        once.prepare()  # while terraform connects
        log.debug("ending", reason=ending.wait(), processor_seconds=round(time.process_time(), 3))
    # The folder is gone by now: handlers that do not heed the cancellation cannot keep it.
    calls.cancel()
    server.stop(_GRACE).wait(_GRACE)


def _started(calls: Calls, socket: str, tls: bool, ending: Ending) -> tuple[grpc.Server, bytes | None]:
    """A server that listens, and its certificate in DER."""
    from concurrent.futures import ThreadPoolExecutor

    import grpc

    from pcs_bridge.plugin import services

    server = grpc.server(
        ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="call"),
        handlers=[services.provider(calls), *services.go_plugin(lambda: ending.ask("terraform is done"))],
        options=(
            ("grpc.max_receive_message_length", _UNLIMITED),
            ("grpc.max_send_message_length", _UNLIMITED),
        ),
    )
    address = f"unix:{socket}"
    certificate = None
    if tls:
        from pcs_bridge.plugin.certificate import fresh

        credentials = fresh()
        certificate = credentials.der
        pair = (credentials.key, credentials.certificate)
        server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    else:
        server.add_insecure_port(address)
    server.start()
    return server, certificate
