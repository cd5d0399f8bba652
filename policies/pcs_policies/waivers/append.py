"""Writes a waiver into a file of waivers, and leaves what is there, comments included, as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from pcs_policies.errors import UsageError
from pcs_policies.redaction import printable
from pcs_policies.reports.outputs import write_file
from pcs_policies.rules.table import Rule
from pcs_policies.waivers.entry import Waiver
from pcs_policies.waivers.toml_file import parse


def append(waiver: Waiver, path: str, rules: Iterable[Rule]) -> Waiver:
    """Add a waiver to the file at ``path``, which need not exist, and return it as it is read from there.

    Raises :class:`~pcs_policies.errors.UsageError` for a file that is no file of waivers or cannot be written, which
    is then left as it was.
    """
    before = _content(path)
    text = before + ("\n" if before and not before.endswith("\n") else "") + ("\n" if before else "") + entry(waiver)
    known = tuple(rules)
    parse(before.encode(), path, known)  # a mistake that was there is told as such
    try:
        written = parse(text.encode(), path, known)
    except UsageError:
        raise UsageError(
            f"{printable(path)} has waivers in another form than [[waiver]] tables, so none can be added behind them; "
            "write them as tables, or add the waiver by hand"
        ) from None
    write_file(path, lambda out: out.write(text))
    return written[-1]


def _content(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be read: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{printable(path)} is not UTF-8 text: byte {error.start} ({error.reason})") from None


def entry(waiver: Waiver) -> str:
    """A waiver as TOML."""
    leaf = [("leaf", string(waiver.leaf))] if waiver.leaf else []
    members = [
        ("rule", string(waiver.rule)),
        ("address", string(waiver.address)),
        *leaf,
        ("owner", string(waiver.owner)),
        ("reason", string(waiver.reason)),
        ("until", waiver.until.isoformat()),
    ]
    return "[[waiver]]\n" + "".join(f"{key} = {value}\n" for key, value in members)


def string(text: str) -> str:
    """A TOML string: literal, and so easy to read, where it has double quotes or backslashes and nothing else odd.

    Raises :class:`~pcs_policies.errors.UsageError` for a lone surrogate, which TOML has no way to write.
    """
    if any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise UsageError(f"{printable(text)} holds half a character, which no TOML file can hold; rename it first")
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    # JSON escapes what TOML wants escaped, but for DEL
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
