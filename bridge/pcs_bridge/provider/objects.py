"""Objects of S3 that hold a script: put, looked at and deleted, through a boto3 client."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from pcs_contract.prose import MAX_SCRIPT_BYTES

_MISSING: Final = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NoSuchBucket", "405", "MethodNotAllowed"})
"""Codes of an object, or a version, that does not exist or is a delete marker (S3 API reference, HeadObject)."""

_NO_VERSION: Final = "400"
"""What a version id is answered with that no object can have."""

_TAKEN: Final = "PreconditionFailed"

_WITHOUT_VERSION: Final = "null"
"""The version id of an object that was put while the bucket was not versioned."""


class Stored(NamedTuple):
    """An object as it is. `version` is None where the bucket has none; `checksum` is the SHA-256 in hexadecimal."""

    version: str | None
    checksum: str


class TooLarge(Exception):
    """An object is larger than any script that a node accepts."""


class Objects:
    """The scripts in S3. Every method raises botocore's errors."""

    def __init__(self, s3: Any) -> None:
        self._s3: Final = s3

    def put(self, bucket: str, key: str, body: bytes, *, new: bool) -> str | None:
        """Put an object and return its version.

        `new` refuses to replace another one, unless that has the same content: then there is nothing to do, as after
        a call whose answer was lost. Raises ClientError with the code `PreconditionFailed` for one with another.
        """
        digest = hashlib.sha256(body)
        condition = {"IfNoneMatch": "*"} if new else {}
        try:
            answer = self._s3.put_object(
                Bucket=bucket,
                Key=key,
                Body=body,
                # S3 compares it with what arrives, and tells it again.
                ChecksumSHA256=base64.b64encode(digest.digest()).decode(),
                **condition,
            )
        except ClientError as failure:
            if code(failure) != _TAKEN:
                raise
            there = self._same(bucket, key, digest.hexdigest())
            if there is None:
                raise
            return there.version
        return _version(answer)

    def current(self, bucket: str, key: str) -> Stored | None:
        """The object; None when there is none. Raises TooLarge."""
        try:
            head = self._s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
        except ClientError as failure:
            if code(failure) in _MISSING:
                return None
            raise
        told = head.get("ChecksumSHA256")
        if told is not None and "-" not in told:  # which would be a checksum of the checksums of parts
            return Stored(_version(head), base64.b64decode(told).hex())
        return Stored(_version(head), hashlib.sha256(self.content(bucket, key)).hexdigest())

    def content(self, bucket: str, key: str) -> bytes:
        """What is in the object. Raises TooLarge."""
        answer = self._s3.get_object(Bucket=bucket, Key=key)
        with answer["Body"] as body:
            if answer["ContentLength"] > MAX_SCRIPT_BYTES:
                raise TooLarge
            read: bytes = body.read()
        return read

    def has(self, bucket: str, key: str, version: str) -> bool:
        """Whether there is this version of an object."""
        try:
            self._s3.head_object(Bucket=bucket, Key=key, VersionId=version)
        except ClientError as failure:
            if code(failure) in _MISSING or code(failure) == _NO_VERSION:
                return False
            raise
        return True

    def delete(self, bucket: str, key: str) -> None:
        """Delete an object; in a versioned bucket its versions stay. It is no error when there is none."""
        try:
            self._s3.delete_object(Bucket=bucket, Key=key)
        except ClientError as failure:
            if code(failure) not in _MISSING:
                raise

    def _same(self, bucket: str, key: str, checksum: str) -> Stored | None:
        """The object, if it has this content."""
        try:
            there = self.current(bucket, key)
        except TooLarge:
            return None
        return there if there is not None and there.checksum == checksum else None


def code(failure: ClientError) -> str:
    """What S3 calls an error."""
    response: Any = failure.response
    return str(response.get("Error", {}).get("Code", ""))


def _version(answer: dict[str, Any]) -> str | None:
    version: str | None = answer.get("VersionId")
    return None if version == _WITHOUT_VERSION else version
