"""``pcsguard check`` as a user meets it: exit codes, flags, and what it prints."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import Snapshot
from support import render
from support.groups import complete
from support.pcsguard_cli import check_json, pcsguard

from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, actions, script

S3 = "s3://example-scripts/motd.sh"
STATED = {"onError": "CONTINUE", "executionPolicy": "EVERY_BOOT"}


def ready(location: str, **members: Any) -> dict[str, Any]:
    return complete(**actions(ready=[script("motd", location, **members)]))


GOOD = ready(S3, checksum=SHA256, s3VersionId=VERSION, **STATED)
WARNS = ready(S3, checksum=SHA256, **STATED)
FAILS = ready("http://scripts.example.com/motd.sh")
UNDECIDED = ready(S3, checksum=UNKNOWN, s3VersionId=VERSION, **STATED)
BROKEN = {"format_version": "1.2", "resource_changes": [], "errored": True}


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    for name, document in {
        "good": render.plan(GOOD),
        "warns": render.plan(WARNS),
        "fails": render.plan(FAILS),
        "undecided": render.plan(UNDECIDED),
        "errored": BROKEN,
        "none": {"format_version": "1.2", "resource_changes": [], "errored": False},
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.json"], 0),
        (["none.json"], 0),
        (["warns.json"], 0),
        (["warns.json", "--fail-on", "warning"], 1),
        (["warns.json", "--fail-on", "info"], 1),
        (["warns.json", "--fail-on", "warning", "--ignore", "PCS104"], 0),
        (["fails.json"], 1),
        (["fails.json", "--fail-on", "never"], 0),
        (["fails.json", "--select", "PCS104"], 0),
        (["fails.json", "--select", "PCS1", "--ignore", "PCS101,PCS102"], 0),
        (["undecided.json"], 3),
        (["undecided.json", "--undecided", "ignore"], 0),
        (["undecided.json", "--fail-on", "never"], 0),
        (["errored.json"], 3),
        (["errored.json", "--fail-on", "never"], 3),
        (["missing.json"], 3),
        ([".", "good.json"], 3),
        (["fails.json", "undecided.json"], 3),
        (["good.json", "fails.json"], 1),
        ([], 2),
        (["good.json", "--format", "yaml"], 2),
        (["good.json", "--select", "PCS999"], 2),
        (["good.json", "--fail"], 2),
    ],
)
def test_exit_codes(plans: Path, arguments: list[str], code: int) -> None:
    run = pcsguard("check", *arguments, cwd=plans)
    assert run.code == code, run.out + run.err
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "x", "--select", "PCS999"], "pcsguard: there is no rule 'PCS999'"),
        (["check", "x", "--ignore", "checksum-requird"], "(did you mean 'checksum-required'?)"),
        (["chekc"], "pcsguard: there is no command 'chekc' (did you mean 'check'?); see pcsguard --help"),
        ([], "usage: pcsguard COMMAND"),
        (["check"], "the following arguments are required: PATH"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], message: str) -> None:
    run = pcsguard(*arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["check", "--help"], ["--version"]])
def test_help_and_version_are_no_errors(arguments: list[str]) -> None:
    run = pcsguard(*arguments)
    assert (run.code, run.err) == (0, "")
    assert "pcsguard" in run.out


def test_standard_input(plans: Path) -> None:
    run = check_json("-", stdin=(plans / "fails.json").read_bytes())
    assert run.code == 1
    assert run.report["inputs"][0]["path"] == "-"


def test_only_changed_groups(tmp_path: Path) -> None:
    document = render.plan(FAILS)
    document["resource_changes"][0]["change"]["actions"] = ["no-op"]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    assert check_json("plan.json", cwd=tmp_path).code == 1
    run = check_json("plan.json", "--changed-only", cwd=tmp_path)
    assert (run.code, run.report["summary"]["groups"]) == (0, 0)


@pytest.mark.parametrize("name", ["good", "warns", "fails", "undecided", "errored", "none", "missing"])
def test_the_json_report_keeps_its_schema(plans: Path, name: str) -> None:
    schema = json.loads(files("pcs_policies.reports").joinpath("report.schema.json").read_text())
    run = check_json(f"{name}.json", cwd=plans)
    jsonschema.Draft202012Validator(schema).validate(run.report)
    assert run.report["exit_code"] == run.code


def test_the_schema_knows_every_member_of_the_report(plans: Path) -> None:
    schema = json.loads(files("pcs_policies.reports").joinpath("report.schema.json").read_text())
    report = check_json("fails.json", cwd=plans).report
    finding = report["findings"][0]
    assert set(report) == set(schema["properties"])
    assert set(finding) == set(schema["$defs"]["finding"]["properties"])
    assert set(finding["origin"]) == set(schema["$defs"]["finding"]["properties"]["origin"]["properties"])


@pytest.mark.parametrize("name", ["good", "fails", "undecided", "errored", "none"])
def test_the_text_report(plans: Path, name: str, snapshot: Snapshot) -> None:
    run = pcsguard("check", f"{name}.json", "--select", "PCS101,PCS102,PCS104,PCS201,PCS202,PCS208", cwd=plans)
    snapshot(run.out, f"check-{name}.txt")


def test_quiet_prints_findings_only(plans: Path) -> None:
    assert pcsguard("check", "-q", "good.json", cwd=plans).out == ""
    quiet = pcsguard("check", "-q", "fails.json", cwd=plans).out
    assert "PCS101" in quiet
    assert "node group" not in quiet.splitlines()[-1]


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_there_is_no_terminal(plans: Path, env: dict[str, Any]) -> None:
    assert "\x1b" not in pcsguard("check", "fails.json", cwd=plans, **env).out


HOSTILE = "m\x1b[2Jotd\u202e\r\n\x07"


def test_control_characters_of_the_input_never_reach_the_terminal(tmp_path: Path) -> None:
    document: dict[str, Any] = render.plan(actions(ready=[script(HOSTILE, "ftp://\x1b]0;x\x07")]))
    document["resource_changes"][0]["address"] = f'awscc_pcs_compute_node_group.g["{HOSTILE}"]'
    (tmp_path / "plan.json").write_text(json.dumps(document))
    run = pcsguard("check", "plan.json", cwd=tmp_path)
    assert run.code == 1
    assert all(line.isprintable() for line in run.out.split("\n"))
    assert "m\\x1b[2Jotd\\u202e\\x0d\\x0a\\x07" in run.out


def test_output_that_the_terminal_cannot_encode_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(actions(ready=[script("é", S3)]))))
    run = pcsguard("check", "plan.json", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert run.code == 1
    assert "\\xe9" in run.out
