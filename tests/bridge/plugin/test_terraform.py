"""The real terraform with the stand-in provider: the life of a resource, failures, interrupts, and what is logged."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import terraform
from support.processes import eventually, with_variable
from support.standin.schema import Flavour
from support.terraform import Terraform

SECRET = "example-secret-value"
ADDRESS = "awscc_pcs_compute_node_group.hpc"


@pytest.fixture(autouse=True)
def _needs_terraform() -> None:
    terraform.require()


@pytest.fixture
def home() -> Iterator[Path]:
    """The folder that everything is in; temporary files too, so that a test sees what is left of them."""
    folder = Path(tempfile.mkdtemp(prefix="t-"))
    (folder / "tmp").mkdir()
    yield folder
    shutil.rmtree(folder)


def started(home: Path, text: str, flavour: Flavour = "plain", **env: str) -> Terraform:
    made = Terraform(home / "work", home, flavour=flavour, env={"TMPDIR": str(home / "tmp"), **env})
    made.write(PROVIDERS + text)
    made.init()
    return made


PROVIDERS = """
terraform {
  required_providers {
    awscc = { source = "hashicorp/awscc" }
    pcs   = { source = "pcsguard/pcs" }
  }
}
"""


def group(
    *, name: str = "hpc", script: str | None = None, more: str = "", type_: str = "awscc_pcs_compute_node_group"
) -> str:
    actions = f"node_lifecycle_actions = {{ stages = {{ node_ready = [{script}] }} }}" if script else ""
    return f"""
resource "{type_}" "hpc" {{
  name                     = "{name}"
  cluster_id               = "pcs_example123"
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"
  instance_configs         = [{{ instance_type = "c7i.large" }}]
  scaling_configuration    = {{ min_instance_count = 0, max_instance_count = 4 }}
  subnet_ids               = ["subnet-0a1b2c3d4e5f60718"]
  {actions}
  {more}
}}
"""


def motd(name: str = "motd", **members: str) -> str:
    rest = "".join(f"{key} = {value}\n" for key, value in members.items())
    return f'{{ name = "{name}"\nscript_source = {{ script_location = "https://example.com/motd.sh" }}\n{rest}}}'


def actions_of(plan: dict[str, Any]) -> list[str]:
    (change,) = plan["resource_changes"]
    actions: list[str] = change["change"]["actions"]
    return actions


def test_life(home: Path) -> None:
    tf = started(home, group(script=motd(on_error='"CONTINUE"')))
    assert "registry.terraform.io/hashicorp/awscc" in (tf.folder / ".terraform.lock.hcl").read_text()
    tf.apply()
    assert tf.exit_code_of_plan() == 0

    tf.write(PROVIDERS + group(script=motd(on_error='"TERMINATE"')))
    assert actions_of(tf.plan(file="update.tfplan")) == ["update"]
    tf.apply("update.tfplan")

    tf.write(PROVIDERS + group(name="other", script=motd(on_error='"TERMINATE"')))
    plan = tf.plan(file="replace.tfplan")
    assert actions_of(plan) == ["delete", "create"]
    assert plan["resource_changes"][0]["change"]["replace_paths"] == [["name"]]
    tf.apply("replace.tfplan")
    assert tf.exit_code_of_plan() == 0

    tf.run("destroy", "-auto-approve").ok()
    assert "values" not in tf.show()
    assert list((home / "tmp").iterdir()) == []


@pytest.mark.parametrize(("flavour", "changes"), [("computed", 0), ("plain", 2)])
def test_a_removal_is_planned_where_nothing_is_computed_and_lost_where_everything_is(
    home: Path, flavour: Flavour, changes: int
) -> None:
    tf = started(home, group(script=motd(on_error='"CONTINUE"')), flavour)
    tf.apply()
    assert tf.exit_code_of_plan() == 0
    tf.write(PROVIDERS + group())
    assert tf.exit_code_of_plan() == changes


def test_import(home: Path) -> None:
    tf = started(home, group())
    tf.run("import", ADDRESS, "pcs_example123/hpc").ok()
    (resource,) = tf.show()["values"]["root_module"]["resources"]
    assert (resource["values"]["cluster_id"], resource["values"]["name"]) == ("pcs_example123", "hpc")
    refused = tf.run("import", ADDRESS.replace("hpc", "other"), "nonsense")
    assert refused.code == 1


def test_a_group_moves_to_another_provider(home: Path) -> None:
    tf = started(home, group(script=motd(on_error='"CONTINUE"')))
    tf.apply()
    moved = f"moved {{\n  from = {ADDRESS}\n  to = pcs_compute_node_group.hpc\n}}\n"
    tf.write(PROVIDERS + group(script=motd(on_error='"CONTINUE"'), type_="pcs_compute_node_group") + moved)
    plan = tf.plan()
    assert actions_of(plan) == ["no-op"]
    assert plan["resource_changes"][0]["previous_address"] == ADDRESS


def test_the_schema_is_shown(home: Path) -> None:
    tf = started(home, group())
    shown = tf.run("providers schema", "-json").ok().out
    assert '"node_lifecycle_actions"' in shown


def test_a_diagnostic_names_the_whole_path(home: Path) -> None:
    tf = started(home, group(script=motd("refused")))
    complaint = _unwrapped(tf.run("validate").err)
    assert (
        "node_lifecycle_actions.stages.node_ready[0].script_source.script_location: The stand-in refuses" in complaint
    )
    assert "on main.tf line" in complaint


def test_a_warning_is_shown_and_nothing_stops(home: Path) -> None:
    tf = started(home, group(script=motd(on_error='"CONTINUE"')))
    tf.apply()
    tf.write(PROVIDERS + group())
    done = tf.run("apply", "-auto-approve").ok()
    assert "Warning: Nodes are replaced" in done.out


def test_a_group_that_is_half_made_is_tainted(home: Path) -> None:
    tf = started(home, group(name="half-made"))
    failed = tf.run("apply", "-auto-approve")
    assert failed.code == 1
    assert "CREATE_FAILED: no capacity." in failed.err
    assert actions_of(tf.plan()) == ["delete", "create"]


def test_a_bug_is_told_without_traceback_and_without_values(home: Path) -> None:
    tf = started(home, group(name="buggy", more=f'tags = {{ Token = "{SECRET}" }}'), TF_LOG_PROVIDER="ERROR")
    failed = tf.run("apply", "-auto-approve")
    assert failed.code == 1
    found = re.search(r"The provider has a bug \(RuntimeError, id ([0-9a-f]{8})\)", failed.err)
    assert found
    assert re.search(rf"a handler raised an exception.*id={found[1]}", failed.err)
    assert "Traceback" not in failed.err
    assert SECRET not in failed.err


def test_values_known_after_apply_are_planned_and_applied(home: Path) -> None:
    location = '"https://example.com/${terraform_data.a.id}"'  # an unknown of which the beginning is known
    script = f'{{ name = "a", script_source = {{ script_location = {location} }} }}'
    tf = started(home, 'resource "terraform_data" "a" {}\n' + group(script=script))
    tf.apply()
    assert tf.exit_code_of_plan() == 0
    resources = tf.show()["values"]["root_module"]["resources"]
    (found,) = [resource["values"] for resource in resources if resource["address"] == ADDRESS]
    made = found["node_lifecycle_actions"]["stages"]["node_ready"][0]["script_source"]["script_location"]
    assert re.fullmatch(r"https://example\.com/[0-9a-f-]{36}", made)


def test_nothing_secret_is_in_the_log_of_the_provider(home: Path) -> None:
    log = home / "log"
    script = motd(arguments='["--token", var.token]', on_error='"CONTINUE"')
    text = f'variable "token" {{ sensitive = true }}\nprovider "awscc" {{ token = var.token }}\n{group(script=script)}'
    tf = started(home, text, TF_LOG="TRACE", TF_LOG_PATH=str(log), TF_VAR_token=SECRET)
    tf.apply()
    tf.plan()
    tf.run("destroy", "-auto-approve").ok()
    ours = [line for line in log.read_text().splitlines() if "provider.terraform-provider-awscc" in line]
    assert any("call=ApplyResourceChange" in line for line in ours)
    assert any("terraform_version=" in line for line in ours)
    assert [line for line in ours if SECRET in line] == []
    assert [line for line in ours if "[WARN]" in line or "[ERROR]" in line] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_create_is_recorded(home: Path, number: signal.Signals) -> None:
    tf = started(home, group(name="slow"))
    process = _applying(tf, home)
    # To the whole process group for SIGINT, which is what Ctrl-C in a terminal does.
    (os.killpg if number is signal.SIGINT else os.kill)(process.pid, number)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Interrupted" in complaint
    assert _nothing_is_left(home)
    assert actions_of(tf.plan()) == ["delete", "create"]


def test_a_terraform_that_is_killed_takes_its_provider_along(home: Path) -> None:
    tf = started(home, group(name="slow"))
    process = _applying(tf, home)
    process.kill()
    process.communicate(timeout=60)
    assert _nothing_is_left(home)


def _applying(tf: Terraform, home: Path) -> subprocess.Popen[str]:
    """A terraform that waits for the provider's create."""
    process = tf.applying()
    assert eventually((home / "creating").exists), "terraform did not come to create anything"
    return process


def _nothing_is_left(home: Path) -> bool:
    temporary = home / "tmp"
    return eventually(lambda: not with_variable("TMPDIR", str(temporary)) and not list(temporary.iterdir()))


def _unwrapped(text: str) -> str:
    """Terraform breaks lines at 78 columns, in the middle of sentences."""
    return " ".join(text.split())
