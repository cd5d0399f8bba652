"""Where the values of a JSON text stand: the part of it that matters, walked over a second time.

The text has been parsed before, so it is valid, and members are unique.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any

from pcs_policies.sources.cloudformation.marked import Map, Seq
from pcs_policies.sources.written import Position

_SPACE = re.compile(r"[ \t\r\n]*")
_decode = json.JSONDecoder().raw_decode


class Places:
    """The places in one text. Objects and lists are walked in Python, all else at the speed of the decoder."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def member(self, *path: str) -> Any:
        """The value at a path of member names, with the places of all in it. Raises KeyError where there is none."""
        at = self._skip(0)
        for name in path:
            at = self._find(at, name)
        return self._value(at)[0]

    def _find(self, at: int, name: str) -> int:
        """Where the value of a member begins, of the object that begins at ``at``."""
        while self._text[at] in "{,":
            key, key_end = self._key(at)
            value = self._skip(self._skip(key_end) + 1)
            if key == name:
                return value
            at = self._skip(_decode(self._text, value)[1])
        raise KeyError(name)

    def _key(self, at: int) -> tuple[str, int]:
        """The key behind the brace or comma at ``at``, and where it ends. Raises KeyError for an empty object."""
        start = self._skip(at + 1)
        if self._text[start] == "}":
            raise KeyError
        key, end = _decode(self._text, start)
        return str(key), end

    def _value(self, at: int) -> tuple[Any, int]:
        letter = self._text[at]
        if letter == "{":
            return self._object(at)
        return self._list(at) if letter == "[" else _decode(self._text, at)

    def _object(self, at: int) -> tuple[Map, int]:
        found = Map(self._place(at))
        next_key = self._skip(at + 1)
        while self._text[next_key] != "}":
            key, end = _decode(self._text, next_key)
            found.places[key] = self._place(next_key)
            found[key], end = self._value(self._skip(self._skip(end) + 1))
            next_key = self._behind_comma(end)
        return found, next_key + 1

    def _list(self, at: int) -> tuple[Seq, int]:
        found = Seq(self._place(at))
        next_item = self._skip(at + 1)
        while self._text[next_item] != "]":
            found.places.append(self._place(next_item))
            item, end = self._value(next_item)
            found.append(item)
            next_item = self._behind_comma(end)
        return found, next_item + 1

    def _behind_comma(self, at: int) -> int:
        at = self._skip(at)
        return self._skip(at + 1) if self._text[at] == "," else at

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        assert match is not None
        return match.end()

    def _place(self, at: int) -> Position:
        line = bisect_right(self._lines, at)
        return Position(line, at - self._lines[line - 1] + 1)
