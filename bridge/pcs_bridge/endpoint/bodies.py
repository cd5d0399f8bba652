"""The body of an HTTP request: read to its end or to a limit, whatever its head says (RFC 9112, sections 6 and 7)."""

from __future__ import annotations

from email.message import Message
from typing import Final, Protocol

from pcs_bridge.endpoint.errors import ServiceError, malformed, too_large

LONGEST_DRAIN: Final = 16 * 1024 * 1024
"""Bytes that are read and dropped of a body that is too large: a client that still writes would miss the answer."""

_PART: Final = 64 * 1024
_LONGEST_LINE: Final = 1024
"""Bytes of a line about a chunk; extensions and trailers, which have no meaning here, could be of any length."""

_LONGEST_NUMBER: Final = 19
"""Digits of a length that are looked at: more than any limit here has."""


class Stream(Protocol):
    """Where a body comes from."""

    def read(self, size: int, /) -> bytes: ...

    def readline(self, size: int, /) -> bytes: ...


class Unreadable(Exception):
    """The body cannot be read to its end, so the connection has no further use. `error` is what to answer."""

    def __init__(self, error: ServiceError) -> None:
        super().__init__(error.code)
        self.error: Final = error


def read(headers: Message, stream: Stream, limit: int) -> bytes:
    """Read a body of at most `limit` bytes. Raises Unreadable, and OSError when the client is gone.

    What two readers could understand in two ways is refused: two lengths, or a length beside chunks.
    """
    lengths = headers.get_all("Content-Length", [])
    encoding = headers.get("Transfer-Encoding")
    if encoding is not None:
        if lengths or encoding.strip().lower() != "chunked":
            raise Unreadable(malformed("Transfer-Encoding must be chunked, without a Content-Length."))
        return _chunks(stream, limit)
    if not lengths:
        return b""
    length = declared(lengths[0])
    if len(set(lengths)) > 1 or length is None:
        raise Unreadable(malformed("Content-Length must be one number."))
    return _exactly(stream, length, limit)


def declared(text: str) -> int | None:
    """The number of bytes that a Content-Length says; None for anything else."""
    digits = text.strip()
    return int(digits[:_LONGEST_NUMBER]) if digits.isascii() and digits.isdecimal() else None


def _exactly(stream: Stream, length: int, limit: int) -> bytes:
    if length > limit:
        _drain(stream, length)
        raise Unreadable(too_large(limit))
    body = stream.read(length)
    if len(body) < length:
        raise ConnectionResetError  # nobody is there to read an answer
    return body


def _chunks(stream: Stream, limit: int) -> bytes:
    body = bytearray()
    while size := _chunk_size(stream):
        if len(body) + size > limit:
            raise Unreadable(too_large(limit))
        body += _exactly(stream, size, limit)
        stream.readline(_LONGEST_LINE)
    while stream.readline(_LONGEST_LINE).strip():
        pass  # trailers
    return bytes(body)


def _chunk_size(stream: Stream) -> int:
    digits = stream.readline(_LONGEST_LINE).partition(b";")[0].strip()
    if not digits or len(digits) > 8 or any(byte not in b"0123456789abcdefABCDEF" for byte in digits):
        raise Unreadable(malformed("A chunk has no proper size."))
    return int(digits, 16)


def _drain(stream: Stream, length: int) -> None:
    left = min(length, LONGEST_DRAIN)
    while left > 0 and (part := stream.read(min(left, _PART))):
        left -= len(part)
