"""What a provider is made of: subclass these and hand an instance to `serve.serve`.

Handlers get and return plain objects (see `values`) and run in several threads at once. They report what went wrong by
raising `diagnostics.Failed`; anything else that they raise is a bug, of which the user sees an identifier only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from pcs_bridge.plugin import planning
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error
from pcs_bridge.plugin.function import Function
from pcs_bridge.plugin.logs import Logger
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.schema import EMPTY, Schema
from pcs_bridge.plugin.values import Object


@dataclass(slots=True)
class Call:
    """One call of terraform.

    `cancelled` is set when the user interrupts terraform: long waits end early (`cancelled.wait(seconds)` is true
    then), raising `Failed` with the state reached so far. `private` is a note that the provider keeps with the
    resource, for itself only; assign to it to change it. `reviewed` is that note as it was left by the plan which is
    being applied, when terraform plans again to apply it; empty otherwise, and with Terraform before 1.16. `warn` adds
    a warning to the answer.
    """

    cancelled: Event
    log: Logger
    private: bytes = b""
    reviewed: bytes = b""
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def warn(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)


@dataclass(frozen=True, slots=True)
class MovedFrom:
    """What a `moved` block brings from another resource type. `state` is the JSON as the other provider stored it."""

    provider: str
    """Such as `registry.terraform.io/hashicorp/awscc`."""
    resource_type: str
    schema_version: int
    state: Mapping[str, Any]


class Resource:
    """A resource type. `config` and planned states may hold `Unknown`; prior states and results never do."""

    schema: Schema

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        """Judge a configuration by itself. Runs before the provider is configured, and with much still unknown."""
        return ()

    def plan(self, config: Object, prior: Object | None, call: Call) -> Planned:
        """Say what a create (`prior` is None) or update will lead to. Changes nothing."""
        return planning.plan(self.schema, config, prior)

    def plan_delete(self, prior: Object, call: Call) -> None:
        """Warn of, or refuse, a destroy before it happens."""

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        """Make the resource and return its state, with every unknown decided."""
        raise NotImplementedError

    def read(self, state: Object, call: Call) -> Object | None:
        """Return the state as it is now; None when the resource is gone."""
        raise NotImplementedError

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        """Change the resource and return its state."""
        raise NotImplementedError

    def delete(self, prior: Object, call: Call) -> None:
        """Remove the resource; it is no error when it is gone already."""
        raise NotImplementedError

    def import_(self, identifier: str, call: Call) -> Object:
        """Return a state that `read` can complete, from the identifier in `terraform import`."""
        raise Failed(error("Import is not possible", "This resource type cannot be imported."))

    def upgrade(self, version: int, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring a state stored under an older schema version into today's form."""
        return state

    def move(self, source: MovedFrom, call: Call) -> Object | None:
        """Return the state of a resource that comes from another type; None when that type is not supported."""
        return None


class DataSource:
    """A data source."""

    schema: Schema

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        """As for a resource."""
        return ()

    def read(self, config: Object, call: Call) -> Object:
        """Look it up; `config` is wholly known."""
        raise NotImplementedError


class Provider:
    """A provider: its own configuration, and its resource types, data sources and functions by name."""

    schema: Schema = EMPTY
    resources: Mapping[str, Resource] = {}
    data_sources: Mapping[str, DataSource] = {}
    functions: Mapping[str, Function] = {}

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        """Judge the provider block by itself; values may be unknown."""
        return ()

    def configure(self, config: Object, call: Call) -> None:
        """Take the configuration, before any call but schema and validate. Values may be unknown during a plan."""
