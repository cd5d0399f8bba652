"""A module as it is called: where the references in it lead, and the instances that ``count`` and ``for_each`` make."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable

from pcs_contract.record import Record
from pcs_policies.document import Expression
from pcs_policies.sources.hcl.constraints import constraint
from pcs_policies.sources.hcl.evaluate import SENSITIVE_EACH, Evaluator, Names
from pcs_policies.sources.hcl.expressions import Node, Step
from pcs_policies.sources.hcl.files import Definition, Folder
from pcs_policies.sources.hcl.root import RootValues
from pcs_policies.sources.hcl.types import (
    ANY,
    NUMBER,
    STRING,
    Refused,
    Type,
    Undecided,
    Value,
    convert,
    items,
    object_value,
    scalar,
    tuple_value,
)

MOST_INSTANCES = 1000
"""Instances of one resource or module that are told apart."""

LARGEST_FILE = 10_000_000
"""Bytes of a file that a configuration refers to."""

Key = int | str | None
"""The key of an instance; ``None`` for the only one."""


class Instance(Record):
    """An instance of a resource or module, and what ``each`` and ``count`` are in it."""

    key: Key
    names: Names


UNKNOWN_INSTANCE: Names = {
    "each": Value(
        Type("object", members=(("key", STRING), ("value", ANY))),
        {"key": Expression("each.key"), "value": Expression("each.value")},
    ),
    "count": Value(Type("object", members=(("index", NUMBER),)), {"index": Expression("count.index")}),
}
"""What ``each`` and ``count`` are where the instances are not told apart."""


def instances(
    member: Callable[[str], Node | None], evaluator: Evaluator, module: Module, names: Names
) -> list[Instance] | None:
    """The instances of a block, whose members ``member`` finds; ``None`` where they are not known."""
    count, for_each = member("count"), member("for_each")
    if count is not None:
        number = _converted(evaluator.value(count, module, names), NUMBER)
        if not isinstance(number, int) or not 0 <= number <= MOST_INSTANCES:
            return None
        return [Instance(i, {**names, "count": object_value({"index": scalar(i)})}) for i in range(number)]
    if for_each is not None:
        before, evaluator.sensitive = evaluator.sensitive, False
        collection = evaluator.value(for_each, module, names)
        if evaluator.sensitive:
            names = {**names, SENSITIVE_EACH: scalar(True)}
        evaluator.sensitive |= before
        return _each(collection, names)
    return [Instance(None, names)]


def _converted(value: Value, of: Type) -> object:
    try:
        return convert(value, of).raw
    except (Refused, Undecided):
        return None


def _each(collection: Value, names: Names) -> list[Instance] | None:
    if collection.unknown or collection.raw is None or not (collection.mapping or collection.type.kind == "set"):
        return None
    if SENSITIVE_EACH in names and not collection.mapping:
        return None  # terraform refuses it, and the keys would be the secrets
    found = list(items(collection))
    if len(found) > MOST_INSTANCES or not all(isinstance(key, str) for key, _ in found):
        return None
    return [Instance(key, {**names, "each": object_value({"key": scalar(key), "value": item})}) for key, item in found]


class Module:
    """A module as it is called: a scope. ``arguments`` are those of the call, in the scope of the caller.

    ``children`` finds the module behind a call in this one, for its outputs.
    """

    def __init__(
        self,
        folder: Folder,
        evaluator: Evaluator,
        *,
        root: str,
        path: str = ".",
        values: RootValues | None = None,
        caller: tuple[Module, Definition, Names] | None = None,
        children: Callable[[Module, str], Children | None] = lambda _module, _name: None,
    ) -> None:
        self.folder = folder
        self.path = path
        self._evaluator = evaluator
        self._root = root
        self._values = values
        self._caller = caller
        self._children = children
        self._known: dict[tuple[str, str], Value] = {}
        self._sensitive: set[tuple[str, str]] = set()
        self._asked: set[tuple[str, str]] = set()

    # References

    def reference(self, root: str, steps: tuple[Step, ...], names: Names) -> tuple[Value, tuple[Step, ...]]:
        """As :meth:`~pcs_policies.sources.hcl.evaluate.Scope.reference`."""
        name = steps[0].name if steps else None
        if name is None:
            raise Undecided
        if root in ("var", "local"):
            return self._once(root, name), steps[1:]
        if root == "path" and name in ("module", "root"):
            return scalar(self.path if name == "module" else "."), steps[1:]
        if root == "module":
            return self._output(name, steps[1:], names)
        raise Undecided

    def _once(self, kind: str, name: str) -> Value:
        """The value of a variable, local or output, which is computed once. One that needs itself is undecided."""
        key = (kind, name)
        if key in self._known:
            self._evaluator.sensitive |= key in self._sensitive
            return self._known[key]
        if key in self._asked:
            raise Undecided
        self._asked.add(key)
        before, self._evaluator.sensitive = self._evaluator.sensitive, False
        try:
            compute = {"var": self._variable, "local": self._local, "output": self._output_value}[kind]
            value = compute(name)
        except Undecided:
            value = Value(ANY, Expression(""))
        finally:
            self._asked.discard(key)
            if self._evaluator.sensitive:
                self._sensitive.add(key)
            self._evaluator.sensitive |= before
        self._known[key] = value
        return value

    def _local(self, name: str) -> Value:
        node = self._member("locals", name, name)
        if node is None:
            raise Undecided
        return self._evaluator.value(node, self, {})

    def _output_value(self, name: str) -> Value:
        node = self._member("output", name, "value")
        if node is None:
            raise Undecided
        self._mark(self._member("output", name, "sensitive"))
        return self._evaluator.value(node, self, {})

    def _member(self, kind: str, name: str, member: str) -> Node | None:
        definition = self.folder.find(kind, name)
        return None if definition is None else definition.member(member)

    def _variable(self, name: str) -> Value:
        definition = self.folder.find("variable", name)
        if definition is None:
            raise Undecided
        self._mark(definition.member("sensitive"))
        of = constraint(definition.member("type"), self._evaluator)
        given = self._given(name, of)
        nullable = definition.member("nullable")
        if given is not None and given.raw is None and nullable is not None:
            may_be = self._evaluator.value(nullable, self, {}).raw
            if may_be is not True:
                given = None
        if given is None:
            default = definition.member("default")
            if default is None:
                return Value(ANY if of.optional else of, Expression(f"var.{name}"))
            given = self._evaluator.value(default, self, {})
        return convert(given, of)

    def _mark(self, sensitive: Node | None) -> None:
        """Take note of a ``sensitive`` argument; one that is not known counts."""
        if sensitive is not None and self._evaluator.value(sensitive, self, {}).raw not in (False, None, "false"):
            self._evaluator.sensitive = True

    def _given(self, name: str, of: Type) -> Value | None:
        if self._caller is not None:
            caller, call, names = self._caller
            argument = call.member(name) if name in call.names else None
            if argument is None:
                if name in call.names:
                    raise Undecided  # it is there, and cannot be read
                return None
            return self._evaluator.value(argument, caller, names)
        return self._values.find(name, of) if self._values is not None else None

    # Outputs of modules

    def _output(self, name: str, steps: tuple[Step, ...], names: Names) -> tuple[Value, tuple[Step, ...]]:
        """``module.name.output``, ``module.name[key].output`` and ``module.name[*].output``."""
        children = self._children(self, name)
        if children is None or not steps:
            raise Undecided
        if not children.several:
            output = steps[0].name
            if output is None:
                raise Undecided
            return children.modules[None]._once("output", output), steps[1:]
        if len(steps) < 2 or steps[1].name is None:
            raise Undecided
        first, output = steps[0], steps[1].name
        if first.splat is not None and children.counted:
            values = [module._once("output", output) for module in children.modules.values()]
            return self._evaluator.through(tuple_value(values), (first, *steps[2:]), self, names), ()
        if first.key is None:
            raise Undecided
        key = self._evaluator.value(first.key, self, names).raw
        child = children.modules.get(key) if isinstance(key, int | str) else None
        if child is None:
            raise Undecided
        return child._once("output", output), steps[2:]

    # Files

    def file(self, path: str) -> bytes | None:
        """As :meth:`~pcs_policies.sources.hcl.evaluate.Scope.file`. Terraform runs in the folder of the root module.

        Only files of the same working tree are read: a configuration under review must not make anybody's keys and
        passwords part of a report.
        """
        if os.path.isabs(path) or path.startswith("~") or "\0" in path:
            raise Undecided
        target = os.path.realpath(os.path.join(self._root, path))
        if os.path.commonpath([target, _tree(self._root)]) != _tree(self._root):
            raise Undecided
        try:
            if not os.path.exists(target):
                return None
            if not os.path.isfile(target) or os.path.getsize(target) > LARGEST_FILE:
                raise Undecided
            with open(target, "rb") as file:
                return file.read()
        except OSError:
            raise Undecided from None


class Children(Record):
    """The modules behind one call, by instance key. ``several``: the call has ``count`` or ``for_each``."""

    modules: dict[Key, Module]
    several: bool = False
    counted: bool = False


def _tree(root: str) -> str:
    """The working tree that a folder is in: up to where git begins, or else the folder itself."""
    start = folder = os.path.realpath(root)
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above


def below(path: str, source: str) -> str:
    """``path.module`` of a module that one at ``path`` calls by ``source``."""
    return posixpath.normpath(posixpath.join(path, source))
