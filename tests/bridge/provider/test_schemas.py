"""The schema, held to the contract from both sides."""

from __future__ import annotations

from collections.abc import Iterator

from pcs_bridge.plugin.schema import Attribute, Attributes, Nested
from pcs_bridge.provider import schemas
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_contract import prose, shapes, spelling

SCHEMA = schemas.resource(NODE_GROUP)
OWN = {"id", "tags_all", "timeouts"}
"""Attributes that are no field of the API's."""


def attributes(found: Attributes, path: str = "") -> Iterator[tuple[str, Attribute]]:
    for name, attribute in found.items():
        here = f"{path}.{name}" if path else name
        yield here, attribute
        if isinstance(attribute.of, Nested):
            yield from attributes(attribute.of.attributes, here)


ATTRIBUTES = {path: one for path, one in attributes(SCHEMA.attributes) if path.partition(".")[0] not in OWN}


def fields(spec: spelling.FieldSpec, path: str = "") -> Iterator[tuple[str, str, shapes.Shape]]:
    """Attribute path, canonical path and shape of every field, lists left out of the paths."""
    for field in spec.fields if spec.item is None else spec.item.fields:
        here = f"{path}.{field.name}" if path else field.name
        yield spelling.written(here, "terraform"), here, field.shape
        yield from fields(field, here)


FIELDS = {written: (path, shape) for written, path, shape in fields(NODE_GROUP.spec)}


def test_there_is_an_attribute_for_every_field_and_no_other() -> None:
    assert ATTRIBUTES.keys() == FIELDS.keys()
    assert SCHEMA.attributes.keys() - OWN == {path for path in ATTRIBUTES if "." not in path}


def test_nothing_that_can_be_set_is_computed_and_nothing_else_can_be_set() -> None:
    for path, attribute in ATTRIBUTES.items():
        settable = FIELDS[path][0].partition(".")[0] not in shapes.read_only()
        assert (attribute.required or attribute.optional, attribute.computed) == (settable, not settable), path


def test_what_the_api_requires_is_required() -> None:
    required = {path for path, attribute in ATTRIBUTES.items() if attribute.required}
    expected = set()
    for path, (canonical, _) in FIELDS.items():
        around, _, name = canonical.rpartition(".")
        if canonical.partition(".")[0] in shapes.read_only():
            continue
        parent = FIELDS[path.rpartition(".")[0]][1] if around else shapes.group()
        if name in (parent.item or parent).required:
            expected.add(path)
    assert required == expected


def test_only_what_is_for_creation_replaces() -> None:
    replaces = {FIELDS[path][0] for path, attribute in ATTRIBUTES.items() if attribute.replaces}
    assert replaces == prose.CREATE_ONLY.keys()


def test_every_field_that_a_response_hides_is_sensitive() -> None:
    assert {path for path, one in ATTRIBUTES.items() if one.sensitive} == {
        path for path, (_, shape) in FIELDS.items() if shape.sensitive
    }


def test_descriptions_tell_the_limits() -> None:
    described = {path: attribute.description for path, attribute in attributes(SCHEMA.attributes)}
    assert all(described.values())
    script = "node_lifecycle_actions.stages.node_ready"
    assert described[f"{script}.on_error"] == (
        "`nodeLifecycleActions.stages.nodeReady.onError` of the PCS API. One of `TERMINATE`, `STOP_SEQUENCE`, "
        "`CONTINUE`. Without it PCS takes `TERMINATE`."
    )
    assert described[f"{script}.script_source.checksum"].endswith("Exactly 64 characters.")
    assert described["name"] == "`name` of the PCS API. 3 to 25 characters. A change makes another resource."
    assert described["ami_id"].endswith("Removing it removes the setting.")
