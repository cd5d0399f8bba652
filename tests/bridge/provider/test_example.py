"""The complete example: applied, changed and destroyed, as it stands in examples/provider."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.pcs_terraform import QUICK, TYPE, Workspace

from pcs_bridge.endpoint import running

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/provider"


@pytest.fixture
def tf(workspace: Any) -> Iterator[Workspace]:
    with running(delays=QUICK) as endpoint:
        s3 = endpoint.client("s3")
        s3.create_bucket(Bucket="hpc-scripts")
        s3.put_bucket_versioning(Bucket="hpc-scripts", VersioningConfiguration={"Status": "Enabled"})
        made = workspace(endpoint)
        (made.folder / "main.tf.json").unlink()
        shutil.copytree(EXAMPLE, made.folder, dirs_exist_ok=True)
        yield made


def changed(plan: dict[str, Any]) -> dict[str, list[str]]:
    return {
        change["address"]: change["change"]["actions"]
        for change in plan["resource_changes"]
        if change["change"]["actions"] not in (["no-op"], ["read"])
    }


def edit(tf: Workspace, name: str, old: str, new: str) -> None:
    text = (tf.folder / name).read_text()
    assert text.count(old) == 1, (name, old)
    tf.write(text.replace(old, new), name)


def test_the_example(tf: Workspace) -> None:
    applied = tf.run("apply", "-auto-approve").ok().out
    assert "Warning" not in applied
    assert tf.exit_code_of_plan() == 0
    outputs = {name: output["value"] for name, output in tf.show()["values"]["outputs"].items()}
    workers = tf.remote("workers")
    assert outputs["groups_of_queue"] == [workers["id"]]
    assert (outputs["scheduler"], outputs["login_nodes"]) == ("192.0.2.10", 1)
    mount = workers["nodeLifecycleActions"]["stages"]["nodeBootstrapped"][1]
    assert mount["scriptSource"]["checksum"] == outputs["mount_checksum"]

    # Another text for the message of the day reaches the login nodes, and no worker.
    edit(tf, "scripts.tf", "Welcome to", "This is")
    plan = tf.plan(file="motd")
    assert changed(plan) == {"pcs_lifecycle_script.motd": ["update"], f"{TYPE}.login": ["update"]}
    tf.apply("motd")

    # The queue gets the other group, and the group of the queue a successor.
    edit(tf, "main.tf", "default     = false", "default     = true")
    edit(tf, "groups.tf", 'name                     = "workers"', 'name                     = "cpu"')
    plan = tf.plan(file="groups")
    assert changed(plan) == {"pcs_queue.batch": ["update"], f"{TYPE}.workers": ["create", "delete"]}
    tf.apply("groups")
    assert sorted(tf.names()) == ["cpu", "gpu", "login"]
    assert tf.exit_code_of_plan() == 0

    # What a rule forbids stops the plan before anything is asked of AWS.
    edit(tf, "groups.tf", 'on_error         = "CONTINUE"', 'on_error         = "TERMINATE"')
    stopped = tf.run("plan")
    said = " ".join(stopped.err.split())
    assert stopped.code == 1
    assert "Error: PCS201 no-terminate-on-ready" in said
    assert f"with {TYPE}.login" in said
    assert "node_lifecycle_actions.stages.node_ready[0].on_error: " in said

    edit(tf, "groups.tf", 'on_error         = "TERMINATE"', 'on_error         = "CONTINUE"')
    tf.run("destroy", "-auto-approve").ok()
    assert tf.pcs.list_clusters()["clusters"] == []
