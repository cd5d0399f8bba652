"""What a reader hands to the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pcs_policies.document import NodeGroup
from pcs_policies.errors import InputError
from pcs_policies.sources.kinds import Kind


class Unreadable(NamedTuple):
    """A node group that is there but cannot be judged, and why."""

    address: str
    reason: str


class Reading(NamedTuple):
    """An input, opened. ``groups`` is read once; ``problems`` say why the input as a whole is not fully checked."""

    kind: Kind
    groups: Iterator[NodeGroup | Unreadable]
    problems: tuple[str, ...] = ()
    drifted: int = 0
    """Groups that changed outside of terraform and that the plan does not touch."""
    removed: int = 0
    """Groups that the plan deletes or forgets; they are not judged."""


def mapping(value: Any, where: str) -> dict[str, Any]:
    """``value`` as an object; a missing one is empty. Raises :class:`InputError`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where} should be an object: this is not what terraform writes")
    return value


def sequence(value: Any, where: str) -> list[dict[str, Any]]:
    """``value`` as a list of objects; a missing one is empty. Raises :class:`InputError`."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{where} should be a list of objects: this is not what terraform writes")
    return value


def string(value: Any, where: str) -> str:
    """``value`` as a string. Raises :class:`InputError`."""
    if not isinstance(value, str):
        raise InputError(f"{where} should be a string: this is not what terraform writes")
    return value
