"""Binary plan files, read through the real terraform."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.pcsguard_cli import check_json

terraform = shutil.which("terraform")
pytestmark = pytest.mark.skipif(terraform is None, reason="terraform is not on PATH")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan of terraform's built-in provider, which needs no registry."""
    folder = tmp_path_factory.mktemp("planned")
    (folder / "main.tf").write_text('resource "terraform_data" "example" {\n  input = "hpc"\n}\n')
    (folder / "terraform.rc").touch()
    env = {**os.environ, "TF_CLI_CONFIG_FILE": str(folder / "terraform.rc"), "CHECKPOINT_DISABLE": "1"}
    for command in (["init", "-input=false"], ["plan", "-input=false", "-out=plan.out"]):
        subprocess.run([str(terraform), *command], cwd=folder, env=env, check=True, capture_output=True)
    return folder


def test_a_plan_file_is_read_from_any_folder(planned: Path, tmp_path: Path) -> None:
    for cwd, path in ((planned, Path("plan.out")), (tmp_path, planned / "plan.out")):
        run = check_json(path, cwd=cwd)
        assert (run.code, run.err) == (0, "")
        assert [(entry["kind"], entry["groups"]) for entry in run.report["inputs"]] == [("plan", 0)]


def test_no_exec_forbids_it(planned: Path) -> None:
    run = check_json("--no-exec", planned / "plan.out")
    assert run.code == 3
    assert run.report["unchecked"][0]["reason"] == (
        "this is a binary plan file, which only terraform can read, and --no-exec forbids it; "
        "give the output of `terraform show -json PLANFILE` instead"
    )


def test_standard_input_cannot_be_a_binary_plan(planned: Path) -> None:
    run = check_json("-", stdin=(planned / "plan.out").read_bytes())
    assert run.code == 3
    assert "cannot be read from standard input" in run.report["unchecked"][0]["reason"]


def test_terraform_missing(planned: Path, tmp_path: Path) -> None:
    run = check_json(planned / "plan.out", PATH=str(tmp_path))
    assert run.code == 3
    assert "there is no terraform on PATH" in run.report["unchecked"][0]["reason"]


def test_a_zip_that_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.out").write_bytes(b"PK\x03\x04 and then nothing")
    run = check_json("plan.out", cwd=tmp_path)
    assert run.code == 3
    assert run.report["unchecked"][0]["reason"].startswith("`terraform show -json` cannot read this plan file (exit")
