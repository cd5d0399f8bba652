"""A queue: where jobs wait for the nodes of some groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from constructs import Construct

from pcs_stacks import requests
from pcs_stacks.cluster import Cluster, cluster_id_of, provider_of
from pcs_stacks.compute_node_group import ComputeNodeGroup
from pcs_stacks.errors import Mistake
from pcs_stacks.lines import here
from pcs_stacks.resource import PcsResource, Provider, custom_settings, each


class Queue(PcsResource):
    """A queue of a cluster.

    - `name`: unique in the cluster; Slurm's partition is called so.
    - `cluster`: the `Cluster`, or the id of one.
    - `compute_node_groups`: whose nodes run its jobs: `ComputeNodeGroup`s, or ids.
    - `slurm_settings`: Slurm settings of the partition, by name.
    - `tags`: tags of the queue.
    - `provider`: `awscc` or `pcs`; by default that of the `Cluster`, or `awscc` where the cluster is an id.
    """

    TYPE: ClassVar[str] = "pcs_queue"
    REQUEST: ClassVar[str] = "CreateQueueRequest"
    MEMBERS: ClassVar[Mapping[str, str]] = {"name": "queueName", "cluster_id": "clusterIdentifier"}
    PROPS: ClassVar[Mapping[str, str]] = {
        "name": "name",
        "cluster": "cluster_id",
        "compute_node_groups": "compute_node_group_configurations",
        "slurm_settings": "slurm_configuration.slurm_custom_settings",
        "tags": "tags",
    }

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        name: str,
        cluster: Cluster | str,
        compute_node_groups: Sequence[ComputeNodeGroup | str],
        slurm_settings: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        provider: Provider | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            provider=provider or provider_of(cluster),
            call=here(),
            values={
                "name": name,
                "cluster": cluster_id_of(cluster),
                "compute_node_groups": each("compute_node_group_id", compute_node_groups, _group_id),
                "slurm_settings": custom_settings(slurm_settings),
                "tags": tags,
            },
        )

    @property
    def queue_id(self) -> str:
        """The id that PCS gives the queue, a token."""
        return self.get_string_attribute("queue_id")

    def _mistakes(self, attributes: dict[str, Any]) -> Iterator[Mistake]:
        yield from super()._mistakes(attributes)
        yield from requests.mistakes(self.REQUEST, self.MEMBERS, attributes, self._places)


def _group_id(group: ComputeNodeGroup | str) -> str:
    return group.compute_node_group_id if isinstance(group, ComputeNodeGroup) else group
