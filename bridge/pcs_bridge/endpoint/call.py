"""One call of an operation: its parameters, and everything that answers it depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pcs_bridge.endpoint import identifiers
from pcs_bridge.endpoint.ec2 import Ec2
from pcs_bridge.endpoint.errors import not_found, quota
from pcs_bridge.endpoint.pagination import DEFAULT_PAGE, Pages
from pcs_bridge.endpoint.status import Delays, Failure
from pcs_bridge.endpoint.store import Kind, Resource, Transaction
from pcs_contract.shapes import shape

MOST_TAGS: Final = shape("RequestTagMap").max or 0
"""Tags of a resource: the model names this number for a request, and no text another one for the whole."""


@dataclass(frozen=True, slots=True)
class Call:
    """What an operation works with. Its parameters have passed validation; its changes are one transaction."""

    operation: str
    parameters: Mapping[str, Any]
    region: str
    transaction: Transaction
    now: float
    switches: Mapping[str, str]
    delays: Delays
    failure: Failure
    pages: Pages
    ec2: Ec2

    def cluster(self) -> Resource:
        """The cluster that the request names, by id or by name. Raises ResourceNotFoundException."""
        return self._find(Kind.CLUSTER, self.region, self.parameters["clusterIdentifier"])

    def group(self, cluster: Resource) -> Resource:
        """The group that the request names. Raises ResourceNotFoundException."""
        return self._find(Kind.GROUP, cluster.id, self.parameters["computeNodeGroupIdentifier"])

    def queue(self, cluster: Resource) -> Resource:
        """The queue that the request names. Raises ResourceNotFoundException."""
        return self._find(Kind.QUEUE, cluster.id, self.parameters["queueIdentifier"])

    def _find(self, kind: Kind, parent: str, identifier: str) -> Resource:
        if identifiers.is_id(identifier):
            found = self.transaction.get(kind, identifier)
            found = found if found is not None and found.parent == parent else None
        else:
            found = self.transaction.named(kind, parent, identifier)
        if found is None:
            raise not_found(kind, identifier)
        return found

    def page(
        self, kind: Kind, parent: str, member: str, shown: Callable[[Resource], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """A page of a list, as `member` of the response, with the token for the next one."""
        listing = f"{self.operation} {parent}"
        limit = self.parameters.get("maxResults") or DEFAULT_PAGE
        token = self.parameters.get("nextToken")
        after = 0 if token is None else self.pages.after(token, listing, self.now)
        found = self.transaction.page(kind, parent, after, limit + 1)
        answer: dict[str, Any] = {member: [shown(resource) for resource in found[:limit]]}
        if len(found) > limit:
            answer["nextToken"] = self.pages.token(listing, found[limit - 1].order, self.now)
        return answer


def check_tags(tags: Mapping[str, str], resource: Resource) -> None:
    """Raise ServiceQuotaExceededException for more tags than a resource may have."""
    if len(tags) > MOST_TAGS:
        raise quota(f"A resource has at most {MOST_TAGS} tags.", resource.kind, resource.id)
