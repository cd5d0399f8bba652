"""Queues, which give jobs to compute node groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pcs_bridge.endpoint import identifiers, instances, status
from pcs_bridge.endpoint.call import Call, check_tags
from pcs_bridge.endpoint.changes import updated_slurm
from pcs_bridge.endpoint.clock import iso
from pcs_bridge.endpoint.errors import conflict, invalid_fields, not_found
from pcs_bridge.endpoint.operations.groups import check_active
from pcs_bridge.endpoint.status import ACTIVE, Verb
from pcs_bridge.endpoint.store import Kind, Resource
from pcs_contract.limits import Problem
from pcs_contract.shapes import shape

_CONFIGURATIONS: Final = "computeNodeGroupConfigurations"
_SUMMARY: Final = frozenset(shape("QueueSummary").members)


def create(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    check_active(cluster)
    request = call.parameters
    name = request["queueName"]
    taken = call.transaction.named(Kind.QUEUE, cluster.id, name)
    if taken is not None:
        raise conflict(f"The cluster has a queue with the name {name}.", Kind.QUEUE, taken.id)
    configurations = request.get(_CONFIGURATIONS, [])
    if not configurations and call.switches["empty-queue"] == "refused":  # PCS API reference, CreateQueue
        raise invalid_fields([Problem(_CONFIGURATIONS, "must have at least 1 item")])
    _check_groups(call, cluster, configurations)
    id = identifiers.new_id()
    facts = {
        "name": name,
        "id": id,
        "arn": identifiers.arn(Kind.QUEUE, call.region, cluster.id, id),
        "clusterId": cluster.id,
        "createdAt": iso(call.now),
        _CONFIGURATIONS: configurations,
    }
    if "slurmConfiguration" in request:
        facts["slurmConfiguration"] = request["slurmConfiguration"]
    queue = Resource(Kind.QUEUE, id, cluster.id, name, facts, {}, request.get("tags", {}))
    check_tags(queue.tags, queue)
    queue = call.transaction.put(_begin(call, queue, Verb.CREATE))
    return {"queue": dict(queue.facts)}


def get(call: Call) -> Mapping[str, Any]:
    return {"queue": dict(call.queue(call.cluster()).facts)}


def list_all(call: Call) -> Mapping[str, Any]:
    return call.page(Kind.QUEUE, call.cluster().id, "queues", summary)


def update(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    check_active(cluster)
    queue = call.queue(cluster)
    status.check_allowed(queue, Verb.UPDATE, call.switches["update-while-busy"] == "accepted")
    facts = dict(queue.facts)
    if _CONFIGURATIONS in call.parameters:
        _check_groups(call, cluster, call.parameters[_CONFIGURATIONS])
        facts[_CONFIGURATIONS] = call.parameters[_CONFIGURATIONS]
    if "slurmConfiguration" in call.parameters:
        facts["slurmConfiguration"] = updated_slurm(
            facts.get("slurmConfiguration", {}), call.parameters["slurmConfiguration"]
        )
    queue = call.transaction.put(_begin(call, replace(queue, facts=facts), Verb.UPDATE))
    return {"queue": dict(queue.facts)}


def delete(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    queue = call.queue(cluster)
    status.check_allowed(queue, Verb.DELETE)
    others = [other for other in call.transaction.page(Kind.QUEUE, cluster.id) if other.id != queue.id]
    still_used = {id for other in others for id in _groups(other)}
    for id in _groups(queue):
        group = call.transaction.get(Kind.GROUP, id)
        if group is not None and id not in still_used:
            instances.terminate_all(call.transaction, group)
    call.transaction.put(_begin(call, queue, Verb.DELETE))
    return {}


def summary(queue: Resource) -> dict[str, Any]:
    """The queue as a list shows it."""
    return {name: value for name, value in queue.facts.items() if name in _SUMMARY}


def _groups(queue: Resource) -> list[str]:
    return [configuration["computeNodeGroupId"] for configuration in queue.facts[_CONFIGURATIONS]]


def _check_groups(call: Call, cluster: Resource, configurations: Sequence[Mapping[str, Any]]) -> None:
    problems = [
        Problem(f"{_CONFIGURATIONS}[{index}].computeNodeGroupId", "is required")
        for index, configuration in enumerate(configurations)
        if "computeNodeGroupId" not in configuration
    ]
    if problems:
        raise invalid_fields(problems)
    for configuration in configurations:
        id = configuration["computeNodeGroupId"]
        group = call.transaction.get(Kind.GROUP, id)
        if group is None or group.parent != cluster.id:
            raise not_found(Kind.GROUP, id)
        if group.facts["status"] != ACTIVE:  # PCS user guide, working-with_cng_create
            message = f"The compute node group {group.name} is in status {group.facts['status']}, not {ACTIVE}."
            raise conflict(message, Kind.GROUP, id)


def _begin(call: Call, queue: Resource, verb: Verb) -> Resource:
    return status.begin(queue, verb, call.now, call.delays, call.failure)
