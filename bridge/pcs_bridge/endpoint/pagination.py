"""Tokens for the next page of a list: opaque to clients, bound to one list, and good for a day."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from typing import Final

from pcs_bridge.endpoint.errors import expired_token, invalid_fields
from pcs_contract.limits import Problem

LIFETIME: Final = 24 * 60 * 60
"""Seconds (PCS API reference, ListComputeNodeGroups.nextToken)."""

DEFAULT_PAGE: Final = 10
"""Results without `maxResults`, or with 0 (PCS API reference, ListComputeNodeGroups.maxResults)."""


class Pages:
    """Makes and reads tokens. Those of another endpoint do not count here."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key: Final = key or secrets.token_bytes(32)

    def token(self, listing: str, after: int, now: float) -> str:
        """The token for what comes behind the order `after` in the list called `listing`."""
        content = json.dumps([listing, after, now]).encode()
        return base64.urlsafe_b64encode(self._sign(content) + content).decode()

    def after(self, token: str, listing: str, now: float) -> int:
        """The order behind which the page begins. Raises ServiceError for a token that is not for this list."""
        try:
            raw = base64.b64decode(token.encode("ascii"), b"-_", validate=True)
        except ValueError:
            raw = b""
        signature, content = raw[:_SIGNATURE], raw[_SIGNATURE:]
        if not hmac.compare_digest(signature, self._sign(content)):
            raise invalid_fields([Problem("nextToken", "is not a token of this service")])
        said, after, issued = json.loads(content)
        if said != listing:
            raise invalid_fields([Problem("nextToken", "belongs to a request with other arguments")])
        if now - issued > LIFETIME:
            raise expired_token()
        return int(after)

    def _sign(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, hashlib.sha256)


_SIGNATURE: Final = hashlib.sha256().digest_size
