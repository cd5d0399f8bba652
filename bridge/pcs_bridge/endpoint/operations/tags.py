"""Tags of clusters, groups and queues, by ARN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pcs_bridge.endpoint import identifiers
from pcs_bridge.endpoint.call import Call, check_tags
from pcs_bridge.endpoint.errors import not_found
from pcs_bridge.endpoint.store import Resource


def tag(call: Call) -> Mapping[str, Any]:
    resource = _resource(call)
    tags = {**resource.tags, **call.parameters["tags"]}
    check_tags(tags, resource)
    call.transaction.put(replace(resource, tags=tags))
    return {}


def untag(call: Call) -> Mapping[str, Any]:
    resource = _resource(call)
    tags = {key: value for key, value in resource.tags.items() if key not in call.parameters["tagKeys"]}
    call.transaction.put(replace(resource, tags=tags))
    return {}


def list_all(call: Call) -> Mapping[str, Any]:
    return {"tags": dict(_resource(call).tags)}


def _resource(call: Call) -> Resource:
    arn = call.parameters["resourceArn"]
    named = identifiers.named(arn)
    resource = None if named is None else call.transaction.get(named.kind, named.id)
    if resource is None or resource.facts["arn"] != arn:
        raise not_found("Resource" if named is None else named.kind, arn)
    return resource
