"""Plans of the real terraform, joined with the source that they were made from."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import terraform
from support.pcsguard_cli import Run, check_json, pcsguard
from support.terraform import Terraform

ADDRESS = "awscc_pcs_compute_node_group.hpc"
SUM = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
RULES = ("--select", "PCS101,PCS201,PCS202,PCS316,PCS503")
READY = "nodeLifecycleActions.stages.nodeReady[0]"


def source(on_error: str = "", checksum: str = "", more: str = "", name: str = "motd") -> str:
    """A group whose script refers to a variable, so that a plan alone does not tell what was left out."""
    return f"""
terraform {{
  required_providers {{
    awscc = {{ source = "hashicorp/awscc" }}
  }}
}}
variable "text" {{
  default = "hello"
}}
variable "nothing" {{
  type = string
}}
resource "awscc_pcs_compute_node_group" "hpc" {{
  name                     = "hpc"
  cluster_id               = "pcs_example123"
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"
  instance_configs         = [{{ instance_type = "c7i.48xlarge" }}]
  scaling_configuration    = {{ min_instance_count = 0, max_instance_count = 4 }}
  subnet_ids               = ["subnet-0123456789abcdef0"]
  node_lifecycle_actions = {{
    stages = {{
      node_ready = [{{
        name      = "{name}"
        arguments = [var.text]
        script_source = {{
          script_location = "https://scripts.example.com/motd.sh"
          {checksum}
        }}
        {on_error}
        {more}
      }}]
    }}
  }}
}}
"""


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


@pytest.fixture(scope="module")
def planned() -> Iterator[Path]:
    """A folder that terraform has planned in: nothing optional is stated, and all of it is known after apply."""
    terraform.require()
    home = Path(tempfile.mkdtemp(prefix="t-"))
    work = Terraform(home / "work", home, env={"TF_VAR_nothing": "null"})
    work.write(source())
    work.init()
    (work.folder / "plan.json").write_text(json.dumps(work.plan(file="p")))
    (home / "env.json").write_text(json.dumps(work.env))
    yield home
    shutil.rmtree(home)


def check(planned: Path, text: str | None, tmp_path: Path) -> Run:
    """Check the plan alone, or joined with a source of this text."""
    if text is None:
        return check_json(*RULES, planned / "work" / "plan.json", cwd=tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.tf").write_text(text)
    return check_json(*RULES, planned / "work" / "plan.json", "--source", "src", cwd=tmp_path)


OMITTED = [f"PCS101 {READY}.scriptSource.checksum", f"PCS201 {READY}.onError", f"PCS202 {READY}.onError"]
ONE_CASE = f"PCS202 {READY}.executionPolicy"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (
            None,
            3,
            [
                f"PCS101? {READY}.scriptSource.checksum",
                f"PCS201? {READY}.onError",
                f"PCS202? {READY}.onError",
                f"PCS202? {READY}.executionPolicy",
                "PCS101? nodeLifecycleActions.stages.nodeBootstrapped",
                "PCS202? nodeLifecycleActions.stages.nodeBootstrapped",
            ],
        ),
        (source(), 1, [*OMITTED, ONE_CASE]),
        (source(on_error="on_error = null", checksum="checksum = null"), 1, [*OMITTED, ONE_CASE]),
        # Stated by a reference: a checksum there is, a value of on_error there is not.
        (
            source(on_error="on_error = var.nothing", checksum="checksum = var.nothing"),
            3,
            [f"PCS201? {READY}.onError", ONE_CASE],
        ),
    ],
    ids=["alone", "left out", "left out by null", "by reference"],
)
def test_the_source_decides_what_a_plan_leaves_open(
    planned: Path, tmp_path: Path, text: str | None, code: int, said: list[str]
) -> None:
    run = check(planned, text, tmp_path)
    assert sorted(run.places()[ADDRESS]) == sorted(said)
    assert run.code == code
    assert run.report["unchecked"] == []


def test_findings_carry_the_line_of_the_source(planned: Path, tmp_path: Path) -> None:
    text = source()
    run = check(planned, text, tmp_path)
    origins = {f["path"]: f["origin"] for f in run.report["findings"]}
    assert {origin["file"] for origin in origins.values()} == {"src/main.tf"}
    assert origins[f"{READY}.scriptSource.checksum"]["line"] == line_of(text, "script_source = {")
    assert origins[f"{READY}.onError"]["line"] == line_of(text, "node_ready = [")
    assert run.report["inputs"][0]["source"] == "src"


def test_a_misspelled_member_is_seen_in_the_source_only(planned: Path, tmp_path: Path) -> None:
    run = check(planned, source(more='on_eror = "CONTINUE"\n        s3_version_id = "x"'), tmp_path)
    (finding,) = [f for f in run.report["findings"] if f["rule"] == "PCS316"]
    assert finding["path"] == READY
    assert '"on_eror" (did you mean ' in finding["message"]
    assert '"s3_version_id" (it belongs in script_source)' in finding["message"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            source(name="other"),
            f"{ADDRESS} is judged by the plan alone: node_lifecycle_actions.stages.node_ready[0].name is something",
        ),
        (
            source().replace('"hpc" {', '"other" {'),
            f"{ADDRESS} is judged by the plan alone: it is not in src; give the folder that the plan was made in",
        ),
        ('variable "x" {}\n', f"{ADDRESS} is judged by the plan alone: it is not in src"),
        (source(on_error="on_error = = 1"), "src/main.tf:"),
    ],
    ids=["another script", "another group", "half a source", "a syntax error"],
)
def test_a_source_that_does_not_fit_is_told_and_the_plan_is_checked(
    planned: Path, tmp_path: Path, text: str, reason: str
) -> None:
    run = check(planned, text, tmp_path)
    assert run.code == 3
    assert any(entry["reason"].startswith(reason) for entry in run.report["unchecked"]), run.report["unchecked"]
    assert f"PCS201? {READY}.onError" in run.places()[ADDRESS]


@pytest.mark.parametrize("missing", ["nowhere", "empty"])
def test_no_source_there(planned: Path, tmp_path: Path, missing: str) -> None:
    (tmp_path / "empty").mkdir()
    run = check_json(*RULES, planned / "work" / "plan.json", "--source", missing, cwd=tmp_path)
    assert run.code == 3
    assert [entry["input"] for entry in run.report["unchecked"]] == [missing]
    assert run.report["summary"]["groups"] == 1


def test_a_binary_plan_in_its_folder_finds_its_source_by_itself(planned: Path) -> None:
    env: dict[str, Any] = json.loads((planned / "env.json").read_text())
    run = pcsguard("check", *RULES, "p", cwd=planned / "work", **env)
    assert run.code == 1
    assert "p: terraform plan, 1 node group, joined with " in run.out
    assert f"main.tf:{line_of(source(), 'node_ready = [')}:" in run.out


def test_a_plan_in_a_cdktf_stack_folder_is_joined_with_the_stack(planned: Path, tmp_path: Path) -> None:
    script = {
        "name": "motd",
        "arguments": ["${var.text}"],
        "script_source": {"script_location": "https://scripts.example.com/motd.sh", "checksum": "${var.sum}"},
    }
    body = {
        "//": {"metadata": {"path": "site/hpc"}, "pcsguard": {"file": "stacks/site.py", "line": 7}},
        "name": "hpc",
        "node_lifecycle_actions": {"stages": {"node_ready": [script]}},
    }
    stack = {"terraform": {}, "resource": {"awscc_pcs_compute_node_group": {"hpc": body}}}
    (tmp_path / "cdk.tf.json").write_text(json.dumps(stack))
    shutil.copy(planned / "work" / "plan.json", tmp_path)
    run = check_json(*RULES, "plan.json", cwd=tmp_path)
    assert sorted(run.places()[ADDRESS]) == sorted([*OMITTED[1:], ONE_CASE])
    origin = run.report["findings"][0]["origin"]
    assert (origin["file"], origin["line"], origin["construct"]) == ("stacks/site.py", 7, "site/hpc")


def test_a_removal_that_is_not_planned_is_seen_with_the_source(tmp_path: Path) -> None:
    """Through references a plan alone does not show that on_error is in force without anybody stating it."""
    terraform.require()
    home = Path(tempfile.mkdtemp(prefix="t-"))
    try:
        work = Terraform(home / "work", home, env={"TF_VAR_nothing": "null"})
        work.write(source(on_error='on_error = "CONTINUE"', checksum=f'checksum = "{SUM}"'))
        work.init()
        work.apply()
        work.write(source())
        (work.folder / "plan.json").write_text(json.dumps(work.plan(file="p")))
        alone = check_json("--select", "PCS503", work.folder / "plan.json", cwd=tmp_path)
        joined = check_json("--select", "PCS503", work.folder / "plan.json", "--source", work.folder, cwd=tmp_path)
    finally:
        shutil.rmtree(home)
    assert alone.places() == {}
    assert joined.places() == {ADDRESS: [f"PCS503 {READY}.onError", f"PCS503 {READY}.scriptSource.checksum"]}
