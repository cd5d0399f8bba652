"""``pcsguard show`` as a user meets it: boot order and effective values, and nothing that must not be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Snapshot
from support import render
from support.pcsguard_cli import Run, pcsguard

from pcs_policies.boot import ON_REBOOT
from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, VERSION, actions, script

S3 = "s3://example-scripts/"
LOGS = script("logs", S3 + "logs.sh", checksum=SHA256, s3VersionId=VERSION, onError="CONTINUE")
MOUNT = script("mount", S3 + "mount.sh", checksum=SHA256, arguments=["--fs", "fs-0123"])
MOTD = script("motd", "https://scripts.example.com/motd.sh", onError="CONTINUE", executionPolicy="EVERY_BOOT")

BEFORE = {
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
    "instanceConfigs": [{"instanceType": "c7i.large"}],
    "customLaunchTemplate": {"id": "lt-0123", "version": "3"},
    **actions(bootstrapped=[MOUNT, LOGS], ready=[MOTD]),
}
AFTER = {
    "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 8},
    "instanceConfigs": [{"instanceType": "c7i.large"}],
    "customLaunchTemplate": {"id": "lt-0123", "version": UNKNOWN},
    **actions(
        bootstrapped=[LOGS, {**MOUNT, "onError": "TERMINATE", "arguments": ["--fs", "fs-4567"]}],
        ready=[script("users", S3 + "users.sh", checksum=UNKNOWN)],
        caching="REFRESH_ON_REBOOT",
    ),
}


def show(folder: Path, document: Any, *arguments: str) -> Run:
    (folder / "plan.json").write_text(json.dumps(document))
    return pcsguard("show", "plan.json", *arguments, cwd=folder)


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("create", render.plan(AFTER)),
        ("update", render.plan(AFTER, before=BEFORE)),
        ("computed", render.plan(AFTER, before=BEFORE, flavour="computed")),
        ("state", render.state(BEFORE)),
    ],
)
def test_a_group(tmp_path: Path, snapshot: Snapshot, name: str, document: Any) -> None:
    run = show(tmp_path, document)
    assert (run.code, run.err) == (0, "")
    snapshot(run.out, f"show-{name}.txt")


def facts(run: Run, stage: str = "nodeReady") -> list[dict[str, Any]]:
    (group,) = json.loads(run.out)["inputs"][0]["groups"]
    return [{"mark": s["mark"], **s["facts"]} for s in group["stages"][stage]["scripts"]]


@pytest.mark.parametrize(("policies", "effect"), ON_REBOOT.items(), ids=" ".join)
def test_what_a_reboot_does(tmp_path: Path, policies: tuple[str, str], effect: str) -> None:
    caching, execution = policies
    group = actions(ready=[{**MOTD, "executionPolicy": execution}], caching=caching)
    (motd,) = facts(show(tmp_path, render.plan(group), "--format", "json"))
    assert motd["on_reboot"]["now"] == effect


@pytest.mark.parametrize(
    ("members", "fact", "shown"),
    [
        ({}, "on_error", "TERMINATE (default)"),
        ({"onError": "TERMINATE"}, "on_error", "TERMINATE"),
        ({"onError": UNKNOWN}, "on_error", "known after apply"),
        ({}, "runs", "FIRST_BOOT_ONLY (default)"),
        ({"executionPolicy": UNKNOWN}, "on_reboot", "known after apply"),
        ({"executionPolicy": "SOMETIMES"}, "on_reboot", "not documented"),
        ({}, "pin", "unpinned"),
        ({"checksum": SHA256}, "pin", "checksum 9f86d081"),
        ({"checksum": SHA256, "s3VersionId": VERSION}, "pin", "checksum 9f86d081, version 3HL4kqtJ"),
        ({"s3VersionId": VERSION}, "pin", "checksum none, version 3HL4kqtJ"),
        ({"checksum": UNKNOWN}, "pin", "checksum known after apply"),
        ({"arguments": ["--token", "example"]}, "arguments", "2"),
        ({"arguments": UNKNOWN}, "arguments", "known after apply"),
    ],
)
def test_a_fact(tmp_path: Path, members: dict[str, Any], fact: str, shown: str) -> None:
    group = actions(ready=[script("setup", S3 + "setup.sh", **members)])
    (setup,) = facts(show(tmp_path, render.plan(group), "--format", "json"))
    assert setup[fact] == {"now": shown, "was": None}


A, B, C = (script(name, f"{S3}{name}.sh") for name in "abc")


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ([A, B], [A, B], {"a": None, "b": None}),
        ([A], [A, B], {"a": None, "b": "+"}),
        ([A], [B, A], {"b": "+", "a": "~"}),
        ([A, B], [B], {"b": "~", "a": "-"}),
        ([A, B], [C, B], {"c": "+", "b": None, "a": "-"}),
        ([A], [{**A, "onError": "CONTINUE"}], {"a": "~"}),
        ([A], [{**A, "name": "renamed"}], {"renamed": "~"}),
        ([A], [{**A, "scriptSource": B["scriptSource"]}], {"a": "~"}),
        ([], [A], {"a": "+"}),
        ([{**A, "onError": "TERMINATE"}], [A], {"a": None}),
    ],
)
def test_what_becomes_of_scripts(tmp_path: Path, before: list[Any], after: list[Any], marks: dict[str, Any]) -> None:
    document = render.plan(actions(ready=after), before=actions(ready=before))
    run = show(tmp_path, document, "--format", "json")
    assert {entry["name"]["now"]: entry["mark"] for entry in facts(run)} == marks


def test_a_value_that_was_carried_over_says_so(tmp_path: Path) -> None:
    document = render.plan(
        actions(ready=[script("b", S3 + "b.sh", checksum=KEPT)]),
        before=actions(ready=[script("a", S3 + "a.sh", checksum=SHA256)]),
    )
    assert "checksum 9f86d081 (from prior state)" in show(tmp_path, document).out


@pytest.mark.parametrize(
    "stages", [UNKNOWN, {"nodeReady": UNKNOWN}, {"nodeReady": [UNKNOWN]}], ids=["stages", "stage", "script"]
)
def test_scripts_that_only_apply_reveals(tmp_path: Path, stages: Any) -> None:
    run = show(tmp_path, render.plan({"nodeLifecycleActions": {"stages": stages}}))
    assert "  nodeReady (jobs may already run)\n    known after apply\n" in run.out


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_and_control_characters_never_come_out(tmp_path: Path, form: str) -> None:
    group = actions(
        ready=[
            script("\x1b[31m\u202e", "https://deploy:example-secret@scripts.example.com/\x07", arguments=["hunter-2"]),
            script("hidden-name", S3 + "a.sh", arguments=["hunter-2"]),
        ]
    )
    document = render.plan(group, before=group)
    marks = {"node_lifecycle_actions": {"stages": {"node_ready": [{}, {"name": True}]}}}
    document["resource_changes"][0]["change"].update(after_sensitive=marks, before_sensitive=marks)
    run = show(tmp_path, document, "--format", form)
    assert run.code == 0
    for secret in ("example-secret", "hunter-2", "hidden-name", "\x1b", "\x07", "\u202e"):
        assert secret not in run.out + run.err
    assert "(sensitive)" in run.out
    assert "https://***@scripts.example.com/" in run.out


@pytest.mark.parametrize(
    ("text", "code", "out", "err"),
    [
        ('{"format_version": "1.2", "resource_changes": []}', 0, "terraform plan, no node group to show", ""),
        ('{"format_version": "1.2", "resource_changes": [], "errored": true}', 3, "no node group", "is errored"),
        ("{}", 3, "", "pcsguard: plan.json: this is JSON, but no"),
        ("", 3, "", "pcsguard: plan.json: the file is empty"),
        (None, 3, "", "pcsguard: plan.json: there is no such file"),
    ],
)
def test_what_cannot_be_shown_is_said(tmp_path: Path, text: str | None, code: int, out: str, err: str) -> None:
    if text is not None:
        (tmp_path / "plan.json").write_text(text)
    run = pcsguard("show", "plan.json", cwd=tmp_path)
    assert run.code == code
    assert out in run.out
    assert err in run.err
    document = json.loads(pcsguard("show", "plan.json", "--format", "json", cwd=tmp_path).out)
    assert bool(document["inputs"][0]["problems"]) is (code == 3)


def test_a_group_that_is_malformed_does_not_hide_the_others(tmp_path: Path) -> None:
    document = render.plan(BEFORE)
    broken = json.loads(json.dumps(document["resource_changes"][0]))
    broken["address"] += "_broken"
    broken["change"]["after"]["name"] = {}
    document["resource_changes"].insert(0, broken)
    run = show(tmp_path, document)
    assert run.code == 3
    assert f"{render.ADDRESS}_broken cannot be shown: name should be a string" in run.err
    assert f"\n{render.ADDRESS} (create)\n" in run.out


def test_real_plans(plans_dir: Path) -> None:
    plans = [path for path in sorted(plans_dir.glob("*.json")) if not path.stem.endswith("provider_schema")]
    run = pcsguard("show", *plans)
    assert (run.code, run.err) == (0, "")
    assert run.out.count("node group") >= len(plans)
