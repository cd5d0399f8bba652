"""Scripts in S3 through the real terraform: what a change of one reaches, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from support.pcs_groups import NEW
from support.pcs_terraform import TYPE, Workspace, hpc_endpoint, written

from pcs_bridge.plugin import tfplugin6_pb2 as pb
from pcs_bridge.plugin.calls import Calls
from pcs_bridge.plugin.logs import Logger
from pcs_bridge.plugin.wire import write_object
from pcs_bridge.provider.objects import Objects, TooLarge
from pcs_bridge.provider.provider import PcsProvider
from pcs_bridge.provider.script import SCHEMA
from pcs_contract.prose import MAX_SCRIPT_BYTES

BUCKET = "hpc-scripts"
SCRIPT = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def tf(workspace: Any) -> Iterator[Workspace]:
    """A workspace with the cluster `hpc` and the bucket `hpc-scripts`, which has versions."""
    with hpc_endpoint() as endpoint:
        s3 = endpoint.client("s3")
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield workspace(endpoint)


def group(name: str, script: str) -> dict[str, Any]:
    """A group whose nodes run a script, pinned by what its resource exports."""
    pins = ("script_location", "s3_version_id", "checksum")
    source = {pin: f"${{pcs_lifecycle_script.{script}.{pin}}}" for pin in pins}
    actions = {"stages": {"node_bootstrapped": [{"name": script, "script_source": source}]}}
    return {**written({**NEW, "name": name}), "node_lifecycle_actions": actions}


def configure(tf: Workspace, groups: dict[str, str] | None = None, **scripts: Any) -> None:
    """Scripts by the name of their resource, and groups with the script of each."""
    resources: dict[str, Any] = {
        "pcs_lifecycle_script": {name: {"bucket": BUCKET, **script} for name, script in scripts.items()}
    }
    if groups:
        resources[TYPE] = {name: group(name, script) for name, script in groups.items()}
    tf.configure(resource=resources)


def changed(plan: dict[str, Any]) -> dict[str, list[str]]:
    changes = {change["address"]: change["change"]["actions"] for change in plan["resource_changes"]}
    return {address: actions for address, actions in changes.items() if actions != ["no-op"]}


def source_of(tf: Workspace, name: str) -> dict[str, str]:
    (script,) = tf.remote(name)["nodeLifecycleActions"]["stages"]["nodeBootstrapped"]
    source: dict[str, str] = script["scriptSource"]
    return source


def test_a_change_of_a_script_reaches_the_groups_that_use_it_and_no_other(tf: Workspace) -> None:
    s3 = tf.endpoint.client("s3")
    groups = {"first": "mount", "second": "motd", "third": "mount"}
    scripts = {"mount": {"key": "mount.sh", "source": "mount.sh"}, "motd": {"key": "a/motd.sh", "content": SCRIPT}}
    configure(tf, groups, **scripts)
    tf.write(SCRIPT, "mount.sh")
    tf.apply()
    assert tf.exit_code_of_plan() == 0
    before = {name: source_of(tf, name) for name in groups}
    head = s3.head_object(Bucket=BUCKET, Key="mount.sh")
    assert before["first"] == {
        "scriptLocation": f"s3://{BUCKET}/mount.sh",
        "s3VersionId": head["VersionId"],
        "checksum": hashlib.sha256(SCRIPT.encode()).hexdigest(),
    }

    tf.write(SCRIPT + "# other\n", "mount.sh")
    plan = tf.plan(file="content")
    new = hashlib.sha256((SCRIPT + "# other\n").encode()).hexdigest()
    after = {change["address"]: change["change"] for change in plan["resource_changes"]}
    assert changed(plan) == {
        address: ["update"] for address in ("pcs_lifecycle_script.mount", f"{TYPE}.first", f"{TYPE}.third")
    }
    assert after["pcs_lifecycle_script.mount"]["after"]["checksum"] == new
    assert after["pcs_lifecycle_script.mount"]["after_unknown"]["s3_version_id"] is True
    tf.apply("content")
    assert source_of(tf, "second") == before["second"]
    assert source_of(tf, "first") == source_of(tf, "third") != before["first"]
    assert source_of(tf, "first")["checksum"] == new
    assert tf.exit_code_of_plan() == 0
    # Until then, nodes of the groups could still fetch what they were told to.
    old = s3.get_object(Bucket=BUCKET, Key="mount.sh", VersionId=before["first"]["s3VersionId"])
    assert old["Body"].read().decode() == SCRIPT

    # Where the content comes from is for the state only.
    tf.write(SCRIPT, "motd.sh")
    configure(tf, groups, **{**scripts, "motd": {"key": "a/motd.sh", "source": "motd.sh"}})
    plan = tf.plan(file="moved")
    assert changed(plan) == {"pcs_lifecycle_script.motd": ["update"]}
    tf.apply("moved")
    assert source_of(tf, "second") == before["second"]

    # What others put there: the same again changes nothing, something else is put right.
    s3.put_object(Bucket=BUCKET, Key="a/motd.sh", Body=SCRIPT.encode())
    assert tf.exit_code_of_plan() == 0
    s3.put_object(Bucket=BUCKET, Key="a/motd.sh", Body=b"#!/bin/sh\nreboot\n")
    assert changed(tf.plan(file="drift")) == {"pcs_lifecycle_script.motd": ["update"], f"{TYPE}.second": ["update"]}
    tf.apply("drift")
    assert s3.get_object(Bucket=BUCKET, Key="a/motd.sh")["Body"].read().decode() == SCRIPT
    s3.delete_object(Bucket=BUCKET, Key="mount.sh")
    assert changed(tf.plan(file="gone"))["pcs_lifecycle_script.mount"] == ["create"]
    tf.apply("gone")
    assert tf.exit_code_of_plan() == 0

    # Another key is another script.
    configure(tf, groups, **{**scripts, "motd": {"key": "b/motd.sh", "source": "motd.sh"}})
    assert changed(tf.plan())["pcs_lifecycle_script.motd"] == ["delete", "create"]

    tf.run("destroy", "-auto-approve").ok()
    versions = s3.list_object_versions(Bucket=BUCKET)
    assert {marker["Key"] for marker in versions["DeleteMarkers"] if marker["IsLatest"]} == {"mount.sh", "a/motd.sh"}
    assert before["first"]["s3VersionId"] in {version["VersionId"] for version in versions["Versions"]}


def test_import_and_a_bucket_without_versions(tf: Workspace) -> None:
    s3 = tf.endpoint.client("s3")
    s3.create_bucket(Bucket="plain")
    s3.put_object(Bucket="plain", Key="there.sh", Body=SCRIPT.encode())
    configure(tf, there={"bucket": "plain", "key": "there.sh", "content": SCRIPT})
    for identifier, problem in (
        ("there.sh", "It has to look like s3://BUCKET/KEY"),
        ("s3://plain/not.sh", "S3 has no object at s3://plain/not.sh."),
    ):
        assert problem in " ".join(tf.run("import", "pcs_lifecycle_script.there", identifier).err.split())
    tf.run("import", "pcs_lifecycle_script.there", "s3://plain/there.sh").ok()
    assert tf.exit_code_of_plan() == 0
    configure(tf, there={"bucket": "plain", "key": "there.sh", "content": SCRIPT + "#\n"})
    said = tf.run("apply", "-auto-approve").ok().out
    assert "Warning: The bucket has no versions" in said
    assert tf.state_of("pcs_lifecycle_script.there")["s3_version_id"] is None
    assert tf.exit_code_of_plan() == 0


def test_a_plan_whose_script_has_changed_since_puts_nothing(tf: Workspace) -> None:
    s3 = tf.endpoint.client("s3")
    mount, motd = {"key": "mount.sh", "source": "mount.sh"}, {"key": "motd.sh", "source": "motd.sh"}
    configure(tf, mount=mount)
    for name in ("mount.sh", "motd.sh"):
        tf.write(SCRIPT, name)
    tf.apply()
    versions = s3.list_object_versions(Bucket=BUCKET)["Versions"]
    configure(tf, mount=mount, motd=motd)
    tf.write(SCRIPT + "# reviewed\n", "mount.sh")
    tf.plan(file="stale")
    for name in ("mount.sh", "motd.sh"):
        tf.write(SCRIPT + "# not reviewed\n", name)
    said = " ".join(tf.run("apply", "stale").err.split())
    # Before 1.16, terraform keeps from the provider what it would need to say it itself.
    ours, terraforms = "The script has changed since the plan", "Provider produced inconsistent final plan"
    assert said.count(f"Error: {ours}") + said.count(f"Error: {terraforms}") == 2
    assert s3.list_object_versions(Bucket=BUCKET)["Versions"] == versions
    tf.apply()
    assert s3.get_object(Bucket=BUCKET, Key="mount.sh")["Body"].read().decode() == SCRIPT + "# not reviewed\n"
    assert tf.exit_code_of_plan() == 0


def test_the_provider_says_itself_that_a_script_has_changed_where_it_is_told_of_the_plan(tmp_path: Path) -> None:
    """As Terraform tells it from 1.16 on, when it plans again to apply."""
    file = tmp_path / "mount.sh"
    config = {"bucket": BUCKET, "key": "mount.sh", "source": str(file)}

    calls = Calls(PcsProvider, Logger())
    plan = calls.guarded("Plan", calls.plan_resource_change, pb.PlanResourceChange.Response)

    def planned(reviewed: bytes = b"") -> pb.PlanResourceChange.Response:
        answer: pb.PlanResourceChange.Response = plan(
            pb.PlanResourceChange.Request(
                type_name="pcs_lifecycle_script",
                prior_state=write_object(None, SCHEMA.type),
                config=write_object(config, SCHEMA.type),
                planned_private=reviewed,
            )
        )
        return answer

    file.write_text(SCRIPT)
    reviewed = planned()
    assert planned(reviewed.planned_private) == reviewed
    file.write_text(SCRIPT + "#\n")
    (told,) = planned(reviewed.planned_private).diagnostics
    assert told.summary == "The script has changed since the plan"
    assert told.detail.startswith(f"source: {file} has another content than when terraform planned.")


def test_what_is_refused(tf: Workspace) -> None:
    s3 = tf.endpoint.client("s3")
    s3.put_object(Bucket=BUCKET, Key="taken.sh", Body=b"#!/bin/sh\n# of somebody else\n")
    s3.put_object(Bucket=BUCKET, Key="same.sh", Body=SCRIPT.encode())
    configure(
        tf,
        taken={"key": "taken.sh", "content": SCRIPT},
        same={"key": "same.sh", "content": SCRIPT},
        nowhere={"bucket": "no-such-bucket", "key": "x.sh", "content": SCRIPT},
    )
    said = " ".join(tf.run("apply", "-auto-approve").err.split())
    assert f"s3://{BUCKET}/taken.sh: There is an object with another content at this key." in said
    assert "s3://no-such-bucket/x.sh: There is no such bucket." in said
    assert said.count("Error:") == 2
    assert tf.state_of("pcs_lifecycle_script.same")["s3_version_id"]
    assert s3.get_object(Bucket=BUCKET, Key="taken.sh")["Body"].read() != SCRIPT.encode()

    tf.write("", "empty.sh")
    tf.write("x" * (MAX_SCRIPT_BYTES + 1), "large.sh")
    tf.write("x" * MAX_SCRIPT_BYTES, "largest.sh")
    configure(
        tf,
        empty={"key": "x", "source": "empty.sh"},
        large={"key": "x", "source": "large.sh"},
        largest={"key": "x", "source": "largest.sh"},
        missing={"key": "x", "source": "missing.sh"},
    )
    said = " ".join(tf.run("plan").err.split())
    assert "source: A node that is given an empty script cannot run it, and fails." in said
    assert f"source: It has more than {MAX_SCRIPT_BYTES} bytes" in said
    assert "source: missing.sh: No such file or directory." in said
    assert said.count("Error:") == 3

    configure(
        tf,
        both={"key": "x", "source": "largest.sh", "content": "x"},
        neither={"key": "x"},
        empty={"key": "x", "content": ""},
        bucket={"bucket": "s3://hpc", "key": "x", "content": "x"},
        key={"key": "", "content": "x"},
    )
    said = " ".join(tf.run("validate").err.split())
    for problem in (
        "Error: Either source or content",
        "Error: The script is missing",
        "content: A node that is given an empty script cannot run it, and fails.",
        "bucket: It has 3 to 63 lower case letters",
        "key: It must not be empty",
    ):
        assert problem in said, problem
    assert said.count("Error:") == 5


def test_objects_that_are_no_scripts() -> None:
    with hpc_endpoint() as endpoint:
        s3 = endpoint.client("s3")
        s3.create_bucket(Bucket=BUCKET)
        objects = Objects(s3)
        large = "x" * (MAX_SCRIPT_BYTES + 1)
        s3.put_object(Bucket=BUCKET, Key="large", Body=large.encode())
        with pytest.raises(TooLarge):
            objects.content(BUCKET, "large")
        with pytest.raises(ClientError, match="PreconditionFailed"):
            objects.put(BUCKET, "large", b"x", new=True)
        assert objects.put(BUCKET, "large", b"x", new=False) is None
        assert objects.put(BUCKET, "large", b"x", new=True) is None
        assert not objects.has(BUCKET, "large", "no-such-version")
        objects.delete(BUCKET, "never")
        objects.delete("no-such-bucket", "never")
