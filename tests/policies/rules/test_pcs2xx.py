"""The lifecycle rules beyond their own fragments: whole boots, templates and marks, and who reports which place."""

from __future__ import annotations

from typing import Any

import pytest
from support.verdicts import outcomes, verdicts

from pcs_contract import aws_scripts
from pcs_policies.document import Expression, NodeGroup, Stated, Template, build
from pcs_policies.rules import table
from pcs_policies.rules.fragments import SHA256, VERSION, Tree, actions, at, script
from pcs_policies.rules.pcs209_known_script_arguments import FORMS
from pcs_policies.rules.rule import Outcome
from pcs_policies.settings import Settings

S3 = "s3://example-scripts/setup.sh"
DEFERRED = Expression("local.value")
CACHING = "nodeLifecycleActions.scriptCachingPolicy"
PASS, FAIL, UNDECIDED = Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED


def group(tree: Tree, **rest: Any) -> NodeGroup:
    given = {"stated": Stated.YES, **rest}
    return build(address="g", resource_type="pcs_compute_node_group", spelling="api", after=tree, **given)


def found(rule: str, document: NodeGroup) -> dict[str, Outcome]:
    """The places that do not pass, with the outcome."""
    places = outcomes(table.find(rule), document, Settings())
    return {path: outcome for outcome in (FAIL, UNDECIDED) for path in places[outcome.value]}


def gap(*parts: str | None) -> Template:
    return Template(parts)


def boots(policy: Any = "EVERY_BOOT", location: Any = S3, **source: Any) -> Tree:
    return script("setup", location, executionPolicy=policy, onError="CONTINUE", **source)


AWS = aws_scripts.location("mount-efs", aws_scripts.RELEASE, "eu-west-1")


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ([boots(checksum=DEFERRED)], FAIL),
        ([boots(s3VersionId=gap("v", None))], FAIL),
        ([boots(location=DEFERRED)], None),
        ([boots(location=DEFERRED, checksum=SHA256)], FAIL),
        ([boots(location=gap("s3://aws-pcs-repo-", None, AWS.partition("eu-west-1")[2]))], FAIL),
        ([boots("FIRST_BOOT_ONLY"), boots(checksum=SHA256), boots(s3VersionId=VERSION)], FAIL),
        ([boots("FIRST_BOOT_ONLY"), boots(checksum=SHA256), boots()], None),
        ([boots(DEFERRED, checksum=SHA256)], FAIL),
        ([boots(DEFERRED)], UNDECIDED),
        ([boots(DEFERRED), boots()], None),
        (DEFERRED, UNDECIDED),
        ([], None),
    ],
)
def test_refresh_without_effect(scripts: Any, expected: Outcome | None) -> None:
    document = group(actions(bootstrapped=scripts, caching="REFRESH_ON_REBOOT"))
    assert found("PCS203", document) == ({CACHING: expected} if expected else {})


def test_a_refresh_of_inherited_pins_has_an_effect() -> None:
    stated = actions(bootstrapped=[boots()], caching="REFRESH_ON_REBOOT")
    planned = actions(bootstrapped=[boots(checksum=SHA256)], caching="REFRESH_ON_REBOOT")
    assert found("PCS203", group(planned, before=planned, stated=stated)) == {}


def test_a_refresh_names_each_script_that_can_terminate() -> None:
    scripts = [script("a", S3, onError="TERMINATE"), script("b", S3, onError="CONTINUE"), script("c", S3)]
    document = group(actions(scripts, [script("d", S3)], caching="REFRESH_ON_REBOOT"))
    assert found("PCS204", document) == {
        at("bootstrapped", 0, "onError"): FAIL,
        at("bootstrapped", 2, "onError"): FAIL,
        at("ready", 0, "onError"): FAIL,
    }


def test_a_caching_policy_that_is_not_known_is_undecided_once() -> None:
    scripts = [script("a", S3), script("b", S3)]
    assert found("PCS204", group(actions(scripts, scripts, caching=DEFERRED))) == {CACHING: UNDECIDED}


def test_a_group_without_actions_has_nothing_to_refresh() -> None:
    for rule in ("PCS203", "PCS204"):
        assert found(rule, group({"name": "hpc"})) == {}


@pytest.mark.parametrize(
    ("stage", "name", "on_error", "expected"),
    [
        ("bootstrapped", "mount-home", "TERMINATE", set()),
        ("bootstrapped", "mount-home", "CONTINUE", {"PCS205"}),
        ("bootstrapped", "motd", "TERMINATE", {"PCS206"}),
        ("bootstrapped", "logs", "TERMINATE", {"PCS206"}),
        ("bootstrapped", "setup", "TERMINATE", set()),
        ("bootstrapped", "setup", "CONTINUE", set()),
        ("ready", "mount-home", "TERMINATE", {"PCS201", "PCS207"}),
        ("ready", "mount-home", "CONTINUE", {"PCS207"}),
        ("ready", "motd", "TERMINATE", {"PCS201"}),
        ("ready", "motd", "CONTINUE", set()),
    ],
)
def test_who_reports_a_role_and_what_a_failure_does(stage: str, name: str, on_error: str, expected: set[str]) -> None:
    document = group(actions(**{stage: [script(name, S3, onError=on_error)]}))
    rules = ("PCS201", "PCS205", "PCS206", "PCS207")
    assert {rule for rule in rules if found(rule, document)} == expected


_ID = "fs-0123456789abcdef0"
_FSX = ["--mount-name", "fsx", "--mount-point", "/scratch", "--fsx-dns-name"]
_LDAP = ["--search-base", "dc=example,dc=com", "--ldap-uri"]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        # a value of which only the beginning is known
        ("mount-efs", ["--file-system-id", gap("fs-", None), "--mount-point", gap(None, "/x")], {}),
        ("mount-efs", ["--file-system-id", gap("sg-", None), "--mount-point", gap("/", None)], {1: FAIL}),
        ("mount-efs", ["--file-system-id", _ID, "--mount-point", gap("shared/", None)], {3: FAIL}),
        ("configure-ldaps", [*_LDAP, gap("ldap", None)], {}),
        ("configure-ldaps", [*_LDAP, gap("http", None)], {3: FAIL}),
        ("mount-fsx-lustre", [*_FSX, gap(None, ".fsx.eu-west-1.amazonaws.com")], {}),
        # what may be a flag
        ("mount-efs", ["--file-system-id", _ID, DEFERRED, "/x"], {None: UNDECIDED}),
        ("mount-efs", ["--file-system-id", _ID, gap("--mount-", None), "/x"], {None: UNDECIDED}),
        ("mount-efs", ["--mount-point", "/x", DEFERRED, "--file-system-id", _ID, "--mount-point", "x"], {6: FAIL}),
        ("mount-efs", [gap("--file-system-id=", None), "--mount-point", "/x"], {0: FAIL}),
        ("configure-cloudwatch-logs", [DEFERRED, "x"], {}),
        # elements that a provider drops
        ("mount-efs", ["--file-system-id", None, _ID, "--mount-point", "/x"], {}),
        ("mount-efs", ["--file-system-id", _ID, "--mount-point", None], {2: FAIL}),
        # forms
        ("configure-ldaps", [*_LDAP, "ldaps://a.example.com,ldaps://b.example.com"], {}),
        ("configure-ldaps", [*_LDAP, "LDAP://a.example.com"], {3: FAIL}),
        ("mount-fsx-lustre", [*_FSX, "192.0.2.10"], {}),
        ("mount-fsx-lustre", [*_FSX, "https://fs.example.com"], {5: FAIL}),
        ("mount-efs", ["--file-system-id", "fs-1", "--mount-point", "/x"], {1: FAIL}),
        ("mount-efs", ["--file-system-id", "", "--mount-point", "/x"], {1: FAIL}),
        ("mount-efs", ["", "--file-system-id", _ID, "--mount-point", "/x"], {0: FAIL}),
        ("mount-efs", ["-file-system-id", _ID, "--mount-point", "/x"], {0: FAIL, None: FAIL}),
    ],
)
def test_known_script_arguments(name: str, arguments: list[Any], expected: dict[int | None, Outcome]) -> None:
    location = aws_scripts.location(name, "1.0.0", "eu-west-1")
    document = group(actions(bootstrapped=[script("setup", location, arguments=arguments)]))
    assert found("PCS209", document) == {
        at("bootstrapped", 0, "arguments" if index is None else f"arguments[{index}]"): outcome
        for index, outcome in expected.items()
    }


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (gap("s3://aws-pcs-repo-", None, AWS.partition("eu-west-1")[2]), {FAIL}),
        (aws_scripts.location("mount-efs", "2.0.0", "eu-west-1"), set()),
        (aws_scripts.location("mount-efs", "2-latest", "eu-west-1"), set()),
        (AWS.replace("aws-pcs-repo-eu-west-1", "example-scripts"), set()),
        (DEFERRED, set()),
    ],
)
def test_which_scripts_are_known(location: Any, expected: set[Outcome]) -> None:
    document = group(actions(bootstrapped=[script("mount-efs", location, arguments=["/shared"])]))
    assert set(found("PCS209", document).values()) == expected


def test_arguments_that_are_a_reference_matter_where_a_flag_is_required() -> None:
    def outcome(name: str, stated: Any) -> set[Outcome]:
        location = aws_scripts.location(name, "1.0.0", "eu-west-1")
        tree = actions(bootstrapped=[script("setup", location, arguments=DEFERRED)])
        return set(found("PCS209", group(tree, stated=stated)).values())

    assert outcome("mount-efs", Stated.YES) == outcome("mount-efs", Stated.MAYBE) == {UNDECIDED}
    assert outcome("configure-cloudwatch-logs", Stated.YES) == {UNDECIDED}
    assert outcome("configure-cloudwatch-logs", Stated.MAYBE) == set()


@pytest.mark.parametrize(
    ("marked", "expected"),
    [([False, True, False, True], {}), ([False, False, True, False], {None: UNDECIDED}), (True, {None: UNDECIDED})],
)
def test_marked_arguments_are_not_read(marked: Any, expected: dict[int | None, Outcome]) -> None:
    arguments = ["--file-system-id", "not an id", "--mount-point", "not a path"]
    if expected:
        arguments[1] = _ID
    marks = actions(bootstrapped=[{"arguments": marked}])
    tree = actions(bootstrapped=[script("setup", AWS, arguments=arguments)])
    assert found("PCS209", group(tree, sensitive=marks)) == {
        at("bootstrapped", 0, "arguments"): outcome for outcome in expected.values()
    }


def test_every_value_has_a_form() -> None:
    assert {flag.value for spec in aws_scripts.SCRIPTS.values() for flag in spec.flags} <= set(FORMS)


def test_a_flag_that_is_misspelled_is_met_with_the_nearest() -> None:
    tree = actions(bootstrapped=[script("setup", AWS, arguments=["--file-system-id", _ID, "--mountpoint", "/x"])])
    (unknown, missing) = [v for v in verdicts(table.find("PCS209"), group(tree), Settings()) if v.outcome is FAIL]
    assert "(did you mean '--mount-point'?)" in unknown.message
    assert missing.message == (
        'nodeBootstrapped script "setup" does not get --mount-point, which mount-efs requires: it fails on every node'
    )
