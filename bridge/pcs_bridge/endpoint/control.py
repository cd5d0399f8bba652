"""What the endpoint says of itself, and the end of instances: for tests, and for whoever plays a node."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pcs_bridge.endpoint.service import Service
from pcs_contract.record import Record

PREFIX: Final = "/_pcsguard/"
"""Where this is found; no S3 bucket can have that name."""

_USAGE: Final = "GET instances, GET switches or DELETE instances/ID"


class Said(Record):
    """A status, and JSON or nothing."""

    status: HTTPStatus
    content: Mapping[str, Any] | None


def answer(service: Service, method: str, target: str) -> Said:
    """Answer a request whose target begins with `PREFIX`."""
    url = urlsplit(target)
    name, _, rest = url.path.removeprefix(PREFIX).partition("/")
    if (method, name, rest) == ("GET", "instances", ""):
        return Said(HTTPStatus.OK, {"instances": service.instances()})
    if (method, name, rest) == ("GET", "switches", ""):
        return Said(HTTPStatus.OK, {"switches": dict(service.switches)})
    if (method, name) == ("DELETE", "instances") and rest:
        failed = parse_qs(url.query).get("failed") == ["true"]
        if service.terminate(unquote(rest), failed):
            return Said(HTTPStatus.NO_CONTENT, None)
        return Said(HTTPStatus.NOT_FOUND, {"message": "there is no such instance"})
    return Said(HTTPStatus.NOT_FOUND, {"message": _USAGE})
