"""Clusters: the controller of a scheduler, and what its groups and queues belong to."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pcs_bridge.endpoint import identifiers, rules, status
from pcs_bridge.endpoint.call import Call, check_tags
from pcs_bridge.endpoint.changes import updated_slurm
from pcs_bridge.endpoint.clock import iso
from pcs_bridge.endpoint.errors import conflict, invalid_fields, quota
from pcs_bridge.endpoint.status import ACTIVE, UNDER_WAY, Verb
from pcs_bridge.endpoint.store import Kind, Resource
from pcs_contract.shapes import shape

SECRET_BYTES: Final = 32
"""Of a cluster's shared key, which Register gives to its nodes as base64. The real length is not documented."""

PORTS: Final[Mapping[str, str]] = {"SLURMCTLD": "6817", "SLURMDBD": "6819", "SLURMRESTD": "6820"}
"""Slurm's own defaults (slurm.conf SlurmctldPort, slurmdbd.conf DbdPort; 6820 is slurmrestd's)."""

_SUMMARY: Final = frozenset(shape("ClusterSummary").members)


def create(call: Call) -> Mapping[str, Any]:
    problems = list(rules.cluster_problems(call.parameters))
    if problems:
        raise invalid_fields(problems)
    name = call.parameters["clusterName"]
    taken = call.transaction.named(Kind.CLUSTER, call.region, name)
    if taken is not None:
        raise conflict(f"A cluster with the name {name} exists.", Kind.CLUSTER, taken.id)
    clusters = call.transaction.page(Kind.CLUSTER, call.region)
    if any(cluster.facts["status"] == UNDER_WAY[Verb.CREATE] for cluster in clusters):
        raise quota("Only one cluster per account and Region can be in status CREATING.", Kind.CLUSTER)
    id = identifiers.new_id()
    request = call.parameters
    facts = {
        "name": name,
        "id": id,
        "arn": identifiers.arn(Kind.CLUSTER, call.region, id, id),
        "createdAt": iso(call.now),
        "scheduler": request["scheduler"],
        "size": request["size"],
        "networking": {"networkType": "IPV4", **request["networking"]},
        "slurmConfiguration": dict(request.get("slurmConfiguration", {})),
    }
    hidden = {"sharedSecret": base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}
    cluster = Resource(Kind.CLUSTER, id, call.region, name, facts, hidden, request.get("tags", {}))
    check_tags(cluster.tags, cluster)
    cluster = call.transaction.put(_begin(call, cluster, Verb.CREATE))
    return {"cluster": shown(cluster)}


def get(call: Call) -> Mapping[str, Any]:
    return {"cluster": shown(call.cluster())}


def list_all(call: Call) -> Mapping[str, Any]:
    return call.page(Kind.CLUSTER, call.region, "clusters", summary)


def update(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    problems = list(rules.cluster_update_problems(call.parameters, cluster.facts))
    if problems:
        raise invalid_fields(problems)
    status.check_allowed(cluster, Verb.UPDATE)
    for kind in (Kind.GROUP, Kind.QUEUE):
        for child in call.transaction.page(kind, cluster.id):
            if child.facts["status"] != ACTIVE:
                message = f"The {kind} {child.name} is in status {child.facts['status']}, not {ACTIVE}."
                raise conflict(message, kind, child.id)
    slurm = updated_slurm(cluster.facts["slurmConfiguration"], call.parameters.get("slurmConfiguration", {}))
    scheduler = {**cluster.facts["scheduler"], **call.parameters.get("scheduler", {})}
    cluster = replace(cluster, facts={**cluster.facts, "slurmConfiguration": slurm, "scheduler": scheduler})
    cluster = call.transaction.put(_begin(call, cluster, Verb.UPDATE))
    return {"cluster": shown(cluster)}


def delete(call: Call) -> Mapping[str, Any]:
    cluster = call.cluster()
    status.check_allowed(cluster, Verb.DELETE)
    for kind in (Kind.QUEUE, Kind.GROUP):
        count = call.transaction.count(kind, cluster.id)
        if count:
            message = f"The cluster {cluster.name} still has {count} of type {kind}. Delete them first."
            raise conflict(message, Kind.CLUSTER, cluster.id)
    call.transaction.put(_begin(call, cluster, Verb.DELETE))
    return {}


def shown(cluster: Resource) -> dict[str, Any]:
    """The cluster as responses show it: endpoints and keys once there is a controller."""
    facts = dict(cluster.facts)
    region, slurm = cluster.parent, dict(facts["slurmConfiguration"])
    if facts["status"] not in (UNDER_WAY[Verb.CREATE], status.FAILED[Verb.CREATE]):
        facts["endpoints"] = endpoints(cluster)
        slurm["authKey"] = _secret(region, "secret", cluster)
        if _enabled(slurm, "slurmRest"):
            slurm["jwtAuth"] = {"jwtKey": _secret(region, "jwt", cluster)}
    facts["slurmConfiguration"] = slurm
    return facts


def summary(cluster: Resource) -> dict[str, Any]:
    """The cluster as a list shows it."""
    return {name: value for name, value in cluster.facts.items() if name in _SUMMARY}


def endpoints(cluster: Resource) -> list[dict[str, str]]:
    """Where the scheduler would listen. Addresses are of networks for documentation (RFC 5737, RFC 3849)."""
    slurm = cluster.facts["slurmConfiguration"]
    types = ["SLURMCTLD"]
    if _enabled(slurm, "accounting"):
        types.append("SLURMDBD")
    if _enabled(slurm, "slurmRest"):
        types.append("SLURMRESTD")
    ipv6 = cluster.facts["networking"]["networkType"] == "IPV6"
    address = {"privateIpAddress": "", "ipv6Address": "2001:db8::10"} if ipv6 else {"privateIpAddress": "192.0.2.10"}
    return [{"type": type, **address, "port": PORTS[type]} for type in types]


def _enabled(slurm: Mapping[str, Any], member: str) -> bool:
    enabled: bool = slurm.get(member, {}).get("mode") == "STANDARD"
    return enabled


def _secret(region: str, purpose: str, cluster: Resource) -> dict[str, str]:
    return {"secretArn": identifiers.secret_arn(region, purpose, cluster), "secretVersion": "1"}


def _begin(call: Call, cluster: Resource, verb: Verb) -> Resource:
    return status.begin(cluster, verb, call.now, call.delays, call.failure)
