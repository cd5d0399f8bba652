"""The recipes for CI systems: every line of shell in them is run, with real terraform and an installed pcsguard."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import terraform
from support.terraform import Terraform

from pcs_policies import __version__

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples" / "ci"
BIN = Path(sys.executable).parent

# pip's work, by the installer of this repository: into the environment that PIP_TO names, and much faster.
PIP = f'#!/bin/sh\nexec "{BIN}/uv" pip "$@" --python "$PIP_TO"\n'


class Project:
    """A folder with terraform source, and a shell in it whose PATH has what a CI image has."""

    def __init__(self, tmp_path: Path, *, installed: bool) -> None:
        self.folder = tmp_path / "project"
        self.tools = tmp_path / "tools"
        self.tools.mkdir()
        self.terraform = Terraform(self.folder, tmp_path / "home")
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PCSGUARD_")},
            **self.terraform.env,
            "HOME": os.environ["HOME"],  # terraform's own settings stand in TF_CLI_CONFIG_FILE
            "PCSGUARD": f"pcsguard[hcl] @ {ROOT.as_uri()}",
            "PATH": f"{self.tools}:{os.environ['PATH']}",
        }
        if installed:
            (self.tools / "pcsguard").symlink_to(BIN / "pcsguard")

    def use(self, example: str) -> None:
        self.terraform.write((ROOT / "examples" / "terraform" / example / "main.tf").read_text())

    def sh(self, script: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-e", "-c", script],
            cwd=self.folder,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def ok(self, script: str, **env: str) -> None:
        done = self.sh(script, **env)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


@pytest.fixture
def bare(tmp_path: Path) -> Project:
    """A project on a machine without pcsguard."""
    terraform.require()
    return Project(tmp_path, installed=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    terraform.require()
    return Project(tmp_path, installed=True)


def recipe(name: str) -> Any:
    return yaml.safe_load((RECIPES / name).read_text(encoding="utf-8"))


def test_gitlab(bare: Project, tmp_path: Path) -> None:
    jobs = recipe("gitlab.yml")
    subprocess.run([BIN / "uv", "venv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True)
    (bare.tools / "pip").write_text(PIP)
    (bare.tools / "pip").chmod(0o755)
    bare.env |= {"PIP_TO": str(tmp_path / "venv"), "PATH": f"{tmp_path / 'venv' / 'bin'}:{bare.env['PATH']}"}
    install, check = jobs["pcsguard"]["script"]
    bare.use("bad")
    for line in (*jobs["plan"]["script"], install):
        bare.ok(line)
    assert (bare.folder / jobs["plan"]["artifacts"]["paths"][0]).is_file()
    done = bare.sh(check)
    assert done.returncode == 1, done.stdout + done.stderr
    reports = jobs["pcsguard"]["artifacts"]["reports"]
    quality = json.loads((bare.folder / reports["codequality"]).read_text())
    critical = [entry["check_name"].split()[0] for entry in quality if entry["severity"] == "critical"]
    assert critical == ["PCS101", "PCS102", "PCS201"]
    assert (bare.folder / reports["junit"]).read_text().startswith("<?xml")


def test_jenkins(bare: Project) -> None:
    """With the Python and the pip of an agent."""
    text = (RECIPES / "Jenkinsfile").read_text(encoding="utf-8")
    plan, check = (script.replace("\\\n", "") for script in re.findall(r"sh '''\n(.*?)'''", text, re.DOTALL))
    assert "PCSGUARD = '" in text
    bare.use("bad")
    bare.ok(plan)
    done = bare.sh(check)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "PCS101 checksum-required" in done.stdout
    assert "main.tf:60:11" in done.stdout, "the source beside the plan is found"
    for name in re.findall(r"junit '(.*?)'|pattern: '(.*?)'", text):
        assert (bare.folder / "".join(name)).is_file()


@pytest.mark.parametrize(("example", "code"), [("bad", 1), ("good", 0)])
def test_atlantis(project: Project, example: str, code: int) -> None:
    """The built-in steps as Atlantis does them (runatlantis.io, "Custom Workflows"), then the recipe's own line."""
    settings = recipe("atlantis.yaml")
    (entry,) = settings["repos"]
    *steps, last = settings["workflows"][entry["workflow"]]["plan"]["steps"]
    files = {"PLANFILE": str(project.folder / "default.tfplan"), "SHOWFILE": str(project.folder / "default.json")}
    project.use(example)
    for step in steps:
        project.ok(ATLANTIS[step], **files)
    done = project.sh(last["run"], **files)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("main.tf:60:11" in done.stdout) is bool(code)


ATLANTIS = {
    "init": "terraform init -input=false",
    "plan": 'terraform plan -input=false -refresh -out "$PLANFILE"',
    "show": 'terraform show -json "$PLANFILE" > "$SHOWFILE"',
}

GH = """\
#!/usr/bin/env python3
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    print(json.dumps(sys.argv[1:]), file=calls)
if "--paginate" in sys.argv:
    print(os.environ["EXISTING"], end="")
"""


def test_github_plans(project: Project) -> None:
    steps = recipe("github.yml")["jobs"]["check"]["steps"]
    project.use("bad")
    for step in steps:
        if "run" in step and "id" not in step and "name" not in step:
            project.ok(step["run"])
    (ours,) = (step for step in steps if step.get("id") == "pcsguard")
    assert project.sh('pcsguard check "$PLAN"', PLAN=ours["with"]["plan"]).returncode == 1
    known = yaml.safe_load((ROOT / "action.yml").read_text())
    assert set(ours["with"]) <= set(known["inputs"])
    text = (RECIPES / "github.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"steps\.pcsguard\.outputs\.([\w-]+)", text)) <= set(known["outputs"])


@pytest.mark.parametrize(
    ("existing", "call"),
    [
        ("", ["api", "--method", "POST", "repos/hpc/site/issues/7/comments"]),
        ("41\n42\n", ["api", "--method", "PATCH", "repos/hpc/site/issues/comments/41"]),
    ],
    ids=["first", "again"],
)
def test_github_comments_once(tmp_path: Path, existing: str, call: list[str]) -> None:
    (step,) = (step for step in recipe("github.yml")["jobs"]["check"]["steps"] if step.get("name") == "Comment")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "EXISTING": existing,
        "GITHUB_REPOSITORY": "hpc/site",
        "PULL_REQUEST": "7",
        "COMMENT": "report.md",
    }
    assert "${{" not in step["run"]
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=env, check=True)
    first, second = (json.loads(line) for line in (tmp_path / "calls").read_text().splitlines())
    assert first[:3] == ["api", "--paginate", "repos/hpc/site/issues/7/comments"]
    assert second == [*call, "--field", "body=@report.md", "--silent"]


def test_recipes_name_the_version_that_there_is() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in sorted(RECIPES.iterdir()))
    named = re.findall(r"pcsguard@([^\s\"']+)|rev: (\S+)", texts)
    assert {"".join(either) for either in named} == {f"v{__version__}"}
