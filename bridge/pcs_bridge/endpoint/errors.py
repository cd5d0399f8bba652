"""The errors that the service answers with, as exceptions of this process.

Names and members are those of the service model; a test walks every one of them through botocore's parser. Four more
are not in the model: what every AWS endpoint says of a request that never reaches the service, and `InvalidToken`,
which the text of the List operations names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final

from pcs_contract.limits import Problem

SERVICE_CODE: Final = "pcs"

MOST_FIELDS: Final = 50
"""Entries of a `fieldList`: a request of 1 MiB can be wrong in a hundred thousand places. Our number."""


class Reason(StrEnum):
    """`ValidationException.reason`."""

    UNKNOWN_OPERATION = "unknownOperation"
    CANNOT_PARSE = "cannotParse"
    FIELD_VALIDATION_FAILED = "fieldValidationFailed"
    OTHER = "other"


class ServiceError(Exception):
    """An answer that is an error. `code` is the error's shape and `members` are the shape's members."""

    def __init__(self, code: str, members: Mapping[str, Any], status: HTTPStatus | None = None) -> None:
        super().__init__(f"{code}: {members['message']}")
        self.code: Final = code
        self.members: Final = members
        self.status: Final = status
        """The HTTP status of an error that is not in the model; None leaves it to the switch `error-status`."""


def invalid_fields(problems: Iterable[Problem]) -> ServiceError:
    """Some fields of a request are wrong. The first `MOST_FIELDS` are named."""
    found = list(problems)
    named = found[:MOST_FIELDS]
    first = f"{named[0].path}: {named[0].message}"
    message = first if len(found) == 1 else f"{first} (and {len(found) - 1} more)"
    members = {
        "message": message,
        "reason": Reason.FIELD_VALIDATION_FAILED,
        "fieldList": [{"name": problem.path, "message": problem.message} for problem in named],
    }
    return ServiceError("ValidationException", members)


def invalid(message: str, reason: Reason) -> ServiceError:
    """A request is wrong as a whole."""
    return ServiceError("ValidationException", {"message": message, "reason": reason})


def conflict(message: str, resource_type: str, resource_id: str) -> ServiceError:
    """Something else is in the way: a taken name, another operation, what still depends on a resource."""
    return _about("ConflictException", message, resource_type, resource_id)


def not_found(resource_type: str, resource_id: str) -> ServiceError:
    """There is no such cluster, group or queue."""
    message = f"The {resource_type} {resource_id} does not exist."
    return _about("ResourceNotFoundException", message, resource_type, resource_id)


def quota(message: str, resource_type: str, resource_id: str | None = None) -> ServiceError:
    """A service quota would be exceeded."""
    members = {"message": message, "serviceCode": SERVICE_CODE, "resourceType": resource_type}
    if resource_id is not None:
        members["resourceId"] = resource_id
    return ServiceError("ServiceQuotaExceededException", members)


def throttled(retry_after: int) -> ServiceError:
    """Too many requests; `retry_after` in seconds."""
    message = "The request rate is too high. Try again later."
    return ServiceError("ThrottlingException", {"message": message, "retryAfterSeconds": retry_after})


def internal() -> ServiceError:
    """A defect of this endpoint. The answer holds no details, which may be anything."""
    return ServiceError("InternalServerException", {"message": "An internal error occurred. Try again later."})


def denied(message: str) -> ServiceError:
    """The caller may not do this."""
    return ServiceError("AccessDeniedException", {"message": message})


def unsigned() -> ServiceError:
    """A request without a signature (common errors of AWS APIs)."""
    members = {"message": "Missing Authentication Token"}
    return ServiceError("MissingAuthenticationTokenException", members, HTTPStatus.FORBIDDEN)


def too_large(limit: int) -> ServiceError:
    """A request over `limit` bytes (common errors of AWS APIs)."""
    members = {"message": f"The request is larger than {limit} bytes."}
    return ServiceError("RequestEntityTooLargeException", members, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


def malformed(message: str) -> ServiceError:
    """A request that is not proper HTTP (common errors of AWS APIs)."""
    return ServiceError("MalformedHttpRequestException", {"message": message}, HTTPStatus.BAD_REQUEST)


def expired_token() -> ServiceError:
    """A page was asked for too late (PCS API reference, ListComputeNodeGroups.nextToken)."""
    return ServiceError("InvalidToken", {"message": "The pagination token has expired."}, HTTPStatus.BAD_REQUEST)


def _about(code: str, message: str, resource_type: str, resource_id: str) -> ServiceError:
    return ServiceError(code, {"message": message, "resourceType": resource_type, "resourceId": resource_id})
