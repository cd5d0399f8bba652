"""A folder as an input: what in it and below is checked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from pcs_policies.errors import InputError
from pcs_policies.sources.inputs import Opened, Options, open_file
from pcs_policies.sources.join import CDK_STACK, Source, as_input, cdk_stacks, open_source
from pcs_policies.sources.variables import Variables

SKIPPED_FOLDERS = frozenset({".terraform", ".git", "node_modules", ".venv", "__pycache__"})
"""Folders that hold no source of one's own."""

TEMPLATES = (".yaml", ".yml", ".template", ".json")
"""How files end that may be CloudFormation templates."""

TELLTALES = rb"""pcs_compute_node_group|"resource_changes"|\bType["']?\s*:\s*["']?AWS::PCS::ComputeNodeGroup"""
"""A broken file with one of these in it is no other tool's: leaving it out would hide it."""


def open_folder(folder: str, options: Options, progress: Callable[[str], None]) -> Iterator[Opened]:
    """Open all inputs in a folder, one by one; ``progress`` is told each path first."""
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
            yield open_file(stack, options)
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
    opened = open_file(path, options)
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

    if not cloudformation.may_be(data) and not re.search(TELLTALES, data):
        return Opened(path, None, "it is no CloudFormation template", skipped=True)
    return _guess(path, options)


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return True
    return re.search(TELLTALES, data) is not None


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
