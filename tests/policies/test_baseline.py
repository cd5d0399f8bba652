"""The baseline: only what is new fails, and what is gone is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import render
from support.groups import complete
from support.pcsguard_cli import Run, check_json, pcsguard

from pcs_policies import __version__
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, actions, script

STATED = {"onError": "CONTINUE", "executionPolicy": "EVERY_BOOT", "s3VersionId": VERSION}
RULES = ("--select", "PCS101,PCS102,PCS8")


def put(folder: Path, *scripts: dict[str, Any], **members: Any) -> None:
    document = render.plan(complete(**actions(ready=list(scripts)), **members))
    (folder / "plan.json").write_text(json.dumps(document))


def unpinned(name: str, **members: Any) -> dict[str, Any]:
    return script(name, f"s3://example/{name}.sh", **STATED, **members)


def write(folder: Path, *options: str, **env: Any) -> Run:
    return pcsguard("baseline", "write", "base.json", "plan.json", *RULES, *options, cwd=folder, **env)


def check(folder: Path, *options: str, **env: Any) -> Run:
    return check_json("plan.json", "--baseline", "base.json", *RULES, *options, cwd=folder, **env)


def new(run: Run) -> list[str]:
    return [f["leaf"] for f in run.report["findings"] + run.report["undecided"] if not f["known"]]


MOTD = 'nodeLifecycleActions.stages.nodeReady["motd"].scriptSource.checksum'
TAGS = 'nodeLifecycleActions.stages.nodeReady["tags"].scriptSource.checksum'


def test_only_what_is_new_fails(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    done = write(tmp_path)
    assert (done.code, done.out, done.err) == (0, "base.json: 1 finding of 1 node group\n", "")
    run = check(tmp_path)
    assert (run.code, new(run), run.report["summary"]["known"]) == (0, [], 1)

    put(tmp_path, unpinned("motd"), unpinned("tags"))
    run = check(tmp_path)
    assert (run.code, new(run), run.report["summary"]["error"]) == (1, [TAGS], 1)


def test_what_was_found_is_recognised_wherever_it_moves(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    write(tmp_path)
    for order in (["a", "motd"], ["a", "b", "motd"], ["motd", "a"]):
        put(tmp_path, *(unpinned(name, **({} if name == "motd" else {"checksum": SHA256})) for name in order))
        assert check(tmp_path).code == 0, order
    document = (tmp_path / "plan.json").read_text()
    (tmp_path / "plan.json").write_text("\n\n" + json.dumps(json.loads(document), indent=4))
    assert check(tmp_path).code == 0, "moved lines"


def test_what_is_gone_is_told(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"), unpinned("tags"))
    write(tmp_path)
    put(tmp_path, unpinned("motd"))
    run = check(tmp_path)
    assert run.code == 0
    (entry,) = run.report["baseline"]["vanished"]
    assert (entry["rule"], entry["address"], entry["leaf"]) == ("PCS101", render.ADDRESS, TAGS)
    text = pcsguard("check", "plan.json", "--baseline", "base.json", *RULES, cwd=tmp_path).out
    assert (
        "1 finding of the baseline base.json gone; `pcsguard baseline write base.json PATH...` takes them out" in text
    )
    assert f"  PCS101 {render.ADDRESS} {TAGS}" in text
    assert "1 in the baseline" in text


def test_what_was_not_looked_for_is_not_gone(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    write(tmp_path)
    run = check_json("plan.json", "--baseline", "base.json", "--select", "PCS102", cwd=tmp_path)
    assert run.report["baseline"] == {"file": "base.json", "vanished": [], "not_checked": 1}


def test_what_was_undecided_and_now_fails_is_new(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd", checksum=UNKNOWN))
    write(tmp_path)
    assert check(tmp_path).code == 0
    put(tmp_path, unpinned("motd"))
    run = check(tmp_path)
    assert (run.code, new(run)) == (1, [MOTD])


WAIVER = f"""\
[[waiver]]
rule = "PCS101"
address = "{render.ADDRESS}"
leaf = '{MOTD}'
owner = "hpc"
reason = "on its way"
until = 2027-01-31
"""


def test_a_waived_finding_is_left_out_so_that_the_waiver_keeps_its_end(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    (tmp_path / "pcsguard-waivers.toml").write_text(WAIVER)
    assert write(tmp_path, PCSGUARD_TODAY="2026-12-01").out == "base.json: 0 findings of 1 node group\n"
    assert check(tmp_path, PCSGUARD_TODAY="2027-01-31").code == 0
    assert check(tmp_path, PCSGUARD_TODAY="2027-02-01").code == 1


def test_what_is_wrong_with_a_waiver_is_never_old(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    (tmp_path / "pcsguard-waivers.toml").write_text(WAIVER.replace("2027-01-31", "2026-01-31"))
    write(tmp_path, PCSGUARD_TODAY="2026-12-01")
    run = check(tmp_path, "--fail-on", "warning", PCSGUARD_TODAY="2026-12-01")
    assert run.code == 1
    assert {f["rule"]: f["known"] for f in run.report["findings"]} == {"PCS101": True, "PCS801": False}


def test_the_key_of_the_configuration(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    write(tmp_path)
    (tmp_path / "pcsguard.toml").write_text('baseline = "base.json"')
    assert check_json("plan.json", *RULES, cwd=tmp_path).code == 0
    assert check_json("plan.json", *RULES, "--isolated", cwd=tmp_path).code == 1


def test_the_file_is_stable_and_sorted(tmp_path: Path) -> None:
    put(tmp_path, unpinned("tags"), unpinned("motd"))
    write(tmp_path)
    first = (tmp_path / "base.json").read_bytes()
    put(tmp_path, unpinned("motd"), unpinned("tags"))
    write(tmp_path)
    assert (tmp_path / "base.json").read_bytes() == first
    document = json.loads(first)
    assert document["tool"] == {"name": "pcsguard", "version": __version__}
    assert [entry["leaf"] for entry in document["findings"]] == [MOTD, TAGS]
    assert first.count(b'"fingerprint"') == sum(b'"fingerprint"' in line for line in first.splitlines())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not valid JSON"),
        ('{"baseline_version": 1, "findings": [', "is not valid JSON"),
        ("[]", "is no baseline of pcsguard"),
        ('{"findings": []}', "has no baseline_version"),
        ('{"baseline_version": 2, "findings": []}', "has version 2"),
        ('{"baseline_version": 1}', "has no list of findings"),
        ('{"baseline_version": 1, "findings": [{"rule": "PCS101"}]}', "is damaged: findings[0] is no finding"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str, message: str) -> None:
    put(tmp_path, unpinned("motd"))
    (tmp_path / "base.json").write_text(text)
    run = check(tmp_path)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    run = check(tmp_path)
    assert run.code == 2
    assert "the baseline base.json cannot be read: No such file or directory" in run.err


def test_nothing_is_written_of_what_could_not_be_checked(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"format_version": "1.2", "resource_changes": [], "errored": true}')
    (tmp_path / "base.json").write_text("old")
    run = write(tmp_path)
    assert (run.code, run.out) == (3, "")
    assert "nothing was written" in run.err
    assert (tmp_path / "base.json").read_text() == "old"


def test_the_file_is_not_one_of_the_inputs(tmp_path: Path) -> None:
    put(tmp_path, unpinned("motd"))
    run = pcsguard("baseline", "write", "plan.json", "plan.json", cwd=tmp_path)
    assert run.code == 2
    assert "plan.json is an input, which is not overwritten" in run.err
