"""Lifecycle scripts, and what a group runs when: values that node groups share."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, TypedDict, Unpack, overload

from pcs_contract import aws_scripts
from pcs_contract.prose import MAX_SCRIPT_BYTES
from pcs_policies.errors import nearest
from pcs_stacks import lock
from pcs_stacks.errors import ConstructError, Mistake
from pcs_stacks.lines import Call, Line, here

OnError = Literal["TERMINATE", "STOP_SEQUENCE", "CONTINUE"]
"""When a script fails: the node is terminated and replaced, the stage ends, or the next script runs."""

ExecutionPolicy = Literal["FIRST_BOOT_ONLY", "EVERY_BOOT"]
Caching = Literal["CACHE_ONCE", "REFRESH_ON_REBOOT"]

ON_ERROR: Final[Mapping[str, OnError]] = {"node_bootstrapped": "TERMINATE", "node_ready": "CONTINUE"}
"""Stage -> what a script does there that does not say it. Jobs may run already when nodeReady scripts do."""

_PATHS: Final = {
    "name": "name",
    "location": "script_source.script_location",
    "checksum": "script_source.checksum",
    "s3_version_id": "script_source.s3_version_id",
    "arguments": "arguments",
    "on_error": "on_error",
    "execution_policy": "execution_policy",
}
"""Keyword argument -> where in a script of the resource it goes."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A local file that is published: to which bucket, and under which key."""

    path: str
    bucket: str
    key: str


class Behaviour(TypedDict, total=False):
    """How a script is run, whatever its source.

    - `arguments`: up to 20, each of at most 256 characters, as the script sees them; no shell splits or expands them.
    - `on_error`: what becomes of the node when the script fails. By default `TERMINATE` in nodeBootstrapped and
      `CONTINUE` in nodeReady, where `TERMINATE` is refused.
    - `execution_policy`: `FIRST_BOOT_ONLY` by default.
    """

    arguments: Sequence[str]
    on_error: OnError
    execution_policy: ExecutionPolicy


class AwsBehaviour(TypedDict, total=False):
    """As `Behaviour`, but for the arguments, which come from the flags."""

    on_error: OnError
    execution_policy: ExecutionPolicy


@dataclass(frozen=True, kw_only=True)
class LifecycleScript:
    """A script, as root, at a stage of a node's boot: a name, a location, and the checksum of what lies there.

    Made with `from_file`, `s3`, `https`, `from_lock` or `aws`.
    """

    name: str
    location: str
    checksum: str
    s3_version_id: str | None = None
    arguments: Sequence[str] = ()
    on_error: OnError | None = None
    execution_policy: ExecutionPolicy = "FIRST_BOOT_ONLY"
    upload: Upload | None = None
    places: Mapping[str, Line] = field(default_factory=lambda: _places(here()), compare=False, repr=False)
    """Path below the script -> the line of the user's program that it was written on; empty for the script itself."""

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        bucket: str,
        key: str | None = None,
        name: str | None = None,
        publish: bool = True,
        s3_version_id: str | None = None,
        **behaviour: Unpack[Behaviour],
    ) -> Self:
        """A script of this project. Its checksum is that of the file when the app is synthesized.

        - `path`: the file, relative to the working folder (that of cdktf.json). At most 2 MiB.
        - `bucket`: the S3 bucket for it, which should be versioned.
        - `key`: the key in the bucket; by default `pcs-scripts/` and the name of the file. Each stack publishes for
          itself, so stacks that share a bucket need keys of their own.
        - `name`: by default the name of the file without its ending.
        - `publish`: by default the script is uploaded in the same apply, by a `pcs_lifecycle_script`, for which the
          stack needs a `PcsProvider`; a copy of the file lies with the synthesized stack. `False` says that the object
          is there already, or that a pipeline puts it there.
        - `s3_version_id`: the version of an object that is there already.
        """
        call = here()
        file = os.fspath(path)
        content = _content(file, call)
        base = os.path.basename(file)
        key = key or f"pcs-scripts/{base}"
        if publish and s3_version_id is not None:
            raise _refused(
                call.of("s3_version_id"),
                "a script that is published gets its s3_version_id when it is",
                "leave it out, or say publish=False",
            )
        return cls(
            name=name or os.path.splitext(base)[0],
            location=f"s3://{bucket}/{key}",
            checksum=hashlib.sha256(content).hexdigest(),
            s3_version_id=s3_version_id,
            upload=Upload(path=file, bucket=bucket, key=key) if publish else None,
            places=_places(call),
            **behaviour,
        )

    @classmethod
    def s3(
        cls,
        location: str,
        *,
        name: str,
        checksum: str,
        s3_version_id: str | None = None,
        **behaviour: Unpack[Behaviour],
    ) -> Self:
        """A script in S3.

        - `location`: `s3://BUCKET/KEY`.
        - `name`: 1 to 64 letters, digits, blanks, `_` and `-`; logs and waivers go by it.
        - `checksum`: the SHA-256 of the script, in hexadecimal; nodes refuse any other content.
        - `s3_version_id`: the version of the object; without it, an upload to the key breaks or changes new nodes.
        """
        return cls(
            name=name,
            location=location,
            checksum=checksum,
            s3_version_id=s3_version_id,
            places=_places(here()),
            **behaviour,
        )

    @classmethod
    def https(cls, location: str, *, name: str, checksum: str, **behaviour: Unpack[Behaviour]) -> Self:
        """A script on a web server that nodes reach without a login.

        - `location`: `https://HOST/PATH`.
        - `name`: 1 to 64 letters, digits, blanks, `_` and `-`; logs and waivers go by it.
        - `checksum`: the SHA-256 of the script, in hexadecimal; nodes refuse any other content.
        """
        return cls(name=name, location=location, checksum=checksum, places=_places(here()), **behaviour)

    @classmethod
    def from_lock(
        cls,
        name: str,
        *,
        lock_file: str | os.PathLike[str] = lock.FILE,
        **behaviour: Unpack[Behaviour],
    ) -> Self:
        """A script whose location, version and checksum stand in a lock file.

        - `name`: its name there, and of the script.
        - `lock_file`: by default `pcs-scripts.lock.json` in the working folder.
        """
        call = here()
        try:
            entry = lock.read(os.fspath(lock_file)).entry(name)
        except lock.LockError as error:
            raise _refused(call.line, str(error), error.remedy) from None
        return cls(
            name=name,
            location=entry.script_location,
            checksum=entry.checksum,
            s3_version_id=entry.s3_version_id,
            places=_places(call),
            **behaviour,
        )

    @overload
    @classmethod
    def aws(
        cls,
        script: Literal["mount-efs"],
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        file_system_id: str,
        mount_point: str,
        options: str = ...,
        **behaviour: Unpack[AwsBehaviour],
    ) -> Self: ...

    @overload
    @classmethod
    def aws(
        cls,
        script: Literal["mount-fsx-lustre"],
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        fsx_dns_name: str,
        mount_name: str,
        mount_point: str,
        options: str = ...,
        **behaviour: Unpack[AwsBehaviour],
    ) -> Self: ...

    @overload
    @classmethod
    def aws(
        cls,
        script: Literal["configure-efs-homes"],
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        efs_id: str,
        home_base: str = ...,
        options: str = ...,
        **behaviour: Unpack[AwsBehaviour],
    ) -> Self: ...

    @overload
    @classmethod
    def aws(
        cls,
        script: Literal["configure-ldaps"],
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        ldap_uri: str,
        search_base: str,
        secret_arn: str = ...,
        tls_cacert: str = ...,
        **behaviour: Unpack[AwsBehaviour],
    ) -> Self: ...

    @overload
    @classmethod
    def aws(
        cls,
        script: Literal["configure-cloudwatch-logs"],
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        log_group_name: str = ...,
        **behaviour: Unpack[AwsBehaviour],
    ) -> Self: ...

    @classmethod
    def aws(
        cls,
        script: str,
        version: str,
        region: str,
        *,
        checksum: str,
        s3_version_id: str | None = None,
        name: str | None = None,
        on_error: OnError | None = None,
        execution_policy: ExecutionPolicy = "FIRST_BOOT_ONLY",
        **flags: str,
    ) -> Self:
        """A script that AWS maintains, with its flags as keyword arguments: `--mount-point` is `mount_point="/home"`.

        - `script`: `mount-efs`, `mount-fsx-lustre`, `configure-efs-homes`, `configure-ldaps` or
          `configure-cloudwatch-logs`.
        - `version`: a full version such as `1.0.0`, which AWS never changes.
        - `region`: that of the cluster, whose copy the nodes read.
        - `checksum`: AWS publishes it beside the script, in a file of the same name and `.sha256`.
        - `s3_version_id`: the version of AWS's object.
        - `name`: by default that of the script.
        """
        call = here()
        spec = aws_scripts.SCRIPTS.get(script)
        if spec is None:
            known = aws_scripts.SCRIPTS
            raise _refused(
                call.line, f"AWS has no lifecycle script {script!r}{nearest(script, known)}", f"use {_or(known)}"
            )
        words = {_keyword(flag.name): flag.name for flag in spec.flags}
        for word in flags:
            if word not in words:
                raise _refused(
                    call.of(word),
                    f"{script} has no flag {_flag(word)}{nearest(word, words)}: it would fail on every node",
                    f"use {_or(words)}",
                )
        missing = [_keyword(flag.name) for flag in spec.flags if flag.required and _keyword(flag.name) not in flags]
        if missing:
            raise _refused(
                call.line,
                f"{script} does not get {', '.join(missing)}: it would fail on every node",
                "add what is missing",
            )
        places = dict(_places(call))
        arguments: list[str] = []
        for word, value in flags.items():
            arguments += [words[word], value]
            places[f"arguments[{len(arguments) - 1}]"] = call.of(word)
        return cls(
            name=name or script,
            location=aws_scripts.location(script, version, region),
            checksum=checksum,
            s3_version_id=s3_version_id,
            arguments=arguments,
            on_error=on_error,
            execution_policy=execution_policy,
            places=places,
        )

    def written(self, stage: str, version: str | None) -> dict[str, Any]:
        """The script as an element of a stage of the resource; `version` is its s3_version_id."""
        return {
            "name": self.name,
            "script_source": {"script_location": self.location, "s3_version_id": version, "checksum": self.checksum},
            "arguments": self.arguments or None,
            "on_error": self.on_error or ON_ERROR[stage],
            "execution_policy": self.execution_policy,
        }


@dataclass(frozen=True, kw_only=True)
class NodeLifecycle:
    """What the nodes of a group run when they boot.

    - `bootstrapped`: scripts before `slurmd` starts, in this order: what must be there before the first job. Up to 20.
    - `ready`: scripts after `slurmd` has started, when jobs may already run. Up to 20.
    - `caching`: `CACHE_ONCE` (the default) keeps the scripts of the first boot, `REFRESH_ON_REBOOT` fetches them at
      every boot.
    """

    bootstrapped: Sequence[LifecycleScript] = ()
    ready: Sequence[LifecycleScript] = ()
    caching: Caching = "CACHE_ONCE"
    call: Call = field(default_factory=here, compare=False, repr=False)
    """Where in the user's program it was made."""

    def __post_init__(self) -> None:
        for keyword, scripts in (("bootstrapped", self.bootstrapped), ("ready", self.ready)):
            if not _is_list_of_scripts(scripts):
                raise _refused(
                    self.call.of(keyword),
                    f"{keyword} is no list of LifecycleScript",
                    "give a list of scripts that LifecycleScript.from_file, s3, https, from_lock or aws made",
                )

    @property
    def stages(self) -> dict[str, tuple[LifecycleScript, ...]]:
        """The scripts by stage, as the resource spells it."""
        return {"node_bootstrapped": tuple(self.bootstrapped), "node_ready": tuple(self.ready)}

    @property
    def publishes(self) -> bool:
        """Whether one of the scripts is published."""
        return any(script.upload is not None for scripts in self.stages.values() for script in scripts)

    def written(self, version: Callable[[LifecycleScript], str | None]) -> dict[str, Any]:
        """The member of the resource; `version` tells the s3_version_id of a script."""
        return {
            "stages": {
                stage: [script.written(stage, version(script)) for script in scripts] or None
                for stage, scripts in self.stages.items()
            },
            "script_caching_policy": self.caching,
        }

    def places(self) -> dict[str, Line]:
        """Path below the member -> the line that it was written on."""
        places = {"": self.call.line, "script_caching_policy": self.call.of("caching")}
        for keyword, (stage, scripts) in zip(("bootstrapped", "ready"), self.stages.items(), strict=True):
            places[f"stages.{stage}"] = self.call.of(keyword)
            for index, script in enumerate(scripts):
                for path, line in script.places.items():
                    places[f"stages.{stage}[{index}]" + (f".{path}" if path else "")] = line
        return places


def _is_list_of_scripts(value: object) -> bool:
    return isinstance(value, Sequence) and all(isinstance(item, LifecycleScript) for item in value)


def _places(call: Call) -> dict[str, Line]:
    return {"": call.line, **{_PATHS[word]: line for word, line in call.keywords.items() if word in _PATHS}}


def _refused(line: Line, message: str, remedy: str) -> ConstructError:
    return ConstructError("", [Mistake(line, message, remedy)])


def _content(file: str, call: Call) -> bytes:
    """The content of a script. Raises ConstructError for what no node can run."""
    try:
        with open(file, "rb") as stream:
            content = stream.read(MAX_SCRIPT_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise _refused(
            call.line, f"the script {file} cannot be read: {why}", "paths are relative to the folder of cdktf.json"
        ) from None
    if not content:
        raise _refused(call.line, f"the script {file} is empty: there is nothing to run", "write the script first")
    if len(content) > MAX_SCRIPT_BYTES:
        raise _refused(
            call.line,
            f"the script {file} has more than {MAX_SCRIPT_BYTES // 1024} KiB, so the agent on the node rejects it",
            "put what is large into the AMI or on a shared file system",
        )
    return content


def _keyword(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _flag(word: str) -> str:
    return "--" + word.replace("_", "-")


def _or(words: Mapping[str, object]) -> str:
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last
