"""Resources that exist already are taken over through the real terraform: imported, or moved from awscc."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import terraform
from support.pcs import CHECKSUM, SECURITY_GROUP
from support.pcs_clusters import BARE_CLUSTER, CLUSTER_EVERYTHING, QUEUE_EVERYTHING
from support.pcs_groups import EVERYTHING, NEW
from support.pcs_terraform import QUICK, Workspace, write_mirror, written

from pcs_bridge.endpoint import running
from pcs_bridge.plugin.diagnostics import Failed
from pcs_bridge.plugin.provider import MovedFrom
from pcs_bridge.provider import adoption, schemas
from pcs_bridge.provider.kinds import CLUSTER, NODE_GROUP, QUEUE, Kind
from pcs_contract import awscc

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
BUCKET = "hpc-scripts"
TEXT = "#!/bin/sh\necho ${HOME}\n"
SCRIPTS: Mapping[str, Any] = {
    "text": {"bucket": BUCKET, "key": "text.sh", "content": TEXT.replace("${", "$${")},
    "file": {"bucket": BUCKET, "key": "a/file.sh", "source": "${path.module}/file.sh"},
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


@contextmanager
def at_an_endpoint(mirror: Path, resources: Mapping[str, Any], **options: Any) -> Iterator[Workspace]:
    """A workspace with resources that are there, and a bucket with versions."""
    terraform.require()
    with running(delays=QUICK, **options) as endpoint, tempfile.TemporaryDirectory(prefix="t-") as folder:
        s3 = endpoint.client("s3")
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        made = Workspace(Path(folder), mirror, endpoint)
        made.write(TEXT, "file.sh")
        made.configure(resource=resources)
        made.init()
        made.apply()
        yield made


@pytest.fixture
def tf(mirror_with_awscc: Path) -> Iterator[Workspace]:
    with at_an_endpoint(mirror_with_awscc, RESOURCES) as made:
        yield made


def forget(tf: Workspace) -> None:
    (tf.folder / "terraform.tfstate").unlink()


def changes(plan: Mapping[str, Any]) -> dict[str, tuple[list[str], bool]]:
    """What is to be done with each address, and whether it is imported."""
    return {
        change["address"]: (change["change"]["actions"], "importing" in change["change"])
        for change in plan["resource_changes"]
    }


def blocks(identifiers: Mapping[str, str]) -> Any:
    return [{"to": to, "id": identifier} for to, identifier in identifiers.items()]


def test_import_leaves_nothing_to_do(tf: Workspace) -> None:
    resources = {**RESOURCES, "pcs_lifecycle_script": SCRIPTS}
    tf.configure(resource=resources)
    tf.apply()
    addresses = [*ADDRESSES, "pcs_lifecycle_script.text", "pcs_lifecycle_script.file"]
    state = {address: tf.state_of(address) for address in addresses}
    cluster, group, _, queue, *_ = state.values()
    identifiers = {
        "pcs_cluster.whole": "hpc",
        "pcs_compute_node_group.a": group["arn"],
        "pcs_compute_node_group.b": f"{cluster['cluster_id']}/bare",
        "pcs_queue.batch": f"{cluster['cluster_id']}/{queue['queue_id']}",
        "pcs_lifecycle_script.text": f"s3://{BUCKET}/text.sh",
        "pcs_lifecycle_script.file": f"${{path.module}}/file.sh=s3://{BUCKET}/a/file.sh",
    }
    forget(tf)
    tf.configure(**{"resource": resources, "import": blocks(identifiers)})
    assert changes(tf.plan(file="import")) == dict.fromkeys(addresses, (["no-op"], True))
    tf.apply("import")
    assert {address: tf.state_of(address) for address in addresses} == state

    forget(tf)
    tf.configure(
        resource={
            **RESOURCES,
            "pcs_compute_node_group": {"a": RESOURCES["pcs_compute_node_group"]["a"]},
            "pcs_lifecycle_script": {"file": SCRIPTS["file"]},
        }
    )
    commands = {
        "pcs_cluster.whole": cluster["arn"],
        "pcs_compute_node_group.a": f"{cluster['cluster_id']}/{group['compute_node_group_id']}",
        "pcs_queue.batch": queue["arn"],
        "pcs_lifecycle_script.file": f"./file.sh=s3://{BUCKET}/a/file.sh",
    }
    for address, identifier in commands.items():
        tf.run("import", address, identifier).ok()
    assert {address: tf.state_of(address) for address in commands} == {address: state[address] for address in commands}
    assert tf.exit_code_of_plan() == 0

    # A configuration that terraform writes by itself.
    forget(tf)
    tf.configure(**{"import": blocks({**identifiers, "pcs_lifecycle_script.file": f"s3://{BUCKET}/a/file.sh"})})
    generated = tf.plan("-generate-config-out=generated.tf", file="import")
    assert changes(generated) == dict.fromkeys(addresses, (["no-op"], True))
    tf.apply("import")
    assert tf.exit_code_of_plan() == 0
    (tf.folder / "generated.tf").unlink()

    forget(tf)
    tf.configure(resource=RESOURCES)
    missing = tf.run("import", "pcs_queue.batch", "hpc/other")
    assert "Cannot import non-existent remote object" in missing.err
    nonsense = tf.run("import", "pcs_queue.batch", "other")
    assert "It has to be CLUSTER_ID/QUEUE_ID" in " ".join(nonsense.err.split())


def script(**members: Any) -> dict[str, Any]:
    return {
        "name": "motd",
        "script_source": {"script_location": f"s3://{BUCKET}/text.sh", "checksum": CHECKSUM},
        **members,
    }


def actions(**members: Any) -> dict[str, Any]:
    return {"stages": {"node_ready": [script(**members)]}}


def plain(**queue: Any) -> dict[str, Any]:
    """A cluster with a group and a queue that state no default, in terraform's names."""
    group = {**written({**NEW, **PARENT}), "node_lifecycle_actions": actions()}
    return {
        "pcs_cluster": {"whole": written(BARE_CLUSTER, CLUSTER)},
        "pcs_compute_node_group": {"a": group},
        "pcs_queue": {
            "batch": {**written({**QUEUE_EVERYTHING, "slurmConfiguration": None, "tags": None}, QUEUE), **queue}
        },
    }


PLAIN = {
    "pcs_cluster.whole": "hpc",
    "pcs_compute_node_group.a": "${var.cluster}/workers",
    "pcs_queue.batch": "${var.cluster}/batch",
}
SETTING = {"parameter_name": "MaxTime", "parameter_value": "60"}
OTHER = {"parameter_name": "GraceTime", "parameter_value": "9"}
FIREWALLS = [SECURITY_GROUP, "sg-0123456789abcdefa"]


def in_words(order: int, **group: Any) -> dict[str, Any]:
    """Resources whose lists have one order or, where it is -1, the other."""
    found = plain(slurm_configuration={"slurm_custom_settings": [SETTING, OTHER][::order]})
    found["pcs_cluster"]["whole"]["networking"]["security_group_ids"] = FIREWALLS[::order]
    found["pcs_compute_node_group"]["a"] |= {"security_group_ids": FIREWALLS[::order], **group}
    return found


def imported(tf: Workspace, resources: Mapping[str, Any], identifiers: Mapping[str, str]) -> dict[str, Any]:
    """The plan of an import, in the file `import`."""
    cluster = tf.pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["id"]
    forget(tf)
    tf.configure(
        **{"resource": resources, "import": blocks(identifiers), "variable": {"cluster": {"default": cluster}}}
    )
    return tf.plan(file="import")


def test_other_words_for_the_same_are_no_change_after_an_import(mirror: Path) -> None:
    """Lists in another order, and defaults within scripts that a response shows though nobody stated them."""
    with at_an_endpoint(mirror, in_words(1), switches={"echo-defaults": "yes"}) as tf:
        assert changes(imported(tf, in_words(-1), PLAIN)) == dict.fromkeys(PLAIN, (["no-op"], True))
        tf.apply("import")

        # What changes something is not held back, and from then on the author's words are what counts.
        tf.configure(resource=in_words(-1, ssh_key_name="key"))
        expected = {address: ["no-op"] for address in PLAIN} | {"pcs_compute_node_group.a": ["update"]}
        plan = tf.plan(file="key")
        assert {address: actions for address, (actions, _) in changes(plan).items()} == expected
        tf.apply("key")
        assert tf.remote()["sshKeyName"] == "key"
        assert tf.exit_code_of_plan() == 0
        group = tf.state_of("pcs_compute_node_group.a")
        assert group["security_group_ids"] == FIREWALLS[::-1]
        assert group["node_lifecycle_actions"]["stages"]["node_ready"][0]["on_error"] is None


DEFAULT_SLURM = {"accounting": {"mode": "NONE"}, "scale_down_idle_time_in_seconds": 600}
ONCE: Mapping[str, Mapping[str, Any]] = {
    "pcs_cluster.whole": {"slurm_configuration": DEFAULT_SLURM, "tags": {}, "timeouts": {"create": "9m"}},
    "pcs_compute_node_group.a": {
        "purchase_option": "ONDEMAND",
        "launch_template_mode": "CUSTOM",
        "security_group_ids": [],
        "slurm_configuration": {"scale_down_idle_time_in_seconds": -1},
        "node_lifecycle_actions": actions(on_error="TERMINATE"),
        "timeouts": {"create": "9m"},
    },
    "pcs_queue.batch": {"slurm_configuration": {}, "tags": {}},
}
"""What a response does not tell whether anybody stated it."""


def differing(change: Mapping[str, Any]) -> set[str]:
    before, after = change["before"], change["after"]
    assert not any(change["after_unknown"].values())
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_what_no_response_tells_is_planned_once_after_an_import_and_asks_nothing_of_aws(mirror: Path) -> None:
    asked: list[str] = []

    def note(operation: str, parameters: Mapping[str, Any]) -> None:
        asked.append(operation)

    with at_an_endpoint(mirror, {**plain(), "pcs_lifecycle_script": SCRIPTS}, before=note) as tf:
        stated: dict[str, Any] = {**plain(), "pcs_lifecycle_script": {"file": SCRIPTS["file"]}}
        for address, attributes in ONCE.items():
            type_name, _, name = address.partition(".")
            stated[type_name][name] |= attributes
        location = f"s3://{BUCKET}/a/file.sh"
        plan = imported(tf, stated, {**PLAIN, "pcs_lifecycle_script.file": location})
        assert changes(plan) == dict.fromkeys((*PLAIN, "pcs_lifecycle_script.file"), (["update"], True))
        found = {change["address"]: differing(change["change"]) for change in plan["resource_changes"]}
        assert found == {
            **{address: set(attributes) for address, attributes in ONCE.items()},
            "pcs_lifecycle_script.file": {"content", "source"},
        }
        versions = tf.endpoint.client("s3").list_object_versions(Bucket=BUCKET)
        asked.clear()
        tf.apply("import")
        assert asked == []
        assert tf.endpoint.client("s3").list_object_versions(Bucket=BUCKET)["Versions"] == versions["Versions"]
        assert tf.exit_code_of_plan() == 0


def shaped(attributes: awscc.Attributes, value: Any) -> Any:
    """An object, or a list of them, with exactly these attributes."""
    if isinstance(value, list):
        return [shaped(attributes, element) for element in value]
    if not isinstance(value, dict):
        return None
    return {
        name: shaped(attribute["nested_type"]["attributes"], value.get(name))
        if "nested_type" in attribute
        else value.get(name)
        for name, attribute in attributes.items()
    }


def as_awscc(type_name: str, state: Mapping[str, Any]) -> Any:
    """A state as awscc has it: with the attributes of its real schema, and computed values where nothing was said."""
    attributes = {**state, "id": "|".join(str(value) for name, value in state.items() if name.endswith("_id"))}
    if "purchase_option" in attributes:
        attributes["purchase_option"] = attributes["purchase_option"] or "ONDEMAND"
        attributes["slurm_configuration"] = attributes["slurm_configuration"] or {"slurm_custom_settings": []}
    if "scheduler" in attributes:
        keys = {name: state[name] for name in ("auth_key", "jwt_auth")}
        attributes["slurm_configuration"] = {**attributes["slurm_configuration"], **keys}
    return shaped(awscc.schemas()[type_name], attributes)


def test_a_moved_block_keeps_what_awscc_made(tf: Workspace) -> None:
    path = tf.folder / "terraform.tfstate"
    document = json.loads(path.read_text())
    for resource in document["resources"]:
        resource["type"] = f"awscc_{resource['type']}"
        resource["provider"] = f'provider["{AWSCC}"]'
        for instance in resource["instances"]:
            instance["schema_version"] = 1
            instance["attributes"] = as_awscc(resource["type"], instance["attributes"])
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
