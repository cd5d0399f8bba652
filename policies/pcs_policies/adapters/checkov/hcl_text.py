"""What is literally written in a resource block, read from its text.

checkov shows values without their quotes and lists of strings in alphabetical order. The block's own text tells a
literal from a reference, and in which order a list is. No expression is evaluated here: that is checkov's part.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from pcs_policies.document import Expression, Template
from pcs_policies.sources.hcl.expressions import literal_number
from pcs_policies.sources.hcl.scan import Block, Scan, SyntaxProblem, scan
from pcs_policies.sources.hcl.templates import Choice, Inner, Loop, joined, take_apart


class Written(NamedTuple):
    """A value that has to be evaluated, as it was written.

    ``inner`` are its expressions: itself, or what is in the ``${...}`` of a quoted text (``is_text``), of which
    ``parts`` are the literal parts (``None`` for each expression).
    """

    text: str
    inner: tuple[str, ...]
    parts: tuple[str | None, ...] = ()

    @property
    def is_text(self) -> bool:
        return bool(self.parts)

    @property
    def unknown(self) -> Expression | Template:
        """The value with nothing evaluated."""
        return Template(self.parts) if self.parts else Expression(" ".join(self.text.split()))


@lru_cache(maxsize=256)  # the checks of one resource, and the instances of one block
def read(text: str) -> dict[str, Any] | None:
    """The members of the one block that a text is: literals as values, all else as :class:`Written`.

    ``None`` for a text that is no whole block.
    """
    scanned = scan(text)
    return None if scanned.problems or len(scanned.blocks) != 1 else members(scanned, scanned.blocks[0])


def members(scanned: Scan, block: Block) -> dict[str, Any] | None:
    """The members of a block, as :func:`read` gives them."""
    try:
        return _Reader(scanned, block).block()
    except (_NotLiteral, SyntaxProblem, RecursionError, IndexError):
        return None


class _NotLiteral(Exception):
    """What looked like a literal is part of an expression."""


_MEMBER = re.compile(
    r'[ \t\r\n]*(?P<name>[A-Za-z_][\w-]*)[ \t\r]*=[ \t\r]*(?:"(?P<text>[^"]*)"|(?P<word>true|false|null|\d{1,9}))'
    r"[ \t\r]*(?=[\n,}])"
)
"""Most members: a name and a literal."""

_SPECIAL = re.compile(r"[^ -#&-[\]-~]")
"""What may stand for something else in a string; a heredoc holds a line end."""

_SPACE = re.compile(r"[ \t\r]*")
_LINES = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"[^\W\d][\w-]*")
_WORD = re.compile(r"-?\d[\w.+-]*|[^\W\d][\w-]*")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_OPENS, _CLOSES = "([{", ")]}"


def _known(word: str) -> int | float | bool | None:
    """What a word or number is. Raises :class:`ArithmeticError` for one that is neither."""
    return _WORDS[word] if word in _WORDS else literal_number(word)


class _Reader:
    """A walk over the text of a block. Strings are known from the scan, so nothing in them can mislead it."""

    def __init__(self, scanned: Scan, block: Block) -> None:
        self.scan = scanned
        self.text = scanned.skeleton
        self.end = block.end - 1
        self.at = self._brace(block.start) + 1

    def block(self) -> dict[str, Any]:
        """The body of a block up to its closing brace."""
        members: dict[str, Any] = {}
        while True:
            name, value = self._plain_member()
            if not name:
                self._skip(_LINES)
                if self.at >= self.end or self.text[self.at] == "}":
                    self.at += 1
                    return members
                name, value = self._member()
            members[name] = self._with(members.get(name), value) if name in members else value

    def _plain_member(self) -> tuple[str, Any]:
        """A name and a literal, in one step; nothing, and no step, where something else stands."""
        match = _MEMBER.match(self.text, self.at)
        if match is None:
            return "", None
        start, end = match.span("text")
        text = self.scan.text[start - 1 : end]
        if match["word"] is None and (text[0] != '"' or _SPECIAL.search(text)):
            return "", None
        self.at = match.end()
        name = self.scan.clean[match.start("name") : match.end("name")]  # the skeleton has ASCII letters only
        return name, text[1:] if match["word"] is None else _known(match["word"])

    def _member(self) -> tuple[str, Any]:
        name = self._name()
        self._skip(_SPACE)
        if self.text[self.at] == "=":
            self.at += 1
            return name, self._value(ends="\n}")
        # A nested block, perhaps with labels.
        start = self.at
        self.at = self._brace(self.at)
        labels = self.scan.clean[start : self.at].strip()
        self.at += 1
        value = self.block()
        if labels:
            name = labels.strip('"') if name == "dynamic" else name
            return name, Written(f"dynamic {labels}", ("dynamic",))
        return name, value

    def _with(self, earlier: Any, value: Any) -> Any:
        """Blocks of one type are a list."""
        return [*earlier, value] if isinstance(earlier, list) else [earlier, value]

    def _name(self) -> str:
        if self.at in self.scan.strings:
            value = self._string()
            if not isinstance(value, str):
                raise _NotLiteral
            return value
        match = _NAME.match(self.text, self.at)
        if match is None:
            raise _NotLiteral
        self.at = match.end()
        return self.scan.clean[match.start() : match.end()]  # the skeleton has ASCII letters only

    def _value(self, ends: str) -> Any:
        """A value that ends before one of ``ends`` or a comma: a literal, or all of an expression."""
        self._skip(_LINES if "\n" not in ends else _SPACE)
        start = self.at
        try:
            value = self._literal()
            self._skip(_SPACE if "\n" in ends else _LINES)
            if self.at >= self.end or self.text[self.at] in ends or self.text[self.at] == ",":
                return value
        except _NotLiteral:
            pass
        self.at = start
        self._expression(ends)
        text = self.scan.clean[start : self.at].strip()
        return Written(text, (text,))

    def _literal(self) -> Any:
        letter = self.text[self.at]
        if self.at in self.scan.strings:
            return self._string()
        if letter == "{":
            return self._object()
        if letter == "[":
            return self._list()
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise _NotLiteral
        self.at = match.end()
        try:
            return _known(match[0])
        except ArithmeticError:
            raise _NotLiteral from None

    def _string(self) -> Any:
        quoted = self.scan.strings[self.at]
        self.at = quoted.end
        text = self.scan.text[quoted.start : quoted.end]
        taken = take_apart(self.scan, quoted)
        if taken is None or any(isinstance(part, Choice | Loop) for part in taken.parts):
            return Written(text, (text,))
        inner = tuple(part.text for part in taken.parts if isinstance(part, Inner))
        if taken.alone:
            return Written(inner[0], inner)
        parts = joined(part if isinstance(part, str) else None for part in taken.parts)
        return Written(text, inner, parts) if inner else "".join(part or "" for part in parts)

    def _object(self) -> dict[str, Any]:
        self.at += 1
        members: dict[str, Any] = {}
        while True:
            name, value = self._plain_member()
            if not name:
                self._skip(_LINES)
                if self.text[self.at] == "}":
                    self.at += 1
                    return members
                name = self._name()
                self._skip(_SPACE)
                if self.text[self.at] not in "=:" or self.text[self.at : self.at + 2] in ("==", "=>"):
                    raise _NotLiteral
                self.at += 1
                value = self._value(ends="\n}")
            members[name] = value
            self._comma()

    def _list(self) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        self._skip(_LINES)
        word = _NAME.match(self.text, self.at)
        if word is not None and word[0] == "for":
            raise _NotLiteral
        while True:
            self._skip(_LINES)
            if self.text[self.at] == "]":
                self.at += 1
                return items
            items.append(self._value(ends="]"))
            self._comma()

    def _comma(self) -> None:
        self._skip(_LINES)
        if self.text[self.at] == ",":
            self.at += 1

    def _expression(self, ends: str) -> None:
        """Go behind an expression: to what ends it outside of all brackets."""
        depth = 0
        while self.at < self.end:
            letter = self.text[self.at]
            if self.at in self.scan.strings:
                self.at = self.scan.strings[self.at].end
                continue
            if not depth and (letter in ends or letter == ","):
                return
            depth += (letter in _OPENS) - (letter in _CLOSES)
            self.at += 1

    def _brace(self, at: int) -> int:
        """Where the next brace outside of a string is."""
        while self.text[at] != "{":
            at = self.scan.strings[at].end if at in self.scan.strings else at + 1
        return at

    def _skip(self, what: re.Pattern[str]) -> None:
        match = what.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
