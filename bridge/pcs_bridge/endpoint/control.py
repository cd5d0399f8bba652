"""What the endpoint says of itself, its faults, and the end of instances: for tests, and for whoever plays a node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pcs_bridge.endpoint.faults import Faults, WrongFault
from pcs_bridge.endpoint.service import Service
from pcs_bridge.endpoint.store import CannotKeep
from pcs_contract.record import Record

PREFIX: Final = "/_pcsguard/"
"""Where this is found; no S3 bucket can have that name."""

_USAGE: Final = "GET instances, GET switches, GET faults, PUT faults or DELETE instances/ID"
_FAULTS_USAGE: Final = 'the body must be JSON such as {"faults": "throttle=0.1", "seed": 1}; seed may be left out'


class Said(Record):
    """A status, and JSON or nothing."""

    status: HTTPStatus
    content: Mapping[str, Any] | None


def answer(service: Service, method: str, target: str, body: bytes) -> Said:
    """Answer a request whose target begins with `PREFIX`."""
    try:
        return _answer(service, method, target, body)
    except WrongFault as wrong:
        return Said(HTTPStatus.BAD_REQUEST, {"message": str(wrong)})
    except CannotKeep as failure:
        return Said(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": str(failure)})


def _answer(service: Service, method: str, target: str, body: bytes) -> Said:
    url = urlsplit(target)
    name, _, rest = url.path.removeprefix(PREFIX).partition("/")
    if (method, name, rest) == ("GET", "instances", ""):
        return Said(HTTPStatus.OK, {"instances": service.instances()})
    if (method, name, rest) == ("GET", "switches", ""):
        return Said(HTTPStatus.OK, {"switches": dict(service.switches)})
    if (method, name, rest) == ("GET", "faults", ""):
        return Said(HTTPStatus.OK, service.faults.shown())
    if (method, name, rest) == ("PUT", "faults", ""):
        service.faults = _faults(body)
        return Said(HTTPStatus.OK, service.faults.shown())
    if (method, name) == ("DELETE", "instances") and rest:
        failed = parse_qs(url.query).get("failed") == ["true"]
        if service.terminate(unquote(rest), failed):
            return Said(HTTPStatus.NO_CONTENT, None)
        return Said(HTTPStatus.NOT_FOUND, {"message": "there is no such instance"})
    return Said(HTTPStatus.NOT_FOUND, {"message": _USAGE})


def _faults(body: bytes) -> Faults:
    try:
        wanted = json.loads(body)
    except (ValueError, RecursionError):
        raise WrongFault(_FAULTS_USAGE) from None
    if not isinstance(wanted, dict) or not {"faults"} <= set(wanted) <= {"faults", "seed"}:
        raise WrongFault(_FAULTS_USAGE)
    plan, seed = wanted["faults"], wanted.get("seed")
    if not isinstance(plan, str) or type(seed) not in (int, type(None)):
        raise WrongFault(_FAULTS_USAGE)
    return Faults(plan, seed)
