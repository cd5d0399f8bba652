"""The schema of a provider, a resource type or a data source, as data.

Attributes only: nested attributes say everything that nested blocks can, and more clearly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final

from pcs_bridge.plugin.cty import ListOf, MapOf, ObjectOf, SetOf, Type


class Nesting(Enum):
    """How objects of nested attributes stand in an attribute: one, several in order, several, or one under each key."""

    SINGLE = "single"
    LIST = "list"
    SET = "set"
    MAP = "map"


_COLLECTIONS: Final[Mapping[Nesting, type[ListOf] | type[SetOf] | type[MapOf]]] = {
    Nesting.LIST: ListOf,
    Nesting.SET: SetOf,
    Nesting.MAP: MapOf,
}


class Attributes(Mapping[str, "Attribute"]):
    """Attributes by name, in the order in which they were given."""

    def __init__(self, attributes: Iterable[Attribute] = ()) -> None:
        self._by_name: Final = {attribute.name: attribute for attribute in attributes}

    def __getitem__(self, name: str) -> Attribute:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @cached_property
    def type(self) -> ObjectOf:
        """The type of an object of these attributes."""
        return ObjectOf({name: attribute.type for name, attribute in self.items()})


@dataclass(frozen=True)
class Nested:
    """Attributes within an attribute."""

    nesting: Nesting
    attributes: Attributes

    @cached_property
    def type(self) -> Type:
        """The type of the attribute as a whole."""
        collection = _COLLECTIONS.get(self.nesting)
        return self.attributes.type if collection is None else collection(self.attributes.type)


@dataclass(frozen=True)
class Attribute:
    """One attribute.

    `of` is its type, or its nested attributes. One of `required`, `optional` and `computed` holds, or the last two:
    then the provider fills in what the author leaves out. `sensitive` hides the value from terraform's output.
    `write_only` values reach the provider and are never stored. `description` is Markdown.

    The rest tells `planning` what to do. `replaces`: a change means another resource. `keeps_prior`: a computed value
    that is not configured stays as it is through an update; without it, every change makes it unknown.

    Raises ValueError for a combination that terraform refuses.
    """

    name: str
    of: Type | Nested
    required: bool = field(default=False, kw_only=True)
    optional: bool = field(default=False, kw_only=True)
    computed: bool = field(default=False, kw_only=True)
    sensitive: bool = field(default=False, kw_only=True)
    write_only: bool = field(default=False, kw_only=True)
    deprecated: bool = field(default=False, kw_only=True)
    description: str = field(default="", kw_only=True)
    replaces: bool = field(default=False, kw_only=True)
    keeps_prior: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        # Terraform says so only when a user runs it, and then of the schema as a whole.
        if not (self.required or self.optional or self.computed):
            raise ValueError(f"attribute {self.name} is neither required, optional nor computed")
        if self.required and (self.optional or self.computed):
            raise ValueError(f"attribute {self.name} is required: it cannot be optional or computed as well")
        if self.write_only and self.computed:
            raise ValueError(f"attribute {self.name} is write-only: there is nothing to compute")
        if self.keeps_prior and not self.computed:
            raise ValueError(f"attribute {self.name} keeps its prior value: then it must be computed")
        if not self.name.isidentifier() or self.name.lower() != self.name:
            raise ValueError(f"attribute name {self.name!r} is not one of lower case letters, digits and underscores")

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.of.type if isinstance(self.of, Nested) else self.of


@dataclass(frozen=True)
class Schema:
    """What a configuration block accepts and a state holds. `version` grows when stored states need an upgrade."""

    attributes: Attributes
    version: int = 0
    description: str = ""

    @property
    def type(self) -> ObjectOf:
        """The type of the block as a whole."""
        return self.attributes.type


EMPTY: Final = Schema(Attributes())
