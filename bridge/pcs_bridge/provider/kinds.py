"""What is different between the kinds of resources that PCS has; everything else they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pcs_contract import facts as known
from pcs_contract import shapes, spelling
from pcs_contract.facts import Facts
from pcs_contract.shapes import Operation, Shape, operation, shape
from pcs_contract.spelling import FieldSpec, Names


@dataclass(frozen=True)
class Kind:
    """A kind of resource.

    `spec` are its fields in Terraform's spelling, under the names of the API's response. `request_names` are those
    that a request calls otherwise. `identifiers` are the members by which every request but a Create says which
    resource it means, and the fields that they are.
    """

    type_name: str
    noun: str
    description: str
    operation: str
    """Of `CreateComputeNodeGroup`: `ComputeNodeGroup`."""
    spec: FieldSpec
    facts: Facts
    request_names: Mapping[str, str]
    identifiers: Mapping[str, str]
    parent: str | None = None
    """The field that names the cluster which it is in."""
    lifted: Mapping[str, str] = field(default_factory=dict)
    """Fields that a response has inside of another one, which an author may leave out."""

    @cached_property
    def fields(self) -> Mapping[str, FieldSpec]:
        """By canonical name."""
        return {field.name: field for field in self.spec.fields}

    @cached_property
    def settable(self) -> tuple[FieldSpec, ...]:
        """The fields that a request can set."""
        return tuple(field for name, field in self.fields.items() if name not in self.read_only)

    @cached_property
    def read_only(self) -> frozenset[str]:
        """The fields that only PCS sets."""
        takes = self.call("Create").input.members
        return frozenset(name for name in self.fields if self.request_names.get(name, name) not in takes)

    @property
    def required(self) -> frozenset[str]:
        """The fields without which there is no such resource."""
        return self.spec.shape.required

    @property
    def member(self) -> str:
        """What responses call it: `computeNodeGroup`."""
        return self.operation[:1].lower() + self.operation[1:]

    def call(self, verb: str) -> Operation:
        """The operation `Create`, `Get`, `Update` or `Delete`."""
        return operation(verb + self.operation)

    def shown(self, resource: Mapping[str, Any], name: str) -> Any:
        """The value of a field in a response; None where it has none."""
        around = self.lifted.get(name)
        return (resource if around is None else resource.get(around) or {}).get(name)


NODE_GROUP: Final = Kind(
    type_name="pcs_compute_node_group",
    noun="compute node group",
    description="A group of EC2 instances of an AWS PCS cluster, with the scripts that their nodes run when they boot.",
    operation="ComputeNodeGroup",
    spec=spelling.structure("terraform"),
    facts=known.GROUP,
    request_names=shapes.REQUEST_NAMES,
    identifiers={"clusterIdentifier": "clusterId", "computeNodeGroupIdentifier": "id"},
    parent="clusterId",
)


def _spec(name: str, request_names: Mapping[str, str], facts: Facts, lifted: Mapping[str, str]) -> FieldSpec:
    response = shape(name)
    outside = {member: response.members[around].members[member] for member, around in lifted.items()}
    whole = Shape(name, "structure", members={**response.members, **outside})
    canonical = shapes.canonical(name, shape(f"Create{name}Request"), whole, request_names)
    # `id` is the ARN, as in awscc: the resource's own id had to give way.
    return spelling.tree(canonical, Names({"id": f"{name.lower()}_id"}, {}, spelling.snake), facts.defaults)


_CLUSTER_REQUEST: Final = {"name": "clusterName"}
_KEYS: Final = {"authKey": "slurmConfiguration", "jwtAuth": "slurmConfiguration"}

CLUSTER: Final = Kind(
    type_name="pcs_cluster",
    noun="cluster",
    description="An AWS PCS cluster: the controller of a Slurm scheduler, which its compute node groups and queues "
    "belong to.",
    operation="Cluster",
    spec=_spec("Cluster", _CLUSTER_REQUEST, known.CLUSTER, _KEYS),
    facts=known.CLUSTER,
    request_names=_CLUSTER_REQUEST,
    identifiers={"clusterIdentifier": "id"},
    lifted=_KEYS,
)

_QUEUE_REQUEST: Final = {"name": "queueName", "clusterId": "clusterIdentifier"}

QUEUE: Final = Kind(
    type_name="pcs_queue",
    noun="queue",
    description="A queue of an AWS PCS cluster, which gives its jobs to compute node groups.",
    operation="Queue",
    spec=_spec("Queue", _QUEUE_REQUEST, known.QUEUE, {}),
    facts=known.QUEUE,
    request_names=_QUEUE_REQUEST,
    identifiers={"clusterIdentifier": "clusterId", "queueIdentifier": "id"},
    parent="clusterId",
)

KINDS: Final = (CLUSTER, NODE_GROUP, QUEUE)
"""All kinds."""
