"""A compute node group through the real terraform: from nothing to nothing."""

from __future__ import annotations

from support.pcs import ACTIONS
from support.pcs_terraform import ADDRESS, Workspace, changes

TURN = {"minInstanceCount": 0, "maxInstanceCount": 8}


def test_life(tf: Workspace) -> None:
    tf.group(nodeLifecycleActions=ACTIONS, provider={"default_tags": {"tags": {"Team": "hpc"}}})
    assert "registry.terraform.io/pcsguard/pcs" in (tf.folder / ".terraform.lock.hcl").read_text()
    tf.apply()
    first = tf.remote()
    assert (first["status"], first["nodeLifecycleActions"]) == ("ACTIVE", ACTIONS)
    assert tf.exit_code_of_plan() == 0

    # A tag of the provider's becomes one of the group's own: nothing that PCS could notice.
    tf.group(nodeLifecycleActions=ACTIONS, tags={"Team": "hpc"})
    (change,) = tf.plan(file="tags")["resource_changes"]
    assert (change["change"]["actions"], any(change["change"]["after_unknown"].values())) == (["update"], False)
    tf.apply("tags")
    assert tf.remote() == first
    assert tf.exit_code_of_plan() == 0

    tf.group(scalingConfiguration=TURN)
    assert changes(tf.plan(file="update")) == {ADDRESS: ["update"]}
    tf.apply("update")
    second = tf.remote()
    assert (second["id"], second["scalingConfiguration"]) == (first["id"], TURN)
    assert "nodeLifecycleActions" not in second
    assert tf.pcs.list_tags_for_resource(resourceArn=second["arn"])["tags"] == {}
    assert tf.exit_code_of_plan() == 0

    tf.group(name="others")
    plan = tf.plan(file="replace")
    assert changes(plan) == {ADDRESS: ["delete", "create"]}
    assert plan["resource_changes"][0]["change"]["replace_paths"] == [["name"]]
    tf.apply("replace")
    assert tf.names() == ["others"]
    assert tf.exit_code_of_plan() == 0

    tf.run("destroy", "-auto-approve").ok()
    assert tf.names() == []
