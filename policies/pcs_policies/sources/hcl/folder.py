"""The node groups of a Terraform module and of the local modules that it calls."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pcs_policies.errors import InputError
from pcs_policies.redaction import printable, quote
from pcs_policies.sources import text as texts
from pcs_policies.sources.hcl.scan import Block, Lines, Scan, SyntaxProblem, scan
from pcs_policies.sources.hcl.values import read
from pcs_policies.sources.kinds import TERRAFORM_TYPES
from pcs_policies.sources.written import Json, Position, Written

MOST_CALLS = 1000
"""Module calls that are followed; modules that call each other twice in every step would never end."""
DEEPEST_CALLS = 50
"""Module calls inside of each other that are followed."""

MOST_PROBLEMS = 10
"""Problems of one file that are told one by one."""

META_ARGUMENTS = frozenset(
    {"count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection", "timeouts"}
)
"""What terraform itself takes from a resource block; the rest is the provider's
(https://developer.hashicorp.com/terraform/language/meta-arguments)."""


class HclSource(NamedTuple):
    """What was found in configuration.

    ``problems`` say, with file, line and column, what could not be read. ``remote_modules`` are the module calls whose
    source is not a local folder, so that groups may be in there that nobody sees; ``json_files`` are the ``.tf.json``
    files of each module, which another reader knows; ``files`` those that were read here.
    """

    groups: tuple[Written, ...] = ()
    problems: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    remote_modules: tuple[tuple[str, ...], ...] = ()
    json_files: tuple[tuple[tuple[str, ...], str], ...] = ()


def read_folder(folder: str, modules: tuple[str, ...] = ()) -> HclSource:
    """The node groups of a root module and of the local modules that it calls.

    ``modules`` is where the folder stands itself, if something else calls it. Raises
    :class:`~pcs_policies.errors.InputError` for a folder that cannot be listed and
    :class:`~pcs_policies.errors.UsageError` where python-hcl2 is needed and not installed.
    """
    walk = _Walk()
    walk.module(folder, modules, ())
    return walk.found()


def read_file(path: str) -> HclSource:
    """The node groups of one file; module calls are not followed. Raises as :func:`read_folder`."""
    contents = _read(path)
    module = _module(path, [contents], [])
    groups = tuple(_group(item, ()) for item in module.groups if _exists(item))
    return HclSource(groups, module.problems, (path,))


class _Item(NamedTuple):
    """A block of a file that matters: a node group, or the call of a module. ``values`` hold meta-arguments too."""

    labels: tuple[str, ...]
    values: Json
    file: str
    positions: dict[str, Position]

    @property
    def place(self) -> str:
        return _place(self.file, self.positions[""])


class _File(NamedTuple):
    items: tuple[_Item, ...]
    problems: tuple[str, ...]


class _Module(NamedTuple):
    """A folder by itself, without the modules that it calls."""

    groups: tuple[_Item, ...]
    calls: tuple[_Item, ...]
    problems: tuple[str, ...]
    files: tuple[str, ...] = ()
    json_files: tuple[str, ...] = ()


class _Walk:
    """Follows module calls from folder to folder, each of which is read once."""

    def __init__(self) -> None:
        self._open = lru_cache(maxsize=None)(_open)
        self._calls = 0
        self._groups: list[Written] = []
        self._problems: dict[str, None] = {}  # in order, each once
        self._files: dict[str, None] = {}
        self._remote: list[tuple[str, ...]] = []
        self._json: list[tuple[tuple[str, ...], str]] = []

    def found(self) -> HclSource:
        return HclSource(
            tuple(self._groups), tuple(self._problems), tuple(self._files), tuple(self._remote), tuple(self._json)
        )

    def module(self, folder: str, names: tuple[str, ...], callers: tuple[str, ...]) -> None:
        """Add what is in and below ``folder``; ``callers`` are the real paths of the folders on the way here."""
        module = self._open(folder)
        self._problems |= dict.fromkeys(module.problems)
        self._files |= dict.fromkeys(module.files)
        self._groups += (_group(item, names) for item in module.groups if _exists(item))
        self._json += ((names, file) for file in module.json_files)
        for call in module.calls:
            if _exists(call):
                self._follow(call, folder, names, (*callers, os.path.realpath(folder)))

    def _follow(self, call: _Item, folder: str, names: tuple[str, ...], callers: tuple[str, ...]) -> None:
        name = call.labels[1]
        inner = (*names, name)
        source = call.values.get("source")
        if source is None:
            self._problem(call, f"module {quote(name)} has no source, so nothing of it is checked")
            return
        if not isinstance(source, str) or not source.startswith(("./", "../")):
            self._remote.append(inner)
            return
        target = os.path.normpath(os.path.join(folder, source))
        self._calls += 1
        if os.path.realpath(target) in callers:
            self._problem(call, f"module {quote(name)} calls itself by way of {quote(source)}; terraform refuses that")
        elif self._calls > MOST_CALLS or len(callers) > DEEPEST_CALLS:
            most = f"{MOST_CALLS} module calls, or {DEEPEST_CALLS} inside of each other"
            self._problem(call, f"more than {most}: module {quote(name)} and what comes behind it are not checked")
        elif not os.path.isdir(target):
            self._problem(call, f"module {quote(name)} is to be in {quote(source)}, where there is no folder")
        else:
            try:
                self.module(target, inner, callers)
            except InputError as error:
                self._problem(call, f"module {quote(name)}: {error}")

    def _problem(self, call: _Item, what: str) -> None:
        self._problems[f"{call.place}: {what}"] = None


def _open(folder: str) -> _Module:
    """A folder by itself. Raises :class:`~pcs_policies.errors.InputError`."""
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise InputError(f"the folder {quote(folder)} cannot be read: {_reason(error)}") from None
    names = [name for name in names if os.path.isfile(os.path.join(folder, name)) or _dangling(folder, name)]
    files = [name for name in names if name.endswith(".tf")]
    overrides = [name for name in files if re.fullmatch(r"(?:.*_)?override\.tf", name)]
    base = [name for name in files if name not in overrides]
    module = _module(
        folder,
        [_read(os.path.join(folder, name)) for name in base],
        [_read(os.path.join(folder, name)) for name in overrides],
    )
    return module._replace(
        files=tuple(os.path.join(folder, name) for name in files),
        json_files=tuple(os.path.join(folder, name) for name in names if name.endswith(".tf.json")),
    )


def _dangling(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.islink(path) and not os.path.exists(path)


def _module(where: str, base: list[_File], overrides: list[_File]) -> _Module:
    """What is in the files of one module, with override files merged in."""
    problems = [problem for file in (*base, *overrides) for problem in file.problems]
    items: dict[tuple[str, ...], _Item] = {}
    for item in (item for file in base for item in file.items):
        if item.labels in items:
            first = items[item.labels].place
            problems.append(f"{item.place}: {_title(item)} is there twice; only the one at {first} is checked")
        else:
            items[item.labels] = item
    for item in (item for file in overrides for item in file.items):
        if item.labels in items:
            items[item.labels] = _overridden(items[item.labels], item)
        else:
            problems.append(f"{item.place}: this overrides {_title(item)}, which no other file of {quote(where)} has")
    groups = tuple(item for item in items.values() if item.labels[0] == "resource")
    calls = tuple(item for item in items.values() if item.labels[0] == "module")
    return _Module(groups, calls, tuple(problems))


def _overridden(base: _Item, override: _Item) -> _Item:
    """A block and one that overrides it: each member is as the latter says, if it does.

    The place of such a member is left out, as it is in another file; that of the block stands for it.
    """
    kept = {path: place for path, place in base.positions.items() if _top(path) not in override.values}
    return base._replace(values={**base.values, **override.values}, positions=kept)


def _top(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _exists(item: _Item) -> bool:
    """Whether the block makes anything: not with a literal ``count = 0`` or ``for_each = {}``."""
    count = item.values.get("count")
    return (isinstance(count, bool) or count not in (0, "0")) and item.values.get("for_each") != {}


def _group(item: _Item, modules: tuple[str, ...]) -> Written:
    _, resource_type, name = item.labels
    values = {key: value for key, value in item.values.items() if key not in META_ARGUMENTS}
    positions = {path: place for path, place in item.positions.items() if _top(path) not in META_ARGUMENTS}
    return Written(resource_type, name, values, item.file, positions, modules)


_MATTERS = re.compile(rb"pcs_compute_node_group|\bmodule\b(?!\s*\.)")


def _read(path: str) -> _File:
    """The blocks of a file that matter, and what could not be read."""
    try:
        text = _decoded(path)
    except InputError as error:
        return _File((), (f"{printable(path)}: {error}",))
    if text is None:
        return _File((), ())
    scanned = scan(text)
    lines = Lines(text)
    items = []
    problems = list(scanned.problems)
    for block in scanned.blocks:
        if _wanted(block):
            try:
                items.append(_item(scanned, block, path, lines))
            except SyntaxProblem as problem:
                problems.append(problem)
    return _File(tuple(items), tuple(_told(problems, path, lines)))


def _decoded(path: str) -> str | None:
    """The text of a file, or ``None`` if nothing in it matters. Raises :class:`~pcs_policies.errors.InputError`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"the file cannot be read: {_reason(error)}") from None
    name = texts.encoding(data)
    if not name.startswith("utf-8") or b"\0" in data:
        shown = "UTF-16 or no text at all" if name == "utf-8" else name.upper()
        raise InputError(f"the file is {shown}, and terraform reads UTF-8 only: save it as that")
    if not _MATTERS.search(data):
        return None
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is no UTF-8 text ({error.reason}): save the file as UTF-8") from None


def _wanted(block: Block) -> bool:
    if block.labels[0] == "module":
        return len(block.labels) == 2
    return block.labels[0] == "resource" and len(block.labels) == 3 and block.labels[1] in TERRAFORM_TYPES


def _item(scanned: Scan, block: Block, path: str, lines: Lines) -> _Item:
    body = read(scanned, block)
    positions = {where: lines.position(offset) for where, offset in body.offsets.items()}
    return _Item(block.labels, body.values, path, {"": lines.position(block.start), **positions})


def _told(problems: list[SyntaxProblem], path: str, lines: Lines) -> Iterator[str]:
    for problem in sorted(problems, key=lambda problem: problem.offset)[:MOST_PROBLEMS]:
        place = _place(path, lines.position(problem.offset))
        yield f"{place}: {problem.what}; what is around it is not checked until `terraform validate` accepts the file"
    if len(problems) > MOST_PROBLEMS:
        yield f"{printable(path)}: there are {len(problems) - MOST_PROBLEMS} more such problems in this file"


def _place(path: str, position: Position) -> str:
    return f"{printable(path)}:{position.line}:{position.column}"


def _title(item: _Item) -> str:
    return f"{item.labels[0]} {quote('.'.join(item.labels[1:]))}"


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
