"""Quoted strings and heredocs, taken apart: literal text as terraform has it, and expressions by their text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from pcs_contract.record import Record
from pcs_policies.sources.hcl.scan import Part, Quoted, Scan, SyntaxProblem


class Inner(Record):
    """A ``${...}``, by the text between its braces."""

    text: str


class Choice(Record):
    """``%{ if }``, by the text of its condition."""

    condition: str
    then: Parts
    otherwise: Parts


class Loop(Record):
    """``%{ for }``, by its names (one or two; none where it is wrong) and the text of what it goes over."""

    names: tuple[str, ...]
    of: str
    body: Parts


Parts = tuple["str | Inner | Choice | Loop", ...]
"""What a template is made of, in order."""


class Taken(Record):
    """A template apart. ``alone``: it is one ``${...}`` and nothing else, so its value need not be text."""

    parts: Parts
    alone: bool = False


def take_apart(scan: Scan, quoted: Quoted) -> Taken | None:
    """The parts of a string; ``None`` where a strip marker (``${~``) takes something away, which is not computed.

    Raises :class:`~pcs_policies.sources.hcl.scan.SyntaxProblem`.
    """
    text = scan.text
    if (quoted.bare or not quoted.heredoc) and [part.kind for part in quoted.parts] == ["value"]:
        return Taken((Inner(_inside(text, quoted.parts[0])),), alone=True)
    pieces = _pieces(text, quoted)
    tree = _Directives(text, pieces if not quoted.flush else _flushed(pieces), quoted.start).run()
    return None if _strips(text, pieces) else Taken(tree)


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
        isinstance(right, Part) and text[right.start + 2] == "~" and left != left.rstrip(SPACE)
        if isinstance(left, str)
        else isinstance(right, str) and text[left.end - 2] == "~" and right != right.lstrip(SPACE)
        for left, right in pairwise(pieces)
    )


SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
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
    return piece.lstrip(SPACE) if isinstance(piece, str) else ""


def _indentation(piece: _Piece) -> int:
    return len(piece) - len(_stripped(piece)) if isinstance(piece, str) else 0


class _Directives:
    """Makes a tree of pieces: what is between a directive and its end goes into it."""

    def __init__(self, text: str, pieces: list[_Piece], start: int) -> None:
        self._text = text
        self._pieces = iter(pieces)
        self._start = start

    def run(self) -> Parts:
        parts, _ = self._until(frozenset())
        return parts

    def _until(self, ends: frozenset[str]) -> tuple[Parts, str]:
        """The parts up to a directive that is one of ``ends``, and which it is."""
        parts: list[str | Inner | Choice | Loop] = []
        for piece in self._pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            inside = _inside(self._text, piece)
            if piece.kind == "value":
                parts.append(Inner(inside))
                continue
            keyword, *others = inside.split(maxsplit=1)
            rest = others[0] if others else ""
            if keyword in ends:
                return tuple(parts), keyword
            if keyword == "if":
                parts.append(self._choice(rest))
            elif keyword == "for":
                header = _FOR.fullmatch(rest)
                body, _ = self._until(frozenset({"endfor"}))
                names = (header["first"], header["second"]) if header else ()
                parts.append(Loop(tuple(name for name in names if name), header["of"] if header else "", body))
            else:
                raise SyntaxProblem(piece.start, "a template directive that opens or closes nothing")
        if ends:
            raise SyntaxProblem(self._start, "a template with a directive that never ends")
        return tuple(parts), ""

    def _choice(self, condition: str) -> Choice:
        then, ended = self._until(frozenset({"else", "endif"}))
        otherwise: Parts = ()
        if ended == "else":
            otherwise, _ = self._until(frozenset({"endif"}))
        return Choice(condition.strip(), then, otherwise)


_FOR = re.compile(r"\s*(?P<first>[^\W\d][\w-]*)\s*(?:,\s*(?P<second>[^\W\d][\w-]*)\s*)?\bin\b(?P<of>.*)", re.DOTALL)


def joined(pieces: Iterable[str | None]) -> tuple[str | None, ...]:
    """Neighbouring literals as one, in the form that terraform gives all strings (NFC); ``None`` is what is unknown."""
    parts: list[str | None] = []
    literal: list[str] = []
    for piece in pieces:
        if piece is not None:
            literal.append(piece)
            continue
        if any(literal):
            parts.append("".join(literal))
        literal = []
        parts.append(None)
    if any(literal):
        parts.append("".join(literal))
    return tuple(part if part is None else unicodedata.normalize("NFC", part) for part in parts)
