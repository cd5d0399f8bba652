"""The node groups of a Terraform module and of the local modules that it calls."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from pcs_contract.record import Record
from pcs_policies.errors import InputError
from pcs_policies.redaction import printable, quote
from pcs_policies.sources import text as texts
from pcs_policies.sources import tf_json
from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl import json_syntax, waivers
from pcs_policies.sources.hcl.evaluate import Evaluator, Names
from pcs_policies.sources.hcl.expressions import Node
from pcs_policies.sources.hcl.files import Definition, Folder, Text, place
from pcs_policies.sources.hcl.modules import UNKNOWN_INSTANCE, Children, Instance, Key, Module, below, instances
from pcs_policies.sources.hcl.root import RootValues
from pcs_policies.sources.hcl.scan import Block, SyntaxProblem
from pcs_policies.sources.hcl.values import Members, evaluate, read, sensitive
from pcs_policies.sources.reading import mapping
from pcs_policies.sources.terraform import META_ARGUMENTS
from pcs_policies.sources.variables import NONE_GIVEN, Variables
from pcs_policies.sources.written import InlineWaiver, Position, Written

MOST_CALLS = 1000
"""Module calls that are followed; modules that call each other twice in every step would never end."""
DEEPEST_CALLS = 50
"""Module calls inside of each other that are followed."""


class HclSource(Record):
    """What was found in configuration.

    ``groups`` are the node groups, each instance by itself where ``count`` and ``for_each`` are known. ``blocks`` are
    the same without instances: one for each resource block of each module call, what ``each`` and ``count`` give being
    unknown. ``problems`` say, with file, line and column, what could not be read. ``remote_modules`` are the module
    calls whose source is not a local folder, so that groups may be in there that nobody sees; ``files`` are those that
    were read, JSON included.
    """

    groups: tuple[Written, ...] = ()
    problems: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    remote_modules: tuple[tuple[str, ...], ...] = ()
    blocks: tuple[Written, ...] = ()


def read_folder(folder: str, modules: tuple[str, ...] = (), variables: Variables = NONE_GIVEN) -> HclSource:
    """The node groups of a root module and of the local modules that it calls.

    ``modules`` is where the folder stands itself, if something else calls it. Raises
    :class:`~pcs_policies.errors.InputError` for a folder that cannot be listed and
    :class:`~pcs_policies.errors.UsageError` where python-hcl2 is needed and not installed, or a file that ``variables``
    name is missing.
    """
    walk = _Walk(folder)
    walk.root(walk.folder(folder), modules, variables)
    return walk.found()


def read_file(path: str, variables: Variables = NONE_GIVEN) -> HclSource:
    """The node groups of one file; module calls are not followed. Raises as :func:`read_folder`."""
    walk = _Walk(os.path.dirname(path) or ".", alone=True)
    walk.root(Folder(path, single=True), (), variables)
    return walk.found()._replace(remote_modules=())


class _Item(Record):
    """A node group of a module, by itself: its members, and where they are."""

    labels: tuple[str, ...]
    members: Members
    file: str
    positions: Mapping[str, Position]
    waivers: tuple[InlineWaiver, ...] = ()
    json: Written | None = None

    def member(self, name: str) -> Node | None:
        found = self.members.get(name)
        return found if isinstance(found, Node) else None


class _Call(Record):
    """The call of a module."""

    name: str
    definition: Definition
    place: str


class _Contents(Record):
    """What matters in a folder by itself, without the modules that it calls."""

    folder: Folder
    groups: tuple[_Item, ...]
    calls: Mapping[str, _Call]
    problems: tuple[str, ...]


class _Place(Record):
    """Where a module is in the tree of calls. ``callers`` are the real paths of the folders on the way here.

    ``keys`` are the instances of the modules on the way; ``None`` for a whole ``keys``: not told apart.
    """

    names: tuple[str, ...]
    keys: tuple[Key, ...] | None
    callers: tuple[str, ...]


class _Walk:
    """Follows module calls from folder to folder, each of which is read once."""

    def __init__(self, root: str, *, alone: bool = False) -> None:
        self._root = root
        self._alone = alone
        self._evaluator = Evaluator()
        self._contents: dict[str, _Contents] = {}
        self._callers: dict[Module, tuple[_Contents, _Place]] = {}
        self._values: RootValues | None = None
        self._calls = 0
        self._groups: list[Written] = []
        self._blocks: list[Written] = []
        self._problems: dict[str, None] = {}  # in order, each once
        self._files: dict[str, None] = {}
        self._remote: dict[tuple[str, ...], None] = {}

    def found(self) -> HclSource:
        problems: dict[str, None] = {}
        for contents in self._contents.values():
            for text in contents.folder.texts:  # some of their problems came up while values were looked for
                problems |= dict.fromkeys(text.told())
        problems |= self._problems
        if self._values is not None:
            problems |= dict.fromkeys(self._values.problems())
        return HclSource(
            tuple(self._groups),
            tuple(problems),
            tuple(self._files),
            tuple(self._remote),
            tuple(self._blocks),
        )

    def folder(self, path: str) -> Folder:
        """A folder. Raises :class:`~pcs_policies.errors.InputError`."""
        contents = self._contents.get(path)
        return contents.folder if contents else Folder(path)

    def root(self, folder: Folder, names: tuple[str, ...], variables: Variables) -> None:
        """Add what is in and below the root module."""
        self._values = RootValues(folder.variable_files, variables, self._evaluator)
        module = Module(
            folder, self._evaluator, root=self._root, values=None if names else self._values, children=self._children
        )
        keys: tuple[Key, ...] = (None,) * len(names)
        self._visit(module, _Place(names, keys, ()), groups=True, blocks=True)

    def _visit(self, module: Module, where: _Place, *, groups: bool, blocks: bool) -> None:
        """Add a module and what it calls: to the groups, to the blocks (see :class:`HclSource`), or to both."""
        contents = self._open(module.folder)
        self._callers[module] = (contents, where)
        self._problems |= dict.fromkeys(contents.problems)
        self._files |= dict.fromkeys(text.path for text in module.folder.texts)
        self._files |= dict.fromkeys(module.folder.json_files)
        for item in contents.groups:
            self._add(item, module, where, groups=groups, blocks=blocks)
        if not self._alone:
            for call in contents.calls.values():
                self._follow(call, module, where, groups=groups, blocks=blocks)

    def _open(self, folder: Folder) -> _Contents:
        if folder.path not in self._contents:
            self._contents[folder.path] = _contents(folder)
        return self._contents[folder.path]

    # Node groups

    def _add(self, item: _Item, module: Module, where: _Place, *, groups: bool, blocks: bool) -> None:
        found = instances(item.member, self._evaluator, module, {})
        if found is not None and len(found) == 1 and found[0].key is None:
            written = self._written(item, module, where, found[0])
            self._groups += [written] if groups else []
            self._blocks += [written] if blocks else []
            return
        whole = self._written(item, module, where, Instance(None, UNKNOWN_INSTANCE))
        if groups and found is None:
            self._groups.append(whole)
        elif groups and found is not None:
            self._groups += (self._written(item, module, where, instance) for instance in found)
        self._blocks += [whole] if blocks else []

    def _written(self, item: _Item, module: Module, where: _Place, instance: Instance) -> Written:
        _, resource_type, name = item.labels
        members = {key: value for key, value in item.members.items() if key not in META_ARGUMENTS}
        self._evaluator.sensitive = False
        values = evaluate(members, self._evaluator, module, instance.names)
        hidden = sensitive(members, self._evaluator, module, instance.names) if self._evaluator.sensitive else None
        keys = (*where.keys, instance.key) if where.keys is not None else ()
        told = keys if any(key is not None for key in keys) else ()
        if item.json is not None:
            return item.json._replace(values=values, modules=where.names, keys=told, sensitive=hidden)
        positions = {path: place for path, place in item.positions.items() if _top(path) not in META_ARGUMENTS}
        waived = tuple(waiver for waiver in item.waivers if _top(waiver.path) not in META_ARGUMENTS)
        return Written(
            resource_type,
            name,
            values,
            item.file,
            positions,
            where.names,
            waivers=waived,
            sensitive=hidden,
            keys=told,
        )

    # Module calls

    def _follow(self, call: _Call, module: Module, where: _Place, *, groups: bool, blocks: bool) -> None:
        target = self._target(call, module, where, tell=True)
        if target is None:
            return
        found = instances(call.definition.member, self._evaluator, module, {})
        inner = (*where.names, call.name)
        callers = (*where.callers, os.path.realpath(module.folder.path))
        one = found is not None and len(found) == 1 and found[0].key is None
        if groups and found is not None:
            for instance in found:
                keys = (*where.keys, instance.key) if where.keys is not None else None
                child = self._child(call, module, target, instance.names)
                self._visit(child, _Place(inner, keys, callers), groups=True, blocks=blocks and one)
        if (blocks and not one) or (groups and found is None):
            child = self._child(call, module, target, UNKNOWN_INSTANCE)
            self._visit(child, _Place(inner, None, callers), groups=groups and found is None, blocks=blocks)

    def _child(self, call: _Call, module: Module, target: Folder, names: Names) -> Module:
        source = self._source(call, module)
        return Module(
            target,
            self._evaluator,
            root=self._root,
            path=below(module.path, source or "."),
            caller=(module, call.definition, names),
            children=self._children,
        )

    def _source(self, call: _Call, module: Module) -> str | None:
        node = call.definition.member("source")
        source = None if node is None else self._evaluator.value(node, module, {}).raw
        return source if isinstance(source, str) else None

    def _target(self, call: _Call, module: Module, where: _Place, *, tell: bool) -> Folder | None:
        """The folder of a call; ``None`` where it is not followed, of which the problems tell."""
        inner = (*where.names, call.name)
        name = quote(call.name)
        node = call.definition.member("source")
        if node is None:
            self._problem(call, f"module {name} has no source, so nothing of it is checked", tell)
            return None
        source = self._source(call, module)
        if source is None or not source.startswith(("./", "../")):
            self._remote |= {inner: None} if tell else {}
            return None
        path = os.path.normpath(os.path.join(module.folder.path, source))
        callers = (*where.callers, os.path.realpath(module.folder.path))
        self._calls += tell
        if os.path.realpath(path) in callers:
            self._problem(call, f"module {name} calls itself by way of {quote(source)}; terraform refuses that", tell)
        elif self._calls > MOST_CALLS or len(callers) > DEEPEST_CALLS:
            most = f"{MOST_CALLS} module calls, or {DEEPEST_CALLS} inside of each other"
            self._problem(call, f"more than {most}: module {name} and what comes behind it are not checked", tell)
        elif not os.path.isdir(path):
            self._problem(call, f"module {name} is to be in {quote(source)}, where there is no folder", tell)
        else:
            try:
                return self.folder(path)
            except InputError as error:
                self._problem(call, f"module {name}: {error}", tell)
        return None

    def _problem(self, call: _Call, what: str, tell: bool) -> None:
        if tell:
            self._problems[f"{call.place}: {what}"] = None

    def _children(self, module: Module, name: str) -> Children | None:
        """The modules behind a call, for their outputs."""
        known = self._callers.get(module)
        if known is None or self._alone:
            return None
        contents, where = known
        call = contents.calls.get(name)
        target = self._target(call, module, where, tell=False) if call is not None else None
        if call is None or target is None:
            return None
        found = instances(call.definition.member, self._evaluator, module, {})
        if found is None:
            return None
        callers = (*where.callers, os.path.realpath(module.folder.path))
        children: dict[Key, Module] = {}
        for instance in found:
            child = self._child(call, module, target, instance.names)
            self._callers[child] = (self._open(target), _Place((*where.names, name), None, callers))
            children[instance.key] = child
        several = not (len(found) == 1 and found[0].key is None)
        return Children(children, several, several and call.definition.member("count") is not None)


def _top(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


# A folder by itself


def _contents(folder: Folder) -> _Contents:
    """What is in the files of one module, with override files merged in."""
    problems: list[str] = []
    groups: dict[tuple[str, ...], _Item] = {}
    calls: dict[str, _Call] = {}
    for text in folder.base:
        for item in _items(folder, text):
            labels, where = _identity(item)
            first = groups.get(labels) or calls.get(labels[1])
            if isinstance(first, _Item if len(labels) == 3 else _Call):
                problems.append(f"{where}: {_title(labels)} is there twice; only the one at {_where(first)} is checked")
            elif isinstance(item, _Item):
                groups[labels] = item
            else:
                calls[item.name] = item
    for text in folder.overrides:
        for item in _items(folder, text):
            labels, where = _identity(item)
            if isinstance(item, _Item) and labels in groups:
                groups[labels] = _overridden(groups[labels], item)
            elif isinstance(item, _Call) and item.name in calls:
                calls[item.name].definition.overridden(item.definition)
            else:
                problems.append(
                    f"{where}: this overrides {_title(labels)}, which no other file of {quote(folder.path)} has"
                )
    for item in _json_groups(folder, problems):
        groups.setdefault(item.labels, item)
    for name, body in folder.json.bodies("module"):
        definition = Definition(None, None, {key: json_syntax.node(value) for key, value in body.items()})
        calls.setdefault(name, _Call(name, definition, folder.path))
    return _Contents(folder, tuple(groups.values()), calls, tuple(problems))


def _identity(item: _Item | _Call) -> tuple[tuple[str, ...], str]:
    return item.labels if isinstance(item, _Item) else ("module", item.name), _where(item)


def _where(item: _Item | _Call) -> str:
    return place(item.file, item.positions[""]) if isinstance(item, _Item) else item.place


def _title(labels: tuple[str, ...]) -> str:
    return f"{labels[0]} {quote('.'.join(labels[1:]))}"


def _items(folder: Folder, text: Text) -> Iterator[_Item | _Call]:
    """The node groups and module calls of a file."""
    ignored: deque[waivers.Comment] | None = None
    for block in folder.blocks(text):
        if block.labels[0] == "module":
            position = text.lines.position(block.start)
            definition = Definition(text, position, text.members(block))
            yield _Call(block.labels[1], definition, place(text.path, position))
            continue
        if ignored is None:
            ignored = deque(waivers.comments(text.scan, text.problems))
        try:
            yield _item(text, block, ignored)
        except SyntaxProblem as problem:
            text.problems.append(problem)
    for comment in ignored or ():
        text.problems.append(_stray(comment))


def _stray(comment: waivers.Comment) -> SyntaxProblem:
    what = "this waiver stands beside no member of a node group"
    return SyntaxProblem(comment.offset, what, remedy=waivers.REMEDY)


def _item(text: Text, block: Block, ignored: deque[waivers.Comment]) -> _Item:
    body = read(text.scan, block)
    offsets = {"": block.start, **body.offsets}
    positions = {path: text.lines.position(offset) for path, offset in offsets.items()}
    found = []
    places = waivers.Places(offsets)
    while ignored and ignored[0].first < block.end:
        comment = ignored.popleft()
        path = places.covered(comment)
        if path is None:
            text.problems.append(_stray(comment))
        else:
            found.append(waivers.waiver(comment, path, text.path, text.lines.position(comment.offset).line))
    return _Item(block.labels, body.members, text.path, positions, tuple(found))


def _overridden(base: _Item, override: _Item) -> _Item:
    """A block and one that overrides it: each member is as the latter says, if it does.

    The place of such a member is left out, as it is in another file; that of the block stands for it.
    """
    kept = {path: place for path, place in base.positions.items() if _top(path) not in override.members}
    members: Members = {**base.members, **override.members}
    return base._replace(members=members, positions=kept, waivers=(*base.waivers, *override.waivers))


def _json_groups(folder: Folder, problems: list[str]) -> Iterator[_Item]:
    """The node groups of the ``.tf.json`` files."""
    for file in folder.json_files:
        try:
            document = mapping(texts.parse(texts.decode(texts.read(file))), "the file")
            for written, body in tf_json.bodies(document, file):
                yield _json_item(written, body)
        except InputError as error:
            problems.append(f"{printable(file)}: {error}")


def _json_item(written: Written, body: dict[str, Any]) -> _Item:
    members: Members = {key: json_syntax.node(value) for key, value in body.items() if key not in ("//", "dynamic")}
    for name, value in written.values.items():
        if name not in members:  # a dynamic block
            members[name] = ast.Other(value.text, 0, len(value.text))
    labels = ("resource", written.type, written.name)
    return _Item(labels, members, written.file, {"": Position(1, 1)}, json=written)
