"""Ids and ARNs in the form of the real ones, and the way back from an ARN.

The ids match the model's `pcs_[a-zA-Z0-9]+`; the ARNs are those of the service authorization reference for AWS PCS.
"""

from __future__ import annotations

import re
import secrets
import string
from typing import Final

from pcs_bridge.endpoint.store import Kind, Resource
from pcs_contract.record import Record

ACCOUNT: Final = "123456789012"
"""The account of everything here, and of moto."""

_ID_CHARACTERS: Final = string.ascii_lowercase + string.digits
_ID_LENGTH: Final = 10

_SEGMENTS: Final = {Kind.CLUSTER: "cluster", Kind.GROUP: "computenodegroup", Kind.QUEUE: "queue"}
_KINDS: Final = {segment: kind for kind, segment in _SEGMENTS.items()}

_ARN: Final = re.compile(
    rf"arn:aws[a-z-]*:pcs:(?P<region>[a-z0-9-]+):{ACCOUNT}:cluster/(?P<cluster>\w+)"
    r"(?:/(?P<segment>computenodegroup|queue)/(?P<id>\w+))?",
    re.ASCII,
)


class Named(Record):
    """What an ARN names. `cluster` is the cluster's id, that of the resource itself for a cluster."""

    kind: Kind
    id: str
    cluster: str
    region: str


def new_id() -> str:
    """An id that no other resource has."""
    return "pcs_" + "".join(secrets.choice(_ID_CHARACTERS) for _ in range(_ID_LENGTH))


def is_id(identifier: str) -> bool:
    """Whether an identifier is an id rather than a name, which cannot begin with `pcs_`."""
    return identifier.startswith("pcs_")


def partition(region: str) -> str:
    """The partition of a region, as ARNs begin with it."""
    prefixes = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}
    return next((name for prefix, name in prefixes.items() if region.startswith(prefix)), "aws")


def arn(kind: Kind, region: str, cluster: str, id: str) -> str:
    """The ARN of a cluster, or of a group or queue of the cluster with that id."""
    base = f"arn:{partition(region)}:pcs:{region}:{ACCOUNT}:cluster/{cluster}"
    return base if kind is Kind.CLUSTER else f"{base}/{_SEGMENTS[kind]}/{id}"


def named(text: str) -> Named | None:
    """What an ARN names; None where it cannot name anything here."""
    match = _ARN.fullmatch(text)
    if match is None:
        return None
    if match["segment"] is None:
        return Named(Kind.CLUSTER, match["cluster"], match["cluster"], match["region"])
    return Named(_KINDS[match["segment"]], match["id"], match["cluster"], match["region"])


def secret_arn(region: str, purpose: str, cluster: Resource) -> str:
    """The ARN of the secret in which PCS keeps a cluster's key. No such secret exists here."""
    suffix = cluster.id[-6:]
    return f"arn:{partition(region)}:secretsmanager:{region}:{ACCOUNT}:secret:pcs!slurm-{purpose}-{cluster.id}-{suffix}"
