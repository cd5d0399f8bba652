"""The rules that only AWS's text states: a table of requests, each with the fields that are refused."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.pcs import (
    ACTIONS,
    CHECKSUM,
    CLUSTER,
    GROUP,
    SCRIPT,
    SECURITY_GROUP,
    SUBNET,
    TEMPLATE,
    Lab,
    lab,
    refused,
    replaced,
)

from pcs_bridge.endpoint import rules
from pcs_contract.prose import CROSS_FIELD_RULES

AMI = "ami-0123456789abcdef0"
READY = "nodeLifecycleActions.stages.nodeReady"
HEALTH = "instanceHealthChecks"
MONITORING, ON_START = f"{HEALTH}.healthMonitoring", f"{HEALTH}.deepHealthChecks.onStart"
MANAGED = {"launchTemplateMode": "MANAGED", "amiId": AMI, "securityGroupIds": [SECURITY_GROUP]}
SCALING = "scalingConfiguration"


def script(**source: str) -> dict[str, Any]:
    return {"stages": {"nodeReady": [{"name": "a", "scriptSource": source}]}}


def checks(**halves: Any) -> dict[str, Any]:
    return {HEALTH: halves}


def bounds(least: int, most: int) -> dict[str, Any]:
    return {SCALING: {"minInstanceCount": least, "maxInstanceCount": most}}


# rule, members of a create request (None: without), fields that are refused
CREATE: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "s3-version-needs-s3",
        {"nodeLifecycleActions": script(scriptLocation="https://example.com/x", s3VersionId="v1")},
        [f"{READY}[0].scriptSource.s3VersionId"],
    ),
    ("s3-version-needs-s3", {"nodeLifecycleActions": script(scriptLocation="s3://abc/x", s3VersionId="v1")}, []),
    ("s3-version-needs-s3", {"nodeLifecycleActions": script(scriptLocation="https://example.com/x")}, []),
    ("managed-without-template", MANAGED, ["customLaunchTemplate"]),
    ("managed-without-template", {**MANAGED, "customLaunchTemplate": None}, []),
    (
        "managed-needs-ami-and-security-groups",
        {"launchTemplateMode": "MANAGED", "customLaunchTemplate": None},
        ["amiId", "securityGroupIds"],
    ),
    ("managed-needs-ami-and-security-groups", {**MANAGED, "customLaunchTemplate": None, "amiId": None}, ["amiId"]),
    (
        "managed-needs-ami-and-security-groups",
        {**MANAGED, "customLaunchTemplate": None, "securityGroupIds": []},
        ["securityGroupIds"],
    ),
    ("custom-needs-template", {"customLaunchTemplate": None}, ["customLaunchTemplate"]),
    ("custom-needs-template", {"customLaunchTemplate": None, "launchTemplateMode": "CUSTOM"}, ["customLaunchTemplate"]),
    ("static-or-dynamic", bounds(1, 0), [f"{SCALING}.minInstanceCount"]),
    ("static-or-dynamic", bounds(0, 0), [f"{SCALING}.maxInstanceCount"]),
    ("static-or-dynamic", bounds(1, 2), [f"{SCALING}.minInstanceCount"]),
    ("static-or-dynamic", bounds(2, 2), []),
    ("static-or-dynamic", bounds(0, 1), []),
    ("spot-options-need-spot", {"spotOptions": {"allocationStrategy": "lowest-price"}}, []),
    ("health-checks-not-empty", checks(), [HEALTH]),
    ("health-checks-not-empty", checks(healthMonitoring={"mode": "STANDARD"}), []),
    ("health-monitoring-needs-mode", checks(healthMonitoring={}), [f"{MONITORING}.mode"]),
    ("health-monitoring-needs-mode", checks(healthMonitoring={"repairAction": "AUTO"}), [f"{MONITORING}.mode"]),
    (
        "health-monitoring-repair-needs-monitoring",
        checks(healthMonitoring={"mode": "NONE", "repairAction": "NONE"}),
        [f"{MONITORING}.repairAction"],
    ),
    ("health-monitoring-repair-needs-monitoring", checks(healthMonitoring={"mode": "NONE"}), []),
    ("deep-checks-need-profile", checks(deepHealthChecks={}), [ON_START]),
    ("deep-checks-need-profile", checks(deepHealthChecks={"onStart": {}}), [f"{ON_START}.profile"]),
    (
        "deep-checks-repair-needs-profile",
        checks(deepHealthChecks={"onStart": {"profile": "NONE", "repairAction": "AUTO"}}),
        [f"{ON_START}.repairAction"],
    ),
    (
        "deep-checks-need-gpus",
        {
            **checks(deepHealthChecks={"onStart": {"profile": "LONG"}}),
            "instanceConfigs": [{"instanceType": "c7i.large"}],
        },
        [f"{ON_START}.profile"],
    ),
    (
        "deep-checks-need-gpus",
        {
            **checks(deepHealthChecks={"onStart": {"profile": "NONE"}}),
            "instanceConfigs": [{"instanceType": "c7i.large"}],
        },
        [],
    ),
    ("deep-checks-need-gpus", checks(deepHealthChecks={"onStart": {"profile": "LONG"}}), []),
    ("instance-types", {"instanceConfigs": []}, ["instanceConfigs"]),
    ("instance-types", {"instanceConfigs": [{}]}, ["instanceConfigs[0].instanceType"]),
    ("subnets", {"subnetIds": []}, ["subnetIds"]),
    ("subnets", {"subnetIds": [SUBNET, "subnet-1"]}, ["subnetIds[1]"]),
    ("script-names", {"nodeLifecycleActions": {"stages": {"nodeReady": [SCRIPT, SCRIPT]}}}, [f"{READY}[1].name"]),
    (
        "script-names",
        {"nodeLifecycleActions": {"stages": {"nodeReady": [SCRIPT], "nodeBootstrapped": [SCRIPT]}}},
        [],
    ),
]

OLD_SLURM: list[tuple[str, dict[str, Any], list[str]]] = [
    ("health-checks-not-empty", checks(healthMonitoring={"mode": "STANDARD"}), [HEALTH]),
    (
        "group-idle-time-needs-slurm-25-11",
        {"slurmConfiguration": {"scaleDownIdleTimeInSeconds": 60}},
        ["slurmConfiguration.scaleDownIdleTimeInSeconds"],
    ),
    ("group-idle-time-needs-slurm-25-11", {"slurmConfiguration": {"slurmCustomSettings": []}}, []),
]


@pytest.fixture(scope="module", name="table")
def table_fixture() -> Iterator[Lab]:
    with lab() as made:
        made.cluster()
        made.cluster(clusterName="old", scheduler={"type": "SLURM", "version": "25.05"})
        yield made


def _id(case: Any) -> str | None:
    return case if isinstance(case, str) else None


@pytest.mark.parametrize(("rule", "members", "fields"), CREATE, ids=_id)
def test_create(table: Lab, rule: str, members: dict[str, Any], fields: list[str]) -> None:
    _try(table, members, fields)


@pytest.mark.parametrize(("rule", "members", "fields"), OLD_SLURM, ids=_id)
def test_create_with_older_slurm(table: Lab, rule: str, members: dict[str, Any], fields: list[str]) -> None:
    _try(table, {"clusterIdentifier": "old", **members}, fields)


def _try(table: Lab, members: dict[str, Any], fields: list[str]) -> None:
    if fields:
        with refused("ValidationException", *fields):
            table.group(**members)
        return
    request = {name: value for name, value in {**GROUP, **members}.items() if value is not None}
    made = table.pcs.create_compute_node_group(**request)["computeNodeGroup"]
    table.settle()
    table.pcs.delete_compute_node_group(
        clusterIdentifier=request["clusterIdentifier"], computeNodeGroupIdentifier=made["id"]
    )
    table.settle()


@pytest.mark.parametrize("location", ["https://10.0.0.1/x", "https://user:pw@host.tld/x", "https://host.tld/a b"])
def test_locations_of_the_issue(table: Lab, location: str) -> None:
    with refused("ValidationException", f"{READY}[0].scriptSource.scriptLocation"):
        table.group(nodeLifecycleActions=script(scriptLocation=location))


def test_every_rule_of_the_contract_has_a_home_and_a_case() -> None:
    assert list(rules.RULES) == [rule.id for rule in CROSS_FIELD_RULES]
    # Those about what EC2 knows are in test_neighbours.
    network = {
        "no-security-groups-with-network-interfaces",
        "not-a-pcs-owned-template",
        "network-in-the-cluster-vpc",
        "instance-types-alike",
    }
    assert {row[0] for row in CREATE + OLD_SLURM} | network == set(rules.RULES) | set(rules.OWN_RULES) - {
        "no-scripts",  # test_switches
        "ami-somewhere",
    }


# members of a create request of a cluster, fields that are refused
CLUSTERS: list[tuple[str, Any, list[str]]] = [
    ("scheduler.version", "23.11", ["scheduler.version"]),
    ("scheduler.version", "24.05", ["scheduler.version"]),
    ("scheduler.version", "27.05", ["scheduler.version"]),
    ("scheduler.version", "26.05.1", ["scheduler.version"]),
    ("networking.subnetIds", [SUBNET, "subnet-12345678"], ["networking.subnetIds"]),
    (
        "slurmConfiguration.accounting",
        {"mode": "STANDARD", "defaultPurgeTimeInDays": 0},
        ["slurmConfiguration.accounting.defaultPurgeTimeInDays"],
    ),
]


@pytest.mark.parametrize(("path", "value", "fields"), CLUSTERS)
def test_clusters(table: Lab, path: str, value: Any, fields: list[str]) -> None:
    with refused("ValidationException", *fields):
        table.pcs.create_cluster(**replaced({**CLUSTER, "clusterName": "other"}, path, value))


def test_slurm_is_only_updated_to_a_newer_version(cluster: Lab) -> None:
    for version in ("25.11", "27.05"):
        with refused("ValidationException", "scheduler.version"):
            cluster.pcs.update_cluster(clusterIdentifier="hpc", scheduler={"version": version})
    cluster.cluster(clusterName="old", scheduler={"type": "SLURM", "version": "24.11"})
    updated = cluster.pcs.update_cluster(clusterIdentifier="old", scheduler={"version": "25.11"})["cluster"]
    assert updated["scheduler"] == {"type": "SLURM", "version": "25.11"}


class TestModesOnUpdate:
    def test_to_managed_and_back(self, cluster: Lab) -> None:
        cluster.group()
        with refused("ValidationException", "amiId", "securityGroupIds"):
            cluster.update_group(launchTemplateMode="MANAGED")
        with refused("ValidationException", "customLaunchTemplate"):
            cluster.update_group(**MANAGED, customLaunchTemplate=TEMPLATE)
        managed = cluster.update_group(**MANAGED)
        assert managed["launchTemplateMode"] == "MANAGED"
        assert "customLaunchTemplate" not in managed
        with refused("ValidationException", "customLaunchTemplate"):
            cluster.update_group(customLaunchTemplate=TEMPLATE)
        with refused("ValidationException", "customLaunchTemplate"):
            cluster.update_group(launchTemplateMode="CUSTOM")
        with refused("ValidationException", "amiId"):
            cluster.update_group(amiId="")
        custom = cluster.update_group(launchTemplateMode="CUSTOM", customLaunchTemplate=TEMPLATE)
        assert (custom["launchTemplateMode"], custom["customLaunchTemplate"]) == ("CUSTOM", TEMPLATE)

    def test_what_is_set_already_counts(self, cluster: Lab) -> None:
        cluster.group(amiId=AMI, securityGroupIds=[SECURITY_GROUP])
        assert cluster.update_group(launchTemplateMode="MANAGED")["amiId"] == AMI


def test_job_submit_plugins_come_from_s3(table: Lab) -> None:
    source = {"scriptLocation": "https://example.com/x.star", "checksum": CHECKSUM}
    plugins = {"jobSubmitPlugins": [{"name": "check", "type": "STARLARK", "scriptSource": source}]}
    with refused("ValidationException", "slurmConfiguration.jobSubmitPlugins[0].scriptSource.scriptLocation"):
        table.pcs.create_cluster(**{**CLUSTER, "clusterName": "other"}, slurmConfiguration=plugins)


def test_actions_are_fine(table: Lab) -> None:
    _try(table, {"nodeLifecycleActions": ACTIONS}, [])
