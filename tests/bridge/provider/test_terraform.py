"""What terraform makes of the provider apart from resources: schema, validation, logs, plans that are checked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.pcs import ACTIONS, CHECKSUM
from support.pcs_groups import EVERYTHING, NEW
from support.pcs_terraform import TYPE, Workspace, hpc_endpoint, written
from support.pcsguard_cli import pcsguard

from pcs_policies.document import NodeGroup, Stated, nodes_of
from pcs_policies.sources.detect import open_document

SECRET = "example-secret-value"
DOCUMENTATION = Path(__file__).resolve().parents[3] / "docs" / "provider.md"


def unwrapped(text: str) -> str:
    """Terraform breaks lines at 78 columns, in the middle of sentences."""
    return " ".join(text.split())


def complaints(tf: Workspace) -> list[tuple[str, str]]:
    """What validation says, as summaries and attributes."""
    said = json.loads(tf.run("validate", "-json").out)["diagnostics"]
    return sorted((one["summary"], one["detail"].partition(": ")[0]) for one in said)


def test_the_example_of_the_documentation(tf: Workspace) -> None:
    (example,) = re.findall(r"```hcl\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    tf.write(example.replace("eu-west-1", tf.env["AWS_REGION"]))
    (tf.folder / "main.tf.json").unlink()
    tf.apply()
    assert tf.remote()["nodeLifecycleActions"]["stages"]["nodeBootstrapped"][0]["name"] == "mount"


def test_the_schema_and_the_configuration_are_judged_without_aws(tf: Workspace) -> None:
    for name in [name for name in tf.env if name.startswith("AWS_")]:
        del tf.env[name]
    schemas = json.loads(tf.run("providers schema", "-json").ok().out)
    (provider,) = schemas["provider_schemas"].values()
    block = provider["resource_schemas"][TYPE]["block"]["attributes"]
    assert block["tags"]["optional"] is True
    assert block["node_lifecycle_actions"]["nested_type"]["nesting_mode"] == "single"

    tf.group(nodeLifecycleActions=ACTIONS)
    assert json.loads(tf.run("validate", "-json").ok().out)["valid"] is True

    tf.group(
        name="a",
        launchTemplateMode="MANAGED",
        scalingConfiguration={"minInstanceCount": 3, "maxInstanceCount": 2},
        nodeLifecycleActions={
            "stages": {
                "nodeReady": [
                    {"name": "motd", "scriptSource": {"scriptLocation": "https://localhost/motd.sh", "checksum": "abc"}}
                ]
            }
        },
        meta={"timeouts": {"create": "soon"}},
    )
    script = "node_lifecycle_actions.stages.node_ready[0].script_source"
    assert complaints(tf) == [
        ("AWS PCS does not accept this (PCS102 secure-location)", f"{script}.script_location"),
        ("AWS PCS does not accept this (PCS303 value-limits)", "name"),
        ("AWS PCS does not accept this (PCS303 value-limits)", f"{script}.checksum"),
        ("AWS PCS does not accept this (PCS310 launch-template-mode)", "ami_id"),
        ("AWS PCS does not accept this (PCS310 launch-template-mode)", "custom_launch_template"),
        ("AWS PCS does not accept this (PCS310 launch-template-mode)", "security_group_ids"),
        (
            "AWS PCS does not accept this (PCS401 scaling-bounds)",
            "scaling_configuration.min_instance_count",
        ),
        ("The timeout is no duration", "timeouts.create"),
    ]

    tf.group(provider={"max_retries": 1.5, "endpoint": "localhost", "region": ""})
    assert complaints(tf) == [
        ("The endpoint is no URL", "endpoint"),
        ("The region is empty", "region"),
        ("max_retries is no number of tries", "max_retries"),
    ]


def test_what_aws_refuses_is_told_at_its_attribute_with_the_request(tf: Workspace) -> None:
    tf.group(instanceConfigs=[{"instanceType": "g5.xlarge"}, {"instanceType": "c7i.large"}])
    failed = tf.run("apply", "-auto-approve")
    assert failed.code == 1
    assert "AWS PCS refused to create the compute node group (ValidationException)" in failed.err
    assert "instance_configs[1].instance_type: must have the architecture" in unwrapped(failed.err)
    assert "(request " in failed.err


def test_without_a_region_it_says_what_is_missing(tf: Workspace) -> None:
    tf.group()
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        del tf.env[name]
    failed = tf.run("apply", "-auto-approve")
    assert failed.code == 1
    assert "The AWS configuration is not enough" in failed.err
    assert "You must specify a region. Set the Region" in unwrapped(failed.err)


def test_no_secret_is_in_a_log_or_a_message(workspace: Any) -> None:
    """Neither of the configuration nor of the AWS credentials, whether it is applied, refused at plan or by AWS."""
    script = {
        "name": "motd",
        "arguments": ["--token", "${var.token}"],
        "scriptSource": {"scriptLocation": "s3://abc/x"},
    }
    actions = {"stages": {"nodeReady": [script, {**script, "name": "${var.script}"}]}}
    with hpc_endpoint() as endpoint:
        tf = workspace(endpoint, TF_LOG="TRACE", TF_VAR_token=SECRET, AWS_SECRET_ACCESS_KEY=f"{SECRET}-key")
        tf.env["TF_LOG_PATH"] = str(tf.folder / "log")
        variables = {"token": {"sensitive": True}, "script": {"sensitive": True, "default": "other"}}

        def configure(**changes: Any) -> None:
            setting = {"parameterName": "Features", "parameterValue": "${var.token}"}
            secrets = {"tags": {"Token": "${var.token}"}, "slurmConfiguration": {"slurmCustomSettings": [setting]}}
            group = written({**NEW, "nodeLifecycleActions": actions, **secrets, **changes})
            tf.configure({"policy": "warn"}, variable=variables, resource={TYPE: {"hpc": group}})

        configure()
        # Above the warnings, tags_all shows the tag: terraform has no marks for what a provider computes.
        _, _, warnings = tf.run("apply", "-auto-approve").ok().out.partition("Warning: ")
        assert "PCS108 secret-in-argument" in warnings
        outputs = []
        configure(sshKeyName="${var.token}", amiId="${var.token}", name="${var.token}-too-long-for-a-name")
        outputs.append(tf.run("plan").err)
        configure(subnetIds=["${var.token}"])
        outputs.append(tf.run("apply", "-auto-approve").err)
        tf.env["TF_VAR_script"] = "motd"
        configure()
        outputs.append(tf.run("validate").err)
        outputs.append(tf.run("plan").err)
        assert [("Error: " in text) for text in outputs] == [True, True, False, True]
        assert "(PCS305 script-names-unique)" in outputs[-1]
        outputs.append(warnings)
        tf.env["TF_VAR_script"] = "other"
        tf.run("destroy", "-auto-approve").ok()
    log = (tf.folder / "log").read_text()
    ours = [line for line in log.splitlines() if "provider.terraform-provider-pcs" in line]
    assert any("operation=CreateComputeNodeGroup" in line and "request_id=" in line for line in ours)
    assert [line for line in (*ours, *outputs) if SECRET in line] == []
    assert [line for line in ours if "[ERROR]" in line or "panic" in line] == []


def test_a_plan_gives_the_findings_of_its_configuration(tf: Workspace) -> None:
    """With references too, of which the plan alone does not tell what they leave out."""
    bare = {"name": "bare", "scriptSource": {"scriptLocation": "s3://hpc-scripts/bare.sh"}}
    pinned = {
        "name": "pinned",
        "onError": "CONTINUE",
        "scriptSource": {"scriptLocation": "s3://hpc-scripts/p.sh", "checksum": "${terraform_data.sum.id}"},
    }
    groups = {
        "plain": {**NEW, "name": "plain", "nodeLifecycleActions": ACTIONS},
        "bare": {**NEW, "name": "bare", "nodeLifecycleActions": {"stages": {"nodeReady": [bare, pinned]}}},
        "everything": {**EVERYTHING, "name": "everything"},
    }
    tf.configure(
        resource={
            "terraform_data": {"sum": {"input": CHECKSUM}},
            TYPE: {name: written(group) for name, group in groups.items()},
        }
    )
    tf.run("plan", "-out=plan").ok()
    plan = tf.folder / "plan.json"
    plan.write_text(tf.run("show", "-json", "plan").ok().out)
    alone = findings(plan)
    assert {rule for rule, _, _ in alone} >= {"PCS101", "PCS201", "PCS202"}
    assert alone == findings(tf.folder / "main.tf.json")
    for group in open_document(plan.read_bytes(), "plan.json").groups:
        assert isinstance(group, NodeGroup)
        ambiguous = [node.path for node in nodes_of(group.after) if node.unknown and node.stated is Stated.MAYBE]
        assert ambiguous == []


def findings(path: Path) -> set[tuple[str, str, str]]:
    """The findings of the rules that judge both kinds of input, and of what is undecided."""
    report = json.loads(pcsguard("check", path.name, "--format", "json", cwd=path.parent).out)
    assert report["unchecked"] == []
    found = {(one["rule"], one["verdict"], f"{one['address']} {one['path']}") for one in report["findings"]}
    return found | {(one["rule"], "undecided", f"{one['address']} {one['path']}") for one in report["undecided"]}
