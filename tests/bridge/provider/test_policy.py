"""The rules inside of a plan: what is told, what stops terraform, and when."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from support.pcs import CHECKSUM, SCRIPT
from support.pcs_groups import EVERYTHING, NEW
from support.pcs_terraform import ADDRESS, TYPE, Workspace, hpc_endpoint, written

from pcs_bridge.plugin import planning
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, Severity
from pcs_bridge.plugin.paths import dotted
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.values import UNKNOWN
from pcs_bridge.provider import checks, schemas
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_bridge.provider.names import from_api
from pcs_bridge.provider.policy import Policy

LOCATION = {"scriptLocation": "s3://hpc-scripts/motd.sh", "s3VersionId": "v1"}
PINNED = {**LOCATION, "checksum": CHECKSUM}
GOOD = {"name": "motd", "onError": "CONTINUE", "executionPolicy": "FIRST_BOOT_ONLY", "scriptSource": PINNED}
READY = "node_lifecycle_actions.stages.node_ready[0]"
SECRET = "hunter2hunter2"
LOGS_FIRST = ("PCS208", "warning", "node_lifecycle_actions.stages.node_bootstrapped")


def group(**script: Any) -> dict[str, Any]:
    """A group, as terraform's configuration has it, with one script in nodeReady."""
    members = {name: value for name, value in {**GOOD, **script}.items() if value is not None}
    tree = {**NEW, "nodeLifecycleActions": {"stages": {"nodeReady": [members]}}}
    return {field.written: from_api(field, tree.get(name)) for name, field in NODE_GROUP.fields.items()}


def judged(config: dict[str, Any], prior: dict[str, Any] | None = None, *, enforced: bool = True) -> list[Diagnostic]:
    planned = planning.plan(schemas.resource(NODE_GROUP), config, prior)
    return list(Policy(enforced=enforced).judge(config, prior, planned))


def told(found: list[Diagnostic]) -> set[tuple[str, str, str]]:
    return {(one.summary.partition(" ")[0], one.severity.value, dotted(one.path)) for one in found}


@pytest.fixture(autouse=True)
def folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The folder in which terraform runs, with a configuration that ends the search for one."""
    (tmp_path / "pcsguard.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ({}, set()),
        (
            {"onError": None},
            {("PCS201", "error", f"{READY}.on_error"), ("PCS202", "warning", f"{READY}.on_error"), LOGS_FIRST},
        ),
        ({"scriptSource": LOCATION}, {("PCS101", "error", f"{READY}.script_source.checksum")}),
        ({"arguments": ["--password", SECRET]}, {("PCS108", "error", f"{READY}.arguments[1]")}),
        ({"name": "mount"}, {("PCS207", "error", READY)}),
    ],
    ids=["good", "default", "no checksum", "secret", "mount"],
)
def test_what_the_rules_say(script: dict[str, Any], expected: set[tuple[str, str, str]]) -> None:
    found = judged(group(**script))
    assert told(found) == expected
    assert {severity for _, severity, _ in told(judged(group(**script), enforced=False))} <= {"warning"}
    assert SECRET not in "".join(one.summary + one.text for one in found)


def test_no_argument_is_quoted_that_a_rule_finds_wrong() -> None:
    aws = {"scriptLocation": "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"}
    script = {**GOOD, "scriptSource": {**PINNED, **aws}, "arguments": ["--mount-point", SECRET]}
    found = [one for one in judged(group(**script)) if one.summary.startswith("PCS209")]
    assert found
    assert SECRET not in "".join(one.text for one in found)


QUOTED = {"name", "clusterId", "instanceConfigs[].instanceType", "purchaseOption", "nodeLifecycleActions.stages[].name"}


def texts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all texts in a tree."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from texts(member, (*path, step))
    if isinstance(value, str):
        yield path


def test_findings_quote_what_names_things_and_nothing_else() -> None:
    """Terraform does not tell which values are sensitive, and the schema has no attribute that always is."""

    def config(tree: Any) -> dict[str, Any]:
        return {field.written: from_api(field, tree.get(name)) for name, field in NODE_GROUP.fields.items()}

    before = {**config(EVERYTHING), "id": "arn", "tags_all": {}, "timeouts": None}
    quoted = set()
    for path in texts(EVERYTHING):
        for text in (SECRET, f"s3://hpc-scripts/{SECRET}-latest.sh", f"http://{SECRET}.example.com/x"):
            tree = copy.deepcopy(dict(EVERYTHING))
            place: Any = tree
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = text
            found = [
                *judged(config(tree)),
                *judged(config(tree), before),
                *checks.group_problems(NODE_GROUP, config(tree)),
            ]
            if any(SECRET in one.summary + one.text for one in found):
                shown = "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
                quoted.add(shown.replace(".nodeBootstrapped", "").replace(".nodeReady", ""))
    assert quoted <= QUOTED
    assert "name" in quoted


def test_what_only_apply_tells_is_judged_when_terraform_plans_again_to_apply() -> None:
    config = group()
    config["node_lifecycle_actions"]["stages"]["node_ready"][0]["on_error"] = UNKNOWN
    assert told(judged(config)) == set()
    config["node_lifecycle_actions"]["stages"]["node_ready"][0]["on_error"] = "TERMINATE"
    assert ("PCS201", "error", f"{READY}.on_error") in told(judged(config))


def test_changes_are_judged_and_a_replacement_is_told_once() -> None:
    before = {**group(), "id": "arn", "tags_all": {}, "timeouts": None}
    assert told(judged(group(), before)) == set()
    changed = judged(group(executionPolicy="EVERY_BOOT"), before)
    assert ("PCS501", "warning", "node_lifecycle_actions") in told(changed)
    renamed = {**group(onError="TERMINATE"), "name": "other"}
    assert {rule for rule, _, _ in told(judged(renamed, before))} >= {"PCS502"}
    assert "PCS201" not in {rule for rule, _, _ in told(judged(renamed, before))}  # which the new group is told
    assert "PCS201" in {rule for rule, _, _ in told(judged(renamed))}


def test_the_configuration_file_counts(folder: Any) -> None:
    config = group(onError="TERMINATE", scriptSource=LOCATION)
    (folder / "pcsguard.toml").write_text('ignore = ["PCS201", "PCS208"]\n[severity]\nPCS101 = "warning"\n')
    assert told(judged(config)) == {("PCS101", "warning", f"{READY}.script_source.checksum")}
    (folder / "pcsguard.toml").write_text('fail-on = "never"\n')
    assert {severity for _, severity, _ in told(judged(config))} == {"warning"}
    (folder / "pcsguard.toml").write_text("changed-only = true\n")
    before = {**config, "id": "arn", "tags_all": {}, "timeouts": None}
    assert judged(config, before) == []
    (folder / "pcsguard.toml").write_text('select = ["PCS999"]\n')
    with pytest.raises(Failed) as failed:
        judged(config)
    assert "PCS999" in failed.value.diagnostics[0].text
    assert failed.value.diagnostics[0].path == ()


def test_what_cannot_be_checked_stops_an_enforced_plan() -> None:
    config = {**group(), "node_lifecycle_actions": "none"}
    for enforced, severity in ((True, Severity.ERROR), (False, Severity.WARNING)):
        (found,) = Policy(enforced=enforced).judge(config, None, Planned(config))
        assert (found.severity, found.summary) == (severity, "A rule could not check the group")


@pytest.fixture
def tf(workspace: Any) -> Iterator[Workspace]:
    with hpc_endpoint() as endpoint:
        yield workspace(endpoint)


def test_terraform_is_stopped_when_policy_is_enforced(tf: Workspace) -> None:
    bad = {"stages": {"nodeReady": [{**SCRIPT, "name": "motd"}]}}
    tf.write("", "pcsguard.toml")

    def planned(**provider: Any) -> Any:
        tf.group(provider=provider, nodeLifecycleActions=bad)
        return tf.run("plan")

    silent, warned, stopped = planned(), planned(policy="warn"), planned(policy="enforce")
    assert "Warning" not in silent.ok().out
    assert "Warning: PCS201 no-terminate-on-ready" in warned.ok().out
    assert stopped.code == 1
    said = " ".join(stopped.err.split())
    assert "Error: PCS201 no-terminate-on-ready" in said
    assert f"with {ADDRESS}" in said
    assert f"{READY}.on_error: " in said
    assert "Error: PCS101 checksum-required" in said

    # A value that only apply reveals stops it before anything is made.
    good = written({**NEW, "nodeLifecycleActions": {"stages": {"nodeReady": [GOOD]}}})
    good["node_lifecycle_actions"]["stages"]["node_ready"][0]["on_error"] = "${terraform_data.policy.output}"
    tf.configure(
        {"policy": "enforce"},
        resource={"terraform_data": {"policy": {"input": "TERMINATE"}}, TYPE: {"hpc": good}},
    )
    tf.plan(file="later")
    applied = tf.run("apply", "later")
    assert "Error: PCS201 no-terminate-on-ready" in applied.err
    assert tf.names() == []

    tf.group(provider={"policy": "loud"})
    assert "policy: It has to be one of off, warn, enforce." in " ".join(tf.run("validate").err.split())
