"""Typed, read-only access to `contract.json`: the shapes and operations of the PCS API.

Two views of a compute node group: `field` walks any shape of the API as it is, `group_field` walks the
canonical group that the rest of pcsguard speaks of (response names, the limits of the Create request).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache

from pcs_contract import paths
from pcs_contract.hints import Any, Final, NoReturn

CREATE_REQUEST = "CreateComputeNodeGroupRequest"
RESPONSE = "ComputeNodeGroup"

REQUEST_NAMES: Final[Mapping[str, str]] = {"name": "computeNodeGroupName", "clusterId": "clusterIdentifier"}
"""Canonical name -> its name in the Create request, where the two differ."""

# Not pathlib: importing it would cost more than reading the file.
_PATH = os.path.join(os.path.dirname(__file__), "contract.json")


class Shape:
    """One type of the API.

    `type` is structure, list, map, string, integer, boolean or timestamp. `min` and `max` bound a string's
    characters, a list's or map's entries, or an integer's value; None means the model names no bound.
    `pattern` has no anchors: match it against the whole value (`re.fullmatch` with `re.ASCII`, since AWS's
    patterns are ECMA's). `item` is the type of a list's elements or of a map's values, `key` that of a map's
    keys. `idempotency_tokens` are the members that a client fills in by itself. `exception`, `fault` and
    `retryable` describe errors.
    """

    __slots__ = (
        "enum",
        "exception",
        "fault",
        "idempotency_tokens",
        "item",
        "key",
        "max",
        "members",
        "min",
        "name",
        "pattern",
        "required",
        "retryable",
        "sensitive",
        "type",
    )

    def __init__(
        self,
        name: str,
        type: str,
        *,
        members: Mapping[str, Shape] | None = None,
        required: frozenset[str] = frozenset(),
        idempotency_tokens: frozenset[str] = frozenset(),
        item: Shape | None = None,
        key: Shape | None = None,
        min: int | None = None,
        max: int | None = None,
        pattern: str | None = None,
        enum: tuple[str, ...] = (),
        sensitive: bool = False,
        exception: bool = False,
        fault: bool = False,
        retryable: bool = False,
    ) -> None:
        self.name: Final = name
        self.type: Final = type
        self.members: Final[Mapping[str, Shape]] = members if members is not None else {}
        self.required: Final = required
        self.idempotency_tokens: Final = idempotency_tokens
        self.item: Final = item
        self.key: Final = key
        self.min: Final = min
        self.max: Final = max
        self.pattern: Final = pattern
        self.enum: Final = enum
        self.sensitive: Final = sensitive
        self.exception: Final = exception
        self.fault: Final = fault
        self.retryable: Final = retryable

    def __repr__(self) -> str:
        return f"<Shape {self.name} ({self.type})>"


class Operation:
    """One call of the API.

    `pagination` is None, or a map with `input_token`, `output_token`, `limit_key` and `result_key`, whose
    values are names of members.
    """

    __slots__ = ("errors", "idempotent", "input", "name", "output", "pagination", "readonly")

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        self.name: Final = name
        self.input: Final = shape(facts["input"])
        self.output: Final = shape(facts["output"])
        self.errors: Final = tuple(shape(error) for error in facts["errors"])
        self.idempotent: Final[bool] = facts.get("idempotent", False)
        self.readonly: Final[bool] = facts.get("readonly", False)
        self.pagination: Final[Mapping[str, str] | None] = facts.get("pagination")

    def __repr__(self) -> str:
        return f"<Operation {self.name}>"


@cache
def contract() -> Mapping[str, Any]:
    """Return the whole of `contract.json`, for reading only; `extract.extract` says what is in it."""
    import json

    with open(_PATH, encoding="utf-8") as file:
        loaded: Mapping[str, Any] = json.load(file)
    return loaded


@cache
def shape(name: str) -> Shape:
    """Return the API's shape of that name. Raises KeyError, with the nearest names, when there is none."""
    facts = contract()["shapes"].get(name)
    if facts is None:
        _unknown("shape", name, contract()["shapes"])
    members = facts.get("members", {})
    item = facts.get("member") or facts.get("value")
    key = facts.get("key")
    return Shape(
        name,
        facts["type"],
        members={member: shape(ref["shape"]) for member, ref in members.items()},
        required=frozenset(facts.get("required", ())),
        idempotency_tokens=frozenset(member for member, ref in members.items() if ref.get("idempotencyToken")),
        item=None if item is None else shape(item),
        key=None if key is None else shape(key),
        min=facts.get("min"),
        max=facts.get("max"),
        pattern=facts.get("pattern"),
        enum=tuple(facts.get("enum", ())),
        sensitive=facts.get("sensitive", False),
        exception=facts.get("exception", False),
        fault=facts.get("fault", False),
        retryable="retryable" in facts,
    )


@cache
def operation(name: str) -> Operation:
    """Return the operation of that name. Raises KeyError, with the nearest names, when there is none."""
    facts = contract()["operations"].get(name)
    if facts is None:
        _unknown("operation", name, contract()["operations"])
    return Operation(name, facts)


def operations() -> tuple[Operation, ...]:
    """Return all operations, by name."""
    return tuple(operation(name) for name in sorted(contract()["operations"]))


@cache
def group() -> Shape:
    """Return the canonical compute node group, as a structure named `Group`.

    Members: every field of the ComputeNodeGroup response under its response name, plus `tags`. Each has the
    shape of the Create request where that request has the field, because the request is what AWS validates;
    the others (`read_only`) have the shape of the response. `required` is what Create requires.
    """
    return canonical("Group", shape(CREATE_REQUEST), shape(RESPONSE), REQUEST_NAMES)


def canonical(name: str, request: Shape, response: Shape, request_names: Mapping[str, str]) -> Shape:
    """Return a resource in its canonical form: the fields of its response, plus `tags`, with the limits of its Create.

    `request_names` are canonical names -> names in the Create request, where the two differ.
    """
    requested = {field: request_names.get(field, field) for field in (*response.members, "tags")}
    members = {field: request.members.get(asked) or response.members[field] for field, asked in requested.items()}
    required = frozenset(field for field, asked in requested.items() if asked in request.required)
    return Shape(name, "structure", members=members, required=required)


@cache
def read_only() -> frozenset[str]:
    """Return the canonical top-level fields that PCS sets and no request can: id, arn, status and others."""
    request = shape(CREATE_REQUEST)
    return frozenset(name for name in group().members if REQUEST_NAMES.get(name, name) not in request.members)


def field(path: str, root: str = CREATE_REQUEST) -> Shape:
    """Return the shape at a dotted path below the API shape `root`.

    A list may be followed by `[3]`, `[]` or nothing: `a[3].b`, `a[].b` and `a.b` are the same field, while
    `a` alone is the list and `a[]` its element. Below a map of plain values the rest of the path is one key,
    dots included. Raises KeyError, with the nearest names, when there is no such field, and ValueError when
    the path is malformed.
    """
    return _walk(shape(root), path)


@lru_cache(maxsize=8192)  # a run asks for the same few paths, group after group
def group_field(path: str) -> Shape:
    """Return the constraining shape at a path of the canonical group; paths and errors as in `field`."""
    return _walk(group(), path)


def _walk(root: Shape, path: str) -> Shape:
    here, rest = root, path
    while rest:
        while here.type == "list" and here.item is not None:
            here = here.item
        if here.type == "map" and here.item is not None:
            return here.item  # the API has maps of plain values only: what is left is one key
        name, brackets, rest = paths.take(rest)
        if name not in here.members:
            _unknown(f"field in {here.name} (path {path!r})", name, here.members)
        here = here.members[name]
        for _ in range(paths.depth(brackets)):
            if here.item is None:
                raise KeyError(f"{path!r}: {name} ({here.type}) has no elements")
            here = here.item
    return here


def _unknown(what: str, name: str, known: Mapping[str, object]) -> NoReturn:
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    raise KeyError(f"no {what} is called {name!r}" + (f"; nearest: {', '.join(near)}" if near else ""))
