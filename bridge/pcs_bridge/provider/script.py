"""`pcs_lifecycle_script`: a script in S3, with the location, the version and the checksum that pin it.

A group that refers to these can have no wrong pin, and a change of the content shows in the plan as a change of exactly
the groups that use it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin import cty, planning
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error, warning
from pcs_bridge.plugin.paths import Path
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.provider import Call, MovedFrom, Resource
from pcs_bridge.plugin.schema import Attribute, Attributes, Schema
from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown, Value
from pcs_bridge.provider import adoption
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.failures import sentence
from pcs_bridge.provider.objects import Objects, Stored, TooLarge, code
from pcs_contract.prose import MAX_SCRIPT_BYTES
from pcs_contract.shapes import group_field

TYPE: Final = "pcs_lifecycle_script"

SCHEMA: Final = Schema(
    Attributes(
        (
            Attribute(
                "id", cty.STRING, computed=True, keeps_prior=True, description="The location, as in `script_location`."
            ),
            Attribute(
                "bucket",
                cty.STRING,
                required=True,
                replaces=True,
                description="The bucket, which should be versioned: without versions there is nothing to pin, and a "
                "new content replaces what running groups still fetch. A change makes another resource.",
            ),
            Attribute(
                "key",
                cty.STRING,
                required=True,
                replaces=True,
                description="The key of the object. A change makes another resource.",
            ),
            Attribute(
                "source",
                cty.STRING,
                optional=True,
                description='The path of a local file, such as `"${path.module}/mount.sh"`, which is read whenever '
                "terraform plans. Either this or `content`.",
            ),
            Attribute("content", cty.STRING, optional=True, description="The script itself. Either this or `source`."),
            Attribute(
                "script_location",
                cty.STRING,
                computed=True,
                keeps_prior=True,
                description="For `script_source.script_location`: `s3://BUCKET/KEY`.",
            ),
            Attribute(
                "s3_version_id",
                cty.STRING,
                computed=True,
                description="For `script_source.s3_version_id`: the version of this content; null in a bucket without "
                "versions.",
            ),
            Attribute(
                "checksum",
                cty.STRING,
                computed=True,
                description="For `script_source.checksum`: the SHA-256 of the content, in hexadecimal. It is known "
                "when terraform plans.",
            ),
        )
    ),
    description="A script in S3 for the node lifecycle actions of compute node groups, with the location, the version "
    f"and the checksum that pin it. At most {MAX_SCRIPT_BYTES} bytes, which is what nodes accept.",
)

_IDENTIFIER: Final = re.compile(r"(?:(?!s3://)(.+?)=)?s3://([^/]+)/(.+)")

_LOCATION: Final = group_field("nodeLifecycleActions.stages.nodeReady[].scriptSource.scriptLocation")


class Script(Resource):
    """The resource type. `connection` gives what the provider block configured."""

    schema = SCHEMA

    def __init__(self, connection: Callable[[], Connection]) -> None:
        self._connection: Final = connection

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        yield from _location_problems(config)
        yield from _choice_problems(config)
        content = config.get("content")
        if isinstance(content, str):
            yield from content_problems(content.encode(), ("content",))

    def plan(self, config: Object, prior: Object | None, call: Call) -> Planned:
        body = _body(config)
        planned = planning.plan(self.schema, config, prior)
        location, checksum = _location(config), UNKNOWN if body is None else _checksum(body)
        # Terraform would refuse another checksum than the reviewed one too, but as a bug of the provider.
        if call.reviewed and call.reviewed.decode() != checksum:
            raise _changed_since_plan(config)
        call.private = checksum.encode() if isinstance(checksum, str) else b""
        version: Value = UNKNOWN
        if prior is not None and (prior["script_location"], prior["checksum"]) == (location, checksum):
            version = prior["s3_version_id"]
        pins = {"id": location, "script_location": location, "checksum": checksum, "s3_version_id": version}
        return planned._replace(state={**planned.state, **pins})

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        return self._published(planned, config, call, new=True)

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        if planned["checksum"] == prior["checksum"]:
            return planned  # only where the content comes from has changed
        return self._published(planned, config, call, new=False)

    def read(self, state: Object, call: Call) -> Object | None:
        bucket, key = state["bucket"], state["key"]
        with _told("read", bucket, key, call):
            objects = self._objects()
            current = objects.current(bucket, key)
            if current is None:
                return None
            version = state.get("s3_version_id")
            if version is not None and current.checksum == state.get("checksum") and objects.has(bucket, key, version):
                # The same content was put again: groups are as well served by the version that they have.
                current = Stored(version, current.checksum)
        location = _location(state)
        return {
            **state,
            "id": location,
            "script_location": location,
            "s3_version_id": current.version,
            "checksum": current.checksum,
        }

    def delete(self, prior: Object, call: Call) -> None:
        with _told("delete", prior["bucket"], prior["key"], call):
            self._objects().delete(prior["bucket"], prior["key"])

    def import_(self, identifier: str, call: Call) -> Object:
        match = _IDENTIFIER.fullmatch(identifier)
        if match is None:
            raise Failed(
                error(
                    "The identifier is no location of a script",
                    "It has to look like s3://BUCKET/KEY, as in `id`, or like SOURCE=s3://BUCKET/KEY, where the "
                    "configuration has a `source`.",
                )
            )
        source, bucket, key = match.groups()
        with _told("import", bucket, key, call):
            objects = self._objects()
            if objects.current(bucket, key) is None:
                raise Failed(error("There is no such script", f"S3 has no object at s3://{bucket}/{key}."))
            body = objects.content(bucket, key)
        return {
            "bucket": bucket,
            "key": key,
            "source": source,
            "content": _text(body) if source is None else None,
            "checksum": _checksum(body),
        }

    def move(self, source: MovedFrom, call: Call) -> Object | None:  # noqa: ARG002
        return adoption.fitted(self.schema, source) if adoption.is_own(source, TYPE) else None

    def _objects(self) -> Objects:
        return Objects(self._connection().s3())

    def _published(self, planned: Object, config: Object, call: Call, *, new: bool) -> Object:
        body = _body(config)
        assert body is not None  # terraform knows every value when it applies
        checksum = _checksum(body)
        if planned["checksum"] not in (UNKNOWN, checksum):
            raise _changed_since_plan(config)
        bucket, key = config["bucket"], config["key"]
        with _told("put", bucket, key, call):
            version = self._objects().put(bucket, key, body, new=new)
        if version is None:
            call.warn(
                warning(
                    "The bucket has no versions",
                    f"{bucket} is not versioned, so s3_version_id is null. Nodes that boot between a change of this "
                    "script and the update of their group fetch a content that does not fit their checksum, and fail. "
                    "Turn versioning on.",
                    ("bucket",),
                )
            )
        location = _location(config)
        pins = {"id": location, "script_location": location, "checksum": checksum, "s3_version_id": version}
        return {**planned, **pins}


def _body(config: Object) -> bytes | None:
    """The script; None where only apply reveals it. Raises Failed where there is none to use."""
    content, source = config.get("content"), config.get("source")
    if isinstance(content, Unknown) or isinstance(source, Unknown):
        return None
    problems = list(_choice_problems(config))
    if not problems:
        place = "source" if content is None else "content"
        body = read_file(str(source), (place,)) if content is None else str(content).encode()
        problems.extend(content_problems(body, (place,)))
    if problems:
        raise Failed(*problems)
    return body


def _changed_since_plan(config: Object) -> Failed:
    place = "source" if config.get("content") is None else "content"
    what = config["source"] if place == "source" else "The script"
    return Failed(
        error(
            "The script has changed since the plan",
            f"{what} has another content than when terraform planned. Nothing is put to S3. Plan again, so that what "
            "is applied is what was reviewed.",
            (place,),
        )
    )


def _choice_problems(config: Object) -> Iterator[Diagnostic]:
    """A value that only apply reveals may be null as well."""
    values = [config.get(name) for name in ("source", "content")]
    known = sum(value is not None and not isinstance(value, Unknown) for value in values)
    if known == len(values) or all(value is None for value in values):
        yield error(
            "Either source or content" if known else "The script is missing",
            "A script comes from a local file, `source`, or stands in the configuration, `content`: give one of the "
            "two.",
            ("source",) if known else (),
        )


def read_file(path: str, place: Path = ()) -> bytes:
    """The content of a local file, one byte more than a script may have at most. Raises Failed."""
    name = os.path.expanduser(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # a pipe or a terminal would be waited for
            raise OSError(errno.EINVAL, "not a file")
        with open(name, "rb") as file:
            return file.read(MAX_SCRIPT_BYTES + 1)
    except (OSError, ValueError) as failure:  # ValueError: a path with a zero byte
        reason = failure.strerror if isinstance(failure, OSError) else "no file has such a name"
        raise Failed(
            error(
                "The script cannot be read",
                f"{path}: {reason}. Paths begin at the folder in which terraform runs; ${{path.module}} is that of the "
                "configuration.",
                place,
            )
        ) from failure


def content_problems(body: bytes, place: Path) -> Iterator[Diagnostic]:
    """What no node accepts of a script."""
    if not body:
        yield error("The script is empty", "A node that is given an empty script cannot run it, and fails.", place)
    if len(body) > MAX_SCRIPT_BYTES:
        yield error(
            "The script is too large",
            f"It has more than {MAX_SCRIPT_BYTES} bytes, which is all that the agent on a node accepts. Let the script "
            "fetch what it needs, or put that into the AMI.",
            place,
        )


def _location_problems(config: Object) -> Iterator[Diagnostic]:
    bucket, key = config.get("bucket"), config.get("key")
    if isinstance(bucket, str) and not _fits(f"s3://{bucket}/key"):
        yield error(
            "The bucket's name is none",
            "It has 3 to 63 lower case letters, digits, dots and hyphens, and no scheme or slash.",
            ("bucket",),
        )
    elif isinstance(key, str) and not _fits(f"s3://{bucket if isinstance(bucket, str) else 'bucket'}/{key}"):
        longest = _LOCATION.max
        yield error(
            "The key cannot be a script's",
            f"It must not be empty, and the location s3://BUCKET/KEY has at most {longest} characters in one line.",
            ("key",),
        )


def _fits(location: str) -> bool:
    return len(location) <= (_LOCATION.max or 0) and bool(re.fullmatch(_LOCATION.pattern or "", location, re.ASCII))


def _checksum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _text(body: bytes) -> str | None:
    """A script as `content` can have it; None for a program, which has a file as its source."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _location(values: Object) -> Value:
    bucket, key = values["bucket"], values["key"]
    if isinstance(bucket, Unknown) or isinstance(key, Unknown):
        return UNKNOWN
    return f"s3://{bucket}/{key}"


HINTS: Final = {
    "PreconditionFailed": "There is an object with another content at this key. Import it, if this resource is to "
    "take it over, or choose another key.",
    "NoSuchBucket": "There is no such bucket.",
    "AccessDenied": "The credentials lack a permission for the bucket, or its policy denies it.",
    "403": "The credentials lack a permission for the bucket, or its policy denies it.",
}
"""S3's code -> what it means for who runs terraform."""


@contextmanager
def _told(operation: str, bucket: str, key: str, call: Call) -> Iterator[None]:
    """Turn what goes wrong with S3 into diagnostics."""
    where = f"s3://{bucket}/{key}"
    call.log.debug("S3", operation=operation)
    try:
        yield
    except ClientError as failure:
        said = HINTS.get(code(failure)) or sentence(failure)
        raise Failed(error(f"S3 refused to {operation} the script ({code(failure)})", f"{where}: {said}")) from failure
    except BotoCoreError as failure:
        raise Failed(
            error(f"S3 could not be asked to {operation} the script", f"{where}: {sentence(failure)}")
        ) from failure
    except TooLarge:
        raise Failed(
            error(
                "The object is too large for a script",
                f"{where} has more than {MAX_SCRIPT_BYTES} bytes, which is all that the agent on a node accepts.",
            )
        ) from None
