"""What goes wrong with a call of the API: whether to try again, and how to tell the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, SSLError

from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.provider import places
from pcs_bridge.provider.kinds import Kind

ApiError = ClientError | BotoCoreError

NOT_FOUND: Final = "ResourceNotFoundException"
CONFLICT: Final = "ConflictException"

MANY: Final = 1_000
"""Tries that only the provider's `max_retries` bounds."""

NO_ANSWER: Final = 5
"""Tries when no answer comes: a wrong endpoint or a missing network will not mend itself soon."""

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
    "ServiceQuotaExceededException": "Ask for a higher quota in the Service Quotas console, or use less.",
    "ExpiredTokenException": "The credentials have expired: renew them and run terraform again.",
    "UnrecognizedClientException": "AWS does not know these credentials.",
    CONFLICT: "Something else is in the way: a resource of this name that terraform does not manage (import it, or "
    "choose another name), another change that is under way, or something that still uses the resource.",
}
"""Code -> what it means for who runs terraform."""


class Problem(NamedTuple):
    """An error, as far as trying again is concerned. `retry_after` in seconds; `retries` is how often at most."""

    code: str
    request_id: str
    retries: int
    retry_after: float = 0.0


def classified(failure: ApiError) -> Problem:
    """Whether and when to try a call again that failed."""
    if not isinstance(failure, ClientError):
        lost = isinstance(failure, HTTPClientError) and not isinstance(failure, SSLError)
        return Problem(type(failure).__name__, "", NO_ANSWER if lost else 0)
    response: Any = failure.response
    metadata = response.get("ResponseMetadata", {})
    code = str(response.get("Error", {}).get("Code", ""))
    later = code in THROTTLED or metadata.get("HTTPStatusCode", 0) in (429, 500, 502, 503, 504)
    after = response.get("retryAfterSeconds")
    return Problem(
        code,
        str(metadata.get("RequestId", "")),
        MANY if later else 0,
        float(after) if later and isinstance(after, int) and not isinstance(after, bool) else 0.0,
    )


def code_of(failure: ApiError) -> str:
    """`ConflictException`, or the name of an error that is boto3's own."""
    return classified(failure).code


def diagnostics(failure: ApiError, kind: Kind, doing: str) -> tuple[Diagnostic, ...]:
    """What to tell the user. `doing` completes "AWS PCS did not ..."."""
    if not isinstance(failure, ClientError):
        return (error(f"AWS PCS could not be asked to {doing}", f"{failure}"),)
    response: Any = failure.response
    problem = classified(failure)
    request = f" (request {problem.request_id})" if problem.request_id else ""
    fields = response.get("fieldList") or ()
    if fields:
        return tuple(
            error(
                f"AWS PCS refused to {doing} ({problem.code})",
                f"{_field(field, kind)}{request}",
                places.attribute(kind, str(field.get("name", ""))),
            )
            for field in fields
        )
    message = str(response.get("Error", {}).get("Message", "")).strip()
    hint = HINTS.get(problem.code, "")
    detail = " ".join(part for part in (f"{message}{request}", hint) if part)
    return (error(f"AWS PCS refused to {doing} ({problem.code})", detail),)


def _field(field: Mapping[str, Any], kind: Kind) -> str:
    """What the service says of a field; with the field's name where no attribute stands for it."""
    name, message = str(field.get("name", "")), str(field.get("message", "")).strip()
    return message if places.attribute(kind, name) else f"{name}: {message}"
