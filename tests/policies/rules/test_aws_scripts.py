"""The scripts that AWS maintains: used as AWS advises they give no finding, copied from its guide's slips they do."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from support import render
from support.render import Flavour
from support.verdicts import outcomes

from pcs_contract import aws_scripts
from pcs_policies.document import NodeGroup
from pcs_policies.rules.fragments import SHA256, VERSION, Tree, actions, at, script
from pcs_policies.rules.pcs103_checksum_plausible import EMPTY
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources import plan, state
from pcs_policies.sources.kinds import PLAN, STATE

REGION = "eu-west-1"
FILE_SYSTEM = "fs-0123456789abcdef0"
ARGUMENTS = {
    "configure-cloudwatch-logs": ["--log-group-name", "/aws/pcs/hpc/lifecycle"],
    "configure-ldaps": [
        "--ldap-uri",
        "ldaps://ldap.example.com",
        "--search-base",
        "dc=example,dc=com",
        "--secret-arn",
        f"arn:aws:secretsmanager:{REGION}:123456789012:secret:hpc/ldap-AbCdEf",
        "--tls-cacert",
        "/etc/pki/tls/certs/ldap.pem",
    ],
    "configure-efs-homes": ["--efs-id", FILE_SYSTEM, "--home-base", "/home"],
    "mount-efs": ["--file-system-id", FILE_SYSTEM, "--mount-point", "/shared", "--options", "tls,iam"],
    "mount-fsx-lustre": [
        "--fsx-dns-name",
        f"{FILE_SYSTEM}.fsx.{REGION}.amazonaws.com",
        "--mount-name",
        "abcd1bmv",
        "--mount-point",
        "/scratch",
        "--options",
        "noatime,flock",
    ],
}


def pinned(name: str, **members: Any) -> Tree:
    """A script as AWS advises: a full version, with a checksum, and what a node needs or can do without."""
    given: Tree = {
        "checksum": SHA256,
        "s3VersionId": VERSION,
        "arguments": ARGUMENTS[name],
        "onError": "CONTINUE" if name == "configure-cloudwatch-logs" else "TERMINATE",
        "executionPolicy": "EVERY_BOOT",
    }
    return script(name, aws_scripts.location(name, aws_scripts.RELEASE, REGION), **{**given, **members})


def of(bootstrapped: list[Tree], ready: list[Tree] | None = None, caching: str = "CACHE_ONCE") -> Tree:
    """A whole group, so that rules about the rest of it have nothing to say."""
    return {
        "name": "compute-1",
        "clusterId": "pcs_0123456789",
        "subnetIds": ["subnet-0123456789abcdef0"],
        "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-compute",
        "customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
        "instanceConfigs": [{"instanceType": "c7i.large"}],
        "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 4},
        "purchaseOption": "ONDEMAND",
        **actions(bootstrapped, ready, caching),
    }


ADVISED = [pinned(name) for name in ARGUMENTS]
EXPECTED = dict[str, set[str]]


def found(group: NodeGroup, carries: frozenset[str], verdict: str = "fail") -> EXPECTED:
    judged = {
        rule.id: outcomes(rule, group, Settings(allow_list=("aws-pcs-repo-*",)))[verdict]
        for rule in RULES
        if rule.needs <= carries
    }
    return {rule: places for rule, places in judged.items() if places}


def in_a_plan(tree: Tree, flavour: Flavour = "plain") -> NodeGroup:
    (group,) = plan.read(render.plan(tree, flavour=flavour), "plan.json").groups
    assert isinstance(group, NodeGroup)
    return group


def in_a_state(tree: Tree) -> NodeGroup:
    (group,) = state.read(render.state(tree), "state.json").groups
    assert isinstance(group, NodeGroup)
    return group


def test_all_of_them_are_here() -> None:
    assert set(ARGUMENTS) == set(aws_scripts.SCRIPTS)


@pytest.mark.parametrize("flavour", get_args(Flavour))
def test_used_as_aws_advises_they_give_no_finding_in_a_plan(flavour: Flavour) -> None:
    group = in_a_plan(of(ADVISED), flavour)
    assert found(group, PLAN.carries) == found(group, PLAN.carries, "undecided") == {}


def test_used_as_aws_advises_they_give_no_finding_in_a_state() -> None:
    group = in_a_state(of(ADVISED))
    assert found(group, STATE.carries) == found(group, STATE.carries, "undecided") == {}


LOGS, MOUNT, LDAPS = (pinned(name) for name in ("configure-cloudwatch-logs", "mount-efs", "configure-ldaps"))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(
            of([MOUNT], [LOGS]),
            {"PCS208": {at("ready", 0)}},
            id="the guide's first example: logs in nodeReady",
        ),
        pytest.param(
            of([LOGS, pinned("mount-efs", checksum=EMPTY)]),
            {"PCS103": {at("bootstrapped", 1, "scriptSource.checksum")}},
            id="the guide's checksum, which is that of empty input",
        ),
        pytest.param(
            of([LOGS, pinned("mount-efs", onError="CONTINUE")]),
            {"PCS205": {at("bootstrapped", 1, "onError")}},
            id="AWS's recipe: every script with CONTINUE",
        ),
        pytest.param(
            of(
                [
                    LOGS,
                    script(
                        "mount-efs",
                        aws_scripts.location("mount-efs", "1-latest", REGION),
                        arguments=ARGUMENTS["mount-efs"],
                        onError="TERMINATE",
                        executionPolicy="EVERY_BOOT",
                    ),
                ]
            ),
            {
                "PCS101": {at("bootstrapped", 1, "scriptSource.checksum")},
                "PCS104": {at("bootstrapped", 1, "scriptSource.s3VersionId")},
                "PCS105": {at("bootstrapped", 1, "scriptSource.scriptLocation")},
            },
            id="AWS's recipe: an alias",
        ),
        pytest.param(
            of([LOGS, MOUNT], caching="REFRESH_ON_REBOOT"),
            {
                "PCS203": {"nodeLifecycleActions.scriptCachingPolicy"},
                "PCS204": {at("bootstrapped", 1, "onError")},
            },
            id="refreshed though pinned",
        ),
        pytest.param(
            of([LOGS], [LDAPS]),
            {"PCS201": {at("ready", 0, "onError")}, "PCS207": {at("ready", 0)}},
            id="users in nodeReady",
        ),
        pytest.param(
            of([pinned("configure-cloudwatch-logs", onError="TERMINATE"), MOUNT]),
            {"PCS206": {at("bootstrapped", 0, "onError")}},
            id="logs that terminate",
        ),
        pytest.param(
            of([LOGS, pinned("mount-efs", arguments=["--file-system-id", FILE_SYSTEM])]),
            {"PCS209": {at("bootstrapped", 1, "arguments")}},
            id="a missing flag",
        ),
    ],
)
def test_used_otherwise(tree: Tree, expected: EXPECTED) -> None:
    assert found(in_a_plan(tree), PLAN.carries) == expected
    assert found(in_a_plan(tree, "computed"), PLAN.carries) == expected
    assert found(in_a_state(tree), STATE.carries) == expected
