"""How a mistake in an app is told."""

from __future__ import annotations

from collections.abc import Iterable

from pcs_contract.record import Record
from pcs_stacks.lines import Line


class Mistake(Record):
    """One mistake: where in the user's program it was made, what it is and why it matters, and what to do."""

    line: Line
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.message}" + (f"\n  fix: {self.remedy}" if self.remedy else "")


class ConstructError(ValueError):
    """A construct, or a value for one, that would be a mistake.

    `path` is the path of the construct, empty for a value that is in none yet. The text names it, and file and line of
    each of the `mistakes`.
    """

    def __init__(self, path: str, mistakes: Iterable[Mistake]) -> None:
        self.path = path
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(f"{path}: {mistake}" if path else str(mistake) for mistake in self.mistakes))
