"""From a YAML text to values with their places, in bounded time and memory whatever the text holds.

CloudFormation's short forms become its long ones: ``!Sub x`` is ``{"Fn::Sub": "x"}``. Anchors, aliases and merge keys
are followed, as ``aws cloudformation package`` and other tools do.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pcs_contract.record import Record
from pcs_policies.errors import InputError
from pcs_policies.redaction import quote
from pcs_policies.sources.cloudformation import library
from pcs_policies.sources.cloudformation.library import Event
from pcs_policies.sources.cloudformation.marked import Map, Seq, place_of
from pcs_policies.sources.written import Position

LARGEST = 2_000_000
"""Characters up to which a text is read. CloudFormation takes 1 MB at most (quota "Template body size")."""

DEEPEST = 100
"""Levels up to which a document may nest."""

MOST = 500_000
"""Values that a document may have, each alias counted with all that it stands for. A template of 1 MB has a tenth."""

_LONG_FORMS = {
    **{
        name: f"Fn::{name}"
        for name in (
            "And Base64 Cidr Contains EachMemberEquals EachMemberIn Equals FindInMap GetAZs GetAtt GetStackOutput If "
            "ImportValue Join Length Not Or RefAll Select Split Sub ToJsonString Transform ValueOf ValueOfAll"
        ).split()
    },
    "Ref": "Ref",
    "Condition": "Condition",
}
"""Tag -> key of the long form (CloudFormation user guide, intrinsic function and rule function references)."""

_STANDARD = "tag:yaml.org,2002:"
_TAGS = {f"{_STANDARD}{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")}


def parse(text: str) -> Any:
    """The value of a YAML text: :class:`Map`, :class:`Seq` and scalars.

    Raises :class:`~pcs_policies.errors.InputError`, with line and column, and
    :class:`~pcs_policies.errors.UsageError` where PyYAML is not installed.
    """
    if len(text) > LARGEST:
        raise InputError(
            f"the file has {len(text):,} characters, too many for a template: CloudFormation takes 1 MB at most; give "
            "the template itself, or parts of it as nested stacks"
        )
    return _Builder().build(text)


class _Open(Record):
    """An object or list that has begun: what it is put into when it ends, and how."""

    value: Map | Seq
    tag: str | None
    anchor: str | None
    place: Position
    counted: int
    """How many values there were before it."""


class _Anchored(Record):
    value: Any
    size: int


class _Builder:
    """Puts events together, without recursion, and counts."""

    def __init__(self) -> None:
        self._anchors: dict[str, _Anchored | None] = {}  # None while what it stands for has not ended
        self._open: list[_Open] = []
        self._keys: list[tuple[str, Position] | None] = []  # of each open object: the key whose value comes next
        self._count = 0
        self._document: Any = None
        self._documents = 0

    def build(self, text: str) -> Any:
        for event in library.events(text):
            kind = type(event).__name__
            if kind == "ScalarEvent":
                self._scalar(event)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                self._begin(event, Map if kind == "MappingStartEvent" else Seq)
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                self._end()
            elif kind == "AliasEvent":
                self._alias(event)
            elif kind == "DocumentStartEvent":
                self._documents += 1
                if self._documents > 1:
                    raise _error(_place(event), "a second document begins, but a template is one", "split the file")
        return self._document

    def _scalar(self, event: Event) -> None:
        place = _place(event)
        self._counted(1, place)
        text = str(event.value)
        value: Any = text
        if self._awaits_key():
            if event.tag not in (None, "!", f"{_STANDARD}str"):
                raise _error(place, f"the key {quote(text)} has a tag, but a key is a text", "leave the tag out")
            self._anchor(event.anchor, value, 1)
            self._keys[-1] = (text, place)
            return
        if event.tag is None or event.tag in _TAGS:
            plain = event.implicit[0] and event.style in (None, "")
            value = library.plain_value(text) if event.tag is None and plain else text
        elif event.tag != "!":
            value = _long_form(event.tag, text, place)
        self._anchor(event.anchor, value, 1)
        self._put(value, place)

    def _begin(self, event: Event, kind: type[Map] | type[Seq]) -> None:
        place = _place(event)
        self._counted(1, place)
        if self._awaits_key():
            raise _error(place, "an object or a list stands for a key, but a key is a text", "write it as text")
        if len(self._open) == DEEPEST:
            raise _error(place, f"the file nests deeper than {DEEPEST} levels, which no template does", "flatten it")
        if event.anchor:
            self._anchors[event.anchor] = None
        self._open.append(_Open(kind(place), event.tag, event.anchor, place, self._count - 1))
        self._keys.append(None)

    def _end(self) -> None:
        done = self._open.pop()
        self._keys.pop()
        value: Any = done.value
        if done.tag is not None and done.tag != "!" and done.tag not in _TAGS:
            value = _long_form(done.tag, value, done.place)
        self._anchor(done.anchor, value, self._count - done.counted)
        self._put(value, done.place)

    def _alias(self, event: Event) -> None:
        place = _place(event)
        name = str(event.anchor)
        if name not in self._anchors:
            raise _error(place, f"the alias {quote(name)} stands for nothing that comes before it", "mend the name")
        anchored = self._anchors[name]
        if anchored is None:
            raise _error(place, f"the alias {quote(name)} stands for something that holds it", "write it out")
        self._counted(anchored.size, place)
        if self._awaits_key():
            if not isinstance(anchored.value, str):
                raise _error(place, "an alias of something that is no text stands for a key", "write it out")
            self._keys[-1] = (anchored.value, place)
        else:
            self._put(anchored.value, place)

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, Map) and self._keys[-1] is None

    def _put(self, value: Any, place: Position) -> None:
        """Put a finished value where it belongs."""
        if not self._open:
            self._document = value
            return
        holder = self._open[-1].value
        if isinstance(holder, Seq):
            holder.append(value)
            holder.places.append(place)
            return
        key = self._keys[-1]
        assert key is not None, "a value in an object follows its key"
        self._keys[-1] = None
        name, key_place = key
        if name == "<<":
            self._merge(holder, value, key_place)
            return
        if name in holder.places:
            first = holder.places[name]
            raise _error(
                key_place,
                f"{quote(name)} is set a second time (first in line {first.line}), and programs differ in which one "
                "they take",
                "remove one of them",
            )
        holder[name] = value
        holder.places[name] = key_place

    def _merge(self, holder: Map, value: Any, place: Position) -> None:
        """A merge key: its members count where the object has none of that name, in whatever order they stand."""
        for source in value if isinstance(value, Seq) else [value]:
            if not isinstance(source, Map):
                raise _error(place, "the merge key << takes an object or a list of objects", "give it one")
            self._counted(len(source), place)
            for name, member in source.items():
                if name not in holder:
                    holder[name] = member
                    found = place_of(source, name)
                    holder.merged[name] = place if found is None else found

    def _anchor(self, name: str | None, value: Any, size: int) -> None:
        if name:
            self._anchors[name] = _Anchored(value, size)

    def _counted(self, more: int, place: Position) -> None:
        self._count += more
        if self._count > MOST:
            raise _error(place, f"the file comes to more than {MOST:,} values, aliases followed", "write less of them")


def _long_form(tag: str, value: Any, place: Position) -> Map:
    name = tag.removeprefix("!")
    key = _LONG_FORMS.get(name) if tag.startswith("!") else None
    if key is None:
        shown = f"!!{tag.removeprefix(_STANDARD)}" if tag.startswith(_STANDARD) else tag
        similar = get_close_matches(name, _LONG_FORMS, n=1)
        remedy = f"did you mean !{similar[0]}?" if similar else "leave it out, or put the text in quotes"
        raise _error(place, f"the tag {quote(shown)} is none that CloudFormation knows", remedy)
    if key == "Fn::GetAtt" and isinstance(value, str):
        resource, _, attribute = value.partition(".")
        value = [resource, attribute]
    found = Map(place)
    found[key] = value
    found.places[key] = place
    return found


def _place(event: Event) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _error(place: Position, problem: str, remedy: str) -> InputError:
    return InputError(f"the file is no template: line {place.line}, column {place.column}: {problem}; {remedy}")
