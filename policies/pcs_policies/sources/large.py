"""Large plans and states: only node groups are decoded, and only when they are asked for.

A plan of 100 MB holds a few thousand node groups among everything else. msgspec walks over the text once, checks its
syntax, and notes what each resource is and where its values begin; the values come into being when a reader gets to
them, and are gone when it goes on. The result looks like the parsed document, so the readers need not know. Two members
of one name are found where they could change a verdict: in the values of node groups, and among the lists that hold
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import msgspec

from pcs_policies.sources.kinds import TERRAFORM_TYPES
from pcs_policies.sources.reading import GroupAt, Json, Objects
from pcs_policies.sources.text import parse

NOTHING: Json = {}

Part = msgspec.Raw | msgspec.UnsetType


class _Resource(msgspec.Struct):
    """What all resources have; the values of any type, as nobody has looked at them yet."""

    type: Any = None
    name: Any = None
    mode: Any = "managed"


class _Changed(_Resource):
    """A resource of ``resource_changes``."""

    address: Any = None
    module_address: Any = ""
    previous_address: Any = None
    change: Part = msgspec.UNSET


class _Configured(_Resource):
    """A resource of the configuration."""

    expressions: Part = msgspec.UNSET


class _Stored(_Resource):
    """A resource of a state."""

    address: Any = None
    values: Part = msgspec.UNSET
    sensitive_values: Part = msgspec.UNSET


class _Deferred(msgspec.Struct):
    """An entry of ``deferred_changes``."""

    resource_change: _Changed | None = None


class Resources(Objects):
    """A list of resources. One that is no node group reads as an empty object, others are decoded at each access."""

    def __init__(self, resources: Sequence[_Resource]) -> None:
        self._resources = resources

    def __len__(self) -> int:
        return len(self._resources)

    @overload
    def __getitem__(self, index: int) -> Json: ...
    @overload
    def __getitem__(self, index: slice) -> Resources: ...
    def __getitem__(self, index: int | slice) -> Json | Resources:
        if isinstance(index, slice):
            return Resources(self._resources[index])
        return _decoded(self._resources[index])

    def __iter__(self) -> Iterator[Json]:
        return map(_decoded, self._resources)

    def groups(self) -> list[GroupAt]:
        return [
            (index, resource.type, str(resource.name))
            for index, resource in enumerate(self._resources)
            if resource.type in TERRAFORM_TYPES and resource.mode == "managed"
        ]


def _decoded(resource: _Resource) -> Json:
    if resource.type not in TERRAFORM_TYPES:
        return NOTHING
    members = ((name, getattr(resource, name)) for name in resource.__struct_fields__)
    return {
        name: parse(bytes(value).decode()) if isinstance(value, msgspec.Raw) else value
        for name, value in members
        if value is not msgspec.UNSET
    }


class _Call(msgspec.Struct):
    module: _Module | None = None


class _Module(msgspec.Struct):
    resources: list[_Configured] | None = None
    module_calls: dict[str, _Call] | None = None


class _Configuration(msgspec.Struct):
    root_module: _Module | None = None


class _StoredModule(msgspec.Struct):
    resources: list[_Stored] | None = None
    child_modules: list[_StoredModule] | None = None


class _Values(msgspec.Struct):
    root_module: _StoredModule | None = None


class _Document(msgspec.Struct):
    """The members of plans and states that readers use; msgspec skips the rest."""

    format_version: Any = msgspec.UNSET
    terraform_version: Any = msgspec.UNSET
    planned_values: Part = msgspec.UNSET
    resource_changes: list[_Changed] | msgspec.UnsetType | None = msgspec.UNSET
    resource_drift: list[_Changed] | msgspec.UnsetType | None = msgspec.UNSET
    deferred_changes: list[_Deferred] | msgspec.UnsetType | None = msgspec.UNSET
    configuration: _Configuration | msgspec.UnsetType | None = msgspec.UNSET
    values: _Values | msgspec.UnsetType | None = msgspec.UNSET
    errored: Any = msgspec.UNSET
    complete: Any = msgspec.UNSET
    applyable: Any = msgspec.UNSET


_LISTS = ("resource_changes", "deferred_changes")
"""Members of a plan that hold what is going to be."""


def outline(data: bytes) -> Json | None:
    """The document in UTF-8 ``data``, its resources undecoded; ``None`` when it is no plan or state.

    The caller then parses it in full, for the sake of a good message.
    """
    try:
        document = msgspec.json.decode(data, type=_Document)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    found = {name: getattr(document, name) for name in document.__struct_fields__}
    plain = {name: _plain(value) for name, value in found.items() if value is not msgspec.UNSET}
    if plain.keys().isdisjoint(("resource_changes", "planned_values", "values")):
        return None
    if any(name in plain and data.count(b'"%s"' % name.encode()) > 1 for name in _LISTS):
        return None  # of two members of one name msgspec silently takes the last
    return plain


def _plain(value: Any) -> Any:
    """A member as the readers know it."""
    if isinstance(value, _Configuration):
        return {} if value.root_module is None else {"root_module": _module(value.root_module)}
    if isinstance(value, _Values):
        return {} if value.root_module is None else {"root_module": _stored_module(value.root_module)}
    if isinstance(value, list):
        if value and isinstance(value[0], _Deferred):
            return [{"resource_change": _decoded(entry.resource_change or _Changed())} for entry in value]
        return Resources(value)
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
    return plain


def _stored_module(module: _StoredModule) -> Json:
    plain: Json = {}
    if module.resources is not None:
        plain["resources"] = Resources(module.resources)
    if module.child_modules is not None:
        plain["child_modules"] = [_stored_module(child) for child in module.child_modules]
    return plain
