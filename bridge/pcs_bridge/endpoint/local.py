"""An endpoint that runs in this process: what `pcsguard local` serves, and what tests use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from pcs_bridge.endpoint import sessions, state
from pcs_bridge.endpoint.clock import Clock, SystemClock
from pcs_bridge.endpoint.faults import Faults
from pcs_bridge.endpoint.listener import Listener, Log
from pcs_bridge.endpoint.neighbours import MotoEc2, Neighbours
from pcs_bridge.endpoint.service import Before, Service
from pcs_bridge.endpoint.status import Delays, Failure, never
from pcs_bridge.endpoint.store import MemoryStore, Store
from pcs_bridge.endpoint.switches import settings

LOOPBACK: Final = "127.0.0.1"

_NEEDED: Final = ("boto3", "moto")
"""What the extra `local` brings."""


def check_installed() -> None:
    """Raise ModuleNotFoundError now, not at the first request that needs what is missing."""
    for name in _NEEDED:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Endpoint:
    """A running endpoint."""

    def __init__(self, url: str, service: Service) -> None:
        self.url: Final = url
        self._service: Final = service

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a process needs to reach it."""
        return sessions.environment(self.url)

    @property
    def instances(self) -> list[dict[str, Any]]:
        """The registered instances, as `GET /_pcsguard/instances` shows them."""
        return self._service.instances()

    @property
    def faults(self) -> dict[str, Any]:
        """What goes wrong, as `GET /_pcsguard/faults` shows it: `faults` (the plan), `seed`, and `met`, the counts."""
        return self._service.faults.shown()

    def inject(self, faults: str, seed: int | None = None) -> None:
        """Let other things go wrong from now on, or nothing (`""`). Counting begins anew. Raises WrongFault."""
        self._service.faults = Faults(faults, seed)

    def client(self, service: str = "pcs", region: str = sessions.REGION, **options: Any) -> Any:
        """A boto3 client for `pcs`, `s3`, `iam`, `ec2` or `sts` that talks to this endpoint.

        `options` go to boto3. Nothing of the user's AWS configuration is used.
        """
        return sessions.client(service, region, self.url, options)


@contextmanager
def running(
    *,
    host: str = LOOPBACK,
    port: int = 0,
    switches: Mapping[str, str] | None = None,
    delays: Delays | None = None,
    clock: Clock | None = None,
    store: Store | None = None,
    failure: Failure = never,
    before: Before | None = None,
    log: Log | None = None,
    faults: str = "",
    seed: int | None = None,
    folder: Path | None = None,
) -> Iterator[Endpoint]:
    """Run an endpoint while the block lasts; afterwards no thread, socket or file is left, but for those in `folder`.

    `port` 0 takes a free one. `switches` are changes to the defaults (`switches.SWITCHES`), `delays` the seconds that
    operations take, `clock` the time by which they do, `failure` says which of them fail, `before` is called with each
    valid request and may refuse it, `log` takes a line for each. `faults` is a plan of what goes wrong
    (`faults.MEANINGS`) and `seed` decides when; without one, one is chosen. `folder` keeps what PCS holds for the next
    run, in place of `store`. Raises WrongSwitch, WrongFault, CannotKeep when the folder is of no use, and CannotListen
    when the address is taken. Endpoints of one process share what moto holds (S3, IAM, EC2), which is gone when the
    last has stopped.
    """
    chosen, plan = settings(switches or {}), Faults(faults, seed)
    keeping = nullcontext(store or MemoryStore()) if folder is None else state.opened(folder)
    with Neighbours() as neighbours, keeping as kept:
        service = Service(
            kept,
            clock or SystemClock(),
            chosen,
            MotoEc2(neighbours),
            delays,
            failure,
            before,
        )
        service.faults = plan
        listener = Listener(host, port, service, neighbours, log)
        listener.start()
        try:
            yield Endpoint(listener.url, service)
        finally:
            listener.stop()
