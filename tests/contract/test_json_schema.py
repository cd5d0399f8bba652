"""The contract as JSON Schema: valid itself, and right about good and bad instances."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pcs_contract import json_schema, shapes, spelling
from pcs_contract.json_schema import Schema
from pcs_contract.shapes import Shape
from pcs_contract.spelling import Spelling

DIGEST = "0123456789abcdef" * 4

REQUEST: dict[str, Any] = {
    "clusterIdentifier": "hpc",
    "computeNodeGroupName": "compute",
    "subnetIds": ["subnet-0123456789abcdef0"],
    "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "instanceConfigs": [{"instanceType": "c7i.large"}],
    "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
    "slurmConfiguration": {
        "scaleDownIdleTimeInSeconds": -1,
        "gresCustomSettings": [{"Name": "gpu", "Count": "4"}],
    },
    "nodeLifecycleActions": {
        "stages": {
            "nodeBootstrapped": [
                {
                    "name": "mount home",
                    "scriptSource": {"scriptLocation": "s3://hpc-scripts/mount.sh", "checksum": DIGEST},
                    "arguments": ["--mount-point", "/home", ""],
                    "onError": "TERMINATE",
                    "executionPolicy": "EVERY_BOOT",
                }
            ]
        },
        "scriptCachingPolicy": "CACHE_ONCE",
    },
    "tags": {"Name": "compute"},
}


def errors(schema: Schema, instance: Any) -> list[tuple[str, str]]:
    """Return (JSON path, keyword) of every error."""
    found = Draft202012Validator(schema).iter_errors(instance)
    return sorted((error.json_path, str(error.validator)) for error in found)


def respelled(value: Any, path: str, to: Spelling) -> Any:
    """Return a canonical document with the keys of another spelling."""
    if isinstance(value, list):
        return [respelled(item, path + "[]", to) for item in value]
    if isinstance(value, dict):
        paths = {name: f"{path}.{name}" if path else name for name in value}
        return {
            spelling.written(paths[name], to).removeprefix(f"{spelling.written(path, to)}.") if path else (
                spelling.written(name, to)
            ): respelled(item, paths[name], to)
            for name, item in value.items()
        }  # fmt: skip
    return value


def canonical_group() -> dict[str, Any]:
    names = {written: name for name, written in shapes.REQUEST_NAMES.items()}
    return {names.get(name, name): value for name, value in copy.deepcopy(REQUEST).items()}


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for child in schema.values():
            yield from subschemas(child)


@pytest.mark.parametrize("name", [operation.name for operation in shapes.operations()])
def test_every_operation_has_a_valid_schema(name: str) -> None:
    schema = json_schema.operation_schema(name)
    Draft202012Validator.check_schema(schema)
    for part in subschemas(schema):
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in schema["$defs"]


def test_a_good_request() -> None:
    assert errors(json_schema.operation_schema("CreateComputeNodeGroup"), REQUEST) == []


@pytest.mark.parametrize("to", spelling.SPELLINGS)
def test_a_good_group_in_every_spelling(to: Spelling) -> None:
    schema = json_schema.group_schema(to)
    Draft202012Validator.check_schema(schema)
    group = respelled(canonical_group(), "", to)
    assert errors(schema, group) == []
    assert errors(schema, group | {"surplus": 1}) == [("$", "additionalProperties")]
    for name in schema["required"]:
        assert errors(schema, {key: value for key, value in group.items() if key != name}) == [("$", "required")]


SCRIPT = ("nodeLifecycleActions", "stages", "nodeBootstrapped", 0)
BAD: list[tuple[tuple[str | int, ...], Any, set[str]]] = [
    (("computeNodeGroupName",), "ab", {"minLength"}),
    (("computeNodeGroupName",), "a" * 26, {"maxLength"}),
    (("computeNodeGroupName",), "pcs_x", {"pattern"}),
    (("computeNodeGroupName",), "9nodes", {"pattern"}),
    (("clusterIdentifier",), 7, {"type"}),
    (("amiId",), "", {"pattern"}),
    (("scalingConfiguration", "minInstanceCount"), -1, {"minimum"}),
    (("scalingConfiguration", "minInstanceCount"), "1", {"type"}),
    (("slurmConfiguration", "scaleDownIdleTimeInSeconds"), -2, {"minimum"}),
    (("slurmConfiguration", "scaleDownIdleTimeInSeconds"), 10_000_001, {"maximum"}),
    (("customLaunchTemplate",), {"id": "lt-0123456789abcdef0"}, {"required"}),
    (("purchaseOption",), "spot", {"enum"}),
    (("tags",), {}, {"minProperties"}),
    (("tags",), {"k" * 129: "v"}, {"maxLength"}),
    (("tags",), {"k": "v" * 257}, {"maxLength"}),
    (("nodeLifecycleActions",), {}, {"required"}),
    (("nodeLifecycleActions", "stages", "nodeBootstrapped"), [], {"minItems"}),
    ((*SCRIPT, "name"), "", {"minLength", "pattern"}),
    ((*SCRIPT, "name"), "a" * 65, {"maxLength"}),
    ((*SCRIPT, "name"), "-a", {"pattern"}),
    ((*SCRIPT, "arguments"), ["a"] * 21, {"maxItems"}),
    ((*SCRIPT, "arguments", 0), "a" * 257, {"maxLength"}),
    ((*SCRIPT, "arguments", 0), None, {"type"}),
    ((*SCRIPT, "onError"), "RETRY", {"enum"}),
    ((*SCRIPT, "executionPolicy"), "", {"enum"}),
    ((*SCRIPT, "timeout"), 1, {"additionalProperties"}),
    ((*SCRIPT, "scriptSource", "checksum"), DIGEST[1:], {"minLength", "pattern"}),
    ((*SCRIPT, "scriptSource", "checksum"), "g" + DIGEST[1:], {"pattern"}),
    ((*SCRIPT, "scriptSource", "s3VersionId"), "v" * 1025, {"maxLength"}),
    ((*SCRIPT, "scriptSource", "scriptLocation"), "x s3://hpc-scripts/mount.sh", {"pattern"}),
    ((*SCRIPT, "scriptSource", "scriptLocation"), "https://localhost/x", {"pattern"}),
]


@pytest.mark.parametrize(("path", "value", "keywords"), BAD)
def test_bad_requests(path: tuple[str | int, ...], value: Any, keywords: set[str]) -> None:
    request: Any = copy.deepcopy(REQUEST)
    parent = request
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    found = errors(json_schema.operation_schema("CreateComputeNodeGroup"), request)
    assert {keyword for _, keyword in found} == keywords


def test_defaults_belong_to_creation_only() -> None:
    created = json_schema.operation_schema("CreateComputeNodeGroup")
    assert created["properties"]["purchaseOption"]["default"] == "ONDEMAND"
    assert created["$defs"]["NodeLifecycleScript"]["properties"]["onError"]["default"] == "TERMINATE"
    updated = json_schema.operation_schema("UpdateComputeNodeGroup")
    assert not [part for part in subschemas(updated) if isinstance(part.get("default"), str)]


@pytest.mark.parametrize("to", spelling.SPELLINGS)
def test_fields_that_pcs_sets_are_read_only(to: Spelling) -> None:
    schema = json_schema.group_schema(to)
    marked = {name for name, part in schema["properties"].items() if part.get("readOnly")}
    assert marked == {spelling.written(name, to) for name in shapes.read_only()}
    assert schema["properties"][spelling.written("createdAt", to)]["format"] == "date-time"


@pytest.mark.parametrize("to", spelling.SPELLINGS)
def test_a_shape_that_stands_in_several_places_is_the_same_in_all(to: Spelling) -> None:
    """A structure becomes one definition, so its names and defaults must not depend on where it stands."""
    seen: dict[str, list[tuple[str, str | int | None]]] = {}

    def visit(spec: spelling.FieldSpec) -> None:
        if spec.fields:
            members = [(field.written, field.default) for field in spec.fields]
            assert seen.setdefault(spec.shape.name, members) == members
        for below in (*spec.fields, *([spec.item] if spec.item else [])):
            visit(below)

    visit(spelling.structure(to))


def test_sensitive_values_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    operation = shapes.operation("RegisterComputeNodeGroupInstance")
    answer: Shape = operation.output
    monkeypatch.setattr(operation, "input", answer)
    schema = json_schema.operation_schema("RegisterComputeNodeGroupInstance")
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["sharedSecret"]["x-sensitive"] is True


def test_no_pattern_uses_what_only_python_understands() -> None:
    only_python = ("(?P", "(?i", "(?#", "\\A", "\\Z", "(?<", "[[:", "\\Q")
    patterns = [
        part["pattern"]
        for operation in shapes.operations()
        for part in subschemas(json_schema.operation_schema(operation.name))
        if isinstance(part.get("pattern"), str)
    ]
    assert patterns
    assert [pattern for pattern in patterns if any(mark in pattern for mark in only_python)] == []
