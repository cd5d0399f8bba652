"""Mistakes of an app, told with their lines by the construct, by the synthesis and by the check of what comes of it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import cdk_app, terraform
from support.pcsguard_cli import check_json
from support.terraform import Terraform

PROGRAM = """\
from pcs_stacks import AwsccProvider, ComputeNodeGroup, LaunchTemplate, LifecycleScript, NodeLifecycle
from pcs_stacks.cdk import App, TerraformStack

app = App(skip_validation={skip})
stack = TerraformStack(app, "hpc")
AwsccProvider(stack, "awscc", region="us-east-1", version=">= 1.0.0")


def home() -> LifecycleScript:
    return LifecycleScript.s3(
        "s3://example-scripts/home.sh",
        name="mount home",  # 12
        checksum="5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        s3_version_id="v1",
        arguments=["--password", "correct-horse-battery"],  # 15
        {more}
    )


ComputeNodeGroup(
    stack,
    "compute",
    name="compute",
    cluster="${{var.cluster}}",
    subnet_ids=["subnet-0123456789abcdef0"],
    iam_instance_profile_arn="arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
    instance_types=["c7i.48xlarge"],
    min_instance_count=0,
    max_instance_count=4,  # 29
    launch_template=LaunchTemplate(id="lt-0123456789abcdef0", version="1"),
    node_lifecycle=NodeLifecycle(ready=[home()]),
)
stack.add_override("variable.cluster", {{"type": "string", "default": "pcs_example123"}})
app.synth()
"""

READY = "nodeLifecycleActions.stages.nodeReady[0]"
TOLD = {("PCS108", f"{READY}.arguments[1]", "main.py", 15), ("PCS207", READY, "main.py", 10)}


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="t-"))  # short: providers listen on a socket below it
    yield folder
    shutil.rmtree(folder)


def app(folder: Path, *, skip: bool = False, more: str = "") -> Path:
    main = folder / "main.py"
    main.write_text(PROGRAM.format(skip=skip, more=more), encoding="utf-8")
    return main


def told(*inputs: Path, cwd: Path) -> set[tuple[str, str, str, int]]:
    """What a check finds, with the file and line of each; the construct is always the same."""
    checked = check_json(*inputs, "--select", "PCS1,PCS2,PCS3", "--fail-on", "error", cwd=cwd)
    assert checked.code == 1, checked.out + checked.err
    found = checked.report["findings"]
    assert {finding["origin"]["construct"] for finding in found} == {"hpc/compute"}
    return {(f["rule"], f["path"], f["origin"]["file"], f["origin"]["line"]) for f in found}


def test_by_the_construct(home: Path) -> None:
    ran = cdk_app.run(app(home, more='on_error="TERMINATE",'), out=home / "cdktf.out")
    assert ran.code == 1
    assert 'ConstructError: hpc/compute: main.py:16: nodeReady script "mount home" terminates' in ran.stderr


def test_by_the_synthesis(home: Path) -> None:
    ran = cdk_app.run(app(home), out=home / "cdktf.out")
    assert ran.code == 1
    for rule, _, file, line in TOLD:
        assert f"[hpc/compute] {file}:{line}: error {rule} " in ran.stderr
    assert "correct-horse" not in ran.stderr + ran.stdout


def test_by_the_check_of_the_output_and_of_the_plan(home: Path) -> None:
    terraform.require()
    ran = cdk_app.run(app(home, skip=True), out=home / "cdktf.out").ok()
    assert told(ran.out, cwd=home) == TOLD

    work = Terraform(ran.out / "stacks" / "hpc", home)
    work.init()
    (work.folder / "plan.json").write_text(json.dumps(work.plan(file="p")), encoding="utf-8")
    assert told(work.folder / "plan.json", cwd=home) == TOLD
    (home / "plan.json").write_bytes((work.folder / "plan.json").read_bytes())
    assert told(home / "plan.json", Path("--source"), ran.out, cwd=home) == TOLD
