"""No secret of an input reaches an output, whatever the format, the verbosity or the way the run ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import render
from support.pcsguard_cli import pcsguard

from pcs_policies.redaction import mask, printable, quote
from pcs_policies.reports.formats import NAMES
from pcs_policies.rules.fragments import actions, script

SECRET = "s3cr3t-value"
OUTPUTS = [*(["--format", name] for name in NAMES), ["--quiet"], ["--format", "json", "--fail-on", "never"]]

outputs = pytest.mark.parametrize("options", OUTPUTS, ids=" ".join)


@outputs
@pytest.mark.parametrize("name", ["sensitive.json", "awscc_sensitive.json"])
def test_in_real_plans(plans_dir: Path, name: str, options: list[str]) -> None:
    assert SECRET in (plans_dir / name).read_text(), "the plan holds what is looked for"
    run = pcsguard("check", *options, plans_dir / name)
    assert run.code in (0, 1, 3)
    assert SECRET not in run.out + run.err


@pytest.mark.parametrize("name", ["sensitive.json", "awscc_sensitive.json"])
def test_in_the_baseline_the_step_summary_and_the_list_of_what_may_be_waived(
    plans_dir: Path, tmp_path: Path, name: str
) -> None:
    plan = str(plans_dir / name)
    outputs = [
        pcsguard("waive", "list", plan, cwd=tmp_path),
        pcsguard("baseline", "write", "base.json", plan, cwd=tmp_path),
        pcsguard(
            "check", plan, "--baseline", "base.json", "--format", "github", cwd=tmp_path, GITHUB_STEP_SUMMARY="s.md"
        ),
    ]
    written = [(tmp_path / file).read_text() for file in ("base.json", "s.md")]
    assert SECRET not in "".join((*(run.out + run.err for run in outputs), *written))


def test_in_a_waiver(tmp_path: Path) -> None:
    token = "ghp_" + "a" * 36
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(actions(ready=[script("motd", "ftp://x")]))))
    (tmp_path / "pcsguard-waivers.toml").write_text(
        f'[[waiver]]\nrule = "PCS101"\naddress = "{render.ADDRESS}"\nowner = "hpc"\nreason = "see {token}"\n'
        "until = 2027-01-31\n"
    )
    for options in OUTPUTS:
        run = pcsguard("check", "plan.json", *options, cwd=tmp_path, PCSGUARD_TODAY="2026-12-01")
        assert token not in run.out + run.err
        assert "see ***" in run.out or "--format" in options


def marked(path: list[Any]) -> dict[str, Any]:
    """A plan with the secret at one place of a script, marked as sensitive there."""
    member = script(SECRET, f"http://{SECRET}.example.com/x", checksum=SECRET, s3VersionId=SECRET)
    member |= {"arguments": [SECRET], "onError": SECRET, "executionPolicy": SECRET}
    document = render.plan(actions(bootstrapped=[member, member], ready=[member]))
    document["resource_changes"][0]["change"]["after_sensitive"] = mark(path)
    return document


def mark(path: list[Any]) -> Any:
    if not path:
        return True
    return [mark(path[1:])] * 2 if path[0] == 0 else {path[0]: mark(path[1:])}


@outputs
@pytest.mark.parametrize(
    "path",
    [[], ["node_lifecycle_actions"], ["node_lifecycle_actions", "stages"]],
    ids=["whole group", "whole actions", "whole stages"],
)
def test_in_a_marked_tree(tmp_path: Path, path: list[Any], options: list[str]) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(marked(path)))
    run = pcsguard("check", *options, "plan.json", cwd=tmp_path)
    assert run.code in (0, 1, 3)
    assert SECRET not in run.out + run.err


@outputs
@pytest.mark.parametrize(
    "after",
    [
        {"node_lifecycle_actions": SECRET},
        {"node_lifecycle_actions": {"stages": SECRET}},
        {"node_lifecycle_actions": {"stages": {"node_ready": [SECRET]}}},
        {"scaling_configuration": {"min_instance_count": SECRET}},
    ],
)
def test_in_a_shape_that_is_not_the_contracts(tmp_path: Path, after: Any, options: list[str]) -> None:
    document = render.plan({})
    document["resource_changes"][0]["change"]["after"] = after
    (tmp_path / "plan.json").write_text(json.dumps(document))
    run = pcsguard("check", *options, "plan.json", cwd=tmp_path)
    assert run.code == 3
    assert SECRET not in run.out + run.err


@pytest.mark.parametrize("data", [f'{{"password": "{SECRET}"', f"{SECRET}", f'["{SECRET}"]', f'"{SECRET}"'])
def test_in_a_file_that_cannot_be_read(tmp_path: Path, data: str) -> None:
    (tmp_path / "plan.json").write_text(data)
    run = pcsguard("check", "plan.json", cwd=tmp_path)
    assert run.code == 3
    assert SECRET not in run.out + run.err


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https://user:example@h.example.com/x", "https://***@h.example.com/x"),
        ("https://token@h.example.com/x", "https://***@h.example.com/x"),
        ("https://h.example.com/x?X-Amz-Signature=abc123&v=1", "https://h.example.com/x?X-Amz-Signature=***&v=1"),
        ("s3://b/k?token=abc", "s3://b/k?token=***"),
        ("key AKIAIOSFODNN7EXAMPLE end", "key *** end"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", "***"),
        ("ghp_" + "a" * 36, "***"),
        ("https://h.example.com/x?version=1", "https://h.example.com/x?version=1"),
        (
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:hpc",
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:hpc",
        ),
    ],
)
def test_credentials_are_masked(text: str, masked: str) -> None:
    assert mask(text) == masked


def test_quoted_values_are_short_printable_and_on_one_line() -> None:
    assert quote("a\nb") == '"a\\x0ab"'
    assert quote("x" * 500) == f'"{"x" * 120}... (500 characters)"'
    assert printable("\ud800 \u202e \U000e0001 é") == "\\ud800 \\u202e \\U000e0001 é"
