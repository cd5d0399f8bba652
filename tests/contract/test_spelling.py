"""The same field in three spellings, for every field of the contract."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs_contract import prose, shapes, spelling
from pcs_contract.shapes import Shape
from pcs_contract.spelling import FieldSpec, Spelling

CFN_SCHEMA = "cfn/terraform-provider-awscc__internal__service__cloudformation__schemas__AWS_PCS_ComputeNodeGroup.json"


def paths_below(shape: Shape, prefix: str = "") -> Iterator[str]:
    """Yield every path below a shape: fields, elements (`[]`) and, for maps, a key."""
    for name, child in shape.members.items():
        path = f"{prefix}{name}"
        yield path
        while child.type == "list" and child.item is not None:
            path, child = path + "[]", child.item
            yield path
        yield from [f"{path}.A key.with dots"] if child.type == "map" else paths_below(child, path + ".")


PATHS = sorted(paths_below(shapes.group()))


def specs_below(spec: FieldSpec, path: str = "") -> Iterator[tuple[str, FieldSpec]]:
    yield path, spec
    for child in spec.fields:
        yield from specs_below(child, f"{path}.{child.name}" if path else child.name)
    if spec.item is not None:
        yield from specs_below(spec.item, path + "[]")


@pytest.mark.parametrize("to", spelling.SPELLINGS)
def test_every_path_there_and_back(to: Spelling) -> None:
    assert len(PATHS) > 60
    written = [spelling.written(path, to) for path in PATHS]
    assert len(set(written)) == len(PATHS)
    assert [spelling.canonical(path, to) for path in written] == PATHS


@given(st.sampled_from(PATHS), st.sampled_from(spelling.SPELLINGS), st.integers(0, 39), st.text(max_size=20))
def test_indices_selectors_and_keys_survive(path: str, to: Spelling, index: int, key: str) -> None:
    for selector in (f"[{index}]", f"[{json.dumps(key)}]"):
        indexed = path.replace("[]", selector)
        written = spelling.written(indexed, to)
        assert written.count(selector) == indexed.count(selector)
        assert spelling.canonical(written, to) == indexed


IRREGULAR: list[tuple[Spelling, str, str]] = [
    ("api", "name", "name"),
    ("api", "id", "id"),
    ("api", "customLaunchTemplate.id", "customLaunchTemplate.id"),
    ("cloudformation", "id", "Id"),
    ("cloudformation", "customLaunchTemplate.id", "CustomLaunchTemplate.TemplateId"),
    ("cloudformation", "customLaunchTemplate.version", "CustomLaunchTemplate.Version"),
    ("terraform", "id", "compute_node_group_id"),
    ("terraform", "arn", "arn"),
    ("terraform", "customLaunchTemplate.id", "custom_launch_template.template_id"),
    ("terraform", "customLaunchTemplate.version", "custom_launch_template.version"),
]
REGULAR: list[tuple[Spelling, str, str]] = [
    (
        "terraform",
        "nodeLifecycleActions.stages.nodeReady[0].scriptSource.s3VersionId",
        "node_lifecycle_actions.stages.node_ready[0].script_source.s3_version_id",
    ),
    (
        "cloudformation",
        'nodeLifecycleActions.stages.nodeReady["mount home"].scriptSource.s3VersionId',
        'NodeLifecycleActions.Stages.NodeReady["mount home"].ScriptSource.S3VersionId',
    ),
    (
        "terraform",
        "slurmConfiguration.gresCustomSettings[1].Some.Key",
        "slurm_configuration.gres_custom_settings[1].Some.Key",
    ),
    ("cloudformation", "slurmConfiguration.gresCustomSettings", "SlurmConfiguration.GresCustomSettings"),
    (
        "terraform",
        "slurmConfiguration.scaleDownIdleTimeInSeconds",
        "slurm_configuration.scale_down_idle_time_in_seconds",
    ),
    ("terraform", "iamInstanceProfileArn", "iam_instance_profile_arn"),
    ("terraform", "tags.Name", "tags.Name"),
    ("cloudformation", "tags.Name", "Tags.Name"),
    ("terraform", 'tags["a.b"]', 'tags["a.b"]'),
]


@pytest.mark.parametrize(("to", "canonical", "written"), [*IRREGULAR, *REGULAR])
def test_by_hand(to: Spelling, canonical: str, written: str) -> None:
    assert spelling.written(canonical, to) == written
    assert spelling.canonical(written, to) == canonical


@pytest.mark.parametrize(
    ("of", "alias", "canonical"),
    [
        ("api", "computeNodeGroupName", "name"),
        ("api", "clusterIdentifier", "clusterId"),
        ("terraform", "id", "arn"),
    ],
)
def test_aliases_are_read_and_never_written(of: Spelling, alias: str, canonical: str) -> None:
    assert spelling.canonical(alias, of) == canonical
    assert spelling.written(canonical, of) != alias


@pytest.mark.parametrize(
    ("of", "path"),
    [
        ("api", "clientToken"),
        ("api", "template_id"),
        ("terraform", "customLaunchTemplate.id"),
        ("terraform", "custom_launch_template.id"),
        ("terraform", "name[0]"),
        ("cloudformation", "CustomLaunchTemplate.Id"),
        ("cloudformation", "Nodes.Name"),
    ],
)
def test_what_a_group_does_not_have(of: Spelling, path: str) -> None:
    assert spelling.canonical(path, of) is None


def test_writing_an_unknown_field_is_an_error() -> None:
    with pytest.raises(KeyError, match="nodeRedy"):
        spelling.written("nodeLifecycleActions.stages.nodeRedy", "terraform")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("s3VersionId", "s3_version_id"),
        ("nodeID", "node_id"),
        ("ipv6Address", "ipv6_address"),
        ("slurmdbdCustomSettings", "slurmdbd_custom_settings"),
        ("minInstanceCount", "min_instance_count"),
        ("arn", "arn"),
    ],
)
def test_snake(name: str, written: str) -> None:
    assert spelling.snake(name) == written


@pytest.mark.parametrize("of", spelling.SPELLINGS)
def test_the_structure_is_the_contract(of: Spelling) -> None:
    found = dict(specs_below(spelling.structure(of)))
    assert set(prose.DEFAULTS) <= set(found)
    for path, spec in found.items():
        assert spec.default == prose.DEFAULTS.get(path)
        if not path or path.endswith("[]"):
            assert (spec.name, spec.written) == ("", "")
        else:
            assert spec.written == spelling.written(path, of).rpartition(".")[2]
            assert spec.shape is shapes.group_field(path)
        assert (spec.kind == "object") == (spec.shape.type == "structure")
        assert (spec.item is not None) == (spec.kind in ("list", "map"))
        assert bool(spec.fields) == (spec.kind == "object")


@pytest.mark.parametrize("of", spelling.SPELLINGS)
def test_no_object_has_one_key_twice(of: Spelling) -> None:
    for path, spec in specs_below(spelling.structure(of)):
        keys = [key for field in spec.fields for key in (field.written, *field.also_written)]
        assert len(keys) == len(set(keys)), path


def test_the_structure_is_built_once() -> None:
    assert spelling.structure("terraform") is spelling.structure("terraform")


def test_lacking_and_disputed_fields_can_be_set_through_the_api() -> None:
    settable = set(shapes.group().members) - shapes.read_only()
    for names in (*spelling.LACKING.values(), *spelling.DISPUTED.values()):
        assert names <= settable
    assert shapes.read_only() >= spelling.API_ONLY


def properties(schema: dict[str, Any], node: dict[str, Any]) -> Iterator[str]:
    """Yield the dotted path of every property below a node of a CloudFormation schema."""
    node = schema["definitions"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    if "items" in node:
        yield from properties(schema, node["items"])
    for name, child in node.get("properties", {}).items():
        yield name
        yield from (f"{name}.{below}" for below in properties(schema, child))


def test_every_cloudformation_property_is_a_canonical_field(corpus_dir: Path) -> None:
    schema = json.loads((corpus_dir / CFN_SCHEMA).read_text(encoding="utf-8"))
    found = list(properties(schema, schema))
    assert "NodeLifecycleActions.Stages.NodeReady.ScriptSource.S3VersionId" in found
    assert [name for name in found if spelling.canonical(name, "cloudformation") is None] == []
    # The other way round: what the schema lacks at the top level is what the tables say, and what came later.
    lacking = set(shapes.group().members) - {spelling.canonical(name, "cloudformation") for name in found}
    resource = "AWS::PCS::ComputeNodeGroup"
    assert lacking == spelling.LACKING[resource] | spelling.DISPUTED[resource] | spelling.API_ONLY


def test_the_cloudformation_schema_replaces_what_the_contract_says(corpus_dir: Path) -> None:
    schema = json.loads((corpus_dir / CFN_SCHEMA).read_text(encoding="utf-8"))
    names = [pointer.rpartition("/")[2] for pointer in schema["createOnlyProperties"]]
    assert {spelling.canonical(name, "cloudformation") for name in names} == set(prose.CREATE_ONLY)
