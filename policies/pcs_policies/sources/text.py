"""From bytes to JSON: encodings as shells write them, and errors that say what is wrong with the file."""

from __future__ import annotations

import codecs
import json
import sys
from typing import Any

from pcs_policies.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises :class:`InputError`."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError("there is no such file; give the output of `terraform show -json PLANFILE`") from None
    except IsADirectoryError:
        raise InputError(
            "this is a folder; give a file, such as the output of `terraform show -json PLANFILE`"
        ) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or type(error).__name__}") from None


def decode(data: bytes) -> str:
    """Text of UTF-8, or of UTF-16 or UTF-32 with a byte order mark (PowerShell's ``>`` writes UTF-16)."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is no {encoding.upper().removesuffix('-SIG')} text: byte {error.start} ({error.reason}); "
            "write it again with `terraform show -json PLANFILE > plan.json`"
        ) from None


def parse(text: str) -> Any:
    """The value of a JSON text."""
    if not text.strip():
        raise InputError("the file is empty; the command that should have written it probably failed")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip())
        why = "it ends too early, so it was probably cut off" if at_end else error.msg.lower()
        raise InputError(f"the file is not valid JSON: line {error.lineno}, column {error.colno}: {why}") from None
    except RecursionError:
        raise InputError("the file nests too deep to be a plan, a state or a template") from None
