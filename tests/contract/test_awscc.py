"""The schema of awscc against what the rest of the contract says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources

from pcs_contract import awscc, shapes, spelling
from pcs_contract.spelling import FieldSpec

GROUP = "awscc_pcs_compute_node_group"


def paths(spec: FieldSpec, around: str = "") -> Iterator[str]:
    """The paths of a group as terraform writes them, elements of lists not marked."""
    for field in spec.fields:
        here = around + field.written
        yield here
        inner = field
        while inner.kind == "list" and inner.item is not None:
            inner = inner.item
        yield from paths(inner, here + ".")


def settable(attributes: awscc.Attributes, around: str = "") -> Iterator[str]:
    """The paths that an author can set, in the same form."""
    for name, attribute in attributes.items():
        if not attribute.get("computed"):
            yield around + name
            yield from settable(attribute.get("nested_type", {}).get("attributes", {}), f"{around}{name}.")


def test_the_file_says_what_it_is_of() -> None:
    document = json.loads(resources.files("pcs_contract").joinpath("awscc.json").read_text(encoding="utf-8"))
    assert (document["provider"], document["version"]) == ("hashicorp/awscc", awscc.VERSION)
    assert set(awscc.schemas()) == {"awscc_pcs_cluster", GROUP, "awscc_pcs_queue"}


def test_a_group_has_all_that_the_api_has_but_for_what_is_listed_as_lacking() -> None:
    root = spelling.structure("terraform")
    gone = spelling.LACKING[GROUP] | shapes.read_only()
    absent = {field.written for field in root.fields if field.name in gone}
    expected = {path for path in paths(root) if path.split(".")[0] not in absent}
    assert set(settable(awscc.schemas()[GROUP])) == expected


def test_what_pcs_sets_is_computed_and_no_author_can_set_it() -> None:
    attributes = awscc.schemas()[GROUP]
    computed = {name for name, attribute in attributes.items() if attribute.get("computed")}
    root = spelling.structure("terraform")
    ours = {field.written for field in root.fields if field.name in shapes.read_only() - spelling.API_ONLY}
    assert computed == ours | {"id"}


def test_every_attribute_is_either_set_or_computed() -> None:
    def each(attributes: awscc.Attributes) -> Iterator[tuple[str, awscc.Attributes]]:
        for name, attribute in attributes.items():
            yield name, attribute
            yield from each(attribute.get("nested_type", {}).get("attributes", {}))

    for attributes in awscc.schemas().values():
        for name, attribute in each(attributes):
            marks = [mark for mark in ("required", "optional", "computed") if attribute.get(mark)]
            assert len(marks) == 1, name
            assert ("type" in attribute) != ("nested_type" in attribute), name


def test_what_it_lacks_is_found_wherever_it_stands() -> None:
    script = {"name": "motd", "timeout": 5, "script_source": {"checksum": "x", "sha": "y"}}
    group = {
        "name": "hpc",
        "arn": "arn",
        "security_group_ids": [],
        "tags": {"any.thing": "x"},
        "slurm_configuration": {"gres_custom_settings": [{"any": "thing"}]},
        "node_lifecycle_actions": {"stages": {"node_ready": [script, script], "node_bootstrapped": "${var.scripts}"}},
    }
    assert list(awscc.lacking(GROUP, group)) == [
        "arn",
        "security_group_ids",
        "node_lifecycle_actions.stages.node_ready.timeout",
        "node_lifecycle_actions.stages.node_ready.script_source.sha",
    ]
