"""The settings of the app: a small TOML file, of which each environment may replace a part."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from pcs_policies.errors import nearest


class SettingsError(ValueError):
    """Settings that are no settings. The text says where, and what to do."""


class _Table(Struct, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file, its keys with hyphens."""


class Template(_Table):
    """The EC2 launch template of all nodes."""

    id: str
    version: str


class Aws(_Table):
    """Where the cluster is, and what it finds there."""

    region: str
    subnets: list[str]
    security_groups: list[str]
    instance_profile: str
    """The ARN of the instance profile of all nodes; its role may read the scripts."""
    launch_template: Template


class ClusterSettings(_Table):
    """The cluster itself."""

    name: str
    size: Literal["SMALL", "MEDIUM", "LARGE"]
    slurm_version: str


class Storage(_Table):
    """The file systems that all nodes mount."""

    home: str
    """The id of an EFS file system."""
    scratch: str
    """The DNS name of an FSx for Lustre file system."""
    scratch_mount_name: str


class Pin(_Table):
    """The one content of a script of AWS's that nodes accept."""

    version: str
    checksum: str
    s3_version_id: str | None = None


class Scripts(_Table):
    """What nodes run when they boot."""

    bucket: str
    """A versioned bucket, which the scripts of this project are published to."""
    log_group: str
    configure_cloudwatch_logs: Pin
    mount_efs: Pin
    mount_fsx_lustre: Pin


class Group(_Table):
    """A compute node group: how many instances, and of which types."""

    instance_types: list[str]
    max: int
    min: int = 0


class Groups(_Table):
    """The compute node groups."""

    login: Group
    on_demand: Group
    spot: Group
    gpu: Group


class S3State(_Table, tag_field="type", tag="s3"):
    """Terraform's state in an S3 bucket, with a lock beside it."""

    bucket: str
    key: str
    region: str | None = None
    """None: that of the cluster."""


class HttpState(_Table, tag_field="type", tag="http"):
    """Terraform's state behind an HTTP API, such as GitLab's; the credentials are in `TF_HTTP_*` variables."""

    address: str


class Settings(_Table):
    """All settings of one environment."""

    aws: Aws
    cluster: ClusterSettings
    storage: Storage
    scripts: Scripts
    groups: Groups
    state: S3State | HttpState | None = None
    """None: a file in the working folder."""


def read(path: str, environment: str) -> Settings:
    """The settings of an environment. Raises SettingsError."""
    document = _document(path)
    environments = document.pop("environments", {})
    if not isinstance(environments, dict) or not environments:
        raise SettingsError(f"{path} has no environments; add at least [environments.dev]")
    if environment not in environments:
        known = ", ".join(environments)
        raise SettingsError(
            f"{path}: there is no environment {environment!r}{nearest(environment, environments)}; it has {known}"
        )
    if not re.fullmatch(r"[A-Za-z0-9-]+", environment):
        raise SettingsError(
            f"{path}: the environment {environment!r} cannot be part of a stack's name; use letters, digits and hyphens"
        )
    try:
        return msgspec.convert(_replaced(document, environments[environment]), Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}, environment {environment}: {_told(str(error))}") from None


def _document(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror}; paths are relative to the folder of cdktf.json"
        ) from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is no UTF-8: byte {error.start} cannot be read") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is no TOML: {error}") from None


def _replaced(table: Any, part: Any) -> Any:
    """A table with what a part of it says, table by table."""
    if not isinstance(table, Mapping) or not isinstance(part, Mapping):
        return part
    return {**table, **{key: _replaced(table.get(key), value) for key, value in part.items()}}


_PLACED: Final = re.compile(r"(?P<what>.*) - at `\$\.?(?P<where>.*)`", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)


def _told(message: str) -> str:
    """What msgspec says, with the place in front and a word that may be meant."""
    placed = _PLACED.fullmatch(message)
    what, where = (placed["what"], placed["where"] + ": ") if placed else (message, "")
    if unknown := _UNKNOWN.fullmatch(what):
        what = f"there is no setting {unknown['key']!r}{nearest(unknown['key'], _keys(Settings))}"
    return where + what.replace("Object missing required field", "it lacks the setting").replace("Expected", "expected")


def _keys(of: Any) -> list[str]:
    """All keys of a table and of those in it."""
    keys = []
    for field in msgspec.structs.fields(of):
        keys.append(field.encode_name)
        for kind in getattr(field.type, "__args__", (field.type,)):
            if isinstance(kind, type) and issubclass(kind, _Table):
                keys += _keys(kind)
    return keys
