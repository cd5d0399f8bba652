"""`pcs_compute_node_group`: what is there for compute node groups only."""

from __future__ import annotations

from collections.abc import Callable

from pcs_bridge.plugin.diagnostics import Failed, has_error
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.provider import Call
from pcs_bridge.plugin.values import Object
from pcs_bridge.provider import checks
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.kinds import NODE_GROUP
from pcs_bridge.provider.managed import Managed


class NodeGroups(Managed):
    """The resource type: any kind's life, and the rules in the plan.

    Terraform plans once more when it applies, with every value known: what the rules could not decide before is judged
    then, and still before the group is made or changed.
    """

    def __init__(self, connection: Callable[[], Connection]) -> None:
        super().__init__(NODE_GROUP, checks.group_problems, connection)

    def plan(self, config: Object, prior: Object | None, call: Call) -> Planned:
        planned = super().plan(config, prior, call)
        policy = self._connection().policy
        found = () if policy is None else tuple(policy.judge(config, prior, planned))
        if has_error(found):
            raise Failed(*found)
        for diagnostic in found:
            call.warn(diagnostic)
        return planned
