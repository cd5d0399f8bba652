"""Each open question, with each of its answers."""

from typing import Any

import pytest
from support.pcs import ACTIONS, GROUP, SCRIPT, Lab, lab, refused

from pcs_bridge.endpoint.switches import SWITCHES, WrongSwitch, parse, settings

EMPTY: dict[str, Any] = {"stages": {}}
READY = "nodeLifecycleActions.stages.nodeReady"
TWICE = {"stages": {"nodeBootstrapped": [SCRIPT], "nodeReady": [SCRIPT, {**SCRIPT, "name": "b"}]}}
TWICE_IN_STAGE = {"stages": {"nodeReady": [SCRIPT, SCRIPT]}}
VERSION_WITH_HTTPS = {
    "stages": {
        "nodeReady": [{"name": "a", "scriptSource": {"scriptLocation": "https://example.com/x", "s3VersionId": "v"}}]
    }
}


def bounds(least: int, most: int) -> dict[str, Any]:
    return {"scalingConfiguration": {"minInstanceCount": least, "maxInstanceCount": most}}


# switch, value, members of a create request, fields that are refused
CREATE: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("no-scripts", "clears", {"nodeLifecycleActions": EMPTY}, []),
    ("no-scripts", "kept", {"nodeLifecycleActions": EMPTY}, []),
    ("no-scripts", "refused", {"nodeLifecycleActions": EMPTY}, ["nodeLifecycleActions.stages"]),
    ("script-names", "stage", {"nodeLifecycleActions": TWICE}, []),
    ("script-names", "stage", {"nodeLifecycleActions": TWICE_IN_STAGE}, [f"{READY}[1].name"]),
    ("script-names", "group", {"nodeLifecycleActions": TWICE}, [f"{READY}[0].name"]),
    ("script-names", "anywhere", {"nodeLifecycleActions": TWICE_IN_STAGE}, []),
    (
        "s3-version-with-https",
        "refused",
        {"nodeLifecycleActions": VERSION_WITH_HTTPS},
        [f"{READY}[0].scriptSource.s3VersionId"],
    ),
    ("s3-version-with-https", "accepted", {"nodeLifecycleActions": VERSION_WITH_HTTPS}, []),
    ("scaling", "static-or-dynamic", bounds(1, 2), ["scalingConfiguration.minInstanceCount"]),
    ("scaling", "static-or-dynamic", bounds(0, 0), ["scalingConfiguration.maxInstanceCount"]),
    ("scaling", "ordered", bounds(1, 2), []),
    ("scaling", "ordered", bounds(0, 0), []),
    ("scaling", "ordered", bounds(2, 1), ["scalingConfiguration.minInstanceCount"]),
    ("scaling", "anything", bounds(2, 1), []),
]


@pytest.mark.parametrize(("switch", "value", "members", "fields"), CREATE)
def test_create(switch: str, value: str, members: dict[str, Any], fields: list[str]) -> None:
    with lab(switches={switch: value}) as made:
        made.cluster()
        if fields:
            with refused("ValidationException", *fields):
                made.group(**members)
        else:
            made.group(**members)


@pytest.mark.parametrize(("value", "shown"), [("clears", None), ("kept", EMPTY)])
def test_no_scripts(value: str, shown: Any) -> None:
    with lab(switches={"no-scripts": value}) as made:
        made.cluster()
        assert made.group(nodeLifecycleActions=EMPTY).get("nodeLifecycleActions") == shown
        made.group(computeNodeGroupName="others", nodeLifecycleActions=ACTIONS)
        updated = made.update_group(computeNodeGroupIdentifier="others", nodeLifecycleActions=EMPTY)
        assert updated.get("nodeLifecycleActions") == shown


def test_refused_on_update() -> None:
    with lab(switches={"no-scripts": "refused"}) as made:
        made.cluster()
        made.group(nodeLifecycleActions=ACTIONS)
        with refused("ValidationException", "nodeLifecycleActions.stages"):
            made.update_group(nodeLifecycleActions=EMPTY)


def test_names_are_judged_after_the_merge() -> None:
    with lab(switches={"stages-on-update": "merged", "script-names": "group"}) as made:
        made.cluster()
        made.group(nodeLifecycleActions={"stages": {"nodeBootstrapped": [SCRIPT]}})
        with refused("ValidationException", f"{READY}[0].name"):
            made.update_group(nodeLifecycleActions={"stages": {"nodeReady": [SCRIPT]}})


def test_echo_of_defaults() -> None:
    with lab(switches={"echo-defaults": "yes"}) as made:
        made.cluster()
        group = made.group(nodeLifecycleActions=ACTIONS)
        shown = group["nodeLifecycleActions"]
        assert shown["scriptCachingPolicy"] == "CACHE_ONCE"
        assert shown["stages"]["nodeBootstrapped"] == [
            {**SCRIPT, "onError": "TERMINATE", "executionPolicy": "FIRST_BOOT_ONLY"}
        ]
        assert shown["stages"]["nodeReady"][0]["onError"] == "CONTINUE"
        assert made.register(group)["nodeLifecycleActions"] == shown


def test_an_update_while_busy() -> None:
    with lab(switches={"update-while-busy": "accepted"}) as made:
        made.cluster()
        made.pcs.create_compute_node_group(**GROUP)
        made.pcs.update_compute_node_group(clusterIdentifier="hpc", computeNodeGroupIdentifier="workers", amiId="ami-1")
        made.settle()
        assert (made.get_group()["status"], made.get_group()["amiId"]) == ("ACTIVE", "ami-1")
        where = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "workers"}
        made.pcs.delete_compute_node_group(**where)
        with refused("ConflictException"):
            made.pcs.update_compute_node_group(**where)


@pytest.mark.parametrize(
    ("style", "found", "conflict", "quota", "denied", "invalid"),
    [("convention", 400, 400, 400, 400, 400), ("by-kind", 404, 409, 402, 403, 400)],
)
def test_status_of_errors(style: str, found: int, conflict: int, quota: int, denied: int, invalid: int) -> None:
    with lab(switches={"error-status": style}) as made:
        made.cluster()
        assert made.send("GetCluster", {"clusterIdentifier": "nobody"}).status == found
        assert made.send("CreateComputeNodeGroup", {**GROUP, **bounds(0, 33)}).status == quota
        made.group()
        assert made.send("CreateComputeNodeGroup", dict(GROUP)).status == conflict
        register = {"clusterIdentifier": "hpc", "bootstrapId": "x"}
        assert made.send("RegisterComputeNodeGroupInstance", register).status == denied
        assert made.send("GetCluster", {}).status == invalid


@pytest.mark.parametrize(
    ("form", "name"), [("plain", "ConflictException"), ("qualified", "com.amazonaws.pcs#ConflictException")]
)
def test_type_of_errors(form: str, name: str) -> None:
    with lab(switches={"error-type": form}) as made:
        made.cluster()
        made.group()
        assert made.send("CreateComputeNodeGroup", dict(GROUP)).json["__type"] == name
        with refused("ConflictException"):
            made.group()


@pytest.mark.parametrize("groups", [{}, {"computeNodeGroupConfigurations": []}])
def test_a_queue_without_groups(groups: dict[str, Any]) -> None:
    with lab(switches={"empty-queue": "refused"}) as made:
        made.cluster()
        with refused("ValidationException", "computeNodeGroupConfigurations"):
            made.pcs.create_queue(clusterIdentifier="hpc", queueName="batch", **groups)
        made.queue(made.group()["id"])


def test_all_are_published(lab: Lab) -> None:
    published = lab.http("GET", "/_pcsguard/switches").json["switches"]
    defaults = {switch.name: switch.default for switch in SWITCHES}
    assert published == {**defaults, "empty-queue": "accepted"}  # the lab's own


@pytest.mark.parametrize(
    "changes",
    [{"no-such": "x"}, {"scaling": ""}, {"scaling": "NUMBER"}, {"replacement-limit": "0"}, {"replacement-limit": "-1"}],
)
def test_wrong_switches(changes: dict[str, str]) -> None:
    with pytest.raises(WrongSwitch, match=r"there are|it has"):
        settings(changes)


def test_parsing() -> None:
    assert parse(["scaling=ordered", "replacement-limit = 3"]) == {"scaling": "ordered", "replacement-limit": "3"}
    with pytest.raises(WrongSwitch, match="name=value"):
        parse(["scaling"])
