"""The formats that there are: one table. Each is a module of this package with ``write``, imported when it is used."""

from importlib import import_module

from pcs_contract.hints import Protocol, TextIO
from pcs_contract.record import Record
from pcs_policies.findings import Result
from pcs_policies.settings import Settings


class Format(Record):
    """A format; the module of the same name in this package writes it."""

    name: str
    about: str


FORMATS: tuple[Format, ...] = (
    Format("text", "for people, in a terminal or a log"),
    Format("json", "for programs: everything there is to tell, with a schema"),
    Format("sarif", "SARIF 2.1.0, for code scanning"),
    Format("junit", "JUnit XML, for the test page of a CI system"),
    Format("github", "annotations of a GitHub workflow, and its step summary"),
    Format("gitlab", "GitLab code quality"),
    Format("markdown", "for a comment on a pull request"),
)

NAMES = tuple(form.name for form in FORMATS)


class Write(Protocol):
    """Writes a report; ``quiet`` leaves out what is not a finding, in formats for people."""

    def __call__(self, result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None: ...


def writer(name: str) -> Write:
    """What writes the format of that name."""
    write: Write = import_module(f"pcs_policies.reports.{name}").write
    return write
