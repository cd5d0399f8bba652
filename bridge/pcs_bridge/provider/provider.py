"""The provider: its block, its resource types, and the connection that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pcs_bridge.plugin.diagnostics import Diagnostic
from pcs_bridge.plugin.provider import Call, DataSource, Provider, Resource
from pcs_bridge.plugin.values import Object
from pcs_bridge.provider import kinds, limits, script, settings
from pcs_bridge.provider.access import Access
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.functions import FUNCTIONS
from pcs_bridge.provider.lookup import Lookup
from pcs_bridge.provider.managed import Managed
from pcs_bridge.provider.node_groups import NodeGroups
from pcs_bridge.provider.script import Script


class PcsProvider(Provider):
    """The provider `pcs`."""

    schema = settings.SCHEMA
    functions = FUNCTIONS

    def __init__(self) -> None:
        self._connection: Connection | None = None
        self.resources: Mapping[str, Resource] = {
            kinds.NODE_GROUP.type_name: NodeGroups(self._connected),
            kinds.CLUSTER.type_name: Managed(kinds.CLUSTER, limits.problems, self._connected),
            kinds.QUEUE.type_name: Managed(kinds.QUEUE, limits.problems, self._connected),
            script.TYPE: Script(self._connected),
        }
        self.data_sources: Mapping[str, DataSource] = {
            kind.type_name: Lookup(kind, self._connected) for kind in kinds.KINDS
        }

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        return settings.problems(config)

    def configure(self, config: Object, call: Call) -> None:
        chosen = settings.settings(config)
        self._connection = Connection(chosen, Access(chosen))

    def _connected(self) -> Connection:
        if self._connection is None:
            raise ValueError("terraform has not configured the provider")
        return self._connection
