"""The resources of one kind, as PCS has them: asked for, changed, and waited for.

An *identity* is what a request says of which resource it means: `{"clusterIdentifier": ..., ...}`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from botocore.exceptions import ClientError

from pcs_bridge.plugin.provider import Call
from pcs_bridge.provider import waiting
from pcs_bridge.provider.client import Client
from pcs_bridge.provider.failures import CONFLICT, NOT_FOUND, QUOTA, code_of
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.tags import Difference

GONE: Final = "DELETED"
"""The status of a resource that is listed for a while after its end."""

CHANCES: Final = 3
"""Tries of a change that conflicts with nothing that can be seen: what is in the way may be over before one looks."""


class Remote:
    """What the API does with one kind. Every method raises botocore's errors and Interrupted."""

    def __init__(self, kind: Kind, client: Client) -> None:
        self._kind: Final = kind
        self._client: Final = client

    def get(self, identity: Mapping[str, Any], call: Call) -> dict[str, Any] | None:
        """A resource; None when there is none."""
        return self._found(self._kind.operation, identity, call)

    def change(
        self, verb: str, request: Mapping[str, Any], deadline: float, call: Call, token: str | None = None
    ) -> dict[str, Any]:
        """The answer to a Create, Update or Delete, which waits for other operations that are in its way.

        `token` is the client token, without which it is a new one.
        """
        tries = 0
        while True:
            try:
                return self._client.call(f"{verb}{self._kind.operation}", request, call, token)
            except ClientError as refusal:
                tries += 1
                if time.monotonic() > deadline or not self._worth_another(verb, tries, request, refusal, call):
                    raise
            waiting.pause(tries, call)

    def over(self, identity: Mapping[str, Any], deadline: float, call: Call, *, new: bool = False) -> Any:
        """The resource when no operation is under way; None when it is gone. Raises TookTooLong."""
        return waiting.until_over(lambda: self.get(identity, call), deadline, call, new=new)

    def tags(self, arn: str, call: Call) -> dict[str, str]:
        """All tags of a resource, AWS's own among them."""
        return self._client.call("ListTagsForResource", {"resourceArn": arn}, call).get("tags") or {}

    def tag(self, arn: str, difference: Difference, call: Call) -> None:
        """Set and remove tags."""
        if difference.removed:
            self._client.call("UntagResource", {"resourceArn": arn, "tagKeys": difference.removed}, call)
        if difference.set:
            self._client.call("TagResource", {"resourceArn": arn, "tags": difference.set}, call)

    def _worth_another(
        self, verb: str, tries: int, request: Mapping[str, Any], refusal: ClientError, call: Call
    ) -> bool:
        """Whether a change that was refused may be accepted later: something is in its way that ends by itself."""
        code = code_of(refusal)
        # Of the clusters of an account and Region, one at a time can be in CREATING (PCS API reference, CreateCluster).
        one_at_a_time = code == QUOTA and verb == "Create" and self._kind.parent is None
        if code != CONFLICT and not one_at_a_time:
            return False
        if tries < CHANCES and (verb != "Create" or one_at_a_time):
            return True
        try:
            involved = self._all("Cluster", {}, call) if one_at_a_time else self._involved(verb, request, refusal, call)
            return any(found is not None and found["status"] in waiting.UNDER_WAY for found in involved)
        except ClientError:
            return False  # the refusal is what the user has to hear of

    def _involved(
        self, verb: str, request: Mapping[str, Any], conflict: ClientError, call: Call
    ) -> Iterator[Mapping[str, Any] | None]:
        """The resource itself, or the one that has its name; the cluster that it is in, and what else is in there."""
        response: Any = conflict.response
        own = {member: request.get(member, response.get("resourceId")) for member in self._kind.identifiers}
        yield self.get(own, call)
        cluster = {"clusterIdentifier": own["clusterIdentifier"]}
        if self._kind.parent is not None:
            yield self._found("Cluster", cluster, call)
        if verb != "Create":
            for name in ("Queue", "ComputeNodeGroup"):
                yield from self._all(name, cluster, call)

    def _all(self, name: str, request: Mapping[str, Any], call: Call) -> Iterator[Mapping[str, Any]]:
        """The summaries of all resources of a kind."""
        page: dict[str, Any] = {}
        while True:
            answer = self._client.call(f"List{name}s", {**request, **page}, call)
            yield from answer[f"{name[:1].lower()}{name[1:]}s"]
            if not answer.get("nextToken"):
                return
            page = {"nextToken": answer["nextToken"]}

    def _found(self, name: str, identity: Mapping[str, Any], call: Call) -> dict[str, Any] | None:
        try:
            answer = self._client.call(f"Get{name}", identity, call)
        except ClientError as failure:
            if code_of(failure) == NOT_FOUND:
                return None
            raise
        found: dict[str, Any] = answer[name[:1].lower() + name[1:]]
        return None if found["status"] == GONE else found
