"""The nodes of compute node groups: which have registered, and which are to be drained and replaced.

Nothing here launches anything. Whoever plays a node registers it under a bootstrap id, which here is the id of its
group, a slash and any name for the instance, such as `pcs_0123456789/i-0a1b2c3d4e5f67890`: in a real instance the user
data that PCS writes into the launch template holds it. The same id again is the same instance after a reboot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pcs_bridge.endpoint.clock import iso
from pcs_bridge.endpoint.errors import denied
from pcs_bridge.endpoint.store import Kind, Resource, Transaction

_FAILURES: Final = "failedNodes"
_LAST_NUMBER: Final = "lastNode"
_CONFIGURATION: Final = ("nodeLifecycleActions", "instanceHealthChecks")


def split(bootstrap_id: str) -> tuple[str, str]:
    """The id of the group and the name of the instance. Raises AccessDeniedException where it is neither."""
    group, slash, name = bootstrap_id.partition("/")
    if not slash or not name:
        raise denied("The bootstrap id names no instance.")
    return group, name


def register(transaction: Transaction, group: Resource, bootstrap_id: str, now: float, limit: int | None) -> Resource:
    """The instance with that bootstrap id, new where it is the first time.

    An instance keeps the configuration that it registered with for its whole life (PCS user guide,
    cng-node-lifecycle-actions-configure). `limit` is the number of failed nodes after which there are no more.
    Raises AccessDeniedException when the group has no room.
    """
    known = transaction.named(Kind.INSTANCE, group.id, bootstrap_id)
    if known is not None:
        return transaction.put(replace(known, facts={**known.facts, "boots": known.facts["boots"] + 1}))
    if transaction.count(Kind.INSTANCE, group.id) >= group.facts["scalingConfiguration"]["maxInstanceCount"]:
        raise denied("The compute node group has no free capacity for another instance.")
    if limit is not None and group.hidden.get(_FAILURES, 0) >= limit:
        raise denied("Too many instances of the compute node group have failed.")
    number = group.hidden.get(_LAST_NUMBER, 0) + 1
    transaction.put(replace(group, hidden={**group.hidden, _LAST_NUMBER: number}))
    node = f"{group.name}-{number}"
    facts: dict[str, Any] = {
        "nodeId": node,
        "bootstrapId": bootstrap_id,
        "clusterId": group.parent,
        "computeNodeGroupId": group.id,
        "computeNodeGroupName": group.name,
        "registeredAt": iso(now),
        "boots": 1,
        "replacement": None,
    }
    configuration = {member: group.facts[member] for member in _CONFIGURATION if member in group.facts}
    # Group ids are unique, and so are numbers within a group: a node's own id may have a name that others have too.
    return transaction.put(
        Resource(Kind.INSTANCE, f"{group.id}/{number}", group.id, bootstrap_id, facts, configuration)
    )


def mark_for_replacement(transaction: Transaction, group: Resource, reasons: Sequence[str], now: float) -> None:
    """Every instance is to finish its jobs and be replaced."""
    for instance in transaction.page(Kind.INSTANCE, group.id):
        mark = {"action": "DRAIN", "changed": list(reasons), "since": iso(now)}
        transaction.put(replace(instance, facts={**instance.facts, "replacement": mark}))


def shrink(transaction: Transaction, group: Resource, most: int) -> None:
    """Terminate instances at once, jobs or not, until `most` are left (PCS user guide, working-with_cng_update).

    Which ones PCS picks is not documented; here it is the newest.
    """
    for instance in transaction.page(Kind.INSTANCE, group.id)[most:]:
        transaction.delete(instance)


def terminate_all(transaction: Transaction, group: Resource) -> None:
    """Terminate the instances of a group."""
    shrink(transaction, group, 0)


def terminate(transaction: Transaction, id: str, failed: bool) -> bool:
    """Terminate one instance; `failed` counts it as a node that could not start. False: there is none."""
    instance = transaction.get(Kind.INSTANCE, id)
    if instance is None:
        return False
    transaction.delete(instance)
    group = transaction.get(Kind.GROUP, instance.parent)
    if failed and group is not None:
        transaction.put(replace(group, hidden={**group.hidden, _FAILURES: group.hidden.get(_FAILURES, 0) + 1}))
    return True


def forget_failures(group: Resource) -> Resource:
    """The group with a clean slate: its nodes have other scripts now."""
    return replace(group, hidden={name: value for name, value in group.hidden.items() if name != _FAILURES})


def configuration(instance: Resource) -> Mapping[str, Any]:
    """The `nodeLifecycleActions` and `instanceHealthChecks` that an instance registered with."""
    return instance.hidden


def listing(transaction: Transaction) -> list[dict[str, Any]]:
    """All instances, in the order in which they registered."""
    return [{"id": instance.id, **instance.facts} for instance in transaction.everything(Kind.INSTANCE)]
