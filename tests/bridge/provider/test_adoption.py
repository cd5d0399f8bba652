"""Resources that exist already are taken over through the real terraform: imported, or moved from awscc."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import terraform
from support.pcs_clusters import CLUSTER_EVERYTHING, QUEUE_EVERYTHING
from support.pcs_groups import EVERYTHING, NEW
from support.pcs_terraform import QUICK, Workspace, write_mirror, written

from pcs_bridge.endpoint import running
from pcs_bridge.plugin.diagnostics import Failed
from pcs_bridge.plugin.provider import MovedFrom
from pcs_bridge.provider import adoption, schemas
from pcs_bridge.provider.kinds import CLUSTER, NODE_GROUP, QUEUE, Kind

AWSCC = "registry.terraform.io/hashicorp/awscc"
PARENT = {"clusterId": "${pcs_cluster.whole.cluster_id}"}
NEWEST = {**CLUSTER_EVERYTHING, "scheduler": {"type": "SLURM", "version": "26.05"}}
# A response shows this default whether anybody stated it or not, so it is taken for one that nobody did.
WHOLE = {name: value for name, value in EVERYTHING.items() if name != "launchTemplateMode"}
RESOURCES: Mapping[str, Any] = {
    "pcs_cluster": {"whole": written(NEWEST, CLUSTER)},
    "pcs_compute_node_group": {"a": written({**WHOLE, **PARENT}), "b": written({**NEW, **PARENT, "name": "bare"})},
    "pcs_queue": {"batch": written(QUEUE_EVERYTHING, QUEUE)},
}
ADDRESSES = [f"{type_name}.{name}" for type_name, named in RESOURCES.items() for name in named]


@pytest.fixture(scope="module")
def mirror_with_awscc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror that has a stand-in for awscc too, since terraform asks for the provider of what is in a state."""
    folder = write_mirror(tmp_path_factory.mktemp("mirror"))
    terraform.write_launcher(folder, AWSCC, ["-m", "support.standin", "awscc_pcs_compute_node_group"])
    installation = f"provider_installation {{\n  filesystem_mirror {{\n    path = {json.dumps(str(folder))}\n  }}\n}}\n"
    (folder / "terraform.rc").write_text(f"disable_checkpoint = true\n{installation}")
    return folder


@pytest.fixture
def tf(mirror_with_awscc: Path) -> Iterator[Workspace]:
    terraform.require()
    with running(delays=QUICK) as endpoint, tempfile.TemporaryDirectory(prefix="t-") as folder:
        made = Workspace(Path(folder), mirror_with_awscc, endpoint)
        made.configure(resource=RESOURCES)
        made.init()
        made.apply()
        yield made


def forget(tf: Workspace) -> None:
    (tf.folder / "terraform.tfstate").unlink()


def changes(plan: Mapping[str, Any]) -> dict[str, tuple[list[str], bool]]:
    """What is to be done with each address, and whether it is imported."""
    return {
        change["address"]: (change["change"]["actions"], "importing" in change["change"])
        for change in plan["resource_changes"]
    }


def test_import_leaves_nothing_to_do(tf: Workspace) -> None:
    state = {address: tf.state_of(address) for address in ADDRESSES}
    cluster, group, bare, queue = (state[address] for address in ADDRESSES)
    identifiers = {
        "pcs_cluster.whole": "hpc",
        "pcs_compute_node_group.a": group["arn"],
        "pcs_compute_node_group.b": f"{cluster['cluster_id']}/bare",
        "pcs_queue.batch": f"{cluster['cluster_id']}/{queue['queue_id']}",
    }
    forget(tf)
    blocks: Any = [{"to": to, "id": identifier} for to, identifier in identifiers.items()]
    tf.configure(**{"resource": RESOURCES, "import": blocks})
    assert changes(tf.plan(file="import")) == dict.fromkeys(ADDRESSES, (["no-op"], True))
    tf.apply("import")
    assert {address: tf.state_of(address) for address in ADDRESSES} == state

    forget(tf)
    tf.configure(resource=RESOURCES)
    tf.run("import", "pcs_cluster.whole", cluster["arn"]).ok()
    tf.run("import", "pcs_compute_node_group.a", f"{cluster['cluster_id']}/{group['compute_node_group_id']}").ok()
    tf.run("import", "pcs_compute_node_group.b", bare["arn"]).ok()
    tf.run("import", "pcs_queue.batch", queue["arn"]).ok()
    assert {address: tf.state_of(address) for address in ADDRESSES} == state
    assert tf.exit_code_of_plan() == 0

    forget(tf)
    missing = tf.run("import", "pcs_queue.batch", "hpc/other")
    assert "Cannot import non-existent remote object" in missing.err
    nonsense = tf.run("import", "pcs_queue.batch", "other")
    assert "It has to be CLUSTER_ID/QUEUE_ID" in " ".join(nonsense.err.split())


def as_awscc(state: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes as awscc has them: no fields of the API's alone, and computed values where nothing was said."""
    lacking = {"tags_all", "timeouts", "created_at", "modified_at", "auth_key", "jwt_auth"} | {
        "instance_health_checks",
        "launch_template_mode",
        "security_group_ids",
        "ssh_key_name",
    }
    attributes = {name: value for name, value in state.items() if name not in lacking}
    if "purchase_option" in attributes:
        attributes["purchase_option"] = attributes["purchase_option"] or "ONDEMAND"
        attributes["slurm_configuration"] = attributes["slurm_configuration"] or {
            "scale_down_idle_time_in_seconds": None,
            "slurm_custom_settings": [],
            "gres_custom_settings": None,
        }
    if "scheduler" in attributes:
        attributes["slurm_configuration"]["auth_key"] = state["auth_key"]
    return attributes


def test_a_moved_block_keeps_what_awscc_made(tf: Workspace) -> None:
    path = tf.folder / "terraform.tfstate"
    document = json.loads(path.read_text())
    for resource in document["resources"]:
        resource["type"] = f"awscc_{resource['type']}"
        resource["provider"] = f'provider["{AWSCC}"]'
        for instance in resource["instances"]:
            instance["schema_version"] = 1
            instance["attributes"] = as_awscc(instance["attributes"])
            instance["dependencies"] = []
    path.write_text(json.dumps(document))
    moved = [{"from": f"awscc_{address}", "to": address} for address in ADDRESSES]
    # Fields that awscc lacks are set anew by whoever needs them.
    tf.configure(resource=RESOURCES, moved=moved)
    tf.init()
    plan = tf.plan(file="moved")
    assert changes(plan) == dict.fromkeys(ADDRESSES, (["no-op"], False))
    assert {change["address"]: change["previous_address"] for change in plan["resource_changes"]} == {
        address: f"awscc_{address}" for address in ADDRESSES
    }
    tf.apply("moved")
    assert tf.exit_code_of_plan() == 0
    assert all(AWSCC not in resource["provider"] for resource in json.loads(path.read_text())["resources"])


ARN = "arn:aws:pcs:eu-west-1:123456789012:cluster/pcs_c"


@pytest.mark.parametrize(
    ("kind", "identifier", "state"),
    [
        (CLUSTER, "hpc", {"cluster_id": "hpc"}),
        (CLUSTER, ARN, {"cluster_id": "pcs_c"}),
        (NODE_GROUP, "hpc/workers", {"cluster_id": "hpc", "compute_node_group_id": "workers"}),
        (NODE_GROUP, f"{ARN}/computenodegroup/pcs_g", {"cluster_id": "pcs_c", "compute_node_group_id": "pcs_g"}),
        (QUEUE, "pcs_c/pcs_q", {"cluster_id": "pcs_c", "queue_id": "pcs_q"}),
        (QUEUE, f"{ARN.replace('aws', 'aws-us-gov')}/queue/pcs_q", {"cluster_id": "pcs_c", "queue_id": "pcs_q"}),
    ],
)
def test_identifiers(kind: Kind, identifier: str, state: dict[str, str]) -> None:
    assert adoption.imported(kind, identifier) == state


@pytest.mark.parametrize(
    ("kind", "identifier"),
    [
        (CLUSTER, ""),
        (CLUSTER, "hpc/workers"),
        (CLUSTER, f"{ARN}/queue/pcs_q"),
        (NODE_GROUP, "workers"),
        (NODE_GROUP, "hpc/"),
        (NODE_GROUP, "hpc/workers/1"),
        (NODE_GROUP, f"{ARN}/queue/pcs_q"),
        (QUEUE, "hpc/a b"),
    ],
)
def test_what_is_no_identifier(kind: Kind, identifier: str) -> None:
    with pytest.raises(Failed):
        adoption.imported(kind, identifier)


@pytest.mark.parametrize(
    ("provider", "type_name", "moves"),
    [
        (AWSCC, "awscc_pcs_queue", True),
        ("registry.opentofu.org/hashicorp/awscc", "awscc_pcs_queue", True),
        ("awscc", "awscc_pcs_queue", True),
        ("registry.opentofu.org/pcsguard/pcs", "pcs_queue", True),
        (AWSCC, "awscc_pcs_cluster", False),
        ("registry.terraform.io/example/awscc", "awscc_pcs_queue", False),
        ("registry.terraform.io/example/pcs", "pcs_queue", False),
        ("registry.terraform.io/pcsguard/pcs", "pcs_cluster", False),
    ],
)
def test_what_can_be_moved(provider: str, type_name: str, moves: bool) -> None:
    state = {"name": "batch", "arn": f"{ARN}/queue/pcs_q", "of_another_version": 1}
    moved = adoption.moved(QUEUE, schemas.resource(QUEUE), MovedFrom(provider, type_name, 1, state))
    assert (moved is not None) == moves
    assert moved is None or (moved["name"], "of_another_version" in moved) == ("batch", False)


def test_what_cannot_be_moved() -> None:
    with pytest.raises(Failed, match="The resource cannot be moved"):
        adoption.moved(QUEUE, schemas.resource(QUEUE), MovedFrom(AWSCC, "awscc_pcs_queue", 1, {"name": ["batch"]}))
