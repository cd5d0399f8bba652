"""What is the same to PCS stays as the author wrote it; what is not is told."""

from __future__ import annotations

from typing import Any

import pytest
from support.pcs import SCRIPT

from pcs_bridge.provider import meaning
from pcs_bridge.provider.kinds import NODE_GROUP

SETTINGS = [{"parameterName": "Weight", "parameterValue": "1"}, {"parameterName": "Features", "parameterValue": "a"}]


def ready(**members: Any) -> dict[str, Any]:
    return {"stages": {"nodeReady": [{**SCRIPT, **members}]}}


SAME: dict[str, tuple[str, Any, Any]] = {
    "a default that was left out": ("purchaseOption", None, "ONDEMAND"),
    "no mode": ("launchTemplateMode", None, "CUSTOM"),
    "nothing and empty": ("securityGroupIds", None, []),
    "nothing and the empty text": ("amiId", None, ""),
    "no idle time": ("slurmConfiguration", None, {"scaleDownIdleTimeInSeconds": -1}),
    "an order without meaning": ("subnetIds", ["subnet-1", "subnet-2"], ["subnet-2", "subnet-1"]),
    "settings in another order": (
        "slurmConfiguration",
        {"slurmCustomSettings": SETTINGS},
        {"slurmCustomSettings": SETTINGS[::-1]},
    ),
    "no actions": ("nodeLifecycleActions", None, {"stages": {}}),
    "an empty stage": ("nodeLifecycleActions", ready(), {"stages": {**ready()["stages"], "nodeBootstrapped": []}}),
    "defaults of a script": ("nodeLifecycleActions", ready(), ready(onError="TERMINATE", arguments=[])),
    "the default policy": ("nodeLifecycleActions", ready(), {**ready(), "scriptCachingPolicy": "CACHE_ONCE"}),
    "health checks that are off": (
        "instanceHealthChecks",
        None,
        {"healthMonitoring": {"mode": "NONE"}, "deepHealthChecks": {"onStart": {"profile": "NONE"}}},
    ),
    "an action by default": (
        "instanceHealthChecks",
        {"healthMonitoring": {"mode": "STANDARD"}},
        {"healthMonitoring": {"mode": "STANDARD", "repairAction": "AUTO"}},
    ),
    "the strategy by default": ("spotOptions", None, {"allocationStrategy": "price-capacity-optimized"}),
}

DIFFERENT: dict[str, tuple[str, Any, Any]] = {
    "another option": ("purchaseOption", None, "SPOT"),
    "another error policy": ("nodeLifecycleActions", ready(), ready(onError="CONTINUE")),
    "an order with meaning": ("nodeLifecycleActions", ready(arguments=["a", "b"]), ready(arguments=["b", "a"])),
    "an empty argument": ("nodeLifecycleActions", ready(), ready(arguments=[""])),
    "a subnet twice": ("subnetIds", ["subnet-1"], ["subnet-1", "subnet-1"]),
    "a count of zero": (
        "scalingConfiguration",
        {"minInstanceCount": 0, "maxInstanceCount": 1},
        {"minInstanceCount": 1, "maxInstanceCount": 1},
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_same(case: str) -> None:
    name, left, right = SAME[case]
    field = NODE_GROUP.fields[name]
    assert meaning.same(NODE_GROUP, field, left, right)
    assert meaning.same(NODE_GROUP, field, right, left)


@pytest.mark.parametrize("case", DIFFERENT)
def test_different(case: str) -> None:
    name, left, right = DIFFERENT[case]
    assert not meaning.same(NODE_GROUP, NODE_GROUP.fields[name], left, right)


def test_only_what_differs_is_shown_anew() -> None:
    field = NODE_GROUP.fields["slurmConfiguration"]
    settings = [
        {"parameter_name": "Weight", "parameter_value": "1"},
        {"parameter_name": "Gres", "parameter_value": "x"},
    ]
    prior = {"scale_down_idle_time_in_seconds": 600, "slurm_custom_settings": settings, "gres_custom_settings": None}
    current = {**prior, "scale_down_idle_time_in_seconds": 700, "slurm_custom_settings": settings[::-1]}
    assert meaning.settled(NODE_GROUP, field, prior, {**current, "gres_custom_settings": []}) == {
        **prior,
        "scale_down_idle_time_in_seconds": 700,
    }
    assert meaning.settled(NODE_GROUP, field, prior, None) is None
    assert meaning.settled(NODE_GROUP, field, None, current) == current
