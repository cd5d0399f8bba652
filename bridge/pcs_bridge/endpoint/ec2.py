"""What the endpoint asks EC2: only what a rule needs, and only where EC2 knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pcs_contract.record import Record


class InstanceType(Record):
    """What must be alike within a group."""

    architectures: frozenset[str]
    vcpus: int
    gpus: int


class Ec2(Protocol):
    """None everywhere means that EC2 does not know, and that the rule in question does not judge."""

    def vpc_of_subnet(self, region: str, id: str) -> str | None: ...

    def vpc_of_security_group(self, region: str, id: str) -> str | None: ...

    def launch_template(self, region: str, id: str, version: str) -> Mapping[str, Any] | None:
        """The name as `name`, and the template's data, in the words of RunInstances, as `data`."""
        ...

    def instance_type(self, name: str) -> InstanceType | None: ...
