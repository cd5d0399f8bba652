"""What AWS states in text only, for each kind of resource that the API has.

The facts of compute node groups are those of `prose` and `updates`; those of clusters and queues stand here. As there,
every entry names its source; values come from those pages, the wording is ours.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from pcs_contract.prose import CREATE_ONLY, DEFAULTS
from pcs_contract.updates import CLEARING, SENT_WITH, UNORDERED


class Facts(NamedTuple):
    """What is known of the fields of one kind of resource; all by canonical path, as the tables of groups in `prose`
    and `updates`.
    """

    create_only: Mapping[str, str]
    defaults: Mapping[str, str | int]
    clearing: Mapping[str, object]
    unordered: frozenset[str]
    sent_with: Mapping[str, tuple[str, ...]]


GROUP: Final = Facts(CREATE_ONLY, DEFAULTS, CLEARING, UNORDERED, SENT_WITH)

_SLURM_LISTS = ("slurmCustomSettings", "slurmdbdCustomSettings", "cgroupCustomSettings", "jobSubmitPlugins")

_SLURM_DEFAULTS: Final[Mapping[str, str | int]] = {
    # PCS API reference, ClusterSlurmConfigurationRequest.scaleDownIdleTimeInSeconds
    "slurmConfiguration.scaleDownIdleTimeInSeconds": 600,
    "slurmConfiguration.accounting.mode": "NONE",  # PCS API reference, AccountingRequest.mode
    # PCS API reference, AccountingRequest.defaultPurgeTimeInDays
    "slurmConfiguration.accounting.defaultPurgeTimeInDays": -1,
    "slurmConfiguration.slurmRest.mode": "NONE",  # PCS API reference, SlurmRestRequest.mode
}

CLUSTER: Final = Facts(
    create_only=dict.fromkeys(
        ("name", "networking", "size"), "CloudFormation schema, AWS::PCS::Cluster createOnlyProperties"
    )
    # An update takes another version, and nothing else of the scheduler.
    | {"scheduler.type": "PCS API reference, UpdateSchedulerRequest"},
    # PCS API reference, NetworkingRequest.networkType
    defaults={"networking.networkType": "IPV4", **_SLURM_DEFAULTS},
    # Lists without a minimum, so an empty one is sayable; that it removes the settings is inferred.
    clearing={**_SLURM_DEFAULTS, **{f"slurmConfiguration.{member}": [] for member in _SLURM_LISTS}},
    unordered=frozenset(
        {
            "networking.securityGroupIds",
            *(f"slurmConfiguration.{member}" for member in _SLURM_LISTS),
        }
    ),
    sent_with={},
)

QUEUE: Final = Facts(
    create_only=dict.fromkeys(("name", "clusterId"), "CloudFormation schema, AWS::PCS::Queue createOnlyProperties"),
    defaults={},
    # Lists without a minimum: an empty one is sayable, and means none.
    clearing={"computeNodeGroupConfigurations": [], "slurmConfiguration.slurmCustomSettings": []},
    unordered=frozenset({"computeNodeGroupConfigurations", "slurmConfiguration.slurmCustomSettings"}),
    sent_with={},
)

CLUSTER_SUBNETS: Final = 1
"""Subnets that a cluster may have (PCS API reference, NetworkingRequest.subnetIds: "currently supports only 1")."""

NO_PURGE_TIME: Final = 0
"""What `slurmConfiguration.accounting.defaultPurgeTimeInDays` must not be, though it lies within its bounds (PCS API
reference, AccountingRequest.defaultPurgeTimeInDays)."""
