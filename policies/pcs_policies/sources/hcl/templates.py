"""The values of quoted strings and heredocs, as terraform computes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pcs_policies.document import Expression, Template
from pcs_policies.sources.hcl.scan import Part, Quoted, Scan, SyntaxProblem

LONGEST = 200
"""Characters of an expression's text that are kept."""


def value(scan: Scan, quoted: Quoted) -> str | Template | Expression:
    """The value of a string.

    A template keeps its literal parts, and ``None`` stands for each ``${...}`` and for each ``%{...}`` with all that
    its end encloses. What a strip marker (``${~``) takes away is not computed: where it takes something away, the
    string is an expression. Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem`.
    """
    text = scan.text
    if not quoted.heredoc and [part.kind for part in quoted.parts] == ["value"]:
        return expression(_inside(text, quoted.parts[0]))
    pieces = _pieces(text, quoted)
    if _strips(text, pieces):
        return expression(text[quoted.start : quoted.end])
    if quoted.flush:
        pieces = _flushed(pieces)
    parts = _joined(_undirected(text, pieces, quoted.start))
    if all(part is not None for part in parts):
        return parts[0] or "" if parts else ""
    return Template(parts)


def expression(text: str) -> Expression:
    """An expression by its text, on one line and not too long; that it mentions ``null`` is never cut off."""
    shown = " ".join(text.split())
    if len(shown) > LONGEST:
        rest = " null ..." if re.search(r"\bnull\b", shown) else ""
        shown = f"{shown[: LONGEST - len(rest) - 3].rstrip()}...{rest}"
    return Expression(shown)


def _inside(text: str, part: Part) -> str:
    """What is between the braces of a part, without strip markers."""
    return text[part.start + 2 : part.end - 1].removeprefix("~").removesuffix("~").strip()


_Piece = str | Part
"""Literal text, its escapes resolved, or a part whose value is not known."""


def _pieces(text: str, quoted: Quoted) -> list[_Piece]:
    """The parts in order; the literal text of a heredoc line by line."""
    pieces: list[_Piece] = []
    for part in quoted.parts:
        if part.kind != "text":
            pieces.append(part)
        elif quoted.heredoc:
            literal = _DOUBLED.sub(r"\1{", text[part.start : part.end])
            pieces += _LINE.findall(literal)
        else:
            pieces.append(_unescaped(text, part))
    return pieces


def _strips(text: str, pieces: list[_Piece]) -> bool:
    """Whether a strip marker takes whitespace from the literal text beside it."""
    return any(
        isinstance(right, Part) and text[right.start + 2] == "~" and left != left.rstrip(_SPACE)
        if isinstance(left, str)
        else isinstance(right, str) and text[left.end - 2] == "~" and right != right.lstrip(_SPACE)
        for left, right in pairwise(pieces)
    )


_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""Unicode's property White_Space, which terraform goes by; str.isspace() counts more."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DOUBLED = re.compile(r"([$%])\1\{")
_ESCAPE = re.compile(
    r'\\(?:(?P<simple>[nrt"\\])|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|(?P<wrong>.))|(?P<mark>[$%])(?P=mark)\{'
)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def _unescaped(text: str, part: Part) -> str:
    literal = text[part.start : part.end]

    def meaning(match: re.Match[str]) -> str:
        if match["simple"]:
            return _SIMPLE[match["simple"]]
        if match["mark"]:
            return f"{match['mark']}{{"
        code = int(match["four"] or match["eight"] or "110000", 16)
        if match["wrong"] or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise SyntaxProblem(part.start + match.start(), "a backslash that begins no escape sequence of HCL")
        return chr(code)

    return _ESCAPE.sub(meaning, literal) if "\\" in literal or "{" in literal else literal


def _flushed(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces of a ``<<-`` heredoc without the indentation that all its lines share; blank lines do not count."""
    starts = [
        index
        for index, piece in enumerate(pieces)
        if (index == 0 or _ends_line(pieces[index - 1])) and not (_ends_line(piece) and not _stripped(piece))
    ]
    shared = min((_indentation(pieces[index]) for index in starts), default=0)
    flushed = list(pieces)
    for index in starts:
        piece = pieces[index]
        if isinstance(piece, str):
            flushed[index] = piece[shared:]
    return flushed


def _ends_line(piece: _Piece) -> bool:
    return isinstance(piece, str) and piece.endswith("\n")


def _stripped(piece: _Piece) -> str:
    return piece.lstrip(_SPACE) if isinstance(piece, str) else ""


def _indentation(piece: _Piece) -> int:
    return len(piece) - len(_stripped(piece)) if isinstance(piece, str) else 0


def _undirected(text: str, pieces: Iterable[_Piece], offset: int) -> Iterator[str | None]:
    """Known and unknown pieces; a directive up to its end is one unknown piece."""
    depth = 0
    for piece in pieces:
        if isinstance(piece, str) or piece.kind == "value":
            if depth == 0:
                yield piece if isinstance(piece, str) else None
            continue
        keyword = _inside(text, piece).split(maxsplit=1)[:1]
        if keyword in (["if"], ["for"]):
            if depth == 0:
                yield None
            depth += 1
        elif keyword in (["endif"], ["endfor"]) and depth:
            depth -= 1
        elif keyword != ["else"] or not depth:
            raise SyntaxProblem(piece.start, "a template directive that opens or closes nothing")
    if depth:
        raise SyntaxProblem(offset, "a template with a directive that never ends")


def _joined(pieces: Iterable[str | None]) -> tuple[str | None, ...]:
    """Neighbouring literals as one, in the form that terraform gives all strings (NFC)."""
    parts: list[str | None] = []
    for piece in pieces:
        if piece is not None and parts and parts[-1] is not None:
            parts[-1] += piece
        elif piece is None or piece:
            parts.append(piece)
    return tuple(part if part is None else unicodedata.normalize("NFC", part) for part in parts)
