"""The pre-commit hook, installed and run by pre-commit itself on a scratch repository; and what it runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.pcsguard_cli import pcsguard

ROOT = Path(__file__).resolve().parents[2]
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Nothing of the machine's own settings of git, pre-commit or pcsguard; what pip needs is kept."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PCSGUARD_", "GIT_"))}
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in NAME.items()}
    home = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return {**clean, **names, **home}


NAME = {"NAME": "hpc", "EMAIL": "hpc@example.com"}


def test_try_repo(tmp_path: Path, env: dict[str, str]) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git repository, so pre-commit cannot take the hook from it")
    source, project = tmp_path / "source", tmp_path / "project"
    # A copy of what would be committed here: pre-commit takes a hook from a repository's commits.
    source.mkdir()
    listing = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT, env=env)
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    commit(source, env)
    shutil.copytree(ROOT / "examples" / "terraform" / "bad", project / "cluster")
    commit(project, env)

    found = run("try-repo", str(source), "pcsguard", "--all-files", cwd=project, env=env)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "- exit code: 1\n" in found.stdout
    assert "cluster/main.tf:60:11" in found.stdout
    assert "PCS101 checksum-required" in found.stdout


(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("example", "code"), [("good", 0), ("bad", 1)])
def test_the_command_of_the_hook(example: str, code: int) -> None:
    program, *arguments = shlex.split(HOOK["entry"])
    assert program == "pcsguard"
    assert pcsguard(*arguments, *HOOK["args"], cwd=ROOT / "examples" / "terraform" / example).code == code


def test_what_only_a_plan_decides_is_left_to_ci(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "terraform" / "good" / "main.tf").read_text()
    location = '"s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"'
    (tmp_path / "main.tf").write_text(text.replace(location, "aws_s3_object.mount.id"))
    assert text.count(location) == 1
    arguments = shlex.split(HOOK["entry"])[1:]
    assert pcsguard(*arguments, cwd=tmp_path).code == 3
    assert pcsguard(*arguments, *HOOK["args"], cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("path", "runs"),
    [
        ("main.tf", True),
        ("hpc/prod.auto.tfvars", True),
        ("cdk.tf.json", True),
        ("template.yaml", True),
        ("pcsguard.toml", True),
        ("hpc/pcsguard-waivers.toml", True),
        ("README.md", False),
        ("pyproject.toml.bak", False),
    ],
)
def test_what_starts_the_hook(path: str, runs: bool) -> None:
    assert bool(re.search(HOOK["files"], path)) is runs


def commit(folder: Path, env: dict[str, str]) -> None:
    git("init", "--quiet", cwd=folder, env=env)
    git("add", ".", cwd=folder, env=env)
    git("commit", "--quiet", "--message", "all", cwd=folder, env=env)


def git(*arguments: str, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(["git", *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def run(*arguments: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [str(PRE_COMMIT), *arguments, "--color", "never"]
    return subprocess.run(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300
    )
