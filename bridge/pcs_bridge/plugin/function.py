"""A function of a provider, `provider::NAME::FUNCTION(...)` in a configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pcs_bridge.plugin.cty import Type
from pcs_bridge.plugin.values import Value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument, by its place. Terraform calls with known values only, none of which is null."""

    name: str
    type: Type
    description: str


@dataclass(frozen=True, slots=True)
class Function:
    """A pure function: the same arguments give the same result. It runs before the provider is configured.

    `call` gets the arguments in order, and raises `WrongArgument`. `summary` is a line, `description` is Markdown.
    """

    parameters: tuple[Parameter, ...]
    result: Type
    summary: str
    description: str
    call: Callable[..., Value]


class WrongArgument(Exception):
    """An argument makes no sense; `position` counts from 0. The text says what to do."""

    def __init__(self, position: int, text: str) -> None:
        super().__init__(text)
        self.position: Final = position
