"""The rules when an app is synthesized: with whose configuration, on which resources, and on what is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from constructs import Construct
from support.pcsguard_cli import pcsguard

from pcs_stacks import (
    AwsccProvider,
    Cluster,
    ComputeNodeGroup,
    ConstructError,
    LaunchTemplate,
    LifecycleScript,
    NodeLifecycle,
    PcsProvider,
    PolicyAspect,
    Queue,
    policy,
    waive,
)
from pcs_stacks.cdk import App, TerraformOutput, TerraformResource, TerraformStack

SUM = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
SHOWN = "stacks/test_policy.py"
"""This file, relative to what it is imported from."""

READY = "nodeLifecycleActions.stages.nodeReady"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An app's folder; what was read of the configuration in another one is forgotten."""
    monkeypatch.chdir(tmp_path)
    policy._policy.cache_clear()
    yield tmp_path
    policy._policy.cache_clear()


CLUSTER: dict[str, Any] = {
    "name": "hpc",
    "size": "SMALL",
    "slurm_version": "25.05",
    "subnet_ids": ["subnet-0123456789abcdef0"],
}


class Hpc:
    """An app with one stack."""

    def __init__(self, **options: Any) -> None:
        self.app = App(outdir=str(Path("out").resolve()), **options)  # Node does not follow a change of folder
        self.stack = TerraformStack(self.app, "hpc")
        AwsccProvider(self.stack, "awscc")
        PcsProvider(self.stack, "pcs")

    def group(self, id: str = "compute", **members: Any) -> ComputeNodeGroup:
        given: dict[str, Any] = {
            "name": "compute",
            "cluster": "pcs_example123",
            "subnet_ids": ["subnet-0123456789abcdef0"],
            "iam_instance_profile_arn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
            "instance_types": ["c7i.48xlarge"],
            "min_instance_count": 0,
            "max_instance_count": 4,
            "launch_template": LaunchTemplate(id="lt-0123456789abcdef0", version="1"),
            **members,
        }
        return ComputeNodeGroup(self.stack, id, **given)

    def synthesized(self) -> dict[str, Any]:
        """The stack, synthesized."""
        self.app.synth()
        document: dict[str, Any] = json.loads(Path("out/stacks/hpc/cdk.tf.json").read_text())
        return document

    def warned(self) -> list[str]:
        """What the annotations of a synthesis that succeeds say."""
        self.app.synth()
        stacks = json.loads(Path("out/manifest.json").read_text())["stacks"]
        return [annotation["message"] for annotation in stacks["hpc"]["annotations"]]


def script(name: str = "motd", **members: Any) -> LifecycleScript:
    return LifecycleScript.s3("s3://example-scripts/motd.sh", name=name, checksum=SUM, **members)


MOUNTS = NodeLifecycle(ready=[script("mount home", s3_version_id="v1")])
UNPINNED = NodeLifecycle(ready=[script()])
WAIVER = """\
[[waiver]]
rule = "PCS207"
address = "awscc_pcs_compute_node_group.compute"
owner = "hpc"
reason = "it is a test"
until = 2027-01-31
"""


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "error PCS207 needed-before-jobs"),
        ({"pcsguard.toml": 'ignore = ["PCS207"]\n'}, None),
        ({"pcsguard.toml": 'severity = { PCS207 = "info" }\n'}, None),
        ({"pyproject.toml": '[tool.pcsguard]\nfail-on = "never"\n'}, None),
        ({"pcsguard-waivers.toml": WAIVER}, None),
        ({"pcsguard-waivers.toml": WAIVER.replace("2027-01-31", "2026-01-31")}, "error PCS207 needed-before-jobs"),
        ({"pcsguard.toml": 'ignroe = ["PCS207"]\n'}, "the rules could not be run: pcsguard.toml: ignroe is no key"),
        ({"pcsguard-waivers.toml": "[[waiver]]\n"}, "the rules could not be run: pcsguard-waivers.toml"),
    ],
    ids=["none", "ignored", "mildened", "pyproject", "waived", "expired", "wrong configuration", "wrong waiver"],
)
def test_the_configuration_is_that_of_the_folder(
    files: dict[str, str], said: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PCSGUARD_TODAY", "2026-12-01")
    for name, text in files.items():
        (folder / name).write_text(text)
    hpc = Hpc()
    hpc.group(node_lifecycle=MOUNTS)
    if said is None:
        hpc.synthesized()
    else:
        with pytest.raises(RuntimeError, match="Validation failed") as error:
            hpc.app.synth()
        assert said in str(error.value)


def test_warnings_are_annotations_unless_they_fail_a_check(folder: Path) -> None:
    hpc = Hpc()
    hpc.group(node_lifecycle=UNPINNED)
    (warning,) = hpc.warned()
    assert "warning PCS104 s3-version-pinned" in warning
    assert f"{SHOWN}:" in warning

    policy._policy.cache_clear()
    (folder / "pcsguard.toml").write_text('fail-on = "warning"\n')
    strict = Hpc()
    strict.group(node_lifecycle=UNPINNED)
    with pytest.raises(RuntimeError, match="warning PCS104 s3-version-pinned"):
        strict.app.synth()


def test_a_baseline_excuses_what_is_in_it(folder: Path) -> None:
    hpc = Hpc(skip_validation=True)
    hpc.group(node_lifecycle=MOUNTS)
    hpc.synthesized()
    assert pcsguard("baseline", "write", "baseline.json", "out", cwd=folder).code == 0
    (folder / "pcsguard.toml").write_text('baseline = "baseline.json"\n')
    again = Hpc()
    again.group(node_lifecycle=MOUNTS)
    again.synthesized()


def test_waivers_in_code() -> None:
    hpc = Hpc()
    group = hpc.group(node_lifecycle=MOUNTS)
    waive(group, "needed-before-jobs", owner="hpc", until=date(2027, 1, 31), reason="it is a test")
    waive(group, "PCS206", owner="hpc", until="2027-01-31", reason="another", leaf=f'{READY}["mount home"]')
    note = hpc.synthesized()["resource"]["awscc_pcs_compute_node_group"]["compute"]["//"]["pcsguard"]
    first, second = note["waivers"]
    assert (first["rule"], first["until"], first["file"]) == ("needed-before-jobs", "2027-01-31", SHOWN)
    assert first.keys() == {"rule", "owner", "until", "reason", "file", "line"}
    assert second["leaf"] == f'{READY}["mount home"]'
    assert second["line"] == first["line"] + 1


def raw(stack: Construct, id: str = "raw", **attributes: Any) -> TerraformResource:
    resource = TerraformResource(stack, id, terraform_resource_type="pcs_compute_node_group")
    for name, value in attributes.items():
        resource.add_override(name, value)
    return resource


@pytest.mark.parametrize("scope", ["app", "stack", "construct"])
def test_an_aspect_covers_resources_that_others_make(scope: str) -> None:
    hpc = Hpc()
    if scope == "construct":
        inner = Construct(hpc.stack, "site")
        PolicyAspect(inner)
        raw(inner, name="compute")
        with pytest.raises(RuntimeError, match=r"\[hpc/site/raw\] error PCS301"):
            hpc.app.synth()
        return
    raw(hpc.stack, name="compute", node_lifecycle_actions={"stages": {"node_ready": [{"name": "x"}]}})
    hpc.group(node_lifecycle=NodeLifecycle(bootstrapped=[script("logs", s3_version_id="v1", on_error="CONTINUE")]))
    PolicyAspect(hpc.app if scope == "app" else hpc.stack)
    with pytest.raises(RuntimeError) as error:
        hpc.app.synth()
    found = [line.split() for line in str(error.value).split("\n") if line.startswith("  [")]
    assert {place for place, *_ in found} == {"[hpc/raw]"}
    assert "PCS201" in {words[2] for words in found}
    assert len(found) == len({tuple(words) for words in found})


def test_a_stack_that_an_aspect_came_too_early_for_is_told() -> None:
    hpc = Hpc()
    PolicyAspect(hpc.app)
    raw(TerraformStack(hpc.app, "late"), name="compute")
    with pytest.raises(RuntimeError, match="the stack late was made after PolicyAspect, so its node groups were not"):
        hpc.app.synth()


def test_without_an_aspect_raw_resources_are_nobodys_business() -> None:
    hpc = Hpc()
    raw(hpc.stack, name="compute")
    hpc.synthesized()


def test_tokens_are_never_looked_at() -> None:
    """Every value is known after apply only; nothing is refused and nothing is found, and all of it is written out."""
    hpc = Hpc()
    other = TerraformResource(hpc.stack, "other", terraform_resource_type="example_thing")
    text, number = other.get_string_attribute("text"), other.get_number_attribute("number")
    texts, pairs = other.get_list_attribute("texts"), other.get_string_map_attribute("pairs")
    token: Any = other.interpolation_for_attribute("anything")
    scripts = [
        LifecycleScript.s3(text, name=text, checksum=text, s3_version_id=text, arguments=texts),
        LifecycleScript.https(f"https://{text}/x.sh", name=f"x {text}", checksum=token, on_error=token),
        LifecycleScript.aws(
            "mount-efs", "1.0.0", text, checksum=text, file_system_id=text, mount_point=f"/{text}", name="efs"
        ),
    ]
    cluster = Cluster(
        hpc.stack,
        "cluster",
        name=text,
        size=token,
        slurm_version=text,
        subnet_ids=texts,
        slurm_settings={text: text},
        tags=pairs,
    )
    group = hpc.group(
        name=text,
        cluster=cluster,
        subnet_ids=texts,
        iam_instance_profile_arn=text,
        instance_types=[text],
        min_instance_count=number,
        max_instance_count=number,
        launch_template=LaunchTemplate(id=text, version=text),
        purchase_option=token,
        scale_down_idle_time_in_seconds=number,
        tags=pairs,
        node_lifecycle=NodeLifecycle(bootstrapped=scripts, caching=token),
    )
    Queue(hpc.stack, "queue", name=text, cluster=cluster, compute_node_groups=[group])
    resources = hpc.synthesized()["resource"]
    written = resources["awscc_pcs_compute_node_group"]["compute"]
    reference = "${example_thing.other.%s}"
    assert written["scaling_configuration"] == dict.fromkeys(
        ("min_instance_count", "max_instance_count"), reference % "number"
    )
    assert written["subnet_ids"] == reference % "texts"
    assert written["tags"] == reference % "pairs"
    assert written["purchase_option"] == reference % "anything"
    first = written["node_lifecycle_actions"]["stages"]["node_bootstrapped"][0]
    assert first["arguments"] == reference % "texts"
    assert resources["awscc_pcs_cluster"]["cluster"]["size"] == reference % "anything"


def test_what_is_written_one_by_one_has_to_be_known() -> None:
    hpc = Hpc()
    other = TerraformResource(hpc.stack, "other", terraform_resource_type="x_y")
    with pytest.raises(TypeError, match="the names of this map are known only after apply"):
        hpc.group(slurm_settings=other.get_string_map_attribute("pairs"))
    with pytest.raises(TypeError, match="how many this list has is known only after apply"):
        hpc.group(instance_types=other.get_list_attribute("texts"))


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"subnet_ids": "subnet-0123456789abcdef0"}, "subnetIds should be a list but is a string of 24 characters"),
        ({"instance_types": "c7i.48xlarge"}, "instanceConfigs should be a list but is a string of 12 characters"),
        ({"subnet_ids": {"subnet-0123456789abcdef0"}}, "subnetIds should be a list but is set"),
        ({"name": Path("compute")}, "name should be a string but is PosixPath"),
        ({"min_instance_count": True}, "minInstanceCount should be a whole number but is true or false"),
        ({"tags": ["a"]}, "tags should be a map but is a list"),
    ],
)
def test_values_of_another_type_are_refused(members: dict[str, Any], said: str) -> None:
    with pytest.raises(ConstructError) as refused:
        Hpc().group(**members)
    assert said in str(refused.value)


def test_a_resource_in_place_of_its_id_is_refused() -> None:
    hpc = Hpc()
    other: Any = TerraformResource(hpc.stack, "other", terraform_resource_type="awscc_pcs_cluster")
    with pytest.raises(ConstructError, match="clusterId should be a string but is TerraformResource"):
        hpc.group(cluster=other)


def test_sequences_and_mappings_of_any_kind_are_taken() -> None:
    hpc = Hpc()
    hpc.group(subnet_ids=("subnet-0123456789abcdef0",), tags=MappingProxyType({"a": "b"}))
    written = hpc.synthesized()["resource"]["awscc_pcs_compute_node_group"]["compute"]
    assert (written["subnet_ids"], written["tags"]) == (["subnet-0123456789abcdef0"], {"a": "b"})


def test_the_block_of_a_provider_is_missed(folder: Path) -> None:
    app = App(outdir=str(folder / "out"))
    Cluster(TerraformStack(app, "bare"), "cluster", **CLUSTER)
    with pytest.raises(RuntimeError, match="for the following providers: awscc"):
        app.synth()


def test_a_stack_of_the_other_toolkit_is_told(folder: Path) -> None:
    import cdktn

    stack: Any = cdktn.TerraformStack(cdktn.App(outdir=str(folder / "out")), "hpc")
    with pytest.raises(TypeError, match="the stack is one of cdktn, and the constructs use cdktf: import cdktn before"):
        Cluster(stack, "cluster", **CLUSTER)


def test_what_is_known_beside_a_token_is_looked_at() -> None:
    hpc = Hpc()
    text = TerraformResource(hpc.stack, "other", terraform_resource_type="x_y").get_string_attribute("text")
    with pytest.raises(ConstructError, match="PCS102 secure-location"):
        hpc.group(
            node_lifecycle=NodeLifecycle(ready=[LifecycleScript.https(f"http://{text}/x.sh", name="x", checksum=SUM)])
        )
    with pytest.raises(ConstructError, match="PCS305 script-names-unique"):
        hpc.group(node_lifecycle=NodeLifecycle(ready=[script(arguments=[text]), script()]))


def test_a_group_that_is_refused_leaves_nothing_behind() -> None:
    hpc = Hpc()
    with pytest.raises(ConstructError):
        hpc.group(purchase_option="SPOTS")
    hpc.group()
    assert list(hpc.synthesized()["resource"]) == ["awscc_pcs_compute_node_group"]


def test_a_script_is_published_once_in_a_stack(folder: Path) -> None:
    (folder / "x.sh").write_text("#!/bin/sh\n")
    hpc = Hpc()
    published = LifecycleScript.from_file("x.sh", bucket="example-scripts")
    again = LifecycleScript.from_file("x.sh", bucket="example-scripts", on_error="STOP_SEQUENCE")
    hpc.group(node_lifecycle=NodeLifecycle(ready=[published]))
    hpc.group("other", node_lifecycle=NodeLifecycle(bootstrapped=[published], ready=[again]))
    resources = hpc.synthesized()["resource"]
    ((id, body),) = resources["pcs_lifecycle_script"].items()
    assert {name: body[name] for name in ("bucket", "key")} == {"bucket": "example-scripts", "key": "pcs-scripts/x.sh"}
    versions = [
        s["script_source"]["s3_version_id"]
        for group in resources["awscc_pcs_compute_node_group"].values()
        for stage in group["node_lifecycle_actions"]["stages"].values()
        for s in stage
    ]
    assert versions == [f"${{pcs_lifecycle_script.{id}.s3_version_id}}"] * 3


def test_output_in_terraforms_own_syntax_has_the_attributes_too() -> None:
    hpc = Hpc()
    hpc.group(node_lifecycle=UNPINNED)
    text = hpc.stack.to_hcl_terraform()["hcl"]
    assert 'resource "awscc_pcs_compute_node_group" "compute"' in text
    assert "on_error" in text
    assert "test_policy.py" not in text


def test_ids_are_references() -> None:
    hpc = Hpc()
    group = hpc.group()
    queue = Queue(hpc.stack, "queue", name="batch", cluster="pcs_example123", compute_node_groups=[group])
    for name, value in {"arn": group.arn, "id": group.compute_node_group_id, "queue id": queue.queue_id}.items():
        TerraformOutput(hpc.stack, name, value=value, static_id=True)
    assert {name: entry["value"] for name, entry in hpc.synthesized()["output"].items()} == {
        "arn": "${awscc_pcs_compute_node_group.compute.arn}",
        "id": "${awscc_pcs_compute_node_group.compute.compute_node_group_id}",
        "queue id": "${awscc_pcs_queue.queue.queue_id}",
    }
