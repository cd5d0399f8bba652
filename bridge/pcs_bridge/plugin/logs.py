"""Log lines in the JSON form that go-plugin reads from a plugin's stderr and passes on to terraform's log.

A line holds a message, which is a literal in the source, and named facts: a resource type, a duration, an identifier.
Never a value of a configuration or state: which of them are secret is known to terraform only, not to its providers.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Mapping
from enum import IntEnum
from typing import Final, TextIO


class Level(IntEnum):
    """Terraform's levels, and one above them all."""

    TRACE = 1
    DEBUG = 2
    INFO = 3
    WARN = 4
    ERROR = 5
    OFF = 6


def level_of(environ: Mapping[str, str]) -> Level:
    """The level that terraform's user asks for: TF_LOG_PROVIDER, else TF_LOG; without either, nothing is logged."""
    asked = (environ.get("TF_LOG_PROVIDER") or environ.get("TF_LOG") or "OFF").upper()
    if asked in Level.__members__:
        return Level[asked]
    return Level.TRACE  # as terraform does it: JSON means trace, and so does a level that it does not know


class Logger:
    """Writes lines of at least one level to a stream; safe to use from several threads."""

    def __init__(self, level: Level = Level.OFF, stream: TextIO | None = None, module: str = "provider") -> None:
        self._level: Final = level
        self._stream: Final = stream
        self._module: Final = module

    def trace(self, message: str, **facts: str | int | float) -> None:
        self._write(Level.TRACE, message, facts)

    def debug(self, message: str, **facts: str | int | float) -> None:
        self._write(Level.DEBUG, message, facts)

    def info(self, message: str, **facts: str | int | float) -> None:
        self._write(Level.INFO, message, facts)

    def warn(self, message: str, **facts: str | int | float) -> None:
        self._write(Level.WARN, message, facts)

    def error(self, message: str, **facts: str | int | float) -> None:
        self._write(Level.ERROR, message, facts)

    def _write(self, level: Level, message: str, facts: Mapping[str, str | int | float]) -> None:
        if level < self._level:
            return
        seconds = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        line = {
            "@level": level.name.lower(),
            "@message": message,
            "@module": self._module,
            # Six digits and an offset: go-plugin takes any other form for a line that is not JSON.
            "@timestamp": f"{stamp}.{int(seconds % 1 * 1e6):06d}Z",
            **{name: _short(fact) for name, fact in facts.items()},
        }
        stream = self._stream or sys.stderr
        try:
            # One write per line: lines of several threads must not mix.
            stream.write(json.dumps(line) + "\n")
            stream.flush()
        except (OSError, ValueError):
            pass  # terraform is gone; there is nobody to tell


def _short(fact: str | int | float) -> str | int | float:
    # Lines beyond 64 KiB reach terraform's log in pieces, as text.
    return fact if not isinstance(fact, str) or len(fact) <= 8000 else fact[:8000] + "..."


def frames(error: BaseException) -> str:
    """Where an exception came from: its types and source lines, without messages, which may quote values."""
    chain: list[str] = []
    seen: set[int] = set()
    here: BaseException | None = error
    while here is not None and id(here) not in seen:
        seen.add(id(here))
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(here.__traceback__)]
        chain.append(f"{type(here).__name__} at " + " < ".join(reversed(places)))
        here = here.__cause__ or here.__context__
    return "; caused by ".join(chain)
