"""JSON of the PCS API, as the AWS CLI reads and prints it.

A request tells what its author wrote; a response does not, as PCS may add defaults to it. The request that updates a
group, and the value of ``--node-lifecycle-actions`` alone, are about some members only: the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pcs_contract.shapes import REQUEST_NAMES
from pcs_policies.document import MalformedGroup, Missing, NodeGroup, Origin, Stated, build
from pcs_policies.errors import InputError
from pcs_policies.sources.kinds import API_REQUEST, API_RESPONSE
from pcs_policies.sources.reading import Json, Reading, Removed, Unreadable
from pcs_policies.sources.written import strangers

TYPE = "compute node group"
"""Stands for a resource type: the API has every member."""

REQUEST_ONLY = frozenset({"clientToken", "computeNodeGroupIdentifier"})
"""Members of a request that say which group it is about, or when it is the same request."""


KINDS = (API_REQUEST.id, API_RESPONSE.id)


def recognises(document: Any) -> bool:
    documents = document if isinstance(document, list) else [document]
    return bool(documents) and all(isinstance(item, dict) and _form(item) is not None for item in documents)


def _form(document: Json) -> str | None:
    """What a document is: a ``response``, a ``create`` or ``update`` request, ``actions`` alone, or nothing known."""
    if isinstance(document.get("computeNodeGroup"), dict):
        return "response"
    if REQUEST_NAMES["clusterId"] in document:
        return "update" if "computeNodeGroupIdentifier" in document else "create"
    if "stages" in document and document.keys() <= {"stages", "scriptCachingPolicy"}:
        return "actions"
    if "clusterId" in document and ("name" in document or "nodeLifecycleActions" in document):
        return "group"
    return None


def read(document: Any, file: str) -> Reading:
    """The node groups of a request or response, or of a list of them. Raises :class:`InputError`."""
    documents = document if isinstance(document, list) else [document]
    forms = [_form(item) for item in documents]
    responses = [form in ("response", "group") for form in forms]
    if len(set(responses)) > 1:
        raise InputError("the list mixes requests and responses of the API; check them one by one")
    return Reading(
        kind=API_RESPONSE if responses[0] else API_REQUEST,
        groups=_groups(documents, isinstance(document, list), file),
    )


def _groups(documents: list[Json], in_list: bool, file: str) -> Iterator[NodeGroup | Unreadable | Removed]:
    for index, item in enumerate(documents):
        yield _group(item, f"/{index}" if in_list else "", file)


def _group(item: Json, pointer: str, file: str) -> NodeGroup | Unreadable:
    form = _form(item)
    if form == "response":
        item, pointer = item["computeNodeGroup"], f"{pointer}/computeNodeGroup"
    identifier = item.get("name") or item.get("computeNodeGroupName") or item.get("computeNodeGroupIdentifier")
    address = identifier if isinstance(identifier, str) else f"{TYPE}{pointer}"
    values = {"nodeLifecycleActions": item} if form == "actions" else _without_request_members(item)
    inside = 1 if form == "actions" else 0
    try:
        return build(
            address=address,
            resource_type=TYPE,
            spelling="api",
            after=values,
            stated=Stated.MAYBE if form in ("response", "group") else values,
            strangers=tuple(strangers(values, "api")),
            missing=Missing.NOT_JUDGED_AT_TOP if form in ("update", "actions") else Missing.NOT_SET,
            origins=lambda path: Origin(file=file, pointer=pointer + _pointer(path, inside)),
        )
    except MalformedGroup as error:
        return Unreadable(address, str(error))


def _without_request_members(item: Json) -> Json:
    return {key: value for key, value in item.items() if key not in REQUEST_ONLY}


def _pointer(path: str, inside: int) -> str:
    """The JSON pointer of a canonical path; ``inside`` is how many of its names the document itself stands for."""
    names = path.replace("[", ".").replace("]", "").split(".") if path else []
    return "".join(f"/{name}" for name in names[inside:])
