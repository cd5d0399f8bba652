"""Data sources and functions through the real terraform."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

import pytest
from support.pcs import CLUSTER
from support.pcs_groups import EVERYTHING
from support.pcs_terraform import QUICK, Workspace, written

from pcs_bridge.endpoint import running
from pcs_bridge.plugin.function import WrongArgument
from pcs_bridge.provider.functions import aws_script, script_checksum
from pcs_contract.prose import MAX_SCRIPT_BYTES

GROUP_ID = "${pcs_compute_node_group.g.compute_node_group_id}"
CLUSTER_ID = "${data.pcs_cluster.name.cluster_id}"
DATA: dict[str, Any] = {
    "pcs_cluster": {"name": {"name": "hpc"}, "id": {"cluster_id": CLUSTER_ID}},
    "pcs_compute_node_group": {"id": {"cluster_id": "hpc", "compute_node_group_id": GROUP_ID}},
    "pcs_queue": {"name": {"cluster_id": CLUSTER_ID, "name": "${pcs_queue.q.name}"}},
}


@pytest.fixture
def tf(workspace: Any) -> Iterator[Workspace]:
    with running(delays=QUICK) as endpoint:
        pcs = endpoint.client("pcs")
        pcs.create_cluster(**CLUSTER, tags={"Team": "hpc"})
        yield workspace(endpoint)


def test_data_sources_and_functions(tf: Workspace) -> None:
    tf.write("#!/bin/sh\n", "mount.sh")
    queue = {
        "cluster_id": "hpc",
        "name": "batch",
        "compute_node_group_configurations": [{"compute_node_group_id": GROUP_ID}],
    }
    blocks = {
        "resource": {"pcs_compute_node_group": {"g": written(EVERYTHING)}, "pcs_queue": {"q": queue}},
        "data": DATA,
        "output": {
            "checksum": {"value": '${provider::pcs::script_checksum("mount.sh")}'},
            "location": {"value": '${provider::pcs::aws_script("mount-efs", "1.0.0", "eu-west-1")}'},
        },
    }
    tf.configure(**blocks)
    tf.apply()
    state = tf.show()["values"]
    found = {resource["address"]: resource["values"] for resource in state["root_module"]["resources"]}
    by_name, by_id = found["data.pcs_cluster.name"], found["data.pcs_cluster.id"]
    assert by_name == by_id
    assert (by_name["tags"], by_name["status"], by_name["size"]) == ({"Team": "hpc"}, "ACTIVE", "SMALL")
    assert by_name["endpoints"][0]["port"] == "6817"
    group, data = found["pcs_compute_node_group.g"], found["data.pcs_compute_node_group.id"]
    assert {name: value for name, value in data.items() if value != group.get(name)} == {}
    assert found["data.pcs_queue.name"]["queue_id"] == found["pcs_queue.q"]["queue_id"]
    assert {name: output["value"] for name, output in state["outputs"].items()} == {
        "checksum": hashlib.sha256(b"#!/bin/sh\n").hexdigest(),
        "location": "s3://aws-pcs-repo-eu-west-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh",
    }
    assert tf.exit_code_of_plan() == 0

    tf.configure(data={"pcs_cluster": {"none": {}, "both": {"name": "a", "cluster_id": "b"}}})
    assert " ".join(tf.run("validate").err.split()).count("Error: Which cluster?") == 2
    tf.configure(data={"pcs_queue": {"none": {"cluster_id": "hpc", "name": "none"}}})
    assert "AWS PCS has no queue none in the cluster hpc." in " ".join(tf.run("plan").err.split())
    tf.configure(output={"checksum": {"value": '${provider::pcs::script_checksum("missing.sh")}'}})
    said = " ".join(tf.run("plan").err.split())
    assert "Error: Invalid function argument" in said
    assert "missing.sh: No such file or directory" in said


@pytest.mark.parametrize(
    ("arguments", "position"),
    [
        (("mount", "1.0.0", "us-east-1"), 0),
        (("mount-efs", "latest", "us-east-1"), 1),
        (("mount-efs", "1.0", "us-east-1"), 1),
        (("mount-efs", "1.0.0", "us east"), 2),
        (("mount-efs", "1.0.0", ""), 2),
    ],
)
def test_what_is_no_script_of_aws(arguments: tuple[str, str, str], position: int) -> None:
    with pytest.raises(WrongArgument) as wrong:
        aws_script(*arguments)
    assert wrong.value.position == position


def test_locations_of_aws() -> None:
    assert aws_script("mount-efs", "1-latest", "us-gov-west-1").endswith("mount-efs-v1-latest.sh")


@pytest.mark.parametrize("content", [b"", b"x" * (MAX_SCRIPT_BYTES + 1)], ids=["empty", "large"])
def test_what_has_no_checksum(tmp_path: Any, content: bytes) -> None:
    (tmp_path / "script").write_bytes(content)
    with pytest.raises(WrongArgument):
        script_checksum(str(tmp_path / "script"))


@pytest.mark.parametrize(
    ("path", "reason"), [("pipe", "not a file"), (".", "not a file"), ("a\0b", "no file has such a name")]
)
def test_what_cannot_be_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, path: str, reason: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(WrongArgument, match=reason):
        script_checksum(path)
