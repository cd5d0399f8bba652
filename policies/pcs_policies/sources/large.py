"""Large plans and states: only what may be a node group is decoded, and only when it is asked for.

A plan of 100 MB holds a few thousand node groups among everything else. msgspec walks over the text once, checks its
syntax and remembers where each resource begins; the values of a resource come into being when a reader gets to it,
and are gone when it goes on. The result looks like the parsed document, so the readers need not know. Two members of
one name are found where they could change a verdict: in node groups, and among the lists that hold them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

import msgspec

from pcs_policies.errors import InputError
from pcs_policies.sources.reading import Identity, Json, Objects, mapping
from pcs_policies.sources.text import parse

MARKER = b"pcs_compute_node_group"
ESCAPE = b"\\u"
"""With an escape in it, a text may spell the marker in another way, so it is decoded to be sure."""

NOTHING: Json = {}


class Resources(Objects):
    """A list of resources. One that is no node group reads as an empty object, others are decoded at each access."""

    def __init__(self, raws: list[msgspec.Raw]) -> None:
        self._raws = raws

    def __len__(self) -> int:
        return len(self._raws)

    @overload
    def __getitem__(self, index: int) -> Json: ...
    @overload
    def __getitem__(self, index: slice) -> Resources: ...
    def __getitem__(self, index: int | slice) -> Json | Resources:
        if isinstance(index, slice):
            return Resources(self._raws[index])
        return _resource(self._raws[index])

    def __iter__(self) -> Iterator[Json]:
        return map(_resource, self._raws)

    def identities(self) -> Iterator[Identity]:
        return map(_identity, self._raws)


def _may_be_a_group(text: bytes) -> bool:
    if MARKER in text or ESCAPE in text:
        return True
    if text[:1] != b"{":
        raise InputError("a list of resources holds something else: this is not what terraform writes")
    return False


def _resource(raw: msgspec.Raw) -> Json:
    text = bytes(raw)
    return mapping(parse(text.decode()), "a resource") if _may_be_a_group(text) else NOTHING


def _identity(raw: msgspec.Raw) -> Identity:
    text = bytes(raw)
    if not _may_be_a_group(text):
        return Identity()
    try:
        found = msgspec.json.decode(text, type=_Identity)
    except msgspec.MsgspecError:  # parsed in full, for the sake of a good message or of what msgspec does not take
        resource = _resource(raw)
        return Identity(resource.get("type"), resource.get("name"), resource.get("mode", "managed"))
    return Identity(found.type, found.name, found.mode)


class _Identity(msgspec.Struct):
    type: Any = None
    name: Any = None
    mode: Any = "managed"


class _Call(msgspec.Struct):
    module: _Module | None = None


class _Module(msgspec.Struct):
    resources: list[msgspec.Raw] | None = None
    module_calls: dict[str, _Call] | None = None
    child_modules: list[_Module] | None = None


class _Root(msgspec.Struct):
    root_module: _Module | None = None


class _Document(msgspec.Struct):
    """The members of plans and states that readers use; msgspec skips the rest."""

    format_version: Any = msgspec.UNSET
    terraform_version: Any = msgspec.UNSET
    planned_values: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    resource_changes: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    resource_drift: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    deferred_changes: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    configuration: _Root | msgspec.UnsetType | None = msgspec.UNSET
    values: _Root | msgspec.UnsetType | None = msgspec.UNSET
    checks: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    errored: Any = msgspec.UNSET
    complete: Any = msgspec.UNSET
    applyable: Any = msgspec.UNSET


_LISTS = ("resource_changes", "deferred_changes")
"""Members of a plan that hold what is going to be."""


def _is_twice(data: bytes, name: str) -> bool:
    return data.count(b'"%s"' % name.encode()) > 1


def outline(data: bytes) -> Json | None:
    """The document in UTF-8 ``data``, its resources undecoded; ``None`` when it is no plan or state.

    The caller then parses it in full, for the sake of a good message.
    """
    try:
        document = msgspec.json.decode(data, type=_Document)
        if any(_is_twice(data, name) for name in _LISTS if getattr(document, name) is not msgspec.UNSET):
            return None  # of two members of one name msgspec silently takes the last
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    found = {name: getattr(document, name) for name in document.__struct_fields__}
    plain = {name: _plain(value) for name, value in found.items() if value is not msgspec.UNSET}
    return None if plain.keys().isdisjoint(("resource_changes", "planned_values", "values")) else plain


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return Resources(value)
    if isinstance(value, _Root):
        return {} if value.root_module is None else {"root_module": _module(value.root_module)}
    return {} if isinstance(value, msgspec.Raw) else value


def _module(module: _Module) -> Json:
    plain: Json = {}
    if module.resources is not None:
        plain["resources"] = Resources(module.resources)
    if module.module_calls is not None:
        plain["module_calls"] = {
            name: {} if call.module is None else {"module": _module(call.module)}
            for name, call in module.module_calls.items()
        }
    if module.child_modules is not None:
        plain["child_modules"] = [_module(child) for child in module.child_modules]
    return plain
