"""What PCS would refuse is refused before: held to what the local endpoint says of the same requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest
from support.pcs import CLUSTER, KnowsNothing, replaced
from support.pcs_groups import EVERYTHING, MANAGED

from pcs_bridge.endpoint.rules import GroupCase, group_problems
from pcs_bridge.endpoint.switches import DEFAULTS
from pcs_bridge.plugin.paths import dotted
from pcs_bridge.plugin.values import UNKNOWN, Unknown
from pcs_bridge.provider import changes, checks, places
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_bridge.provider.names import from_api
from pcs_contract.limits import problems
from pcs_contract.shapes import Shape, group

SCRIPT = "nodeLifecycleActions.stages.nodeReady[0]"
MOTD = EVERYTHING["nodeLifecycleActions"]["stages"]["nodeReady"][0]


def config(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {field.written: from_api(field, tree.get(name)) for name, field in NODE_GROUP.fields.items()}


def refused(tree: Mapping[str, Any]) -> set[str]:
    return {dotted(diagnostic.path) for diagnostic in checks.group_problems(NODE_GROUP, config(tree))}


def service_refuses(tree: Mapping[str, Any]) -> set[str]:
    """What the endpoint says of the Create that this becomes, as attributes."""
    request = changes.creation(NODE_GROUP, config(tree), tree.get("tags") or {})
    found = list(problems(NODE_GROUP.call("Create").input, request))
    if not found:
        settings = {"launchTemplateMode": "CUSTOM", **request}
        case = GroupCase(request, settings, None, CLUSTER, "us-east-1", DEFAULTS, KnowsNothing())
        found = list(group_problems(case))
    return {dotted(places.attribute(NODE_GROUP, problem.path)) for problem in found}


def wrong_values(shape: Shape) -> Iterator[Any]:
    """Values just outside of what a shape takes."""
    if shape.enum:
        yield from ("", shape.enum[0].swapcase())
    elif shape.type == "string":
        if shape.max is not None:
            yield "a" * (shape.max + 1)
        if shape.min:
            yield "a" * (shape.min - 1)
        if shape.pattern is not None:
            yield from ("\n", " x ", "é")
    elif shape.type == "integer":
        yield from (number for number in (-2, shape.min and shape.min - 1, shape.max and shape.max + 1) if number)
    elif shape.type == "list" and shape.item is not None and (shape.max or shape.min):
        yield []


def leaves(shape: Shape, value: Any, path: str = "") -> Iterator[tuple[str, Shape]]:
    yield path, shape
    if isinstance(value, list) and shape.item is not None:
        for index, item in enumerate(value):
            yield from leaves(shape.item, item, f"{path}[{index}]")
    elif isinstance(value, dict) and shape.members:
        for name, member in value.items():
            yield from leaves(shape.members[name], member, f"{path}.{name}" if path else name)


CASES = [(path, value) for path, shape in leaves(group(), EVERYTHING) if path for value in wrong_values(shape)]


def test_every_limit_of_the_contract_is_known_before_apply() -> None:
    """Just outside of each limit, one at a time: wherever the service complains, so does validation."""
    assert len(CASES) > 80
    missed = {}
    for path, value in CASES:
        tree = replaced(EVERYTHING, path, value)
        unseen = service_refuses(tree) - refused(tree)
        if unseen:
            missed[path, repr(value)[:20]] = unseen
    # The shape of a request takes any text here; that it has to be the id of a subnet follows from the response's.
    assert {key: places for key, places in missed.items() if not key[0].startswith("subnetIds")} == {}


@pytest.mark.parametrize("tree", [EVERYTHING, MANAGED], ids=["custom", "managed"])
def test_what_is_accepted_is_not_refused(tree: Mapping[str, Any]) -> None:
    assert (refused(tree), service_refuses(tree)) == (set(), set())


CROSS_FIELD: dict[str, dict[str, Any]] = {
    "a version of what is not in S3": {f"{SCRIPT}.scriptSource.scriptLocation": "https://example.com/motd.sh"},
    "a template with MANAGED": {"launchTemplateMode": "MANAGED"},
    "no template with CUSTOM": {"customLaunchTemplate": ...},
    "no bounds between": {"scalingConfiguration": {"minInstanceCount": 1, "maxInstanceCount": 2}},
    "bounds upside down": {"scalingConfiguration": {"minInstanceCount": 3, "maxInstanceCount": 2}},
    "empty health checks": {"instanceHealthChecks": {}},
    "no mode": {"instanceHealthChecks.healthMonitoring.mode": ...},
    "an action of what is off": {"instanceHealthChecks.healthMonitoring.mode": "NONE"},
    "no check at the start": {"instanceHealthChecks.deepHealthChecks.onStart": ...},
    "no profile": {"instanceHealthChecks.deepHealthChecks.onStart.profile": ...},
    "an action of no profile": {"instanceHealthChecks.deepHealthChecks.onStart.profile": "NONE"},
    "no GPUs to check": {"instanceConfigs": [{"instanceType": "c7i.large"}]},
    "two of a name": {"nodeLifecycleActions.stages.nodeReady[1]": MOTD},
    "no instance types": {"instanceConfigs": []},
    "no instance type": {"instanceConfigs[0]": {}},
    "no subnets": {"subnetIds": []},
}


@pytest.mark.parametrize("case", CROSS_FIELD)
def test_rules_on_several_fields(case: str) -> None:
    tree: dict[str, Any] = dict(EVERYTHING)
    for path, value in CROSS_FIELD[case].items():
        tree = replaced(tree, path, value)
    said = service_refuses(tree)
    assert said
    assert said <= refused(tree)


def test_unknown_values_are_left_for_later() -> None:
    tree = config(EVERYTHING)
    for name in ("ami_id", "custom_launch_template", "node_lifecycle_actions", "scaling_configuration", "subnet_ids"):
        assert list(checks.group_problems(NODE_GROUP, {**tree, name: UNKNOWN})) == [], name


def test_of_a_text_the_known_beginning_is_judged() -> None:
    tree = config(EVERYTHING)
    source = tree["node_lifecycle_actions"]["stages"]["node_ready"][0]["script_source"]
    for prefix, paths in ((b"http://", ["script_location"]), (b"s3://", [])):
        source["script_location"] = Unknown(b"\x82\x01\xc2\x02" + bytes([0xA0 | len(prefix)]) + prefix)
        assert [one.path[-1] for one in checks.group_problems(NODE_GROUP, tree)] == paths


def test_a_fraction_is_no_count() -> None:
    tree = config(EVERYTHING)
    tree["scaling_configuration"]["max_instance_count"] = Decimal("1.5")
    (text,) = [one.text for one in checks.group_problems(NODE_GROUP, tree)]
    assert text == (
        "scaling_configuration.max_instance_count: scalingConfiguration.maxInstanceCount should be a whole number but "
        "is a number."
    )
