"""What goes wrong with a call of the API: whether to try again, and how to tell the user."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    ProxyConnectionError,
    SSLError,
)

from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.provider import places
from pcs_bridge.provider.kinds import Kind
from pcs_policies.redaction import mask, printable

ApiError = ClientError | BotoCoreError

NOT_FOUND: Final = "ResourceNotFoundException"
CONFLICT: Final = "ConflictException"
QUOTA: Final = "ServiceQuotaExceededException"

UNREACHABLE: Final = 4
"""Further tries where nobody answers at all: a wrong endpoint, or a missing network, will not mend itself soon."""

THROTTLED: Final = frozenset(
    {
        "ThrottlingException",
        "Throttling",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "SlowDown",
        "BandwidthLimitExceeded",
        "PriorRequestNotComplete",
        "RequestTimeout",
        "RequestTimeoutException",
    }
)
"""Codes that say "later" (AWS SDKs and tools reference guide, retry behavior)."""

HINTS: Final[Mapping[str, str]] = {
    "AccessDeniedException": "The credentials lack a permission, or a policy denies it.",
    QUOTA: "Ask for a higher quota in the Service Quotas console, or use less.",
    "ExpiredTokenException": "The credentials have expired: renew them and run terraform again.",
    "UnrecognizedClientException": "AWS does not know these credentials.",
    CONFLICT: "Something else is in the way: a resource of this name that terraform does not manage (import it, or "
    "choose another name), another change that is under way, or something that still uses the resource.",
}
"""Code -> what it means for who runs terraform."""


BAD_ENDS: Final = frozenset({"CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"})
"""Statuses of an operation that failed (PCS API reference, ComputeNodeGroup.status)."""

_CONFIGURATION: Final = (
    "Look at the Region, the credentials and the endpoint, in the provider block and in the AWS configuration "
    "(AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL ...)."
)


class Again(Enum):
    """Whether to try a call again that failed."""

    NEVER = "the answer would be the same"
    LATER = "the service has too much to do or a fault, or its answer was lost"
    HARDLY = "the service was not reached"


class Problem(NamedTuple):
    """An error, as far as trying again is concerned; `retry_after` in seconds."""

    code: str
    again: Again
    request_id: str = ""
    retry_after: float = 0.0


def classified(failure: ApiError) -> Problem:
    """Whether and when to try a call again that failed."""
    if not isinstance(failure, ClientError):
        return Problem(type(failure).__name__, _again(failure))
    response: Any = failure.response
    metadata = response.get("ResponseMetadata", {})
    code = str(response.get("Error", {}).get("Code", ""))
    later = code in THROTTLED or metadata.get("HTTPStatusCode", 0) in (429, 500, 502, 503, 504)
    after = response.get("retryAfterSeconds")
    return Problem(
        code,
        Again.LATER if later else Again.NEVER,
        str(metadata.get("RequestId", "")),
        float(after) if isinstance(after, int) else 0.0,
    )


def _again(failure: BotoCoreError) -> Again:
    if isinstance(failure, SSLError | ProxyConnectionError):
        return Again.NEVER
    if isinstance(failure, EndpointConnectionError | ConnectTimeoutError):
        return Again.HARDLY
    return Again.LATER if isinstance(failure, HTTPClientError) else Again.NEVER


def code_of(failure: ApiError) -> str:
    """`ConflictException`, or the name of an error that is boto3's own."""
    return classified(failure).code


def refused(failure: ApiError, kind: Kind, operation: str) -> tuple[Diagnostic, ...]:
    """What to tell when a call failed that an operation, such as `create`, is made of."""
    doing = f"{operation} the {kind.noun}"
    if not isinstance(failure, ClientError):
        return (error(f"AWS PCS could not be asked to {doing}", f"{sentence(failure)} {_CONFIGURATION}"),)
    response: Any = failure.response
    problem = classified(failure)
    summary = f"AWS PCS refused to {doing} ({problem.code})"
    request = _request(problem.request_id)
    fields = response.get("fieldList")
    if fields:
        return tuple(
            error(summary, f"{_field(field, kind)}{request}", places.attribute(kind, str(field.get("name", ""))))
            for field in fields
        )
    message = _said(response.get("Error", {}).get("Message"))
    return (error(summary, " ".join(part for part in (message + request, HINTS.get(problem.code, "")) if part)),)


def ended_badly(kind: Kind, operation: str, current: Mapping[str, Any], answer: Mapping[str, Any]) -> Diagnostic:
    """An operation was accepted, by `answer`, and failed."""
    reasons = [f"{_said(info.get('code'))}: {_said(info.get('message'))}" for info in current.get("errorInfo") or ()]
    said = " ".join(reasons) or "AWS PCS gives no reason."
    return error(f"The {kind.noun} is {current['status']}: it could not {operation}", said + _request_of(answer))


def vanished(kind: Kind, operation: str) -> Diagnostic:
    """The resource is gone before an operation was over."""
    return error(
        f"The {kind.noun} is gone",
        f"It no longer exists, though its {operation} was not over: somebody else deleted it. Run terraform again.",
    )


def interrupted(kind: Kind, operation: str) -> Diagnostic:
    """The user interrupted terraform."""
    return error(
        "Interrupted",
        f"Terraform was told to stop while AWS PCS was asked to {operation} the {kind.noun}, which may go on there. "
        "What exists is recorded: run terraform again to go on.",
    )


def late(kind: Kind, operation: str, status: str, answer: Mapping[str, Any]) -> Diagnostic:
    """The time is over. `answer` is that of the call with which the operation began, empty when it never did."""
    return error(
        f"AWS PCS did not {operation} the {kind.noun} in time",
        f"Its status is {status}{_request_of(answer)}. It may yet come to an end: look for it in the console and run "
        "terraform again, with a longer time in `timeouts` if that is all it needs.",
    )


def sentence(failure: Exception) -> str:
    """The text of an exception as a sentence: some of boto3's end with a full stop, some do not."""
    return f"{_said(failure).rstrip('. ')}."


def _said(text: object) -> str:
    """What somebody else says, on a line, without what looks like a credential: it may quote a request or a URL."""
    return printable(mask(str(text or "").strip()))


def _request_of(answer: Mapping[str, Any]) -> str:
    return _request(answer.get("ResponseMetadata", {}).get("RequestId", ""))


def _request(request_id: str) -> str:
    return f" (request {request_id})" if request_id else ""


def _field(field: Mapping[str, Any], kind: Kind) -> str:
    """What the service says of a field; with the field's name where no attribute stands for it."""
    name, message = str(field.get("name", "")), _said(field.get("message"))
    return message if places.attribute(kind, name) else f"{name}: {message}"
