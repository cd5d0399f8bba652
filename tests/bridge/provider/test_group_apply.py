"""A group through the real terraform where things are not as simple: values that come later, drift, failures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from support.pcs import ACTIONS, CHECKSUM
from support.pcs_groups import EVERYTHING, NEW
from support.pcs_terraform import ADDRESS, TYPE, Workspace, changes, hpc_endpoint, written
from support.processes import eventually

from pcs_bridge.endpoint.status import Verb
from pcs_bridge.endpoint.store import Kind

Make = Callable[..., Workspace]


def test_values_that_come_later_in_modules_with_count_and_for_each(tf: Workspace) -> None:
    group = written({**NEW, "name": "${var.name}", "subnetIds": ["${var.subnet}"], "nodeLifecycleActions": ACTIONS})
    script = group["node_lifecycle_actions"]["stages"]["node_ready"][0]["script_source"]
    script |= {"checksum": "${var.checksum}", "s3_version_id": "${var.version_id}"}
    module = {
        "terraform": {"required_providers": {"pcs": {"source": "pcsguard/pcs"}}},
        "variable": {name: {} for name in ("name", "subnet", "checksum", "version_id")},
        "resource": {TYPE: {"one": {"count": 2, **group, "name": "${var.name}-${count.index}"}}},
        "output": {"ids": {"value": f"${{{TYPE}.one[*].compute_node_group_id}}"}},
    }
    tf.write(json.dumps(module), "groups/main.tf.json")
    tf.configure(
        resource={
            "terraform_data": {
                "subnet": {"input": NEW["subnetIds"][0]},
                "sum": {"input": CHECKSUM},
                "none": {"input": None},
                "seen": {"input": "${[for m in module.groups : m.ids]}"},
            }
        },
        module={
            "groups": {
                "source": "./groups",
                "for_each": '${toset(["cpu", "gpu"])}',
                "name": "${each.key}",
                "subnet": "${terraform_data.subnet.output}",
                "checksum": "${terraform_data.sum.output}",
                "version_id": "${terraform_data.none.output}",
            }
        },
    )
    tf.init()
    plan = tf.plan(file="create")
    addresses = {f'module.groups["{name}"].{TYPE}.one[{index}]' for name in ("cpu", "gpu") for index in range(2)}
    assert changes(plan) == {address: ["create"] for address in addresses}
    tf.apply("create")
    assert sorted(tf.names()) == ["cpu-0", "cpu-1", "gpu-0", "gpu-1"]
    (script,) = tf.remote("gpu-1")["nodeLifecycleActions"]["stages"]["nodeReady"]
    assert script["scriptSource"] == {"scriptLocation": "s3://hpc-scripts/mount.sh", "checksum": CHECKSUM}
    assert tf.exit_code_of_plan() == 0


def test_what_only_apply_reveals_is_checked_then(tf: Workspace) -> None:
    ami = {"terraform_data": {"ami": {"input": "no-ami"}}}
    tf.configure(resource={**ami, TYPE: {"hpc": written({**NEW, "amiId": "${terraform_data.ami.output}"})}})
    assert changes(tf.plan(file="create")) == {ADDRESS: ["create"]}
    failed = tf.run("apply", "-auto-approve", "create")
    assert failed.code == 1
    assert "AWS PCS does not accept this (PCS303 value-limits)" in failed.err
    assert tf.names() == []


def test_the_known_beginning_of_a_value_is_checked_at_once(tf: Workspace) -> None:
    group = written({**NEW, "nodeLifecycleActions": ACTIONS})
    source = group["node_lifecycle_actions"]["stages"]["node_ready"][0]["script_source"]
    source["script_location"] = "http://example.com/${terraform_data.key.id}"
    tf.configure(resource={"terraform_data": {"key": {}}, TYPE: {"hpc": group}})
    failed = tf.run("plan")
    assert failed.code == 1
    assert "(PCS102 secure-location)" in failed.err
    assert "node_lifecycle_actions.stages.node_ready[0].script_source.script_location:" in failed.err


def test_drift_is_seen_and_repaired(tf: Workspace) -> None:
    tf.group(**{**EVERYTHING, "name": "workers"}, provider={"default_tags": {"tags": {"Cost": "1"}}})
    tf.apply()
    arn = tf.remote()["arn"]
    tf.pcs.update_compute_node_group(
        clusterIdentifier="hpc",
        computeNodeGroupIdentifier="workers",
        scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 9},
        nodeLifecycleActions=ACTIONS,
        amiId="",
    )
    tf.pcs.tag_resource(resourceArn=arn, tags={"Cost": "2", "Stranger": "x"})
    tf.pcs.untag_resource(resourceArn=arn, tagKeys=["Team"])
    assert eventually(lambda: tf.remote()["status"] == "ACTIVE")
    plan = tf.plan(file="repair")
    (drift,) = plan["resource_drift"]
    seen = drift["change"]["after"]
    assert (seen["scaling_configuration"]["max_instance_count"], seen["ami_id"]) == (9, None)
    assert seen["tags_all"] == {"Cost": "2", "Stage": "test", "Stranger": "x"}
    tf.apply("repair")
    remote = tf.remote()
    assert {name: remote[name] for name in ("scalingConfiguration", "nodeLifecycleActions", "amiId")} == {
        name: EVERYTHING[name] for name in ("scalingConfiguration", "nodeLifecycleActions", "amiId")
    }
    assert tf.pcs.list_tags_for_resource(resourceArn=arn)["tags"] == {**EVERYTHING["tags"], "Cost": "1"}

    tf.pcs.delete_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier="workers")
    assert eventually(lambda: tf.names() == [])
    assert changes(tf.plan()) == {ADDRESS: ["create"]}


def test_a_create_that_fails_is_tainted_and_tells_why(workspace: Make) -> None:
    fails = [True]

    def failure(kind: Kind, verb: Verb, name: str) -> Mapping[str, str] | None:
        wrong = kind is Kind.GROUP and verb is Verb.CREATE and fails.pop() if fails else False
        return {"code": "InsufficientCapacity", "message": "There is no g5.xlarge today."} if wrong else None

    with hpc_endpoint(failure=failure) as endpoint:
        tf = workspace(endpoint)
        tf.group()
        failed = tf.run("apply", "-auto-approve")
        assert failed.code == 1
        assert "The compute node group is CREATE_FAILED: it could not create" in failed.err
        assert "InsufficientCapacity: There is no g5.xlarge today." in failed.err
        assert re.search(r"\(request [0-9a-f-]{36}\)", " ".join(failed.err.split()))
        assert changes(tf.plan(file="again")) == {ADDRESS: ["delete", "create"]}
        tf.apply("again")
        assert tf.remote()["status"] == "ACTIVE"


def test_an_update_that_fails_leaves_what_there_is(workspace: Make) -> None:
    def failure(kind: Kind, verb: Verb, name: str) -> Mapping[str, str] | None:
        return {"code": "InternalError", "message": "No luck."} if verb is Verb.UPDATE else None

    with hpc_endpoint(failure=failure) as endpoint:
        tf = workspace(endpoint)
        tf.group()
        tf.apply()
        tf.group(sshKeyName="key", tags={"Team": "hpc"})
        failed = tf.run("apply", "-auto-approve")
        assert (failed.code, "UPDATE_FAILED" in failed.err, "InternalError: No luck." in failed.err) == (1, True, True)
        assert tf.state_of()["tags"] is None
        # What is left are the tags, for which nothing has to be well.
        assert changes(tf.plan(file="rest")) == {ADDRESS: ["update"]}
        tf.apply("rest")
        assert tf.pcs.list_tags_for_resource(resourceArn=tf.remote()["arn"])["tags"] == {"Team": "hpc"}
        assert (tf.exit_code_of_plan(), tf.state_of()["status"]) == (0, "UPDATE_FAILED")
