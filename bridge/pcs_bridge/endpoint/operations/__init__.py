"""The operations of the service: one function for each, from a call to the members of its response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pcs_bridge.endpoint.call import Call
from pcs_bridge.endpoint.operations import clusters, groups, nodes, queues, tags

Handler = Callable[[Call], Mapping[str, Any]]

HANDLERS: Final[Mapping[str, Handler]] = {
    "CreateCluster": clusters.create,
    "GetCluster": clusters.get,
    "ListClusters": clusters.list_all,
    "UpdateCluster": clusters.update,
    "DeleteCluster": clusters.delete,
    "CreateComputeNodeGroup": groups.create,
    "GetComputeNodeGroup": groups.get,
    "ListComputeNodeGroups": groups.list_all,
    "UpdateComputeNodeGroup": groups.update,
    "DeleteComputeNodeGroup": groups.delete,
    "CreateQueue": queues.create,
    "GetQueue": queues.get,
    "ListQueues": queues.list_all,
    "UpdateQueue": queues.update,
    "DeleteQueue": queues.delete,
    "TagResource": tags.tag,
    "UntagResource": tags.untag,
    "ListTagsForResource": tags.list_all,
    "RegisterComputeNodeGroupInstance": nodes.register,
}
