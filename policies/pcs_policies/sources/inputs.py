"""From the paths on a command line to inputs: files, standard input, and folders with all that is in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from pcs_contract.hints import TYPE_CHECKING
from pcs_contract.record import Record
from pcs_policies.errors import InputError
from pcs_policies.sources import detect
from pcs_policies.sources.given import Given
from pcs_policies.sources.reading import Reading
from pcs_policies.sources.variables import NONE_GIVEN, Variables

if TYPE_CHECKING:
    from pcs_policies.sources.join import Source


class Options(Record):
    """How inputs are opened. ``kind`` is the id of a kind to take them for, instead of looking at their content.

    ``given`` are parameters of templates; ``within`` is the folder that is walked through. ``variables`` are those of
    terraform's root modules.
    """

    kind: str | None = None
    source: Source | None = None
    may_execute: bool = True
    given: Given = Given()
    within: str | None = None
    variables: Variables = NONE_GIVEN


class Opened(Record):
    """An input: its reading, or the reason why there is none. ``skipped``: it lay in a folder and is none of ours."""

    path: str
    reading: Reading | None
    reason: str = ""
    skipped: bool = False


def open_inputs(
    paths: Iterable[str], options: Options, progress: Callable[[str], None] = lambda _: None
) -> Iterator[Opened]:
    """Open inputs one by one; ``progress`` is told each path first."""
    for path in paths:
        if path != "-" and os.path.isdir(path):
            from pcs_policies.sources.folders import open_folder  # imports more than a plan needs

            yield from open_folder(path, options, progress)
        else:
            progress(path)
            yield open_file(path, options)


def open_file(path: str, options: Options) -> Opened:
    """Open one input, which is no folder."""
    try:
        kind, source, may_execute, given, within, variables = options
        reading = detect.open_input(
            path, kind, source, may_execute=may_execute, given=given, within=within, variables=variables
        )
        return Opened(path, reading)
    except InputError as error:
        return Opened(path, None, str(error))
