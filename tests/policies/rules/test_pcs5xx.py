"""The rules on changes beyond their own fragments: what they say, and which of them owns what."""

from __future__ import annotations

from typing import Any

import pytest
from support import render
from support.verdicts import outcomes, verdicts

from pcs_policies.document import Change, NodeGroup
from pcs_policies.rules import table
from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, VERSION, Tree, actions, at, script
from pcs_policies.rules.rule import Outcome, Verdict
from pcs_policies.settings import Settings
from pcs_policies.sources import plan

S3 = "s3://example-scripts/setup.sh"
OTHER = "s3://example-scripts/network.sh"
RULES = tuple(rule for rule in table.RULES if rule.id.startswith("PCS5"))


def group(after: Tree, before: Tree | None, change: Change = Change.UPDATE, sensitive: Any = None) -> NodeGroup:
    document = render.plan(after, before=before, change=change)
    if sensitive is not None:
        document["resource_changes"][0]["change"].update(after_sensitive=sensitive, before_sensitive=sensitive)
    (found,) = plan.read(document, "plan.json").groups
    assert isinstance(found, NodeGroup)
    return found


def found(document: NodeGroup) -> set[tuple[str, str, str]]:
    """Rule, outcome and place of all that the rules on changes find."""
    return {
        (rule.id, outcome, path)
        for rule in RULES
        for outcome, paths in outcomes(rule, document, Settings()).items()
        for path in paths
    }


def only(rule: str, document: NodeGroup) -> Verdict:
    (verdict,) = (v for v in verdicts(table.find(rule), document, Settings()) if v.outcome is Outcome.FAIL)
    return verdict


def one(name: str = "setup", location: str = S3, **members: Any) -> Tree:
    return actions(bootstrapped=[script(name, location, **{"checksum": SHA256, **members})])


def scaled(tree: Tree, least: int, most: int) -> Tree:
    return {**tree, "scalingConfiguration": {"minInstanceCount": least, "maxInstanceCount": most}}


FULL = one(onError="CONTINUE", arguments=["--all"], s3VersionId=VERSION)
TOP = "nodeLifecycleActions"
CHECKSUM = at("bootstrapped", 0, "scriptSource.checksum")
ON_ERROR = at("bootstrapped", 0, "onError")


@pytest.mark.parametrize(
    ("after", "before", "change", "expected"),
    [
        # A member that is left out and kept, of the same script and of another one.
        (one(onError=KEPT), one(onError="CONTINUE"), Change.UPDATE, {("PCS503", "fail", ON_ERROR)}),
        (one(onError=KEPT), one(onError="CONTINUE"), Change.NO_OP, {("PCS503", "fail", ON_ERROR)}),
        (
            one("other", OTHER, onError=KEPT),
            one(onError="CONTINUE"),
            Change.UPDATE,
            {("PCS501", "fail", TOP), ("PCS505", "fail", ON_ERROR)},
        ),
        (
            one("other", OTHER, onError=KEPT),
            one(onError="CONTINUE"),
            Change.NO_OP,
            {("PCS505", "fail", ON_ERROR)},
        ),
        (one("other", OTHER, onError=KEPT), one(), Change.UPDATE, {("PCS501", "fail", TOP)}),
        (one(checksum=KEPT), one(), Change.UPDATE, {("PCS503", "fail", CHECKSUM)}),
        # A whole block.
        ({TOP: KEPT}, FULL, Change.UPDATE, {("PCS503", "fail", TOP)}),
        ({TOP: KEPT}, FULL, Change.NO_OP, {("PCS503", "fail", TOP)}),
        ({TOP: KEPT}, actions(), Change.UPDATE, set()),
        ({TOP: KEPT}, {TOP: {"scriptCachingPolicy": "CACHE_ONCE"}}, Change.NO_OP, set()),
        ({TOP: KEPT}, {}, Change.NO_OP, set()),
        ({}, FULL, Change.UPDATE, {("PCS501", "fail", TOP)}),
        # Members that the service may have filled in by itself.
        ({"amiId": KEPT, "id": KEPT, "tags": KEPT}, {"amiId": "ami-1", "id": "pcs_1", "tags": {"a": "b"}},
         Change.NO_OP, set()),
        # What kinds of change there are.
        (one("prepare"), one(), Change.NO_OP, set()),
        (one("prepare"), None, Change.CREATE, set()),
        (one("prepare"), one(), Change.REPLACE, {("PCS502", "fail", "name")}),
        (scaled(one("prepare"), 0, 4), scaled(one(), 0, 8), Change.UPDATE,
         {("PCS501", "fail", TOP), ("PCS504", "fail", "scalingConfiguration.maxInstanceCount")}),
        # A name that is left out is the provider's.
        ({}, {"name": "compute"}, Change.UPDATE, set()),
    ],
)  # fmt: skip
def test_who_owns_what(after: Tree, before: Tree | None, change: Change, expected: set[tuple[str, str, str]]) -> None:
    assert found(group(after, before, change)) == expected


def test_a_script_inserted_at_the_top_inherits_from_its_neighbours() -> None:
    """What awscc plans: each script that does not state its members gets those of the one that stood there."""
    before = actions(
        bootstrapped=[script(name, f"s3://b/{name}", checksum=c * 64) for name, c in (("a", "1"), ("b", "2"))]
    )
    names = ("new", "a", "b")
    kept = [script(name, f"s3://b/{name}", checksum=KEPT) for name in names[:2]] + [script("b", "s3://b/b")]
    assert found(group(actions(bootstrapped=kept), before)) == {
        ("PCS501", "fail", TOP),
        ("PCS505", "fail", at("bootstrapped", 0, "scriptSource.checksum")),
        ("PCS505", "fail", at("bootstrapped", 1, "scriptSource.checksum")),
    }


@pytest.mark.parametrize(
    ("least", "most", "count"),
    [(0, 8, " (up to 8)"), (4, 4, " (all 4)"), (2, 8, " (between 2 and 8)"), (None, None, "")],
)
def test_a_drain_says_how_many_nodes(least: int | None, most: int | None, count: str) -> None:
    def sized(tree: Tree) -> Tree:
        return tree if least is None or most is None else scaled(tree, least, most)

    verdict = only("PCS501", group(sized(one("prepare")), sized(one())))
    assert f"drains every node of the group{count} and replaces it" in verdict.message


@pytest.mark.parametrize(
    ("rule", "after", "before", "message"),
    [
        (
            "PCS502",
            {"name": "nodes"},
            {"name": "compute"},
            'name changes from "compute" to "nodes": the group is deleted with its nodes and made anew',
        ),
        (
            "PCS502",
            {"instanceConfigs": [{"instanceType": "c7i.large"}]},
            scaled({"instanceConfigs": [{"instanceType": "c6i.large"}]}, 0, 8),
            (
                'instanceConfigs changes from "c6i.large" to "c7i.large": the group is deleted with its nodes '
                "(up to 8) and made anew"
            ),
        ),
        (
            "PCS503",
            one(onError=KEPT),
            one(onError="CONTINUE"),
            (
                'onError of nodeBootstrapped script "setup" is not in the configuration, but the plan keeps "CONTINUE" '
                "from prior state"
            ),
        ),
        (
            "PCS503",
            {TOP: KEPT},
            actions(bootstrapped=[script("a", S3), script("b", S3)]),
            (
                "nodeLifecycleActions is not in the configuration, but the plan keeps it from prior state: 2 scripts "
                "still run as root on every new node"
            ),
        ),
        (
            "PCS504",
            scaled({}, 0, 4),
            scaled({}, 0, 8),
            "maxInstanceCount goes from 8 to 4: the instances above are terminated at once, and their jobs fail",
        ),
        (
            "PCS505",
            one("other", OTHER, onError=KEPT),
            one(onError="CONTINUE"),
            (
                'onError of nodeBootstrapped script "other" is not in the configuration: the plan gives it "CONTINUE" '
                'of nodeBootstrapped script "setup", which stood at this position'
            ),
        ),
    ],
)
def test_message(rule: str, after: Tree, before: Tree, message: str) -> None:
    assert only(rule, group(after, before)).message == message


@pytest.mark.parametrize(
    ("rule", "after", "before"),
    [
        ("PCS502", {"name": "nodes-hunter2"}, {"name": "compute-hunter2"}),
        (
            "PCS502",
            {"instanceConfigs": [{"instanceType": "hunter2"}]},
            {"instanceConfigs": [{"instanceType": "hunter22"}]},
        ),
        ("PCS503", one("hunter2", checksum=KEPT), one("hunter2")),
        ("PCS505", one("hunter2", OTHER, onError=KEPT), one("hunter22", onError="hunter222")),
    ],
)
def test_sensitive_values_are_not_shown(rule: str, after: Tree, before: Tree) -> None:
    everything = dict.fromkeys(("name", "instance_configs", "node_lifecycle_actions"), True)
    for verdict in verdicts(table.find(rule), group(after, before, sensitive=everything), Settings()):
        assert "hunter2" not in verdict.message
        assert SHA256 not in verdict.message


def test_a_replacement_that_nothing_explains_says_so() -> None:
    verdict = only("PCS502", group({"name": "compute"}, {"name": "compute"}, Change.REPLACE))
    assert verdict.node.path == "name"
    assert "tainted" in verdict.message


def test_a_known_change_explains_a_replacement_better_than_an_unknown_one() -> None:
    after = {"name": UNKNOWN, "clusterId": "pcs_2"}
    verdict = only("PCS502", group(after, {"name": "compute", "clusterId": "pcs_1"}, Change.REPLACE))
    assert verdict.node.path == "clusterId"


def test_health_checks_and_actions_drain_once() -> None:
    checks = {"instanceHealthChecks": {"healthMonitoring": {"mode": "STANDARD"}}}
    assert found(group({**one("prepare"), **checks}, one())) == {("PCS501", "fail", TOP)}
    assert found(group({**one(), **checks}, one())) == {("PCS501", "fail", "instanceHealthChecks")}
