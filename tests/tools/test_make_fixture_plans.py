"""The committed plans: what the real terraform makes today, with nothing of a machine or a secret in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import terraform
from support.pcsguard_cli import check_json

import make_fixture_plans

CASES = {case.file.stem: case for case in make_fixture_plans.cases()}


def plan(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(CASES[name].file.read_bytes())
    return document


def change(name: str) -> dict[str, Any]:
    """The change of the one group of a plan."""
    (found,) = [entry["change"] for entry in plan(name)["resource_changes"] if "node_group" in entry["type"]]
    changed: dict[str, Any] = found
    return changed


def script(name: str, stage: str = "node_bootstrapped", index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = change(name)["after"]["node_lifecycle_actions"]["stages"][stage][index]
    return found


# Two of each kind: making all of them takes minutes on a small machine.
@pytest.mark.parametrize("name", ["good", "bad", "computed_create_unset_members"])
def test_plan_is_what_terraform_makes(name: str, tmp_path: Path) -> None:
    terraform.require()
    case = CASES[name]
    made = make_fixture_plans.make(case._replace(file=tmp_path / "plan.json"))
    assert made
    fresh = json.loads((tmp_path / "plan.json").read_bytes())
    assert make_fixture_plans.timeless(fresh) == make_fixture_plans.timeless(plan(name)), (
        "run tools/make_fixture_plans.py"
    )


def test_every_plan_on_disk_is_a_case() -> None:
    folders = {case.file.parent for case in CASES.values()}
    assert {path for folder in folders for path in folder.glob("*.json")} == {case.file for case in CASES.values()}


@pytest.mark.parametrize("name", CASES)
def test_a_secret_is_only_where_a_plan_is_about_it(name: str) -> None:
    text = CASES[name].file.read_text(encoding="utf-8")
    assert (make_fixture_plans.SECRET in text) is name.endswith("sensitive_argument")


@pytest.mark.parametrize("case", ["block_removed", "checksum_removed", "on_error_removed"])
def test_a_removal_is_no_change_where_all_is_computed(case: str) -> None:
    assert change(f"computed_{case}")["actions"] == ["no-op"]
    assert change(f"plain_{case}")["actions"] == ["update"]


def test_an_inserted_script_inherits_by_index() -> None:
    inherited, mount = script("computed_script_inserted"), script("computed_script_inserted", index=1)
    assert inherited["name"] == "configure-cloudwatch-logs"
    assert inherited["script_source"]["checksum"] == mount["script_source"]["checksum"]
    assert script("plain_script_inserted")["script_source"]["checksum"] is None


def test_a_good_group_has_no_findings() -> None:
    run = check_json(CASES["good"].file)
    assert (run.code, run.report["findings"], run.report["undecided"]) == (0, [], [])


def test_each_mistake_of_the_bad_group_is_found() -> None:
    run = check_json(CASES["bad"].file)
    assert run.code == 1
    found = {finding["rule"] for finding in run.report["findings"]}
    assert found >= {"PCS101", "PCS102", "PCS104", "PCS201", "PCS202"}
    assert run.report["undecided"] == []
