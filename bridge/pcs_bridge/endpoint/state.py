"""What survives the process: a folder with an SQLite file, to which each transaction adds what it changed.

The store answers from memory; the file is only read when it is opened. So a transaction costs one small commit, however
much there is, and one that changes nothing costs none. A commit is handed to the operating system before the call is
answered: whoever kills this process loses no answered call. A machine that loses its power may lose the last ones, but
never a part of one (SQLite documentation, PRAGMA synchronous, NORMAL in WAL mode).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Final

from pcs_bridge.endpoint.store import CannotKeep, Change, Kind, MemoryStore, Resource

FILE: Final = "pcs.sqlite3"

PATIENCE: Final = 0.5
"""Seconds to wait for another process that is just ending, or that begins at the same moment and gives way."""

_APPLICATION: Final = 0x50435347
"""`PRAGMA application_id`: "PCSG" in ASCII. It tells our files from others."""

_FORMAT: Final = 1
"""`PRAGMA user_version`: the form of the table and of what is in it."""

_MEMBERS: Final = tuple(member.name for member in fields(Resource))


@contextmanager
def opened(folder: Path) -> Iterator[MemoryStore]:
    """The store that is kept in a folder, which is made if need be. One process at a time may have it.

    Raises CannotKeep when another one has, when the folder cannot be used, or when what is in it is not of this kind.
    """
    path = folder / FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Clusters have secrets. A file that exists may be in use here, and to close it would release its locks.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError as error:
        raise CannotKeep(f"cannot keep the state in {folder}: that is a file; name a folder") from error
    except OSError as error:
        raise CannotKeep(f"cannot keep the state in {folder}: {error.strerror}") from error
    with closing(_connected(path)) as connection:
        try:
            _take(connection, path)
            resources = _loaded(connection, path)
        except sqlite3.Error as error:
            raise CannotKeep(_reason(error, path)) from error
        yield MemoryStore(resources, partial(_save, connection))


def _connected(path: Path) -> sqlite3.Connection:
    try:
        # Transactions begin and end where this module says so; the store lets in one thread at a time.
        return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise CannotKeep(_reason(error, path)) from error


def _take(connection: sqlite3.Connection, path: Path) -> None:
    """Make the file ours, for as long as the connection lasts; a new one gets its table."""
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (form,) = connection.execute("PRAGMA user_version").fetchone()
    if tables and application != _APPLICATION:  # and so it stays as it is
        raise CannotKeep(f"{path} is not a state of pcsguard local; name another folder")
    if tables and form != _FORMAT:
        raise CannotKeep(f"{path} is of form {form}, and this version of pcsguard knows form {_FORMAT} only")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN EXCLUSIVE")
    if not tables:
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        connection.execute("CREATE TABLE resource (place INTEGER PRIMARY KEY, content TEXT NOT NULL)")
    connection.execute("COMMIT")


def _loaded(connection: sqlite3.Connection, path: Path) -> list[Resource]:
    try:
        return [_decoded(content) for (content,) in connection.execute("SELECT content FROM resource ORDER BY place")]
    except (ValueError, TypeError, KeyError) as error:
        raise CannotKeep(f"{path} is damaged; remove the folder to begin anew") from error


def _save(connection: sqlite3.Connection, changed: Mapping[int, Resource | None]) -> None:
    kept = [(place, _encoded(resource)) for place, resource in changed.items() if resource is not None]
    gone = [(place,) for place, resource in changed.items() if resource is None]
    try:
        connection.execute("BEGIN")
        connection.executemany("INSERT OR REPLACE INTO resource VALUES (?, ?)", kept)
        connection.executemany("DELETE FROM resource WHERE place = ?", gone)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise CannotKeep(f"nothing was changed, since it cannot be stored: {error}") from error


def _encoded(resource: Resource) -> str:
    members = {name: getattr(resource, name) for name in _MEMBERS}
    return json.dumps(members, separators=(",", ":"), default=asdict)  # a Change


def _decoded(content: str) -> Resource:
    members = json.loads(content)
    change = members["change"]
    members["change"] = None if change is None else Change(**change)
    members["kind"] = Kind(members["kind"])
    return Resource(**members)


def _reason(error: sqlite3.Error, path: Path) -> str:
    # Without the extended part. What Python finds wrong has no code: text that is none.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return f"the state in {path.parent} is in use by another pcsguard local; stop that one, or name another folder"
    if code == sqlite3.SQLITE_NOTADB:
        return f"{path} is not a state of pcsguard local; name another folder"
    if code == sqlite3.SQLITE_CORRUPT:
        return f"{path} is damaged; remove the folder to begin anew"
    return f"cannot keep the state in {path.parent}: {error}"
