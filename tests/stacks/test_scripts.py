"""Scripts as values, and the lock file."""

from __future__ import annotations

import hashlib
import inspect
import json
from pathlib import Path
from typing import Any, Literal, get_args, get_overloads, get_type_hints

import jsonschema
import pytest

from pcs_contract import aws_scripts, shapes
from pcs_contract.prose import MAX_SCRIPT_BYTES
from pcs_contract.spelling import snake
from pcs_stacks import ConstructError, LifecycleScript, NodeLifecycle, cluster, compute_node_group, docs, lock, scripts
from pcs_stacks.cluster import Cluster
from pcs_stacks.compute_node_group import ComputeNodeGroup
from pcs_stacks.queue import Queue
from pcs_stacks.resource import PcsResource

SUM = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"


def enum(path: str) -> tuple[str, ...]:
    return shapes.group_field(path).enum


@pytest.mark.parametrize(
    ("literal", "values"),
    [
        (scripts.OnError, enum("nodeLifecycleActions.stages.nodeReady[].onError")),
        (scripts.ExecutionPolicy, enum("nodeLifecycleActions.stages.nodeReady[].executionPolicy")),
        (scripts.Caching, enum("nodeLifecycleActions.scriptCachingPolicy")),
        (compute_node_group.PurchaseOption, enum("purchaseOption")),
        (compute_node_group.AllocationStrategy, enum("spotOptions.allocationStrategy")),
        (compute_node_group.RepairAction, enum("instanceHealthChecks.healthMonitoring.repairAction")),
    ],
)
def test_types_have_the_words_of_the_contract(literal: Any, values: tuple[str, ...]) -> None:
    assert sorted(get_args(literal)) == sorted(values)


@pytest.mark.parametrize("kind", [Cluster, ComputeNodeGroup, Queue])
def test_each_property_is_typed_as_the_contract_says_described_and_emitted(kind: type[PcsResource]) -> None:
    hints = get_type_hints(kind.__init__)
    keywords = docs._keywords(kind.__init__)
    assert set(docs.described(kind)[1]) == set(keywords)
    assert set(kind.PROPS) == set(keywords) - {"provider"}
    root = shapes.shape(kind.REQUEST)
    for name, path in kind.PROPS.items():
        words = [word for hint in (hints[name], *get_args(hints[name])) for word in _literals(hint)]
        limits = docs._limits(root, path, kind.MEMBERS)
        assert {f"`{word}`" for word in words} == set(limits.split(", ") if "`" in limits else ()), name


def _literals(hint: Any) -> tuple[str, ...]:
    return get_args(hint) if getattr(hint, "__origin__", None) is Literal else ()


def test_the_typed_forms_of_aws_scripts_are_those_of_the_contract() -> None:
    common = {"cls", "script", "version", "region", "checksum", "s3_version_id", "name", "behaviour"}
    typed = {}
    for form in get_overloads(LifecycleScript.aws.__func__):  # type: ignore[attr-defined]
        parameters = inspect.signature(form.__func__).parameters  # type: ignore[attr-defined]
        (script,) = get_args(eval(parameters["script"].annotation, vars(scripts)))
        flags = [parameter for name, parameter in parameters.items() if name not in common]
        typed[script] = {flag.name: flag.default is inspect.Parameter.empty for flag in flags}
    assert typed == {
        spec.name: {docs._word(flag.name): flag.required for flag in spec.flags}
        for spec in aws_scripts.SCRIPTS.values()
    }


def test_flags_become_arguments() -> None:
    script = LifecycleScript.aws(
        "configure-ldaps",
        "1.0.0",
        "eu-west-1",
        checksum=SUM,
        s3_version_id="v1",
        ldap_uri="ldaps://ldap.example.com",
        search_base="dc=example",
        tls_cacert="/etc/ca.pem",
        execution_policy="EVERY_BOOT",
    )
    assert script.written("node_bootstrapped", script.s3_version_id) == {
        "name": "configure-ldaps",
        "script_source": {
            "script_location": aws_scripts.location("configure-ldaps", "1.0.0", "eu-west-1"),
            "s3_version_id": "v1",
            "checksum": SUM,
        },
        "arguments": [
            *("--ldap-uri", "ldaps://ldap.example.com"),
            *("--search-base", "dc=example"),
            *("--tls-cacert", "/etc/ca.pem"),
        ],
        "on_error": "TERMINATE",
        "execution_policy": "EVERY_BOOT",
    }


def test_what_is_written_out_where_nothing_is_said() -> None:
    script = LifecycleScript.https("https://scripts.example.com/x.sh", name="x", checksum=SUM)
    written = NodeLifecycle(bootstrapped=[script], ready=[script]).written(lambda _: None)
    assert written["script_caching_policy"] == "CACHE_ONCE"
    said = {stage: (s["on_error"], s["execution_policy"]) for stage, (s,) in written["stages"].items()}
    assert said == {
        "node_bootstrapped": ("TERMINATE", "FIRST_BOOT_ONLY"),
        "node_ready": ("CONTINUE", "FIRST_BOOT_ONLY"),
    }


def test_a_file_is_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = b"#!/bin/sh\r\n\xff\x00"
    (tmp_path / "set up.v1.sh").write_bytes(content)
    script = LifecycleScript.from_file("set up.v1.sh", bucket="example-scripts", publish=False)
    assert script.checksum == hashlib.sha256(content).hexdigest()
    assert (script.name, script.location, script.upload) == (
        "set up.v1",
        "s3://example-scripts/pcs-scripts/set up.v1.sh",
        None,
    )
    published = LifecycleScript.from_file(tmp_path / "set up.v1.sh", bucket="example-scripts", key="k", name="n")
    assert published.upload == scripts.Upload(path=str(tmp_path / "set up.v1.sh"), bucket="example-scripts", key="k")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the script x.sh is empty: there is nothing to run"),
        (b"#" * (MAX_SCRIPT_BYTES + 1), "the script x.sh has more than 2048 KiB, so the agent on the node rejects it"),
        (None, "the script x.sh cannot be read: Is a directory"),
    ],
)
def test_files_that_no_node_can_run(
    content: bytes | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is None:
        (tmp_path / "x.sh").mkdir()
    else:
        (tmp_path / "x.sh").write_bytes(content)
    with pytest.raises(ConstructError) as refused:
        LifecycleScript.from_file("x.sh", bucket="example-scripts")
    assert [mistake.message for mistake in refused.value.mistakes] == [said]


def test_the_largest_file_is_taken(tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_bytes(b"#" * MAX_SCRIPT_BYTES)
    assert LifecycleScript.from_file(tmp_path / "x.sh", bucket="example-scripts").name == "x"


def test_a_published_script_has_no_version_yet(tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_text("#!/bin/sh\n")
    with pytest.raises(ConstructError, match="a script that is published gets its s3_version_id when it is"):
        LifecycleScript.from_file(tmp_path / "x.sh", bucket="example-scripts", s3_version_id="v1")


LOCATION = "s3://example-scripts/x.sh"
ENTRY = {"script_location": LOCATION, "checksum": SUM}


def locked(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "scripts.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("more", [{}, {"s3_version_id": "v1"}])
def test_a_lock_file(more: dict[str, str], tmp_path: Path) -> None:
    path = locked(tmp_path, {"version": 1, "scripts": {"x": {**ENTRY, **more}}})
    jsonschema.validate(json.loads(path.read_text()), lock.json_schema_of_file())
    script = LifecycleScript.from_lock("x", lock_file=path, arguments=["a"], on_error="STOP_SEQUENCE")
    assert (script.name, script.location, script.checksum) == ("x", LOCATION, SUM)
    assert (script.s3_version_id, script.arguments, script.on_error) == (
        more.get("s3_version_id"),
        ["a"],
        "STOP_SEQUENCE",
    )


@pytest.mark.parametrize(
    ("document", "said", "schema"),
    [
        ("{", "the lock file {} is no JSON: Expecting property name", None),
        ([], "it should be an object with", False),
        ({"version": 1, "scripts": {}, "more": 1}, "it should be an object with", False),
        ({"version": 2, "scripts": {}}, "its version is not 1", False),
        ({"version": 1, "scripts": []}, '"scripts" should be an object', False),
        ({"version": 1, "scripts": {"x": "y"}}, "script 'x' should be an object", False),
        ({"version": 1, "scripts": {"x": {**ENTRY, "chksum": "y"}}}, "'chksum' (did you mean 'checksum'?)", False),
        ({"version": 1, "scripts": {"x": {"script_location": LOCATION}}}, "script 'x' has no checksum", False),
        ({"version": 1, "scripts": {"x": {"checksum": SUM}}}, "script 'x': script_location is required", False),
        ({"version": 1, "scripts": {"x": {**ENTRY, "checksum": "abc"}}}, "checksum must have at least 64", False),
        (
            {"version": 1, "scripts": {"x": {**ENTRY, "script_location": "http://example.com/x"}}},
            "script_location must match",
            False,
        ),
        ({"version": 1, "scripts": {"x": {**ENTRY, "s3_version_id": 7}}}, "s3_version_id must be a string", False),
        ({"version": 1, "scripts": {"xx": ENTRY}}, "has no script 'x' (did you mean 'xx'?)", True),
        ({"version": 1, "scripts": {}}, "has no script 'x'", True),
    ],
)
def test_lock_files_that_cannot_be_used(document: Any, said: str, schema: bool | None, tmp_path: Path) -> None:
    path = locked(tmp_path, document)
    with pytest.raises(ConstructError) as refused:
        LifecycleScript.from_lock("x", lock_file=path)
    (mistake,) = refused.value.mistakes
    assert said.format(path) in mistake.message
    assert str(path) in mistake.message
    assert mistake.remedy
    assert mistake.line.file.endswith("test_scripts.py")
    if schema is not None:
        validator = jsonschema.Draft202012Validator(lock.json_schema_of_file())
        assert validator.is_valid(document) is schema


def test_a_lock_file_that_is_not_there() -> None:
    with pytest.raises(ConstructError, match=r"the lock file nowhere\.json cannot be read: No such file"):
        LifecycleScript.from_lock("x", lock_file="nowhere.json")


def test_members_of_a_lock_entry_are_those_of_the_api() -> None:
    assert set(lock.Entry._fields) == {snake(name) for name in shapes.shape("ScriptSource").members}


def test_plugins_are_written_as_the_api_has_them() -> None:
    plugin = cluster.JobSubmitPlugin(name="limits", location=LOCATION, checksum=SUM)
    shape = shapes.shape("CreateClusterRequest").members["slurmConfiguration"].members["jobSubmitPlugins"].item
    assert shape is not None
    assert {snake(name) for name in shape.members} == set(plugin.written())
