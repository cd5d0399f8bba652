"""What a reader hands to the engine, and how it reads JSON that may not be what it should be."""

from collections.abc import Iterator, Sequence

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.document import NodeGroup
from pcs_policies.errors import InputError
from pcs_policies.sources.kinds import TERRAFORM_TYPES, Kind

Json = dict[str, Any]


class Unreadable(Record):
    """A node group that is there but cannot be judged, and why."""

    address: str
    reason: str


class Removed(Record):
    """A node group that a plan deletes or forgets; it is counted and not judged."""

    address: str


class Unjoined(Record):
    """A node group that could not be joined with its source, and why. It follows, and is judged by the plan alone."""

    address: str
    reason: str


class Reading(Record):
    """An input, opened. ``groups`` is read once; ``problems`` say why the input as a whole is not fully checked."""

    kind: Kind
    groups: Iterator[NodeGroup | Unreadable | Removed | Unjoined]
    problems: tuple[str, ...] = ()
    drifted: int = 0
    """Groups that changed outside of terraform and that the plan does not touch."""
    source: str | None = None
    """The source that a plan is joined with."""

    @property
    def carries(self) -> frozenset[str]:
        """What rules may need of it: what its kind carries, and the author's own text where that was joined."""
        return self.kind.carries | {"source"} if self.source is not None else self.kind.carries


GroupAt = tuple[int, str, str]
"""Where in a list of resources a node group stands, its type and its name."""


class Objects(Sequence[Json]):
    """A list of objects that are decoded one by one, when they are asked for (see pcs_policies.sources.large)."""

    def groups(self) -> list[GroupAt]:
        """As :func:`groups`, without decoding any object."""
        raise NotImplementedError


def groups(resources: Sequence[Json]) -> list[GroupAt]:
    """The node groups in a list of resources."""
    if isinstance(resources, Objects):
        return resources.groups()
    return [
        (index, resource["type"], str(resource.get("name")))
        for index, resource in enumerate(resources)
        if is_group(resource.get("type"), resource.get("mode", "managed"))
    ]


def is_group(type_: Any, mode: Any) -> bool:
    """Whether a resource of that type and mode is a node group; either may be anything."""
    return type_ in TERRAFORM_TYPES and mode == "managed"


def mapping(value: Any, where: str) -> Json:
    """``value`` as an object; a missing one is empty. Raises :class:`InputError`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where} should be an object: this is not what terraform writes")
    return value


def objects(value: Any, where: str) -> Sequence[Json]:
    """``value`` as a list of objects; a missing one is empty. Raises :class:`InputError`."""
    if value is None:
        return []
    if isinstance(value, Objects) or (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        return value
    raise InputError(f"{where} should be a list of objects: this is not what terraform writes")


def string(value: Any, where: str) -> str:
    """``value`` as a string. Raises :class:`InputError`."""
    if not isinstance(value, str):
        raise InputError(f"{where} should be a string: this is not what terraform writes")
    return value
