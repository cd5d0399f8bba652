"""Terraform's pure functions, as a table (https://developer.hashicorp.com/terraform/language/functions).

A function that is not here, or that would have to know more than its arguments, gives an unknown value. Where Go and
Python differ (case and length of text beyond ASCII, regular expressions), the function is undecided.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import posixpath
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any
from urllib.parse import quote_plus

from pcs_contract.record import Record
from pcs_policies.document import Expression, Template
from pcs_policies.sources.hcl.templates import SPACE, joined
from pcs_policies.sources.hcl.types import (
    ANY,
    BOOL,
    LARGEST,
    NOTHING,
    NUMBER,
    STRING,
    Refused,
    Type,
    Undecided,
    Value,
    convert,
    equal,
    exact,
    items,
    known,
    list_of,
    list_value,
    map_of,
    number,
    object_value,
    scalar,
    set_of,
    set_value,
    tuple_value,
    unify,
    weigh,
)

LONGEST_RANGE = 1024
"""Numbers that ``range`` makes at most, in terraform too."""

MOST_PARTS = 1000
"""Parts of a text of which some are unknown."""

LONGEST_TEXT = 1_000_000
"""Characters of a text that a function makes."""


class Plain(Record):
    """A function of known values that are no null. ``rest`` is the type of any further arguments."""

    parameters: tuple[Type, ...]
    result: Type
    compute: Callable[..., Any]
    rest: Type | None = None


def call(name: str, arguments: list[Value]) -> Value:
    """What a function gives. Raises :class:`Refused` and :class:`Undecided`."""
    plain = PLAIN.get(name)
    if plain is None:
        if name not in GENERIC:
            raise Undecided
        return GENERIC[name](arguments)
    least = len(plain.parameters)
    if len(arguments) < least or (len(arguments) > least and plain.rest is None):
        raise Refused
    kinds = (*plain.parameters, *[plain.rest or ANY] * (len(arguments) - least))
    converted = [convert(argument, kind) for argument, kind in zip(arguments, kinds, strict=True)]
    if any(argument.raw is None for argument in converted):
        raise Refused
    if not all(known(argument.raw) for argument in converted):
        return Value(plain.result, Expression(name))
    if any(None in argument.raw for argument in converted if argument.sequence):
        raise Undecided
    raw = plain.compute(*(argument.raw for argument in converted))
    return Value(plain.result, raw, weigh(raw))


def _ascii(*texts: str) -> None:
    """Raises :class:`Undecided` for text whose characters the two languages may count and change differently."""
    if not all(text.isascii() for text in texts) or any("\r\n" in text for text in texts):
        raise Undecided


# Text


def _of_ascii(compute: Callable[[str], Any]) -> Callable[[str], Any]:
    def checked(text: str) -> Any:
        _ascii(text)
        return compute(text)

    return checked


def _title(text: str) -> str:
    return re.sub(r"(?<![A-Za-z0-9_])[a-z]", lambda match: match.group().upper(), text)


def _replace(text: str, old: str, new: str) -> str:
    if not old or (len(old) > 1 and old[0] == old[-1] == "/"):
        raise Undecided  # the latter is a regular expression
    _short(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def _short(length: int) -> None:
    if length > LONGEST_TEXT:
        raise Undecided


def _split(separator: str, text: str) -> list[str]:
    if not separator:
        raise Undecided
    return text.split(separator)


def _substr(text: str, offset: int, length: int) -> str:
    _ascii(text)
    _whole(offset, length)
    if length < -1:
        raise Refused
    if offset < -len(text):
        raise Undecided
    start = offset if offset >= 0 else len(text) + offset
    return text[start:] if length == -1 else text[start : start + length]


def _indent(spaces: int, text: str) -> str:
    _whole(spaces)
    if spaces < 0:
        raise Undecided
    _short(len(text) + text.count("\n") * spaces)
    return text.replace("\n", "\n" + " " * spaces)


_VERB = re.compile(r"%(?:(?P<percent>%)|(?P<text>[sv])|(?:0(?P<width>\d{1,2}))?(?P<whole>d)|(?P<other>.|$))", re.DOTALL)


def _format(arguments: list[Value]) -> Value:
    """``format`` with ``%s``, ``%v`` of what is no collection, ``%d`` and ``%03d``."""
    if not arguments:
        raise Refused
    spec = convert(arguments[0], STRING)
    if not isinstance(spec.raw, str):
        raise Undecided
    rest = iter(arguments[1:])
    pieces: list[str | None] = []
    at = 0
    for verb in _VERB.finditer(spec.raw):
        pieces.append(spec.raw[at : verb.start()])
        at = verb.end()
        if verb["percent"]:
            pieces.append("%")
        elif verb["other"] is not None:
            raise Undecided
        else:
            argument = next(rest, None)
            if argument is None:
                raise Refused
            pieces += _formatted(verb, argument)
    if next(rest, None) is not None:
        raise Refused
    pieces.append(spec.raw[at:])
    return text_value(pieces)


def _formatted(verb: re.Match[str], argument: Value) -> Iterable[str | None]:
    if argument.raw is None or argument.sequence or argument.mapping:
        raise Undecided
    if verb["whole"]:
        whole = convert(argument, NUMBER).raw
        if isinstance(whole, Expression):
            return (None,)
        _whole(whole)
        return (f"{whole:0{int(verb['width'] or 1)}d}",)
    return text_pieces(argument)


def text_pieces(value: Value) -> Iterable[str | None]:
    """A value as pieces of a text, ``None`` for what is not known. Raises :class:`Refused` for what has no text."""
    text = convert(value, STRING)
    if text.raw is None:
        raise Refused
    if isinstance(text.raw, Template):
        return text.raw.parts
    return (None if isinstance(text.raw, Expression) else text.raw,)


def text_value(pieces: Iterable[str | None]) -> Value:
    """A text of pieces: a string, or a template where some are unknown."""
    parts = joined(pieces)
    if len(parts) > MOST_PARTS:
        raise Undecided
    _short(sum(len(part) for part in parts if part is not None))
    if all(part is not None for part in parts):
        return scalar(parts[0] or "" if parts else "")
    return Value(STRING, Template(parts), 1 + sum(1 + len(part or "") // 100 for part in parts))


# Numbers


def _whole(*numbers: int | float) -> None:
    if not all(isinstance(item, int) for item in numbers):
        raise Undecided  # most likely refused


def _bounded(item: int | float) -> int | float:
    if abs(item) > LARGEST:
        raise Undecided
    return item


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*numbers: int | float) -> int | float:
        if not numbers:
            raise Refused
        found: int | float = choose(numbers)
        return found

    return compute


def _power(base: int | float, exponent: int | float) -> int:
    _whole(base, exponent)
    if not (0 <= exponent < 64 and abs(base) < 2**20):
        raise Undecided
    found: int = int(base) ** int(exponent)
    if abs(found) >= 2**53:
        raise Undecided  # terraform calculates with floating point here
    return found


def _parseint(text: str, base: int) -> int:
    _whole(base)
    if not (2 <= base <= 36 and re.fullmatch(r"-?[0-9A-Za-z]{1,100}", text)):
        raise Undecided
    try:
        return int(text, base)
    except ValueError:
        raise Refused from None


def _sum(numbers: list[int | float]) -> int:
    _whole(*numbers)
    if not numbers:
        raise Refused
    return int(_bounded(sum(numbers)))


def _range(arguments: list[Value]) -> Value:
    numbers = [convert(argument, NUMBER) for argument in arguments]
    if not all(isinstance(item.raw, int) for item in numbers):
        raise Undecided
    match [item.raw for item in numbers]:
        case [stop]:
            start, step = 0, 1 if stop >= 0 else -1
        case [start, stop]:
            step = 1 if stop >= start else -1
        case [start, stop, step]:
            if step == 0 or (step < 0) != (stop < start):
                raise Undecided
        case _:
            raise Refused
    if abs(stop - start) // abs(step) > LONGEST_RANGE:
        raise Undecided
    return list_value(NUMBER, map(scalar, range(start, stop, step)))


# Collections


def _collection(value: Value, *kinds: str) -> Value:
    """A collection of one of these kinds, of which the number of members is known."""
    if value.unknown:
        raise Undecided
    if value.raw is None or value.type.kind not in kinds:
        raise Refused
    return value


def _length(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    if value.type.kind == "string" and isinstance(value.raw, str):
        _ascii(value.raw)
        return scalar(len(value.raw))
    return scalar(len(_collection(value, "list", "set", "tuple", "map", "object").raw))


def _exactly(arguments: list[Value], count: int) -> list[Value]:
    if len(arguments) != count:
        raise Refused
    return arguments


def _concat(arguments: list[Value]) -> Value:
    lists = [_collection(argument, "list", "tuple") for argument in arguments]
    members = [member for part in lists for _, member in exact(part)]
    if lists and all(part.type.kind == "list" for part in lists):
        common = unify([part.type.item or ANY for part in lists])
        if common is None:
            raise Undecided
        return list_value(common, (convert(member, common) for member in members))
    return tuple_value(members)


def _merge(arguments: list[Value]) -> Value:
    members: dict[str, Value] = {}
    maps = [argument for argument in arguments if argument.raw is not None]
    for argument in maps:
        members.update(exact(_collection(argument, "map", "object")))
    if maps and len(maps) == len(arguments) and all(argument.type == maps[0].type for argument in maps):
        return Value(maps[0].type, {name: item.raw for name, item in members.items()}, weigh_all(members.values()))
    return object_value(members)


def weigh_all(values: Iterable[Value]) -> int:
    return 1 + sum(value.size for value in values)


def _to(want: Type) -> Callable[[list[Value]], Value]:
    def compute(arguments: list[Value]) -> Value:
        (value,) = _exactly(arguments, 1)
        if value.unknown and want.kind in ("list", "set", "map"):
            raise Undecided
        return convert(value, want)

    return compute


def _keys(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    names = [scalar(name) for name, _ in items(_collection(value, "map", "object"))]
    return tuple_value(names) if value.type.kind == "object" else list_value(STRING, names)


def _values(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    members = [member for _, member in exact(_collection(value, "map", "object"))]
    return tuple_value(members) if value.type.kind == "object" else list_value(value.type.item or ANY, members)


def _lookup(arguments: list[Value]) -> Value:
    if len(arguments) not in (2, 3):
        raise Refused
    members: dict[str, Value] = dict(exact(_collection(arguments[0], "map", "object")))
    key = convert(arguments[1], STRING)
    if not isinstance(key.raw, str):
        raise Undecided
    if key.raw in members:
        return members[key.raw]
    if len(arguments) == 2:
        raise Refused
    item = arguments[0].type.item
    return convert(arguments[2], item) if arguments[0].type.kind == "map" and item is not None else arguments[2]


def _element(arguments: list[Value]) -> Value:
    sequence, position = _exactly(arguments, 2)
    index = convert(position, NUMBER).raw
    members = [member for _, member in exact(_collection(sequence, "list", "tuple"))]
    if not isinstance(index, int) or index < 0:
        raise Undecided
    if not members:
        raise Refused
    return members[index % len(members)]


def _one(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    members = [member for _, member in exact(_collection(value, "list", "set", "tuple"))]
    if len(members) > 1:
        raise Refused
    return members[0] if members else NOTHING


def _contains(arguments: list[Value]) -> Value:
    sequence, wanted = _exactly(arguments, 2)
    _simple(wanted)
    members = [_simple(member) for _, member in items(_collection(sequence, "list", "set", "tuple"))]
    return scalar(any(equal(member, wanted) for member in members))


def _simple(value: Value, *kinds: str) -> Value:
    """A known value that is no collection. Raises :class:`Undecided`."""
    if value.unknown or value.type.kind not in (kinds or ("string", "number", "bool")) or value.raw is None:
        raise Undecided
    return value


def _index(arguments: list[Value]) -> Value:
    sequence, wanted = _exactly(arguments, 2)
    _simple(wanted)
    for position, member in items(_collection(sequence, "list", "tuple")):
        if equal(_simple(member, wanted.type.kind), wanted):
            return scalar(position)
    raise Refused


def _distinct(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    members = convert(_collection(value, "list", "tuple", "set"), list_of(ANY))
    found = list(dict.fromkeys(_simple(member).raw for _, member in items(members)))
    return list_value(members.type.item or ANY, map(scalar, found))


def _flatten(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    return tuple_value(_flat(_collection(value, "list", "set", "tuple"), 0))


DEEPEST_LISTS = 50
"""Lists inside of each other that ``flatten`` follows."""


def _flat(value: Value, depth: int) -> Iterable[Value]:
    if depth > DEEPEST_LISTS:
        raise Undecided
    for _, member in exact(value):
        if member.type.kind in ("any", "null") or (member.sequence and (member.unknown or member.raw is None)):
            raise Undecided
        if member.sequence:
            yield from _flat(member, depth + 1)
        else:
            yield member


def _coalesce(arguments: list[Value]) -> Value:
    texts = all(isinstance(argument.raw, str) or argument.raw is None for argument in arguments)
    common = STRING if texts else unify([argument.type for argument in arguments])
    if common is None:
        raise Refused
    for argument in arguments:
        value = convert(argument, common)
        if value.unknown:
            raise Undecided
        if value.raw is not None and value.raw != "":
            return value
    raise Refused


def _coalescelist(arguments: list[Value]) -> Value:
    for argument in arguments:
        if argument.raw is None:
            raise Undecided
        if _collection(argument, "list", "tuple").raw:
            return argument
    raise Refused


def _reverse(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    members = [member for _, member in exact(_collection(value, "list", "set", "tuple"))][::-1]
    return tuple_value(members) if value.type.kind == "tuple" else list_value(value.type.item or ANY, members)


def _slice(arguments: list[Value]) -> Value:
    value, start, end = _exactly(arguments, 3)
    first, last = convert(start, NUMBER).raw, convert(end, NUMBER).raw
    members = [member for _, member in exact(_collection(value, "list", "tuple"))]
    if not isinstance(first, int) or not isinstance(last, int):
        raise Undecided
    if not 0 <= first <= last <= len(members):
        raise Refused
    chosen = members[first:last]
    return tuple_value(chosen) if value.type.kind == "tuple" else list_value(value.type.item or ANY, chosen)


def _chunklist(arguments: list[Value]) -> Value:
    value, size = _exactly(arguments, 2)
    length = convert(size, NUMBER).raw
    whole = convert(_collection(value, "list", "tuple"), list_of(ANY))
    if not isinstance(length, int) or length < 1:
        raise Undecided
    members = [member for _, member in exact(whole)]
    chunks = [list_value(whole.type.item or ANY, members[at : at + length]) for at in range(0, len(members), length)]
    return list_value(list_of(whole.type.item or ANY), chunks)


def _zipmap(arguments: list[Value]) -> Value:
    names, values = _exactly(arguments, 2)
    keys = convert(_collection(names, "list", "tuple"), list_of(STRING))
    members = [member for _, member in exact(_collection(values, "list", "tuple"))]
    if not known(keys.raw) or None in keys.raw:
        raise Undecided
    if len(keys.raw) != len(members):
        raise Refused
    pairs = dict(zip(keys.raw, members, strict=True))
    if values.type.kind == "tuple":
        return object_value(pairs)
    item = values.type.item or ANY
    return Value(map_of(item), {name: member.raw for name, member in pairs.items()}, weigh_all(pairs.values()))


def _sets(compute: Callable[..., set[str]]) -> Callable[[list[Value]], Value]:
    """A function of sets of strings; of other sets it is undecided."""

    def combine(arguments: list[Value]) -> Value:
        if not arguments:
            raise Refused
        found: list[set[str]] = []
        for argument in arguments:
            members = _collection(argument, "set", "list", "tuple").raw
            if not all(isinstance(member, str) for member in members):
                raise Undecided
            found.append(set(members))
        return set_value(STRING, [scalar(text) for text in sorted(compute(*found))])

    return combine


# Encodings


def _jsonencode(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    if not known(value.raw):
        return Value(STRING, Expression("jsonencode"))
    text = json.dumps(value.raw, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    if re.search(r"\\[bfu]|\d[eE][+-]?\d|[\u2028\u2029]", text):
        raise Undecided  # where the two languages may differ
    return scalar(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _jsondecode(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    text = convert(value, STRING).raw
    if not isinstance(text, str):
        raise Undecided
    try:
        decoded = json.loads(text, parse_constant=_no_number, parse_float=_decimal, object_pairs_hook=_members)
        json.dumps(decoded, ensure_ascii=False).encode()  # refuses half a character
    except (ValueError, RecursionError):
        raise Undecided from None
    return of_json(decoded)


def _no_number(word: str) -> Any:
    raise ValueError(word)


def _decimal(text: str) -> int | float:
    return number(Decimal(text))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Undecided
    return dict(pairs)


def of_json(raw: Any) -> Value:
    """The value that JSON stands for: objects and tuples, and no maps and lists."""
    if isinstance(raw, dict):
        return object_value({text_value([name]).raw: of_json(member) for name, member in raw.items()})
    if isinstance(raw, list):
        return tuple_value(map(of_json, raw))
    return text_value([raw]) if isinstance(raw, str) else scalar(raw)


def _base64decode(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise Undecided from None


def hexadecimal(algorithm: str) -> Callable[[bytes], str]:
    return lambda data: hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()


def in_base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def in_base64(algorithm: str) -> Callable[[bytes], str]:
    return lambda data: base64.b64encode(hashlib.new(algorithm, data, usedforsecurity=False).digest()).decode()


def _utf8(compute: Callable[[bytes], str]) -> Plain:
    return Plain((STRING,), STRING, lambda text: compute(text.encode()))


def _clean_path(compute: Callable[[str], str]) -> Plain:
    def checked(path: str) -> str:
        if not path or posixpath.normpath(path) != path or path.startswith("//"):
            raise Undecided
        return compute(path) or "."

    return Plain((STRING,), STRING, checked)


def _text_to_text(compute: Callable[[str], str]) -> Plain:
    return Plain((STRING,), STRING, compute)


_TEXTS = list_of(STRING)

PLAIN: dict[str, Plain] = {
    "lower": _text_to_text(_of_ascii(str.lower)),
    "upper": _text_to_text(_of_ascii(str.upper)),
    "title": _text_to_text(_of_ascii(_title)),
    "strrev": _text_to_text(_of_ascii(lambda text: text[::-1])),
    "trimspace": _text_to_text(lambda text: text.strip(SPACE)),
    "chomp": _text_to_text(lambda text: text.rstrip("\r\n")),
    "trim": Plain((STRING, STRING), STRING, str.strip),
    "trimprefix": Plain((STRING, STRING), STRING, str.removeprefix),
    "trimsuffix": Plain((STRING, STRING), STRING, str.removesuffix),
    "replace": Plain((STRING, STRING, STRING), STRING, _replace),
    "split": Plain((STRING, STRING), _TEXTS, _split),
    "substr": Plain((STRING, NUMBER, NUMBER), STRING, _substr),
    "indent": Plain((NUMBER, STRING), STRING, _indent),
    "startswith": Plain((STRING, STRING), BOOL, str.startswith),
    "endswith": Plain((STRING, STRING), BOOL, str.endswith),
    "strcontains": Plain((STRING, STRING), BOOL, lambda text, part: part in text),
    "sort": Plain((_TEXTS,), _TEXTS, sorted),
    "abs": Plain((NUMBER,), NUMBER, abs),
    "ceil": Plain((NUMBER,), NUMBER, math.ceil),
    "floor": Plain((NUMBER,), NUMBER, math.floor),
    "signum": Plain((NUMBER,), NUMBER, lambda item: (item > 0) - (item < 0)),
    "max": Plain((), NUMBER, _extreme(max), NUMBER),
    "min": Plain((), NUMBER, _extreme(min), NUMBER),
    "pow": Plain((NUMBER, NUMBER), NUMBER, _power),
    "parseint": Plain((STRING, NUMBER), NUMBER, _parseint),
    "sum": Plain((list_of(NUMBER),), NUMBER, _sum),
    "alltrue": Plain((list_of(BOOL),), BOOL, all),
    "anytrue": Plain((list_of(BOOL),), BOOL, any),
    "md5": _utf8(hexadecimal("md5")),
    "sha1": _utf8(hexadecimal("sha1")),
    "sha256": _utf8(hexadecimal("sha256")),
    "sha512": _utf8(hexadecimal("sha512")),
    "base64sha256": _utf8(in_base64("sha256")),
    "base64sha512": _utf8(in_base64("sha512")),
    "base64encode": _utf8(in_base64_text),
    "base64decode": _text_to_text(_base64decode),
    "urlencode": _text_to_text(quote_plus),
    "basename": _clean_path(posixpath.basename),
    "dirname": _clean_path(posixpath.dirname),
}


def _join(arguments: list[Value]) -> Value:
    """``join``, which keeps the known parts where others are not."""
    if len(arguments) < 2:
        raise Refused
    separator = convert(arguments[0], STRING)
    lists = [convert(argument, _TEXTS) for argument in arguments[1:]]
    if not isinstance(separator.raw, str) or any(not isinstance(found.raw, list) for found in lists):
        raise Undecided
    texts = [member for found in lists for _, member in items(found)]
    _short(len(separator.raw) * len(texts))
    pieces: list[str | None] = []
    for index, member in enumerate(texts):
        pieces += [separator.raw] if index else []
        pieces += text_pieces(member)
    return text_value(pieces)


def _compact(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    texts = convert(_collection(value, "list", "set", "tuple"), _TEXTS)
    if not known(texts.raw):
        raise Undecided
    return list_value(STRING, (scalar(text) for text in texts.raw if text))


def _same(arguments: list[Value]) -> Value:
    (value,) = _exactly(arguments, 1)
    return value


GENERIC: dict[str, Callable[[list[Value]], Value]] = {
    "format": _format,
    "join": _join,
    "compact": _compact,
    "range": _range,
    "length": _length,
    "concat": _concat,
    "merge": _merge,
    "tostring": _to(STRING),
    "tonumber": _to(NUMBER),
    "tobool": _to(BOOL),
    "tolist": _to(list_of(ANY)),
    "toset": _to(set_of(ANY)),
    "tomap": _to(map_of(ANY)),
    "keys": _keys,
    "values": _values,
    "lookup": _lookup,
    "element": _element,
    "one": _one,
    "contains": _contains,
    "index": _index,
    "distinct": _distinct,
    "flatten": _flatten,
    "coalesce": _coalesce,
    "coalescelist": _coalescelist,
    "reverse": _reverse,
    "slice": _slice,
    "chunklist": _chunklist,
    "zipmap": _zipmap,
    "setunion": _sets(set.union),
    "setintersection": _sets(set.intersection),
    "setsubtract": _sets(lambda left, right: left - right),
    "jsonencode": _jsonencode,
    "jsondecode": _jsondecode,
    "sensitive": _same,
    "nonsensitive": _same,
}
