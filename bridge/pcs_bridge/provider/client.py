"""Calls of the PCS API: each repeated while repeating helps, until it is answered or the user has had enough.

boto3's own retries are off: they can neither be interrupted nor wait for what the service asks for.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin.provider import Call
from pcs_bridge.provider import failures
from pcs_bridge.provider.settings import Settings
from pcs_contract.shapes import operation as contract_operation
from pcs_contract.spelling import snake

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 20.0
"""Seconds before the second try, and the most before any other."""


class Interrupted(Exception):
    """The user has interrupted terraform while a call, or what it began, was not over."""


class Client:
    """The PCS API of one account and Region; threads may share it."""

    def __init__(self, settings: Settings, make: Callable[[Settings], Any]) -> None:
        self._settings: Final = settings
        self._boto3: Final = make(settings)

    def call(self, operation: str, request: Mapping[str, Any], call: Call) -> dict[str, Any]:
        """The answer of an operation, with one client token for all tries.

        A Create or Update carries one client token through all its tries, so that none has a second effect. Raises
        botocore's ClientError or BotoCoreError when the last try fails, and Interrupted.
        """
        method = getattr(self._boto3, snake(operation))
        tokens = contract_operation(operation).input.idempotency_tokens
        request = {**{token: str(uuid.uuid4()) for token in tokens}, **request}
        tries = 0
        while True:
            tries += 1
            started = time.perf_counter()
            try:
                answer: dict[str, Any] = method(**request)
            except (ClientError, BotoCoreError) as error:
                problem = failures.classified(error)
                self._log(call, operation, tries, started, problem.code, problem.request_id)
                if tries > min(self._settings.max_retries, problem.retries):
                    raise
                pause = max(problem.retry_after, backoff(tries))
            else:
                metadata = answer.pop("ResponseMetadata", {})
                self._log(call, operation, tries, started, "", metadata.get("RequestId", ""))
                return answer
            if call.cancelled.wait(pause):
                raise Interrupted

    def _log(self, call: Call, operation: str, tries: int, started: float, code: str, request_id: str) -> None:
        call.log.debug(
            "PCS API",
            operation=operation,
            attempt=tries,
            error=code,
            request_id=request_id,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
        )


def backoff(tries: int) -> float:
    """Seconds to wait after a number of tries: growing, with jitter, so that many clients do not march in step."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tries, 16))
    return random.uniform(longest / 2, longest)
