"""A provider for tests: node groups without a PCS behind them. What exists is what terraform's state holds.

Some names make a group misbehave, so that tests can see how terraform takes it:

- ``slow``: create makes a file ``creating`` in the home folder, waits until terraform is interrupted (two minutes at
  most), and leaves a group behind;
- ``half-made``: create fails after the group exists;
- ``buggy``: create raises an exception whose text quotes the configuration;
- a script named ``refused``: validate complains of its location.
"""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from support.standin.schema import Flavour, fields, group_schema

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error, warning
from pcs_bridge.plugin.paths import Path
from pcs_bridge.plugin.provider import Call, MovedFrom, Provider, Resource
from pcs_bridge.plugin.schema import Attribute, Attributes, Schema
from pcs_bridge.plugin.values import Object, Unknown, Value, from_stored
from pcs_contract import spelling
from pcs_contract.spelling import FieldSpec

ACCOUNT = "123456789012"
REGION = "us-east-1"
STAGES = ("node_bootstrapped", "node_ready")


class StandIn(Provider):
    """Serves one resource type."""

    schema = Schema(
        Attributes(
            (
                Attribute("region", cty.STRING, optional=True),
                Attribute("token", cty.STRING, optional=True, sensitive=True),
            )
        )
    )

    def __init__(self, resource_type: str, flavour: Flavour) -> None:
        self.resources: Mapping[str, Resource] = {resource_type: Group(resource_type, flavour)}


class Group(Resource):
    def __init__(self, resource_type: str, flavour: Flavour) -> None:
        self.schema = group_schema(resource_type, flavour)
        self._fields = fields(resource_type)

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        for path, script in scripts(config):
            if script.get("name") == "refused":
                place = (*path, "script_source", "script_location")
                yield error("The location is refused", "The stand-in refuses scripts of this name.", place)

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        group = self._decided(planned)
        match config["name"]:
            case "slow":
                pathlib.Path.home().joinpath("creating").touch()
                if call.cancelled.wait(120):
                    raise Failed(error("Interrupted", "The group is still being made."), state=group)
            case "half-made":
                raise Failed(error("The group failed", "CREATE_FAILED: no capacity."), state=group)
            case "buggy":
                raise RuntimeError(f"unexpected: {config}")
        return group

    def read(self, state: Object, call: Call) -> Object | None:
        call.log.debug("reading a group")
        return state

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        if prior["node_lifecycle_actions"] != planned["node_lifecycle_actions"]:
            call.warn(warning("Nodes are replaced", "", ("node_lifecycle_actions",)))
        return self._decided(planned)

    def delete(self, prior: Object, call: Call) -> None:
        call.log.debug("deleting a group")

    def import_(self, identifier: str, call: Call) -> Object:
        cluster, _, name = identifier.partition("/")
        if not name:
            raise Failed(error("Wrong identifier", f"Write CLUSTER/GROUP, not {identifier!r}."))
        configured = {"cluster_id": cluster, "name": name}
        return self._decided({attribute: configured.get(attribute) for attribute in self.schema.attributes})

    def move(self, source: MovedFrom, call: Call) -> Object | None:
        if not source.resource_type.endswith("pcs_compute_node_group"):
            return None
        return from_stored(source.state, self.schema.type)

    def _decided(self, planned: Object) -> Object:
        """The group as PCS would return it: what is unknown gets its default or is made up."""
        read_only = _made_up(str(planned["cluster_id"]), str(planned["name"]))
        decided = {}
        for field in self._fields:
            value = planned.get(field.written)
            made_up = field.written in read_only and (value is None or isinstance(value, Unknown))
            decided[field.written] = read_only[field.written] if made_up else _decided(field, value)
        return {**decided, "id": decided["arn"]}


def scripts(config: Object) -> Iterator[tuple[Path, Object]]:
    """The scripts of a configuration that are known, with their paths."""
    actions = config.get("node_lifecycle_actions")
    stages = actions.get("stages") if isinstance(actions, dict) else None
    for stage in STAGES:
        listed = stages.get(stage) if isinstance(stages, dict) else None
        for index, script in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(script, dict):
                yield ("node_lifecycle_actions", "stages", stage, index), script


def _decided(field: FieldSpec, value: Value) -> Value:
    if isinstance(value, Unknown):
        return field.default
    if field.kind == "object" and isinstance(value, dict):
        return {member.written: _decided(member, value.get(member.written)) for member in field.fields}
    if field.kind == "list" and isinstance(value, list) and field.item is not None:
        item = field.item
        return [_decided(item, element) for element in value]
    return value


def _made_up(cluster: str, name: str) -> dict[str, Any]:
    """What PCS sets itself. The same group always gets the same, so that fixtures can be made again."""
    digest = hashlib.sha256(f"{cluster}/{name}".encode()).hexdigest()
    group = f"pcs_{digest[:10]}"
    return {
        "compute_node_group_id": group,
        "arn": f"arn:aws:pcs:{REGION}:{ACCOUNT}:cluster/{cluster}/computenodegroup/{group}",
        "status": "ACTIVE",
        "created_at": "2026-08-01T00:00:00Z",
        "modified_at": "2026-08-01T00:00:00Z",
        "error_info": None,
    }


TYPES: Mapping[str, str] = {
    "registry.terraform.io/hashicorp/awscc": "awscc_pcs_compute_node_group",
    "registry.terraform.io/pcsguard/pcs": "pcs_compute_node_group",
}
"""Provider source -> the resource type that the stand-in serves under it."""

assert set(TYPES.values()) <= spelling.LACKING.keys()
