"""Where reports go: ``--format NAME[=FILE]``, several at once, and never half a file."""

import os
import stat
import sys
from collections.abc import Callable, Iterable
from functools import partial

from pcs_contract.hints import TextIO
from pcs_contract.record import Record
from pcs_policies.errors import UsageError, nearest
from pcs_policies.findings import Result
from pcs_policies.redaction import printable
from pcs_policies.reports.formats import BY_NAME, NAMES, writer
from pcs_policies.settings import Settings


class Output(Record):
    """A report to write; ``file`` is ``None`` for standard output."""

    format: str
    file: str | None


def parse(texts: Iterable[str], read: Iterable[str] = ()) -> tuple[Output, ...]:
    """The outputs that flags ask for; text on standard output without any. ``read`` are files that the run reads.

    Raises :class:`~pcs_policies.errors.UsageError` for a format that does not exist or lacks its extra, for two reports
    in one place, for a file that the run reads, and for one that could not be written: before anything is checked.
    """
    outputs = tuple(_output(text) for text in texts) or (Output("text", None),)
    places: dict[str | None, str] = {}
    inputs = tuple(read)
    for output in outputs:
        place = None if output.file is None else os.path.realpath(output.file)
        if place in places:
            where = "standard output" if output.file is None else printable(output.file)
            raise UsageError(
                f"two reports would go to {where}: {places[place]} and {output.format}; give one of them a file of its "
                f"own, as in --format {output.format}=FILE"
            )
        places[place] = output.format
        if output.file is not None:
            check(output.file, inputs)
    return outputs


def _output(text: str) -> Output:
    name, sign, file = text.partition("=")
    if name not in NAMES:
        raise UsageError(f"there is no format {printable(name)!r}{nearest(name, NAMES)}; there are {', '.join(NAMES)}")
    if sign and not file:
        raise UsageError(f"--format {name}= names no file; leave the equals sign out for standard output")
    writer(name)  # what it needs is missing now or never
    return Output(name, None if file in ("", "-") else file)


def show_groups(outputs: Iterable[Output]) -> bool:
    """Whether any of the outputs shows the node groups themselves."""
    return any(BY_NAME[output.format].groups for output in outputs)


def check(file: str, read: Iterable[str] = ()) -> None:
    """Raises :class:`~pcs_policies.errors.UsageError` for a file that could not be written, or that the run reads.

    ``read`` are files, and folders with what is in and below them.
    """
    if any(_is_read(file, os.path.realpath(path)) for path in read):
        raise UsageError(f"{printable(file)} is an input, which is not overwritten; name another file")
    folder = os.path.dirname(os.path.realpath(file))
    if not os.path.isdir(folder):
        raise UsageError(f"{printable(file)} cannot be written: there is no folder {printable(folder)}; make it first")
    if os.path.isdir(file):
        raise UsageError(f"{printable(file)} cannot be written: it is a folder; name a file")
    if not os.access(folder, os.W_OK) and not _special(file):
        raise UsageError(f"{printable(file)} cannot be written: no file may be made in {printable(folder)}")


def _is_read(file: str, given: str) -> bool:
    """Whether what is at ``file`` may be read as part of the input ``given``."""
    target = os.path.realpath(file)
    if target == given:
        return True
    if not os.path.isfile(target) or not os.path.isdir(given) or not target.startswith(os.path.join(given, "")):
        return False
    return target.endswith(_SOURCES) or (target.endswith(".json") and not _is_own(target))


_SOURCES = (".tf", ".tf.json", ".tfvars", ".tfvars.json", ".yaml", ".yml", ".template")


def _is_own(file: str) -> bool:
    """Whether a JSON file looks like a report or a baseline of an earlier run, all of which name pcsguard."""
    try:
        with open(file, "rb") as stream:
            head = stream.read(2000)
    except OSError:
        return False
    return b"pcsguard" in head or head.strip() in (b"", b"[]")


def write(outputs: Iterable[Output], result: Result, settings: Settings, *, quiet: bool) -> None:
    """Write all reports, files first: a reader of standard output that has seen enough takes none of them away."""
    for output in sorted(outputs, key=lambda output: output.file is None):
        report = writer(output.format)
        if output.file is None:
            report(result, settings, sys.stdout, quiet=quiet)
        else:
            write_file(output.file, partial(report, result, settings, quiet=quiet))


def write_file(file: str, fill: Callable[[TextIO], object]) -> None:
    """Write a file whole or not at all: under another name beside it, renamed when it is complete.

    A symbolic link stays one. What is no regular file (a pipe, ``/dev/stderr``) is written directly. Raises
    :class:`~pcs_policies.errors.UsageError` where it cannot be written, with the old file as it was.
    """
    path = file if _special(file) else os.path.realpath(file)
    folder, name = os.path.split(path)
    temporary = path if _special(file) else os.path.join(folder, f".{name[:200]}.{os.urandom(4).hex()}.tmp")
    try:
        with open(
            temporary, "w" if temporary == path else "x", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as out:
            fill(out)
        if temporary != path:
            os.replace(temporary, path)
    except BrokenPipeError:  # a pipe whose reader has seen enough, as on standard output
        raise
    except OSError as error:
        _remove(temporary, path)
        raise UsageError(
            f"{printable(file)} cannot be written: {error.strerror or type(error).__name__}; it is as it was"
        ) from None
    except BaseException:  # an interrupt, or a defect: nothing half-written is left behind
        _remove(temporary, path)
        raise


def _remove(temporary: str, path: str) -> None:
    if temporary != path and os.path.exists(temporary):
        os.unlink(temporary)


def _special(file: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(file).st_mode)
    except OSError:
        return False
