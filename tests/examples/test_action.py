"""The GitHub Action: its steps, run by their own shell as a runner would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.composite import Action, Ended
from support.pcsguard_cli import COMMAND

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ("sarif", "json", "comment")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    shutil.copytree(ROOT / "examples" / "plans", folder / "plans")
    shutil.copytree(ROOT / "examples" / "terraform", folder / "terraform")
    return folder


@pytest.fixture
def action(tmp_path: Path) -> Action:
    """The action, with pcsguard installed already: the one of these tests."""
    temp = tmp_path / "temp"
    (temp / "installed" / "venv" / "bin").mkdir(parents=True)
    (temp / "installed" / "venv" / "bin" / "pcsguard").symlink_to(COMMAND)
    action = Action(ROOT, temp)
    action.steps["install"] = {"folder": str(temp / "installed")}
    return action


def test_no_expression_stands_in_a_script(action: Action) -> None:
    """What a workflow gives would be code there, and a pull request may have a say in it."""
    assert [script for script in action.scripts if "${{" in script] == []


def test_it_installs_and_checks(tmp_path: Path, workspace: Path) -> None:
    """All of it, with a plan and its source: annotations at lines, a summary, and three reports."""
    (tmp_path / "temp").mkdir()
    for module in ("venv", "pip", "ensurepip", "runpy", "argparse", "sitecustomize"):
        (workspace / f"{module}.py").write_text("raise SystemExit('code of the checked repository was run')\n")
    ended = Action(ROOT, tmp_path / "temp").run(workspace, {"plan": "plans/bad.json", "source": "terraform/bad"})
    assert ended.code == 1, ended.log
    assert ended.outputs["exit-code"] == "1"
    assert "::error file=terraform/bad/main.tf,line=60,col=11,title=PCS101 checksum-required::" in ended.log
    assert "### pcsguard: findings" in ended.summary
    assert Path(ended.outputs["comment"]).read_text() == ended.summary
    assert json.loads(Path(ended.outputs["sarif"]).read_text())["version"] == "2.1.0"
    assert json.loads(Path(ended.outputs["json"]).read_text())["exit_code"] == 1


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"plan": "plans/good.json"}, 0),
        ({"plan": "plans/good.json\n\nplans/bad.json\n"}, 1),
        ({"plan": "plans/bad.json", "fail-on": "never"}, 0),
        ({"plan": "plans/bad.json", "config": "lenient.toml"}, 0),
        ({"plan": "plans/bad.json", "baseline": "missing.json"}, 2),
        ({"plan": "plans/bad.json", "waivers": "missing.toml"}, 2),
        ({"plan": "plans/good.json", "fail-on": "eror"}, 2),
        ({"plan": "plans/good.json", "no-exec": "true"}, 0),
        ({"plan": "plans/good.json", "no-exec": "maybe"}, 2),
        ({"plan": "plans/missing.json"}, 3),
        ({"plan": "plans/bad.json\n--fail-on=never"}, 3),  # a path, not a flag
        ({"plan": ""}, 2),
    ],
    ids=lambda value: " ".join(value.values()).strip().replace("\n", "+") or "none" if isinstance(value, dict) else "",
)
def test_inputs(action: Action, workspace: Path, inputs: dict[str, str], code: int) -> None:
    (workspace / "lenient.toml").write_text('fail-on = "never"\n')
    ended = action.run(workspace, inputs)
    assert ended.code == code, ended.log
    if "no-exec" not in inputs or code == 0:
        assert ended.outputs["exit-code"] == str(code)
    assert reports(ended) == ([] if code == 2 else list(REPORTS))


def reports(ended: Ended) -> list[str]:
    return [name for name in REPORTS if ended.outputs[name] and Path(ended.outputs[name]).is_file()]


HOSTILE = (
    "$(touch hit)",
    "`touch hit`",
    "x; touch hit",
    'x"; touch hit; "',
    "x' && touch hit '",
    "--config=evil.toml",
    "-q",
    "a b*.json",
    "x\n$(touch hit)",
)


@pytest.mark.parametrize("name", ["plan", "source", "config", "fail-on", "undecided", "waivers", "baseline", "no-exec"])
def test_an_input_is_never_code(action: Action, workspace: Path, name: str) -> None:
    install = dict(action.steps)
    (workspace / "evil.toml").write_text('fail-on = "never"\n')
    for hostile in HOSTILE:
        action.steps = dict(install)
        ended = action.run(workspace, {"plan": "plans/good.json", name: hostile})
        assert ended.code in (2, 3), f"{name}={hostile!r}: {ended.log}"
    assert not list(workspace.rglob("hit"))


def test_a_machine_without_a_fitting_python(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "temp").mkdir()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "mktemp"):
        (tools / name).symlink_to(shutil.which(name) or name)
    ended = Action(ROOT, tmp_path / "temp").run(workspace, {"plan": "plans/good.json"}, PATH=str(tools))
    assert (ended.code, ended.outputs["exit-code"]) == (2, "")
    assert "::error title=pcsguard::There is no Python 3.11 to 3.13 here" in ended.log
