"""The real command of a toolkit, `cdktf` or `cdktn`, on the app of this repository and against a local endpoint."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from support import terraform
from support.cdk_app import Toolkit
from support.terraform import Run

from pcs_bridge.endpoint import Endpoint

ROOT: Final = Path(__file__).resolve().parents[2]
STACK: Final = "hpc-dev"
BUCKET: Final = "example-hpc-scripts"

PROGRAMS: Final[Mapping[Toolkit, Path]] = {
    "cdktf": ROOT / "node_modules" / ".bin" / "cdktf",
    "cdktn": ROOT / "tools" / "cdktn" / "node_modules" / ".bin" / "cdktn",
}

_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def require(toolkit: Toolkit) -> None:
    """Skip the test where the command is not installed; ``PCSGUARD_REQUIRE_CDKTF=1``, for CI, makes that a failure."""
    terraform.require()
    if PROGRAMS[toolkit].exists():
        return
    missing = f"the command {toolkit} is not installed; `make test` installs it where there is npm"
    if os.environ.get("PCSGUARD_REQUIRE_CDKTF") == "1":
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


class Project:
    """A folder with `cdktf.json`, the app and its settings, as a user has them, and a bucket for its scripts."""

    def __init__(self, folder: Path, mirror: Path, endpoint: Endpoint, toolkit: Toolkit) -> None:
        require(toolkit)
        self.folder = folder
        self.toolkit = toolkit
        self.endpoint = endpoint
        self.pcs = endpoint.client("pcs")
        folder.mkdir()
        shutil.copy(ROOT / "cdktf.json", folder)
        shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=shutil.ignore_patterns("pcs_stacks", "__pycache__"))
        s3 = endpoint.client("s3")
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        # What is not named here does not get there: no AWS, terraform, proxy or pcsguard settings of the caller.
        kept = {name: os.environ[name] for name in ("LANG", "HOME") if name in os.environ}
        programs = (PROGRAMS["cdktf"].parent, Path(sys.executable).parent)
        self.env = {
            **kept,
            "PATH": os.pathsep.join((*map(str, programs), os.environ["PATH"])),
            "TMPDIR": str(folder),
            "CI": "1",
            "NO_COLOR": "1",
            "CHECKPOINT_DISABLE": "1",
            "TF_CLI_CONFIG_FILE": str(mirror / "terraform.rc"),
            # Whoever wants to leave this machine, for a registry say, ends here.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "PCSGUARD_CDK": toolkit,
            **endpoint.environment,
        }

    def command(self, subcommand: str, *arguments: str) -> list[str]:
        """The command line."""
        also = {"deploy": ["--auto-approve"], "destroy": ["--auto-approve"]}.get(subcommand, [])
        lock = [] if subcommand == "synth" else ["--skip-provider-lock"]
        return [str(PROGRAMS[self.toolkit]), subcommand, *lock, *also, *arguments]

    def run(self, subcommand: str, *arguments: str, **env: str) -> Run:
        """Run a subcommand to its end, whatever its exit code; its output is without what moves a cursor."""
        return self.shell(self.command(subcommand, *arguments), **env)

    def shell(self, command: list[str], **env: str) -> Run:
        """Run any command as a user of the project does."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return Run(done.returncode, _CONTROL.sub("", done.stdout), _CONTROL.sub("", done.stderr))

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a file of the project."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def groups(self) -> dict[str, str]:
        """The groups that the endpoint has, by name, with their status; empty where there is no cluster."""
        if not self.pcs.list_clusters()["clusters"]:
            return {}
        groups = self.pcs.list_compute_node_groups(clusterIdentifier="hpc")["computeNodeGroups"]
        return {group["name"]: group["status"] for group in groups}

    def group(self, name: str) -> dict[str, Any]:
        """A group as the endpoint has it."""
        answer = self.pcs.get_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier=name)
        found: dict[str, Any] = answer["computeNodeGroup"]
        return found

    def queues(self) -> dict[str, list[str]]:
        """The queues that the endpoint has, by name, with the names of their groups."""
        groups = self.pcs.list_compute_node_groups(clusterIdentifier="hpc")["computeNodeGroups"]
        names = {group["id"]: group["name"] for group in groups}
        queues = {}
        for queue in self.pcs.list_queues(clusterIdentifier="hpc")["queues"]:
            whole = self.pcs.get_queue(clusterIdentifier="hpc", queueIdentifier=queue["id"])["queue"]
            used = whole["computeNodeGroupConfigurations"]
            queues[queue["name"]] = [names[group["computeNodeGroupId"]] for group in used]
        return queues
