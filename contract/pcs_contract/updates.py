"""What AWS states in text only about updates of a group: how a setting is removed, and what is sent beside another.

As in `prose`, every entry names its source; values come from those pages, the wording is ours. A module of its own,
because only who sends updates needs it.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from pcs_contract.prose import DEFAULT_FACTS

MODE = "PCS API reference, CreateComputeNodeGroup.launchTemplateMode"


class Clearing(NamedTuple):
    """How an Update removes a setting that the group has, where leaving it out means "unchanged"."""

    path: str
    """Canonical path."""
    value: object
    """What to send in its place; None where nothing removes it but the change of another setting."""
    source: str


CLEARING_FACTS: Final[tuple[Clearing, ...]] = (
    Clearing("amiId", "", "PCS API reference, UpdateComputeNodeGroup.amiId"),
    Clearing("securityGroupIds", [], "PCS API reference, UpdateComputeNodeGroup.securityGroupIds"),
    Clearing("sshKeyName", "", "PCS API reference, UpdateComputeNodeGroup.sshKeyName"),
    # The only value that the model has for "no scripts"; that it removes them is inferred.
    Clearing("nodeLifecycleActions", {"stages": {}}, "PCS API reference, UpdateNodeLifecycleActionsRequest.stages"),
    Clearing("instanceHealthChecks.healthMonitoring", {"mode": "NONE"}, "PCS API reference, HealthMonitoring.mode"),
    Clearing(
        "instanceHealthChecks.deepHealthChecks",
        {"onStart": {"profile": "NONE"}},
        "PCS API reference, DeepHealthCheckOnStart.profile",
    ),
    Clearing(
        "spotOptions",
        {"allocationStrategy": "price-capacity-optimized"},
        "PCS API reference, SpotOptions.allocationStrategy (its default)",
    ),
    Clearing(
        "slurmConfiguration.scaleDownIdleTimeInSeconds",
        -1,
        "PCS API reference, UpdateComputeNodeGroupSlurmConfigurationRequest.scaleDownIdleTimeInSeconds",
    ),
    # Lists without a minimum, so an empty one is sayable; that it removes the settings is inferred.
    Clearing("slurmConfiguration.slurmCustomSettings", [], "PCS API reference, ComputeNodeGroupSlurmConfiguration"),
    Clearing("slurmConfiguration.gresCustomSettings", [], "PCS API reference, ComputeNodeGroupSlurmConfiguration"),
    Clearing("customLaunchTemplate", None, MODE),
)

CLEARING: Final[Mapping[str, object]] = {
    **{fact.path: fact.value for fact in DEFAULT_FACTS if fact.only_when is None and "[]" not in fact.path},
    **{fact.path: fact.value for fact in CLEARING_FACTS},
}
"""Canonical path -> the value of an Update that removes the setting: its default, where it always has one. An object
that is not here is removed by removing each of its members."""

UNORDERED: Final = frozenset(
    {
        "subnetIds",
        "securityGroupIds",
        "instanceConfigs",
        "slurmConfiguration.slurmCustomSettings",
        "slurmConfiguration.gresCustomSettings",
    }
)
"""Canonical paths of lists whose order means nothing, so that a response may have another one than the request."""

SENT_WITH: Final[Mapping[str, tuple[str, ...]]] = {
    "launchTemplateMode": ("customLaunchTemplate", "amiId", "securityGroupIds"),
}
"""Canonical path -> what an Update that changes it names as well, changed or not (source: the mode's own text)."""
