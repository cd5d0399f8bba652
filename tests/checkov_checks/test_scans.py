"""What a security team does with the checks: what they see, how they suppress it, and the sample files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support import checkov
from support.checkov import FRAMEWORKS, ROOT, Framework
from support.groups import complete

from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import UNKNOWN, actions, script
from pcs_policies.settings import Settings

SECRET = "hunter2-and-more"
GROUP = complete(
    **actions(
        ready=[
            script("motd", "https://example.com/motd.sh", checksum=UNKNOWN, onError="CONTINUE"),
            script("users", "https://example.com/users.sh", arguments=["--password", SECRET], onError="TERMINATE"),
        ]
    )
)


def test_a_finding_names_its_attribute_and_says_what_to_do(tmp_path: Path) -> None:
    for framework in FRAMEWORKS:
        checkov.write(tmp_path / framework, {"hpc": GROUP}, framework)
    done = checkov.run("-d", ".", "--framework", *FRAMEWORKS, "-o", "json", "-c", "CKV_PCS_*", cwd=tmp_path)
    records = checkov.records(done)
    for framework in FRAMEWORKS:
        look(framework, [record for record in records if record["file_path"].startswith(f"/{framework}/")])


def look(framework: Framework, records: list[dict[str, Any]]) -> None:
    """What the findings of a framework are like."""
    failed = {record["check_id"]: record for record in records if record["check_result"]["result"] == "FAILED"}
    keys = {check: failed[check]["check_result"]["evaluated_keys"] for check in ("CKV_PCS_101", "CKV_PCS_201")}
    terraform = framework != "cloudformation"
    ready = (
        "node_lifecycle_actions/stages/node_ready" if terraform else "Properties/NodeLifecycleActions/Stages/NodeReady"
    )
    assert keys["CKV_PCS_201"] == [f"{ready}/[1]/{'on_error' if terraform else 'OnError'}"]
    checksum = "script_source/checksum" if terraform else "ScriptSource/Checksum"
    assert f"{ready}/[1]/{checksum}" in keys["CKV_PCS_101"]
    record = failed["CKV_PCS_201"]
    assert record["check_name"] == "no-terminate-on-ready: No script of the nodeReady stage terminates the node"
    assert record["severity"] == "HIGH"
    assert record["guideline"] == "https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions.html"
    if terraform:  # of CloudFormation, checkov leaves the details out
        assert re.search("terminates the node when it fails.*; fix: set it to CONTINUE", record["details"][0])
        assert not any(SECRET in text for each in failed.values() for text in each["details"])
    if framework == "terraform_plan":
        assert any("undecided, so not passed" in text for text in failed["CKV_PCS_101"]["details"])


SKIPPED = {
    "main.tf": """\
resource "awscc_pcs_compute_node_group" "hpc" {
  # checkov:skip=CKV_PCS_301:a sample
  name = "x"
}
""",
    "comment.yaml": """\
Resources:
  hpc:
    # checkov:skip=CKV_PCS_301:a sample
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {Name: x}
""",
    "metadata.yaml": """\
Resources:
  hpc:
    Type: AWS::PCS::ComputeNodeGroup
    Metadata: {checkov: {skip: [{id: CKV_PCS_301, comment: a sample}]}}
    Properties: {Name: x}
""",
}


def test_suppression(tmp_path: Path) -> None:
    for name, text in SKIPPED.items():
        (tmp_path / name).write_text(text)
    frameworks = ("--framework", "terraform", "cloudformation")
    said = checkov.scan("-d", ".", *frameworks, "--skip-check", "CKV_PCS_303", cwd=tmp_path)
    assert {file.lstrip("/"): results["CKV_PCS_301"] for (file, _), results in said.items()} == dict.fromkeys(
        SKIPPED, "SKIPPED"
    )
    assert not any("CKV_PCS_303" in results for results in said.values())
    assert all(results["CKV_PCS_310"] == "FAILED" for results in said.values())


def test_the_sample_configuration(tmp_path: Path) -> None:
    """``.checkov.yaml`` as it is, with a checkout where the workflow puts it, and the report that it uploads."""
    checkov.write(tmp_path / "infra", {"hpc": GROUP}, "terraform")
    (tmp_path / ".pcsguard").symlink_to(ROOT)
    sample = ROOT / "examples" / "checkov" / ".checkov.yaml"
    (tmp_path / ".checkov.yaml").write_text(sample.read_text())
    done = checkov.run(
        "-d", ".", "-o", "cli", "-o", "sarif", "--output-file-path", "console,results.sarif", cwd=tmp_path, checks=None
    )
    assert done.returncode == 1, done.stderr
    (run,) = json.loads((tmp_path / "results.sarif").read_text())["runs"]
    rule = next(rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == "CKV_PCS_201")
    assert rule["helpUri"].startswith("https://docs.aws.amazon.com/pcs/")
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
    assert places == {"infra/main.tf"}


def test_the_workflow_uses_what_is_tested() -> None:
    workflow = (ROOT / "examples" / "checkov" / "workflow.yml").read_text()
    assert "--config-file .checkov.yaml -o cli -o sarif --output-file-path console,results.sarif" in workflow
    assert "path: .pcsguard" in workflow


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".yaml", ".yml", ".template"})


def test_public_templates(corpus_dir: Path) -> None:
    agree(corpus_dir / "cfn", "cloudformation")


def test_real_plans(plans_dir: Path) -> None:
    agree(plans_dir, "terraform_plan")


def agree(folder: Path, framework: Framework) -> None:
    done = checkov.run("-d", ".", "--framework", framework, "-c", "CKV_PCS_*", cwd=folder)
    assert "Traceback" not in done.stderr
    assert "[ERROR" not in done.stderr
    assert "Parsing errors" not in done.stdout
    expected: checkov.Results = {}
    said = checkov.results(done.stdout)
    for path in {folder / file.lstrip("/") for file, _ in said}:
        reading = checkov.reading_of(path)
        for group in reading.groups:
            if isinstance(group, NodeGroup):
                expected[f"/{path.relative_to(folder)}", checkov.name_of(group.address)] = checkov.results_of(
                    group, reading, Settings()
                )
    assert checkov.differences(said, expected) == {}
    assert len(said) >= 8
