"""The formats that there are: one table. Each is a module of this package with ``write``, imported when it is used."""

from importlib import import_module

from pcs_contract.hints import Protocol, TextIO
from pcs_contract.record import Record
from pcs_policies.errors import without_extra
from pcs_policies.findings import Result
from pcs_policies.settings import Settings


class Format(Record):
    """A format; the module of the same name in this package writes it.

    ``extra`` brings what it needs beyond the base install; ``groups``: it shows the node groups themselves.
    """

    name: str
    about: str
    extra: str | None = None
    groups: bool = False


FORMATS: tuple[Format, ...] = (
    Format("text", "for people, in a terminal or a log"),
    Format("json", "for programs: everything there is to tell, with a schema"),
    Format("sarif", "SARIF 2.1.0, for code scanning"),
    Format("junit", "JUnit XML, for the test page of a CI system"),
    Format("github", "annotations of a GitHub workflow, and its step summary"),
    Format("gitlab", "GitLab code quality"),
    Format("markdown", "for a comment on a pull request"),
    Format("html", "a page: the boot of every group, with the findings where they bite", extra="html", groups=True),
)

BY_NAME = {form.name: form for form in FORMATS}
NAMES = tuple(BY_NAME)


class Write(Protocol):
    """Writes a report; ``quiet`` leaves out what is not a finding, in formats for people."""

    def __call__(self, result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None: ...


def writer(name: str) -> Write:
    """What writes the format of that name. Raises :class:`~pcs_policies.errors.UsageError` without its extra."""
    try:
        write: Write = import_module(f"pcs_policies.reports.{name}").write
    except ModuleNotFoundError as error:
        raise without_extra(f"the format {name}", BY_NAME[name].extra, error) or error from None
    return write
