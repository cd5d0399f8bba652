"""Which line of the user's own program made something.

A construct asks with :func:`here` who called it, and gets the first line of the stack that is neither ours nor the
toolkit's, and for each keyword argument of that call the line that it stands on.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import Final

from pcs_contract.record import Record

TOOLS: Final = frozenset({"cdktf", "cdktn", "constructs", "jsii", "pcs_stacks"})
"""Packages whose code is no line of a user's own."""

APP: Final = "pcs_stacks.app"
"""The one module of ours that is an app, as a user's own is."""


class Line(Record):
    """A line of a program. `file` is relative to the working folder, which is that of cdktf.json."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Call(Record):
    """A call in the user's program: the line that it begins on, and those of its keyword arguments."""

    line: Line
    keywords: Mapping[str, Line]

    def of(self, keyword: str) -> Line:
        """The line of a keyword argument, or of the call where that is not written there."""
        return self.keywords.get(keyword, self.line)


def here() -> Call:
    """The user's call that we are in."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_tool(frame):
        frame = frame.f_back
    code = frame.f_code
    file = _shown(code.co_filename, os.getcwd(), tuple(sys.path))
    keywords = _keywords(code.co_filename).get(_positions(code)[frame.f_lasti // 2], {})
    return Call(Line(file, frame.f_lineno), {name: Line(file, line) for name, line in keywords.items()})


def _is_tool(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return module != APP and module.partition(".")[0] in TOOLS


_Position = tuple[int | None, int | None, int | None, int | None]


@lru_cache(maxsize=256)
def _positions(code: CodeType) -> tuple[_Position, ...]:
    """Where each instruction stands: first and last line, first and last column."""
    return tuple(code.co_positions())


@lru_cache(maxsize=256)
def _keywords(path: str) -> Mapping[_Position, Mapping[str, int]]:
    """The calls of a file by their position, with the lines of their keyword arguments; empty for what is no file."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):  # of a file that was changed since it was imported
        return {}
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): {
            keyword.arg: keyword.lineno for keyword in node.keywords if keyword.arg is not None
        }
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }


@lru_cache(maxsize=256)
def _shown(path: str, folder: str, importable: tuple[str, ...]) -> str:
    """A file as a report may name it: relative to `folder` or to where it was imported from, never absolute."""
    if path.startswith("<"):
        return path
    full = os.path.realpath(path)
    for root in (folder, *sorted(importable, key=len, reverse=True)):
        base = os.path.realpath(root)
        if base != os.sep and full.startswith(base + os.sep):
            return os.path.relpath(full, base).replace(os.sep, "/")
    return os.path.basename(full)
