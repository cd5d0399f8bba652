"""The app's life through the real commands, terraform and the provider of this project, and no registry."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cdk_app import TOOLKITS
from support.cdktf_cli import BUCKET, Project, require
from support.pcs_terraform import QUICK, write_mirror
from support.processes import eventually, with_variable

from pcs_bridge.endpoint import Delays, running

pytestmark = pytest.mark.e2e

GROUPS = {"login", "on-demand", "spot", "gpu"}
ACTIVE = dict.fromkeys(GROUPS, "ACTIVE")


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mirror(tmp_path_factory.mktemp("mirror"))


@pytest.fixture(params=TOOLKITS)
def project(request: pytest.FixtureRequest, tmp_path: Path, mirror: Path) -> Iterator[Project]:
    require(request.param)
    with running(delays=QUICK) as endpoint:
        yield Project(tmp_path / "project", mirror, endpoint, request.param)


def test_from_nothing_to_a_changed_cluster_and_back(project: Project) -> None:
    assert "Generated Terraform code for the stacks: hpc-dev" in project.run("synth").ok().out
    assert "Plan: 10 to add, 0 to change, 0 to destroy." in project.run("diff").ok().out
    assert project.groups() == {}

    assert "Apply complete! Resources: 10 added, 0 changed, 0 destroyed." in project.run("deploy").ok().out
    assert project.groups() == ACTIVE
    assert project.queues() == {name: [name] for name in GROUPS - {"login"}}
    assert script_names(project, "login") == ["configure-cloudwatch-logs", "mount-efs", "mount-fsx-lustre", "motd"]
    assert "No changes." in project.run("diff").ok().out

    # One node in each group; then a change to a script that only the nodes with GPUs run.
    for name in GROUPS:
        group = project.group(name)
        project.pcs.register_compute_node_group_instance(clusterIdentifier="hpc", bootstrapId=f"{group['id']}/i-{name}")
    before = version_of(project, "gpu", "gpu-persistence")
    script = project.folder / "stacks" / "scripts" / "gpu-persistence.sh"
    script.write_text(script.read_text(encoding="utf-8") + "nvidia-smi\n", encoding="utf-8")
    assert "Apply complete! Resources: 0 added, 2 changed, 0 destroyed." in project.run("deploy").ok().out
    assert version_of(project, "gpu", "gpu-persistence") != before
    assert {each["computeNodeGroupId"] for each in project.endpoint.instances if each["replacement"]} == {
        project.group("gpu")["id"]
    }
    assert project.groups() == ACTIVE

    assert "Destroy complete! Resources: 10 destroyed." in project.run("destroy").ok().out
    assert project.groups() == {}
    assert "Contents" not in project.endpoint.client("s3").list_objects_v2(Bucket=BUCKET)


def test_a_deploy_that_is_killed_is_taken_up_by_the_next(tmp_path: Path, mirror: Path) -> None:
    require("cdktf")
    half_way = threading.Event()

    def watch(operation: str, parameters: Any) -> None:
        if operation == "GetComputeNodeGroup":
            half_way.set()

    with running(delays=Delays(1, 0.02, 0.02), before=watch) as endpoint:
        project = Project(tmp_path / "project", mirror, endpoint, "cdktf")
        started = subprocess.Popen(
            project.command("deploy"),
            cwd=project.folder,
            env=project.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert half_way.wait(120)
        # All of them: the command, terraform and the provider.
        for process in with_variable("AWS_ENDPOINT_URL", endpoint.url):
            os.kill(process, signal.SIGKILL)
        assert started.wait() == -signal.SIGKILL
        assert eventually(lambda: not with_variable("AWS_ENDPOINT_URL", endpoint.url))
        assert project.groups().keys() & GROUPS

        project.run("deploy").ok()
        assert project.groups() == ACTIVE
        assert project.queues().keys() == GROUPS - {"login"}
        assert "No changes." in project.run("diff").ok().out


def script_names(project: Project, group: str) -> list[str]:
    return [script["name"] for script in scripts(project, group)]


def version_of(project: Project, group: str, script: str) -> str:
    (found,) = [each for each in scripts(project, group) if each["name"] == script]
    version: str = found["scriptSource"]["s3VersionId"]
    return version


def scripts(project: Project, group: str) -> list[dict[str, Any]]:
    stages: dict[str, list[dict[str, Any]]] = project.group(group)["nodeLifecycleActions"]["stages"]
    return [script for stage in ("nodeBootstrapped", "nodeReady") for script in stages[stage]]
