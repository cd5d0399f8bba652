"""What an instance calls when it boots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcs_bridge.endpoint import instances
from pcs_bridge.endpoint.call import Call
from pcs_bridge.endpoint.changes import shown_actions
from pcs_bridge.endpoint.errors import ServiceError, denied
from pcs_bridge.endpoint.operations.clusters import endpoints
from pcs_bridge.endpoint.status import ACTIVE, UNDER_WAY, Verb
from pcs_bridge.endpoint.store import Kind


def register(call: Call) -> Mapping[str, Any]:
    # The documented errors of this operation are AccessDeniedException and InternalServerException only: a cluster that
    # does not exist, or an instance that is not there, is the former (PCS API reference, AccessDeniedException).
    try:
        cluster = call.cluster()
    except ServiceError:
        raise denied("The cluster does not exist.") from None
    bootstrap_id = call.parameters["bootstrapId"]
    group_id, _ = instances.split(bootstrap_id)
    group = call.transaction.get(Kind.GROUP, group_id)
    if group is None or group.parent != cluster.id or group.facts["status"] not in (ACTIVE, UNDER_WAY[Verb.UPDATE]):
        raise denied("The bootstrap id names no instance of a compute node group of this cluster.")
    limit = call.switches["replacement-limit"]
    failures = None if limit == "none" else int(limit)
    instance = instances.register(call.transaction, group, bootstrap_id, call.now, failures)
    answer = {
        "nodeID": instance.facts["nodeId"],
        "sharedSecret": cluster.hidden["sharedSecret"],
        "endpoints": endpoints(cluster),
        "clusterName": cluster.name,
        "computeNodeGroupId": group.id,
        "computeNodeGroupName": group.name,
        "schedulerVersion": cluster.facts["scheduler"]["version"],
        **instances.configuration(instance),
    }
    if "nodeLifecycleActions" in answer:
        answer["nodeLifecycleActions"] = shown_actions(answer["nodeLifecycleActions"], call.switches)
    return answer
