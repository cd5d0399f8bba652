"""From bytes to JSON: encodings as shells write them, and errors that say what is wrong with the file."""

from __future__ import annotations

import codecs
import json
import sys

from pcs_contract.hints import Any
from pcs_policies.errors import InputError
from pcs_policies.redaction import quote

_CHUNK = 1 << 20

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


def encoding(data: bytes) -> str:
    """The encoding that a byte order mark tells; UTF-8 without one. PowerShell's ``>`` writes UTF-16."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")


def decode(data: bytes) -> str:
    """The text of a file. Raises :class:`InputError`."""
    name = encoding(data)
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        raise _no_text(name, error.start, error.reason) from None


def check_utf8(data: bytes) -> None:
    """Raises :class:`InputError` as :func:`decode` does, without making the whole text at once."""
    if data.isascii():  # as most are, and much the quickest to tell
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    for start in range(0, len(data), _CHUNK):
        try:
            decoder.decode(view[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            held_back = len(error.object) - min(_CHUNK, len(data) - start)
            raise _no_text("utf-8", start - held_back + error.start, error.reason) from None


def _no_text(name: str, position: int, reason: str) -> InputError:
    return InputError(
        f"the file is no {name.upper().removesuffix('-SIG')} text: byte {position} ({reason}); "
        "write it again with `terraform show -json PLANFILE > plan.json`"
    )


def parse(text: str) -> Any:
    """The value of a JSON text. Raises :class:`InputError`."""
    if not text.strip():
        raise InputError("the file is empty; the command that should have written it probably failed")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip())
        why = "it ends too early, so it was probably cut off" if at_end else error.msg.lower()
        raise InputError(f"the file is not valid JSON: line {error.lineno}, column {error.colno}: {why}") from None
    except RecursionError:
        raise InputError("the file nests too deep to be a plan, a state or a template") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of two members of one name, programs differ in which they take, so neither can be trusted."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"the file is ambiguous JSON: an object has two members {quote(twice)}, and programs differ in which one "
            "they take; terraform never writes that, so find out who did"
        )
    return members


def _no_number(word: str) -> Any:
    raise InputError(f"the file is not valid JSON: {word} is no number there")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_number)
