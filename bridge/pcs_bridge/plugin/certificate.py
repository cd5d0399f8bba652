"""A private key and a certificate of its own for every start of a plugin.

Terraform starts providers several times per command and waits for each, so the certificate is put together here by
hand: importing cryptography's x509 and serialization modules costs more than everything else between spawn and
handshake but grpc itself. The key and the signature are cryptography's; only the envelope, a few fixed fields of
RFC 5280 in DER, is written here.
"""

from __future__ import annotations

import base64
import os
import time
from typing import Final

from pcs_contract.record import Record

_INTEGER: Final = 0x02
_BIT_STRING: Final = 0x03
_OCTET_STRING: Final = 0x04
_OBJECT_IDENTIFIER: Final = 0x06
_UTF8_STRING: Final = 0x0C
_UTC_TIME: Final = 0x17
_GENERALIZED_TIME: Final = 0x18
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_VERSION: Final = 0xA0
_EXTENSIONS: Final = 0xA3
_EC_PARAMETERS: Final = 0xA0
_EC_PUBLIC_KEY_FIELD: Final = 0xA1
_DNS_NAME: Final = 0x82

_EC_PUBLIC_KEY: Final = (1, 2, 840, 10045, 2, 1)
_P256: Final = (1, 2, 840, 10045, 3, 1, 7)
_ECDSA_WITH_SHA256: Final = (1, 2, 840, 10045, 4, 3, 2)
_COMMON_NAME: Final = (2, 5, 4, 3)
_SUBJECT_ALTERNATIVE_NAME: Final = (2, 5, 29, 17)
_EXTENDED_KEY_USAGE: Final = (2, 5, 29, 37)
_SERVER_AUTHENTICATION: Final = (1, 3, 6, 1, 5, 5, 7, 3, 1)

_HOST: Final = "localhost"
"""The name under which go-plugin verifies the certificate, whatever the address."""

_LIFETIME: Final = 30 * 24 * 3600
"""Seconds. Longer than any apply; the key does not outlive the process anyway."""

_CLOCK_SLACK: Final = 3600


class Credentials(Record):
    """A certificate in DER for the handshake, and it and its key in PEM for the server."""

    der: bytes
    certificate: bytes
    key: bytes


def fresh(now: float | None = None) -> Credentials:
    """Make a P-256 key and a self-signed certificate for it. `now` is in seconds since 1970."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256

    seconds = time.time() if now is None else now
    private = ec.generate_private_key(ec.SECP256R1())
    numbers = private.private_numbers()
    point = b"\x04" + numbers.public_numbers.x.to_bytes(32) + numbers.public_numbers.y.to_bytes(32)
    signed = _to_be_signed(point, seconds)
    signature = private.sign(signed, ec.ECDSA(SHA256()))
    der = _tlv(_SEQUENCE, signed, _algorithm(), _bits(signature))
    return Credentials(
        der=der,
        certificate=_pem("CERTIFICATE", der),
        key=_pem("EC PRIVATE KEY", _private_key(numbers.private_value, point)),
    )


def _to_be_signed(point: bytes, seconds: float) -> bytes:
    name = _tlv(_SEQUENCE, _tlv(_SET, _tlv(_SEQUENCE, _oid(_COMMON_NAME), _tlv(_UTF8_STRING, _HOST.encode()))))
    alternative_name = _tlv(_SEQUENCE, _tlv(_DNS_NAME, _HOST.encode()))
    usage = _tlv(_SEQUENCE, _oid(_SERVER_AUTHENTICATION))
    return _tlv(
        _SEQUENCE,
        _tlv(_VERSION, _integer(2)),  # version 3, counted from 0
        _integer(int.from_bytes(os.urandom(16))),  # serial number
        _algorithm(),
        name,  # issuer
        _tlv(_SEQUENCE, _time(seconds - _CLOCK_SLACK), _time(seconds + _LIFETIME)),
        name,  # subject
        _tlv(_SEQUENCE, _tlv(_SEQUENCE, _oid(_EC_PUBLIC_KEY), _oid(_P256)), _bits(point)),
        _tlv(
            _EXTENSIONS,
            _tlv(
                _SEQUENCE,
                _tlv(_SEQUENCE, _oid(_SUBJECT_ALTERNATIVE_NAME), _tlv(_OCTET_STRING, alternative_name)),
                _tlv(_SEQUENCE, _oid(_EXTENDED_KEY_USAGE), _tlv(_OCTET_STRING, usage)),
            ),
        ),
    )


def _private_key(secret: int, point: bytes) -> bytes:
    """An ECPrivateKey of RFC 5915."""
    return _tlv(
        _SEQUENCE,
        _integer(1),
        _tlv(_OCTET_STRING, secret.to_bytes(32)),
        _tlv(_EC_PARAMETERS, _oid(_P256)),
        _tlv(_EC_PUBLIC_KEY_FIELD, _bits(point)),
    )


def _algorithm() -> bytes:
    return _tlv(_SEQUENCE, _oid(_ECDSA_WITH_SHA256))


def _tlv(tag: int, *contents: bytes) -> bytes:
    """One element of DER: tag, length, contents."""
    body = b"".join(contents)
    if len(body) < 0x80:
        return bytes((tag, len(body))) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(length))) + length + body


def _integer(number: int) -> bytes:
    """A number that is not negative; one bit more than it needs, because DER's integers have a sign."""
    return _tlv(_INTEGER, number.to_bytes(number.bit_length() // 8 + 1))


def _bits(contents: bytes) -> bytes:
    return _tlv(_BIT_STRING, b"\x00", contents)  # no unused bits in the last byte


def _oid(arcs: tuple[int, ...]) -> bytes:
    encoded = bytearray((arcs[0] * 40 + arcs[1],))
    for arc in arcs[2:]:
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(arc & 0x7F | 0x80)
        encoded += bytes(reversed(groups))
    return _tlv(_OBJECT_IDENTIFIER, bytes(encoded))


def _time(seconds: float) -> bytes:
    moment = time.gmtime(seconds)
    if moment.tm_year < 2050:  # where RFC 5280 draws the line
        return _tlv(_UTC_TIME, time.strftime("%y%m%d%H%M%SZ", moment).encode())
    return _tlv(_GENERALIZED_TIME, time.strftime("%Y%m%d%H%M%SZ", moment).encode())


def _pem(label: str, der: bytes) -> bytes:
    text = base64.b64encode(der).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", "")).encode()
