"""From the paths on a command line to inputs: files, standard input, and folders with all that is in them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pcs_policies.errors import InputError
from pcs_policies.sources import detect
from pcs_policies.sources.given import Given
from pcs_policies.sources.join import CDK_STACK, Source, as_input, cdk_stacks, open_source
from pcs_policies.sources.reading import Reading
from pcs_policies.sources.variables import NONE_GIVEN, Variables

SKIPPED_FOLDERS = frozenset({".terraform", ".git", "node_modules", ".venv", "__pycache__"})
"""Folders that hold no source of one's own."""

TEMPLATES = (".yaml", ".yml", ".template", ".json")
"""How files end that may be CloudFormation templates."""

TELLTALES = re.compile(
    rb"""pcs_compute_node_group|"resource_changes"|\bType["']?\s*:\s*["']?AWS::PCS::ComputeNodeGroup"""
)
"""A broken file with one of these in it is no other tool's: leaving it out would hide it."""


class Options(NamedTuple):
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


class Opened(NamedTuple):
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
            yield from _folder(path, options, progress)
        else:
            progress(path)
            yield _file(path, options)


def _file(path: str, options: Options) -> Opened:
    try:
        kind, source, may_execute, given, within, variables = options
        reading = detect.open_input(
            path, kind, source, may_execute=may_execute, given=given, within=within, variables=variables
        )
        return Opened(path, reading)
    except InputError as error:
        return Opened(path, None, str(error))


def _folder(folder: str, options: Options, progress: Callable[[str], None]) -> Iterator[Opened]:
    found = False
    for opened in _inside(folder, options._replace(within=folder), progress):
        found = found or not opened.skipped
        yield opened
    if not found:
        yield Opened(folder, None, "there is nothing in this folder that pcsguard checks: no plan, state or source")


def _inside(folder: str, options: Options, progress: Callable[[str], None]) -> Iterator[Opened]:
    configurations: list[str] = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        stacks = cdk_stacks(path)
        if stacks:
            folders.remove("stacks")
        for stack in stacks:
            progress(stack)
            yield _file(stack, options)
        if any(name.endswith(".tf") for name in files):
            configurations.append(path)
        for name in sorted(files):
            if name.endswith(TEMPLATES) and not name.endswith(".json"):
                progress(os.path.join(path, name))
                yield _guess_template(os.path.join(path, name), options)
            if name.endswith((".json", ".tfplan")) and not (stacks and name == "manifest.json"):
                if name.endswith(".tf.json") and name != CDK_STACK and path in configurations:
                    continue  # part of the configuration in this folder
                progress(os.path.join(path, name))
                yield _guess(os.path.join(path, name), options)
    yield from _configurations(configurations, options.variables, progress)


def _guess(path: str, options: Options) -> Opened:
    """A file that nobody named: one that is no input of ours is skipped."""
    opened = _file(path, options)
    if opened.reading is not None or _is_ours(path):
        return opened
    return opened._replace(skipped=True)


def _guess_template(path: str, options: Options) -> Opened:
    """A file that may be a template by its name; one that looks like none is not even parsed: YAML is everywhere."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return _guess(path, options)
    from pcs_policies.sources import cloudformation

    if not cloudformation.may_be(data) and not TELLTALES.search(data):
        return Opened(path, None, "it is no CloudFormation template", skipped=True)
    return _guess(path, options)


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return True
    return TELLTALES.search(data) is not None


def _configurations(folders: list[str], variables: Variables, progress: Callable[[str], None]) -> Iterator[Opened]:
    """Folders of ``.tf`` files; one that another calls as a module is read there, with its arguments."""
    sources: dict[str, Source | str] = {}
    for folder in folders:
        progress(folder)
        try:
            sources[folder] = open_source(folder, explicit=True, variables=variables)
        except InputError as error:
            sources[folder] = str(error)
    called = {
        os.path.realpath(os.path.dirname(file))
        for folder, source in sources.items()
        if isinstance(source, Source)
        for file in source.files
        if not os.path.samefile(os.path.dirname(file), folder)
    }
    for folder, source in sources.items():
        if isinstance(source, str):
            yield Opened(folder, None, source)
        elif os.path.realpath(folder) in called:
            yield Opened(folder, None, "it is read as a module of another folder", skipped=True)
        else:
            yield Opened(folder, as_input(source))
