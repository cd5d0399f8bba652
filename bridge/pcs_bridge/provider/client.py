"""Calls of the PCS API, each repeated while repeating helps.

boto3's own retries are off: they cannot be interrupted, and do not wait for as long as the service asks for.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin.provider import Call
from pcs_bridge.provider import waiting
from pcs_bridge.provider.failures import UNREACHABLE, Again, classified
from pcs_contract.shapes import operation
from pcs_contract.spelling import snake


class Client:
    """The PCS API of one account and Region, through a boto3 client; threads may share it."""

    def __init__(self, boto3_client: Any, max_retries: int) -> None:
        self._boto3: Final = boto3_client
        self._max_retries: Final = max_retries

    def call(self, name: str, request: Mapping[str, Any], call: Call, token: str | None = None) -> dict[str, Any]:
        """The answer of an operation.

        All tries carry one client token, by default a new one, so that a call whose answer was lost has no second
        effect. Raises botocore's ClientError or BotoCoreError when repeating does not help, and Interrupted.
        """
        method = getattr(self._boto3, snake(name))
        tokens = {member: token or str(uuid.uuid4()) for member in operation(name).input.idempotency_tokens}
        tries = unreached = 0
        while True:
            tries += 1
            started = time.perf_counter()
            try:
                answer: dict[str, Any] = method(**tokens, **request)
            except (ClientError, BotoCoreError) as failure:
                error = classified(failure)
                _log(call, name, tries, started, error.request_id, error.code)
                unreached += error.again is Again.HARDLY
                if error.again is Again.NEVER or tries > self._max_retries or unreached > UNREACHABLE:
                    raise
                waiting.pause(tries, call, error.retry_after)
            else:
                _log(call, name, tries, started, answer["ResponseMetadata"].get("RequestId", ""))
                return answer


def _log(call: Call, name: str, tries: int, started: float, request_id: str, error: str = "") -> None:
    milliseconds = round((time.perf_counter() - started) * 1000, 1)
    call.log.debug(
        "PCS API", operation=name, attempt=tries, request_id=request_id, error=error, milliseconds=milliseconds
    )
