"""Values that a person gives for the parameters of CloudFormation templates."""

from __future__ import annotations

from collections.abc import Mapping


class Given:
    """Values for parameters, from the command line. It remembers which of them a template asked for."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        self._used: set[str] = set()

    def find(self, name: str) -> str | None:
        """The value for a parameter that a template has; ``None`` where none is given."""
        if name in self._values:
            self._used.add(name)
        return self._values.get(name)

    def unused(self) -> list[str]:
        """Names that no template has had so far."""
        return sorted(self._values.keys() - self._used)
