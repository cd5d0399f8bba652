"""Terraform states: the JSON of ``terraform show -json`` without a plan file."""

from __future__ import annotations

from collections.abc import Iterator

from pcs_policies.document import MalformedGroup, Missing, NodeGroup, build
from pcs_policies.sources.kinds import STATE
from pcs_policies.sources.reading import Json, Reading, Unreadable, groups, mapping, objects, string
from pcs_policies.sources.terraform import check_format, origins

KINDS = (STATE.id,)


def recognises(document: Json) -> bool:
    """A state has ``values``; one without any resource is just its versions."""
    return "format_version" in document and (
        "values" in document or document.keys() <= {"format_version", "terraform_version"}
    )


def read(document: Json, file: str) -> Reading:
    """The node groups of a state. Raises :class:`~pcs_policies.errors.InputError`."""
    check_format(document.get("format_version"), "state")
    values = mapping(document.get("values"), "values")
    root = mapping(values.get("root_module"), "values.root_module")
    return Reading(kind=STATE, groups=_groups(root, file))


def _groups(root: Json, file: str) -> Iterator[NodeGroup | Unreadable]:
    todo = [(root, "/values/root_module")]
    while todo:
        module, pointer = todo.pop(0)
        resources = objects(module.get("resources"), f"{pointer}/resources")
        for index, _, _ in groups(resources):
            yield _group(resources[index], f"{pointer}/resources/{index}", file)
        for index, child in enumerate(objects(module.get("child_modules"), f"{pointer}/child_modules")):
            todo.append((child, f"{pointer}/child_modules/{index}"))


def _group(resource: Json, pointer: str, file: str) -> NodeGroup | Unreadable:
    address = string(resource.get("address"), f"{pointer}/address")
    try:
        return build(
            address=address,
            resource_type=resource["type"],
            spelling="terraform",
            after=resource.get("values"),
            sensitive=resource.get("sensitive_values"),
            origins=origins(file, f"{pointer}/values"),
            missing=Missing.NOT_JUDGED,
        )
    except MalformedGroup as error:
        return Unreadable(address, str(error))
