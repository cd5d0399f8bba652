"""Compute node groups, and what a change of one means for its instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pcs_bridge.endpoint import identifiers, instances, rules, status
from pcs_bridge.endpoint.call import Call, check_tags
from pcs_bridge.endpoint.changes import REPLACES_NODES, new_group, shown_actions, updated_group
from pcs_bridge.endpoint.clock import iso
from pcs_bridge.endpoint.errors import conflict, invalid_fields, quota
from pcs_bridge.endpoint.rules import GroupCase
from pcs_bridge.endpoint.status import ACTIVE, Verb
from pcs_bridge.endpoint.store import Kind, Resource
from pcs_contract.prose import CLUSTER_SIZES
from pcs_contract.shapes import shape

_SUMMARY: Final = frozenset(shape("ComputeNodeGroupSummary").members)


def create(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    request = call.parameters
    settings = new_group(request, call.switches)
    _check(call, cluster, settings, None)
    check_active(cluster)
    name = request["computeNodeGroupName"]
    taken = call.transaction.named(Kind.GROUP, cluster.id, name)
    if taken is not None:
        raise conflict(f"The cluster has a compute node group with the name {name}.", Kind.GROUP, taken.id)
    _check_capacity(cluster, settings, None)
    id = identifiers.new_id()
    facts = {
        "name": name,
        "id": id,
        "arn": identifiers.arn(Kind.GROUP, call.region, cluster.id, id),
        "clusterId": cluster.id,
        "createdAt": iso(call.now),
        **settings,
    }
    group = Resource(Kind.GROUP, id, cluster.id, name, facts, {}, request.get("tags", {}))
    check_tags(group.tags, group)
    group = call.transaction.put(_begin(call, group, Verb.CREATE))
    _add_capacity(call, cluster, group.facts["scalingConfiguration"]["maxInstanceCount"])
    return {"computeNodeGroup": shown(group, call.switches)}


def get(call: Call) -> Mapping[str, Any]:
    return {"computeNodeGroup": shown(call.group(call.cluster()), call.switches)}


def list_all(call: Call) -> Mapping[str, Any]:
    return call.page(Kind.GROUP, call.cluster().id, "computeNodeGroups", summary)


def update(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    before = call.group(cluster)
    settings = updated_group(before.facts, call.parameters, call.switches)
    _check(call, cluster, settings, before)
    check_active(cluster)
    status.check_allowed(before, Verb.UPDATE, call.switches["update-while-busy"] == "accepted")
    _check_capacity(cluster, settings, before)
    changed = [member for member in REPLACES_NODES if settings.get(member) != before.facts.get(member)]
    group = replace(before, facts=settings)
    if changed:
        instances.mark_for_replacement(call.transaction, group, changed, call.now)
        group = instances.forget_failures(group)
    most, most_before = (facts["scalingConfiguration"]["maxInstanceCount"] for facts in (settings, before.facts))
    if most < most_before:
        instances.shrink(call.transaction, group, most)
    group = call.transaction.put(_begin(call, group, Verb.UPDATE))
    _add_capacity(call, cluster, most - most_before)
    return {"computeNodeGroup": shown(group, call.switches)}


def delete(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    group = call.group(cluster)
    status.check_allowed(group, Verb.DELETE)
    for queue in call.transaction.page(Kind.QUEUE, cluster.id):
        configurations = queue.facts["computeNodeGroupConfigurations"]
        if any(configuration["computeNodeGroupId"] == group.id for configuration in configurations):
            message = f"The queue {queue.name} uses the compute node group {group.name}. Delete the queue first."
            raise conflict(message, Kind.GROUP, group.id)
    instances.terminate_all(call.transaction, group)
    call.transaction.put(_begin(call, group, Verb.DELETE))
    _add_capacity(call, cluster, -group.facts["scalingConfiguration"]["maxInstanceCount"])
    return {}


def shown(group: Resource, switches: Mapping[str, str]) -> dict[str, Any]:
    """The group as responses show it."""
    facts = dict(group.facts)
    if "nodeLifecycleActions" in facts:
        facts["nodeLifecycleActions"] = shown_actions(facts["nodeLifecycleActions"], switches)
    return facts


def summary(group: Resource) -> dict[str, Any]:
    """The group as a list shows it."""
    return {name: value for name, value in group.facts.items() if name in _SUMMARY}


def check_active(cluster: Resource) -> None:
    """Raise ConflictException unless the cluster is ACTIVE (PCS API reference, ConflictException)."""
    now = cluster.facts["status"]
    if now != ACTIVE:
        raise conflict(f"The cluster {cluster.name} is in status {now}, not {ACTIVE}.", Kind.CLUSTER, cluster.id)


def _check(call: Call, cluster: Resource, settings: Mapping[str, Any], before: Resource | None) -> None:
    case = GroupCase(
        request=call.parameters,
        group=settings,
        before=None if before is None else before.facts,
        cluster=cluster.facts,
        region=call.region,
        switches=call.switches,
        ec2=call.ec2,
    )
    problems = list(rules.group_problems(case))
    if problems:
        raise invalid_fields(problems)


# The sum of maxInstanceCount over a cluster's groups is kept with the cluster: adding it up anew would take the longer,
# the more groups there are.
_CAPACITY: Final = "capacity"


def _check_capacity(cluster: Resource, settings: Mapping[str, Any], before: Resource | None) -> None:
    own = 0 if before is None else before.facts["scalingConfiguration"]["maxInstanceCount"]
    wanted = settings["scalingConfiguration"]["maxInstanceCount"]
    limit = CLUSTER_SIZES[cluster.facts["size"]].value
    total: int = cluster.hidden.get(_CAPACITY, 0) - own + wanted
    if wanted > own and total > limit:
        raise quota(
            f"The groups of a cluster of size {cluster.facts['size']} have at most {limit} instances together, and "
            f"this makes {total}.",
            Kind.CLUSTER,
            cluster.id,
        )


def _add_capacity(call: Call, cluster: Resource, count: int) -> None:
    if count:
        hidden = {**cluster.hidden, _CAPACITY: cluster.hidden.get(_CAPACITY, 0) + count}
        call.transaction.put(replace(cluster, hidden=hidden))


def _begin(call: Call, group: Resource, verb: Verb) -> Resource:
    return status.begin(group, verb, call.now, call.delays, call.failure)
