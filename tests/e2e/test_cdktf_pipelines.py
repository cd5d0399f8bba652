"""The pipelines of examples/: their lines are run, as they stand, against a local endpoint."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.cdktf_cli import ROOT, STACK, Project, require
from support.pcs_terraform import QUICK
from support.terraform import Run

from pcs_bridge.endpoint import running

pytestmark = pytest.mark.e2e

GITHUB = ROOT / "examples" / "github-actions" / "cdktf.yml"
GITLAB = ROOT / "examples" / "gitlab-ci" / "cdktf.yml"

INSTALLED = 'pip() { :; }\nnpm() { :; }\nnpx() { "$@"; }\n'
"""What the pipelines install is there already."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    require("cdktf")
    with running(delays=QUICK) as endpoint:
        project = Project(tmp_path / "project", tmp_path, endpoint, "cdktf")
        # The provider is where `pcsguard provider install` has put it, and nobody says so.
        del project.env["TF_CLI_CONFIG_FILE"]
        project.env["HOME"] = str(tmp_path)
        yield project


def run(project: Project, lines: list[str], declared: dict[str, str]) -> Run:
    """Run the lines of a job, which ends where one fails, with the variables that it declares."""
    assert json.loads(declared["CDKTF_CONTEXT_JSON"]) == {"environment": "prod"}
    assert declared["STACK"] == "cdktf.out/stacks/hpc-prod"
    # The state of `prod` is in AWS.
    mine = {"STACK": f"cdktf.out/stacks/{STACK}", "CDKTF_CONTEXT_JSON": '{"environment": "dev"}'}
    summary = {"GITHUB_STEP_SUMMARY": str(project.folder / "summary.md")}
    return project.shell(["bash", "-e", "-c", INSTALLED + "\n".join(lines)], **{**declared, **mine, **summary})


def only_once(lines: list[str], *, what: str) -> None:
    assert len([line for line in lines if what in line]) == 1, what


def test_gitlab_applies_the_plan_that_was_checked(project: Project) -> None:
    pipeline: dict[str, Any] = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))
    plan, apply = pipeline["plan"]["script"], pipeline["apply"]["script"]
    for what in ("cdktf synth", " plan -out", "pcsguard check", " apply "):
        only_once([*plan, *apply], what=what)
    before = pipeline["default"]["before_script"]

    assert run(project, [*before, *plan], pipeline["variables"]).code == 0
    assert project.groups() == {}
    assert json.loads((project.folder / "gl-code-quality-report.json").read_text(encoding="utf-8")) == []
    # The second job has what the first one left, and no source: it could not synthesize if it wanted to.
    shutil.rmtree(project.folder / "stacks")
    run(project, [*before, *apply], pipeline["variables"]).ok()
    assert project.groups().keys() == {"login", "on-demand", "spot", "gpu"}


def test_github_stops_at_mistakes(project: Project) -> None:
    pipeline: dict[str, Any] = yaml.safe_load(GITHUB.read_text(encoding="utf-8"))
    job = pipeline["jobs"]["deploy"]
    lines = "\n".join(step["run"] for step in job["steps"] if "run" in step).splitlines()
    for what in ("cdktf synth", " plan -out", "pcsguard check", " apply "):
        only_once(lines, what=what)
    shutil.copytree(ROOT / "examples" / "cdktf", project.folder / "examples" / "cdktf")
    project.edit("cdktf.json", "stacks/main.py", "examples/cdktf/bad.py")

    done = run(project, lines, job["env"])
    assert done.code == 1
    assert "Plan: 10 to add" in done.out
    found = [line for line in done.out.splitlines() if line.startswith("::error")]
    assert [("file=examples/cdktf/bad.py" in line, "PCS" in line) for line in found] == [(True, True)] * 2
    assert "Apply" not in done.out
    assert project.groups() == {}
