"""What is different between the kinds of resources that PCS has; everything else they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pcs_contract import prose, shapes, spelling, updates
from pcs_contract.shapes import Operation, operation
from pcs_contract.spelling import FieldSpec


@dataclass(frozen=True)
class Kind:
    """A kind of resource.

    `spec` are its fields in Terraform's spelling, under the names of the API's response. `request_names` are those
    that a request calls otherwise. `identifiers` are the members by which every request but a Create says which
    resource it means, and the fields that they are. `clearing`, `unordered` and `sent_with` are what only text says of
    updates, as `pcs_contract.updates` has it of node groups.
    """

    type_name: str
    noun: str
    description: str
    operation: str
    """Of `CreateComputeNodeGroup`: `ComputeNodeGroup`."""
    spec: FieldSpec
    required: frozenset[str]
    read_only: frozenset[str]
    create_only: frozenset[str]
    request_names: Mapping[str, str]
    identifiers: Mapping[str, str]
    clearing: Mapping[str, object]
    unordered: frozenset[str]
    sent_with: Mapping[str, tuple[str, ...]]
    parent: str | None = None
    """The field that names the cluster which it is in."""

    @cached_property
    def fields(self) -> Mapping[str, FieldSpec]:
        """By canonical name."""
        return {field.name: field for field in self.spec.fields}

    @cached_property
    def settable(self) -> tuple[FieldSpec, ...]:
        """The fields that a request can set."""
        return tuple(field for name, field in self.fields.items() if name not in self.read_only)

    @property
    def member(self) -> str:
        """What responses call it: `computeNodeGroup`."""
        return self.operation[:1].lower() + self.operation[1:]

    def call(self, verb: str) -> Operation:
        """The operation `Create`, `Get`, `Update` or `Delete`."""
        return operation(verb + self.operation)


NODE_GROUP: Final = Kind(
    type_name="pcs_compute_node_group",
    noun="compute node group",
    description="A group of EC2 instances of an AWS PCS cluster, with the scripts that their nodes run when they boot.",
    operation="ComputeNodeGroup",
    spec=spelling.structure("terraform"),
    required=shapes.group().required,
    read_only=shapes.read_only(),
    create_only=frozenset(prose.CREATE_ONLY),
    request_names=shapes.REQUEST_NAMES,
    identifiers={"clusterIdentifier": "clusterId", "computeNodeGroupIdentifier": "id"},
    clearing=updates.CLEARING,
    unordered=updates.UNORDERED,
    sent_with=updates.SENT_WITH,
    parent="clusterId",
)
