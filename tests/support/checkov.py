"""Runs the real checkov with our checks, and says what pcsguard itself finds in the same files."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from support import render, render_source
from support.render_source import Groups, Types
from support.verdicts import outcomes

from pcs_contract import spelling
from pcs_policies.adapters.checkov import verdict
from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import Tree
from pcs_policies.rules.hcl_example import resource_type
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources import detect, join
from pcs_policies.sources.reading import Reading

ROOT = Path(__file__).resolve().parents[2]
CHECKS = ROOT / "policies" / "checkov_checks"
INPUT = "CKV_PCS_000"

Version = Literal["checkov", "checkov-oldest"]
VERSIONS: tuple[Version, ...] = ("checkov", "checkov-oldest")
"""The environments that ``make test`` makes: the newest checkov and the oldest one that is supported."""

Framework = Literal["terraform", "terraform_plan", "terraform_json", "cloudformation"]
FRAMEWORKS: tuple[Framework, ...] = ("terraform", "terraform_plan", "terraform_json", "cloudformation")


def command(version: Version) -> Path:
    """The checkov of an environment."""
    found = ROOT / f".venv-{version}" / "bin" / "checkov"
    if not found.exists():
        pytest.fail(f"{found.relative_to(ROOT)} is missing: `make .venv-{version}/.ready` makes it", pytrace=False)
    return found


def run(
    *arguments: str | Path,
    cwd: Path,
    checks: str | Path | None = CHECKS,
    version: Version = "checkov",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run checkov; nothing of the caller's own settings of pcsguard or checkov reaches it."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PCSGUARD_", "CKV_", "CHECKOV_"))}
    external = () if checks is None else ("--external-checks-dir", str(checks))
    return subprocess.run(
        [command(version), *map(str, arguments), *external, "--skip-download", "--compact"],
        cwd=cwd,
        # checkov gives up a .tf file after ten seconds, which is not much on a busy machine.
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "HCL_PARSE_TIMEOUT_SEC": "300", **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )


Results = dict[tuple[str, str], dict[str, str]]
"""File and name of a resource (without its type) -> check id -> ``PASSED``, ``FAILED`` or ``SKIPPED``."""

_RECORD = re.compile(
    r"^Check: (?P<check>\w+): .*\n\t(?P<result>\w+) for resource: (?P<resource>.*)\n(?:\t .*\n|\t(?!File: ).*\n)*"
    r"\tFile: (?P<file>.*):\d+-\d+$",
    re.MULTILINE,
)


def scan(*arguments: str | Path, **options: Any) -> Results:
    """What our checks say of all resources. checkov's JSON would repeat the code of a resource for every check."""
    done = run(*arguments, "-c", "CKV_PCS_*", **options)
    assert "Traceback" not in done.stderr, done.stderr
    return results(done.stdout)


def results(out: str) -> Results:
    """What checkov printed."""
    found: Results = {}
    for record in _RECORD.finditer(out):
        found.setdefault((record["file"], name_of(record["resource"])), {})[record["check"]] = record["result"]
    assert sum(map(len, found.values())) == out.count(" for resource: ")
    return found


def name_of(address: str) -> str:
    """An address without the type, which checkov shows in some frameworks only."""
    return re.sub(
        r"(awscc_pcs_compute_node_group|pcs_compute_node_group|resource|AWS::PCS::ComputeNodeGroup)\.", "", address
    )


def records(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The records of our checks in checkov's JSON."""
    said = json.loads(done.stdout)
    return [
        record
        for report in (said if isinstance(said, list) else [said])
        for sort in ("passed_checks", "failed_checks", "skipped_checks")
        for record in report["results"][sort]
        if record["check_id"].startswith("CKV_PCS_")
    ]


def differences(said: Results, expected: Results) -> dict[tuple[str, str], dict[str, tuple[str | None, str | None]]]:
    """Where two scans differ: what the one says and what the other says."""
    wrong = {}
    for resource in said.keys() | expected.keys():
        left, right = said.get(resource, {}), expected.get(resource, {})
        differing = {c: (left.get(c), right.get(c)) for c in left.keys() | right.keys() if left.get(c) != right.get(c)}
        if differing:
            wrong[resource] = differing
    return wrong


# The same groups in every framework.


def write(folder: Path, groups: Groups, framework: Framework, types: Types | None = None) -> None:
    """Write node groups as files that a framework reads."""
    folder.mkdir(parents=True)
    if framework == "terraform_plan":
        known = {name: tree for name, tree in groups.items() if _planned(tree)}
        (folder / "null.json").write_text(json.dumps(plan(known, "null"), indent=1), encoding="utf-8")
        literal = {name: tree for name, tree in known.items() if render.is_known(tree)}  # all else is ambiguous there
        (folder / "computed.json").write_text(json.dumps(plan(literal, "computed"), indent=1), encoding="utf-8")
    elif framework == "cloudformation":
        (folder / "template.yaml").write_text(render_source.cloudformation_yaml(groups), encoding="utf-8")
        (folder / "template.json").write_text(render_source.cloudformation_json(groups), encoding="utf-8")
    elif framework == "terraform_json":
        (folder / "cdk.tf.json").write_text(render_source.terraform_json(groups, types), encoding="utf-8")
    else:
        (folder / "main.tf").write_text(render_source.terraform(groups, types), encoding="utf-8")


def plan(groups: Groups, flavour: render.Flavour) -> dict[str, Any]:
    """A plan that makes all of the groups, with the ``planned_values`` that checkov looks at."""
    whole = render.plan({}, flavour=flavour)
    changes: list[dict[str, Any]] = []
    configured: list[dict[str, Any]] = []
    for name, tree in groups.items():
        one = render.plan(tree, flavour=flavour, resource_type=resource_type(tree))
        about = {"address": f"{resource_type(tree)}.{name}", "name": name}
        changes += [{**change, **about} for change in one["resource_changes"]]
        configured += [{**resource, **about} for resource in one["configuration"]["root_module"]["resources"]]
    planned = [
        {**{key: change[key] for key in ("address", "mode", "type", "name")}, "values": change["change"]["after"]}
        for change in changes
    ]
    return {
        **whole,
        "planned_values": {"root_module": {"resources": planned}},
        "resource_changes": changes,
        "configuration": {"root_module": {"resources": configured}},
    }


def _planned(tree: Tree) -> bool:
    """Whether a group can be in a plan, which has what the provider's schema has."""
    return tree.keys() <= {field.name for field in spelling.structure("api").fields}


# What pcsguard finds itself.


def pcsguard(folder: Path, settings: Settings = Settings()) -> Results:  # noqa: B008
    """What a scan of a folder should say, by pcsguard's own readers of the files in it."""
    expected: Results = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".toml"):
        reading = reading_of(path)
        for group in reading.groups:
            assert isinstance(group, NodeGroup), group
            expected[f"/{path.relative_to(folder)}", name_of(group.address)] = results_of(group, reading, settings)
    return expected


def reading_of(path: Path) -> Reading:
    """A file, read alone; Terraform's own syntax with the folder that it is in."""
    if path.suffix == ".tf":
        return join.as_input(join.open_source(str(path.parent), explicit=True))
    return detect.open_input(str(path))


def results_of(group: NodeGroup, reading: Reading, settings: Settings) -> dict[str, str]:
    """The result of each check on a group."""
    said = {INPUT: "FAILED" if reading.problems else "PASSED"}
    for rule in RULES:
        if verdict.applies(rule) and rule.needs <= reading.carries:
            found = outcomes(rule, group, settings)
            said[check_id(rule.id)] = "FAILED" if found["fail"] or found["undecided"] else "PASSED"
    return said


def check_id(rule: str) -> str:
    return f"CKV_{rule[:3]}_{rule[3:]}"
