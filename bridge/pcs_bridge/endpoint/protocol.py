"""awsJson 1.0: from the bytes of a request to an operation with its parameters, and from an answer to bytes.

Source: the Smithy specification of the protocol; target, JSON version and operations are the contract's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NoReturn

from pcs_bridge.endpoint.errors import Reason, ServiceError, invalid
from pcs_contract.record import Record
from pcs_contract.shapes import Operation, contract, operation

TARGET_PREFIX: Final[str] = contract()["target_prefix"]
"""What an `X-Amz-Target` begins with, up to the dot."""

CONTENT_TYPE: Final = f"application/x-amz-json-{contract()['json_version']}"

LARGEST_REQUEST: Final = 1024 * 1024
"""Bytes of a body."""

_BY_KIND: Final[Mapping[str, HTTPStatus]] = {
    "AccessDeniedException": HTTPStatus.FORBIDDEN,
    "ConflictException": HTTPStatus.CONFLICT,
    "ResourceNotFoundException": HTTPStatus.NOT_FOUND,
    "ServiceQuotaExceededException": HTTPStatus.PAYMENT_REQUIRED,
    "ThrottlingException": HTTPStatus.TOO_MANY_REQUESTS,
    "ValidationException": HTTPStatus.BAD_REQUEST,
}
_INTERNAL: Final = "InternalServerException"
_MODEL_NAMESPACE: Final = "com.amazonaws.pcs"


class Request(Record):
    """An operation, and the JSON object that came with it."""

    operation: Operation
    parameters: dict[str, Any]


class Answer(Record):
    """What goes back."""

    status: HTTPStatus
    body: bytes
    error: str | None = None
    """The code of an error, for the log."""
    delay: float = 0.0
    """Seconds until it is to be sent."""
    dropped: bool = False
    """Whether the connection is to be closed instead."""


def parse(method: str, target: str | None, content_type: str | None, body: bytes) -> Request:
    """Read a request. Raises ServiceError when it is no call of this service."""
    if method != "POST":
        raise invalid(f"The method must be POST, not {method}.", Reason.UNKNOWN_OPERATION)
    prefix, _, name = (target or "").partition(".")
    if prefix != TARGET_PREFIX or name not in contract()["operations"]:
        raise invalid("The header X-Amz-Target names no operation of this service.", Reason.UNKNOWN_OPERATION)
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if media_type != CONTENT_TYPE:
        raise invalid(f"The header Content-Type must be {CONTENT_TYPE}.", Reason.CANNOT_PARSE)
    parameters = _json(body)
    if not isinstance(parameters, dict):
        raise invalid("The body must be a JSON object.", Reason.CANNOT_PARSE)
    return Request(operation(name), parameters)


def success(members: Mapping[str, Any]) -> Answer:
    """The answer of a call that did what it should."""
    return Answer(HTTPStatus.OK, json.dumps(members, separators=(",", ":")).encode())


def failure(error: ServiceError, switches: Mapping[str, str]) -> Answer:
    """The answer of a call that did not."""
    code = error.code
    if switches["error-type"] == "qualified":
        code = f"{_MODEL_NAMESPACE}#{code}"
    body = json.dumps({"__type": code, **error.members}, separators=(",", ":")).encode()
    return Answer(error.status or _status(error.code, switches["error-status"]), body, error.code)


def _status(code: str, style: str) -> HTTPStatus:
    if code == _INTERNAL:
        return HTTPStatus.INTERNAL_SERVER_ERROR
    return _BY_KIND[code] if style == "by-kind" else HTTPStatus.BAD_REQUEST


def _json(body: bytes) -> Any:
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_no_constant)
        # A lone surrogate passes as an escape, but no answer could ever say it in UTF-8.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise invalid("The body is not JSON in UTF-8.", Reason.CANNOT_PARSE) from None
    return value


def _no_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
