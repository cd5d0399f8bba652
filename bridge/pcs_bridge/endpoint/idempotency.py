"""Client tokens: the same call again, with the token of one that succeeded, gets its answer and has no effect.

Source: PCS API reference, clientToken of each operation. How long a token is remembered, and what another request with
it gets, are not documented: an hour, the last `MOST` of a Region, and a ValidationException.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from pcs_bridge.endpoint.errors import invalid_fields
from pcs_bridge.endpoint.store import Change, Kind, Resource, Transaction
from pcs_contract.limits import Problem
from pcs_contract.shapes import Operation

LIFETIME: Final = 60 * 60
"""Seconds. SDKs make a new token for each call and repeat it for their own retries, which take less than minutes."""

MOST: Final = 10_000
"""Answers remembered in a Region, so that memory stays bounded."""


class Token:
    """The client token of a request, if its operation has one and the request brings it."""

    def __init__(self, operation: Operation, parameters: Mapping[str, Any], region: str) -> None:
        member = next(iter(operation.input.idempotency_tokens), None)
        self._member: Final = member
        self._value: Final[str | None] = None if member is None else parameters.get(member)
        self._name: Final = f"{operation.name} {self._value}"
        self._region: Final = region
        rest = {name: value for name, value in parameters.items() if name != member}
        self._request: Final = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()

    def answer(self, transaction: Transaction) -> Mapping[str, Any] | None:
        """The answer to repeat. Raises ServiceError when the token was another request's."""
        if self._value is None or self._member is None:
            return None
        known = transaction.named(Kind.ANSWER, self._region, self._name)
        if known is None:
            return None
        if known.hidden["request"] != self._request:
            raise invalid_fields([Problem(self._member, "was used with other parameters")])
        return known.facts

    def remember(self, transaction: Transaction, answer: Mapping[str, Any], now: float) -> None:
        """Keep the answer of a call that succeeded."""
        if self._value is None:
            return
        forgotten = Change(now + LIFETIME, None)
        id = f"{self._region} {self._name}"
        record = Resource(
            Kind.ANSWER, id, self._region, self._name, answer, {"request": self._request}, change=forgotten
        )
        transaction.put(record)
        if transaction.count(Kind.ANSWER, self._region) > MOST:
            transaction.delete(transaction.page(Kind.ANSWER, self._region, limit=1)[0])
