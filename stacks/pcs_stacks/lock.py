"""`pcs-scripts.lock.json`: where published scripts lie, and what was in them when somebody locked them.

```json
{"version": 1, "scripts": {"mount-home": {
  "script_location": "s3://example-scripts/mount-home.sh", "s3_version_id": "...", "checksum": "..."}}}
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pcs_contract import json_schema
from pcs_contract.limits import problems
from pcs_contract.record import Record
from pcs_contract.shapes import shape
from pcs_contract.spelling import snake
from pcs_policies.errors import nearest

FILE: Final = "pcs-scripts.lock.json"
VERSION: Final = 1
"""Of the format. A file of a later one may mean something else and is refused."""


class LockError(Exception):
    """A lock file that cannot be used, or lacks what is asked for; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy: Final = remedy


class Entry(Record):
    """A locked script: where it lies, and the SHA-256 of its content."""

    script_location: str
    checksum: str
    s3_version_id: str | None = None


class Lock(Record):
    """A lock file that was read."""

    path: str
    scripts: Mapping[str, Entry]

    def entry(self, name: str) -> Entry:
        """The script of that name. Raises LockError."""
        if name not in self.scripts:
            known = ", ".join(self.scripts) or "none"
            what = f"{self.path} has no script {name!r}{nearest(name, self.scripts)}"
            raise LockError(what, f"lock it; the scripts there: {known}")
        return self.scripts[name]


@lru_cache(maxsize=16)  # an app asks once for each of its scripts
def read(path: str) -> Lock:
    """Read a lock file. Raises LockError."""
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except OSError as error:
        raise LockError(
            f"the lock file {path} cannot be read: {error.strerror or type(error).__name__}",
            "give its path as lock_file; it is relative to the folder of cdktf.json",
        ) from None
    except ValueError as error:
        raise LockError(f"the lock file {path} is no JSON: {error}", "write it again") from None
    return Lock(path, _scripts(document, path))


def _scripts(document: Any, path: str) -> dict[str, Entry]:
    if not isinstance(document, dict) or document.keys() != {"version", "scripts"}:
        raise _malformed(path, 'it should be an object with "version" and "scripts"')
    if document["version"] != VERSION:
        raise _malformed(path, f"its version is not {VERSION}")
    if not isinstance(document["scripts"], dict):
        raise _malformed(path, '"scripts" should be an object')
    return {name: _entry(name, entry, path) for name, entry in document["scripts"].items()}


def _entry(name: str, entry: Any, path: str) -> Entry:
    source = shape("ScriptSource")
    api = {snake(member): member for member in source.members}
    if not isinstance(entry, dict):
        raise _malformed(path, f"script {name!r} should be an object")
    for key in entry:
        if key not in api:
            raise _malformed(path, f"script {name!r} has a member {key!r}{nearest(key, api)} that no script has")
    for problem in problems(source, {api[key]: value for key, value in entry.items()}):
        raise _malformed(path, f"script {name!r}: {snake(problem.path)} {problem.message}")
    if "checksum" not in entry:
        raise _malformed(path, f"script {name!r} has no checksum")
    return Entry(entry["script_location"], entry["checksum"], entry.get("s3_version_id"))


def _malformed(path: str, what: str) -> LockError:
    return LockError(f"the lock file {path} cannot be used: {what}", "docs/pcs-scripts.lock.schema.json is its schema")


def json_schema_of_file() -> dict[str, Any]:
    """The format as JSON Schema 2020-12."""
    source = shape("ScriptSource")
    members = {snake(name): json_schema.value_schema(member) for name, member in source.members.items()}
    return {
        "$schema": json_schema.DIALECT,
        "title": f"{FILE} of pcsguard",
        "type": "object",
        "required": ["version", "scripts"],
        "additionalProperties": False,
        "properties": {
            "version": {"const": VERSION},
            "scripts": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": ["script_location", "checksum"],
                    "additionalProperties": False,
                    "properties": members,
                },
            },
        },
    }
