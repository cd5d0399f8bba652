"""What a terminal can show: colours, and how wide it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic

from pcs_contract.hints import TextIO
from pcs_policies.redaction import printable

Paint = Callable[[str, str], str]
"""Puts an ANSI colour code around a text, or does not."""

RED, GREEN, YELLOW, CYAN, BOLD, DIM = "31", "32", "33", "36", "1", "2"

WIDEST = 100
"""Columns of running text that are still read with ease."""


def colour(stream: TextIO) -> bool:
    """Colour on a terminal, unless NO_COLOR (https://no-color.org) or a dumb terminal says otherwise."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(stream: TextIO) -> Paint:
    """How to colour what is written to a stream."""
    return _painted if colour(stream) else _plain


def columns() -> int:
    """Columns of the terminal, or what COLUMNS says; 80 where there is none.

    As :func:`shutil.get_terminal_size` has it, without its module, which start-up would feel.
    """
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(1).columns or 80  # 1 is standard output
    except OSError:
        return 80


def width() -> int:
    """Columns for running text."""
    return max(40, min(columns(), WIDEST))


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else text


def _plain(text: str, _: str) -> str:
    return text


class Progress:
    """Tells on a terminal which file is being read, once a run takes longer than a moment; elsewhere says nothing.

    Call it with each path; used as a context manager it clears its line in the end.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shows = stream.isatty()
        self._since = monotonic()
        self._count = 0
        self._shown = False

    def __call__(self, path: str) -> None:
        self._count += 1
        if self._shows and monotonic() - self._since > PATIENCE:
            name = printable(os.path.basename(path))
            self._stream.write(f"\r\x1b[Kreading input {self._count}: {name[:60]}")
            self._stream.flush()
            self._shown = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


PATIENCE = 0.5
"""Seconds that a run may take without saying what it does."""
