"""Tags: those of a resource, and those that the provider gives to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown, Value

OWN = "tags"
ALL = "tags_all"

_RESERVED = "aws:"
"""The prefix of tags that AWS sets by itself, and nobody else can."""


class Difference(NamedTuple):
    """What to set and what to remove."""

    set: dict[str, str]
    removed: list[str]


def merged(own: Value, defaults: Value) -> Value:
    """All tags that a resource is to have; unknown where either is unknown as a whole."""
    if isinstance(own, Unknown) or isinstance(defaults, Unknown):
        return UNKNOWN
    return {key: value for key, value in {**(defaults or {}), **(own or {})}.items() if value is not None}


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> Difference:
    """How to get from one set of tags to another."""
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    return Difference(changed, sorted(before.keys() - after.keys()))


def read(prior: Object, defaults: Value, current: Mapping[str, str]) -> Object:
    """The attributes for the tags that a resource has now.

    A tag is the resource's own when the prior state says so; a new one is, unless it is just what `defaults` gives.
    """
    visible = {key: value for key, value in current.items() if not key.startswith(_RESERVED)}
    own_before, all_before = prior.get(OWN) or {}, prior.get(ALL) or {}
    given = defaults if isinstance(defaults, dict) else {}
    own: dict[str, str | None] = {
        key: value
        for key, value in visible.items()
        if key in own_before or (key not in all_before and given.get(key) != value)
    }
    # A null for a value is a tag that nobody wants.
    own |= {key: None for key, value in own_before.items() if value is None and key not in visible}
    if not own and prior.get(OWN) != {}:
        return {OWN: None, ALL: visible}
    return {OWN: own, ALL: visible}
