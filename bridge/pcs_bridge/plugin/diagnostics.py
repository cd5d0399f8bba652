"""What a provider tells terraform's user: errors and warnings, each with the attribute it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from pcs_bridge.plugin.paths import Path, dotted


class Severity(Enum):
    """An error stops terraform."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message. `summary` is a line; `detail` says why it matters and what to do."""

    severity: Severity
    summary: str
    detail: str = ""
    path: Path = ()

    @property
    def text(self) -> str:
        """The detail with the dotted path before it.

        Terraform shows the source line of a top-level attribute only; of `a.b[2].c` it shows the resource's first
        line, so without the path in the text nobody could tell which script is meant.
        """
        if not self.path:
            return self.detail
        return f"{dotted(self.path)}: {self.detail}" if self.detail else dotted(self.path)


def error(summary: str, detail: str = "", path: Path = ()) -> Diagnostic:
    """Return an error: terraform stops."""
    return Diagnostic(Severity.ERROR, summary, detail, path)


def warning(summary: str, detail: str = "", path: Path = ()) -> Diagnostic:
    """Return a warning: terraform shows it and goes on."""
    return Diagnostic(Severity.WARNING, summary, detail, path)


class Failed(Exception):
    """A handler could not do its work.

    `diagnostics` say why; at least one should be an error. `state` is what exists all the same, so that terraform
    records it: of a create that got half way (the resource becomes tainted), or of an update or delete that left
    something behind. Without it, terraform keeps the prior state, or records nothing of a create.
    """

    def __init__(self, *diagnostics: Diagnostic, state: dict[str, Any] | None = None) -> None:
        super().__init__("; ".join(diagnostic.summary for diagnostic in diagnostics))
        self.diagnostics: Final = diagnostics
        self.state: Final = state


def has_error(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether terraform will stop."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
