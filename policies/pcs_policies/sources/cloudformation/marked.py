"""Values of a template that know where they stand.

They are plain dictionaries and lists otherwise, so that whoever only wants the values need not care, and plain ones
(from JSON that nobody has looked at closer) do where the place does not matter.
"""

from __future__ import annotations

from typing import Any

from pcs_policies.sources.written import Position


class Map(dict[str, Any]):
    """An object; ``places`` are where its own keys stand, ``place`` is where it begins itself.

    ``merged`` are the places of members that came from elsewhere, by YAML's merge key.
    """

    __slots__ = ("merged", "place", "places")

    def __init__(self, place: Position) -> None:
        super().__init__()
        self.place = place
        self.places: dict[str, Position] = {}
        self.merged: dict[str, Position] = {}


class Seq(list[Any]):
    """A list; ``places`` are where its items begin, ``place`` is where it begins itself."""

    __slots__ = ("place", "places")

    def __init__(self, place: Position) -> None:
        super().__init__()
        self.place = place
        self.places: list[Position] = []


def place_of(holder: object, key: str | int) -> Position | None:
    """Where a member or an item stands, if that is known."""
    if isinstance(holder, Map) and isinstance(key, str):
        return holder.places.get(key) or holder.merged.get(key)
    if isinstance(holder, Seq) and isinstance(key, int) and key < len(holder.places):
        return holder.places[key]
    return None


def where(holder: object, key: str | int) -> str:
    """``line 3, column 5: ``, for the beginning of a message; empty where that is not known."""
    place = place_of(holder, key)
    return f"line {place.line}, column {place.column}: " if place else ""
