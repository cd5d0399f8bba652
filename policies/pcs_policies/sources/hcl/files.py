"""The files of one module: read as a whole, scanned when something in them is asked for, parsed piece by piece.

python-hcl2 parses about 100 kB a second, so only blocks and members that matter are parsed: those that are asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain

from pcs_contract.record import Record
from pcs_policies.errors import InputError
from pcs_policies.redaction import printable, quote
from pcs_policies.sources import text as texts
from pcs_policies.sources.hcl import expressions as ast
from pcs_policies.sources.hcl import json_syntax, library
from pcs_policies.sources.hcl.expressions import Node, Reader
from pcs_policies.sources.hcl.scan import Block, Lines, Scan, SyntaxProblem, scan
from pcs_policies.sources.kinds import TERRAFORM_TYPES
from pcs_policies.sources.written import Position

MOST_PROBLEMS = 10
"""Problems of one file that are told one by one."""

MATTERS = re.compile(rb"pcs_compute_node_group|\bmodule\b(?!\s*\.)")
"""What a file has that holds a node group, or calls a module where one may be."""


_LOCALS = re.compile(rb"^locals[ \t]*\{[^\n]*\n(.*?)^\}", re.MULTILINE | re.DOTALL)


class Member(Record):
    """A member of a block, unparsed: where its name and its expression are."""

    name: int
    start: int
    end: int


class Text:
    """The text of one file. ``problems`` grow while it is read: each is where, and what."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[SyntaxProblem] = []
        self.unreadable = ""
        self.data = b""
        self._encoding = "utf-8"
        self._members: dict[int, dict[str, Member]] = {}
        try:
            self._open()
        except InputError as error:
            self.data, self.unreadable = b"", str(error)

    def _open(self) -> None:
        try:
            with open(self.path, "rb") as file:
                self.data = file.read()
        except OSError as error:
            raise InputError(f"the file cannot be read: {reason(error)}") from None
        self._encoding = texts.encoding(self.data)
        if not self._encoding.startswith("utf-8") or b"\0" in self.data:
            shown = "UTF-16 or no text at all" if self._encoding == "utf-8" else self._encoding.upper()
            raise InputError(f"the file is {shown}, and terraform reads UTF-8 only: save it as that")

    @cached_property
    def scan(self) -> Scan:
        """The file, scanned; empty for one that cannot be."""
        try:
            found = scan(self.data.decode(self._encoding))
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            self.unreadable = f"line {line} is no UTF-8 text ({error.reason}): save the file as UTF-8"
            return scan("")
        self.problems += found.problems
        return found

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.scan.text)

    def members(self, block: Block) -> dict[str, Member]:
        """The members of a top-level block."""
        found = self._members.get(block.start)
        if found is None:
            opening = self.scan.skeleton.index("{", block.start)
            self._members[block.start] = found = members(self.scan, opening + 1, block.end - 1)
        return found

    def likely(self, kind: str, name: str) -> bool:
        """Whether the file, formatted as usual, defines this: it is scanned first, and most often as the only one."""
        if kind != "locals":
            return True
        return any(re.search(rb"(?m)^[ \t]+" + re.escape(name.encode()) + rb"[ \t]*=", part) for part in self._locals)

    @cached_property
    def _locals(self) -> list[bytes]:
        return _LOCALS.findall(self.data)

    def told(self) -> Iterator[str]:
        """The problems of the file, as a person reads them."""
        if self.unreadable:
            yield f"{printable(self.path)}: {self.unreadable}"
        for problem in sorted(self.problems, key=lambda problem: problem.offset)[:MOST_PROBLEMS]:
            where = place(self.path, self.lines.position(problem.offset))
            yield f"{where}: {problem.what}; {problem.remedy}"
        if len(self.problems) > MOST_PROBLEMS:
            more = len(self.problems) - MOST_PROBLEMS
            yield f"{printable(self.path)}: there are {more} more such problems in this file"


class Definition:
    """A variable, output, module call or set of locals. ``members`` are parsed when they are asked for."""

    def __init__(self, text: Text | None, position: Position | None, members: Mapping[str, Member | Node]) -> None:
        self.text = text
        self.position = position
        self._members = dict(members)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._members)

    def member(self, name: str) -> Node | None:
        """The expression of a member; ``None`` for one that is not there."""
        found = self._members.get(name)
        if isinstance(found, Member):
            assert self.text is not None
            self._members[name] = found = _parsed(self.text, found)
        return found

    def overridden(self, other: Definition) -> Definition:
        """The definition with the members of one in an override file."""
        for name in other.names:
            node = other.member(name)  # parsed there, as it is in another file
            assert node is not None
            self._members[name] = node
        return self


def _parsed(text: Text, member: Member) -> Node:
    """The expression of a member; one that cannot be parsed is a problem of its file, and unknown."""
    scanned = text.scan
    try:
        tree = library.parse_expression(scanned.skeleton[member.start : member.end], scanned.clean, member.start)
        return Reader(scanned, member.start - library.BEFORE).node(tree)
    except SyntaxProblem as problem:
        text.problems.append(problem)
    except RecursionError:
        text.problems.append(SyntaxProblem(member.start, "an expression that nests too deep to be read"))
    return ast.Other(scanned.clean, member.start, member.end)


_BRACKET = re.compile(r"[{}()\[\]\n]")
_MEMBER = re.compile(r"\s*(?P<name>[^\W\d][\w-]*)[ \t]*=(?![=>])")


def members(scanned: Scan, start: int, end: int) -> dict[str, Member]:
    """The members between two offsets, nested blocks left out. Of two of one name, the first."""
    found: dict[str, Member] = {}
    skeleton = scanned.skeleton
    line, depth = start, 0
    marks = ((match.start(), match.group()) for match in _BRACKET.finditer(skeleton, start, end))
    for offset, mark in chain(marks, [(end, "\n")]):
        if mark != "\n":
            depth += 1 if mark in "{([" else -1
        elif depth == 0:
            header = _MEMBER.match(skeleton, line, offset)
            if header:
                name = scanned.clean[slice(*header.span("name"))]
                found.setdefault(name, Member(header.start("name"), header.end(), offset))
            line = offset + 1
    return found


def reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def place(path: str, position: Position) -> str:
    return f"{printable(path)}:{position.line}:{position.column}"


class Folder:
    """The files of one module.

    ``single`` is for a file by itself: what it refers to may still be in those beside it.
    """

    def __init__(self, path: str, *, single: bool = False) -> None:
        """Raises :class:`~pcs_policies.errors.InputError` for a folder that cannot be listed."""
        self.path = path
        home = os.path.dirname(path) if single else path
        names = _names(home or ".")
        hcl = [name for name in names if name.endswith(".tf") and not (single and name == os.path.basename(path))]
        last = [name for name in hcl if re.fullmatch(r"(?:.*_)?override\.tf", name)]
        base = [Text(os.path.join(home, name)) for name in hcl if name not in last]
        overrides = [Text(os.path.join(home, name)) for name in last]
        json_files = [os.path.join(home, name) for name in names if name.endswith(".tf.json")]
        self.base = [Text(path)] if single else base
        self.overrides = [] if single else overrides
        self.json_files = [] if single else json_files
        self.json = json_syntax.Definitions(json_files)
        self.variable_files = [os.path.join(home, name) for name in names if _is_automatic(name)]
        self._base = [*self.base, *base] if single else base
        self._overrides = overrides
        self._found: dict[tuple[str, str], Definition | None] = {}

    @property
    def texts(self) -> list[Text]:
        return [*self.base, *self.overrides]

    def blocks(self, text: Text) -> Iterator[Block]:
        """The node groups and module calls of a file."""
        if MATTERS.search(text.data):
            yield from (block for block in text.scan.blocks if _wanted(block))

    def find(self, kind: str, name: str) -> Definition | None:
        """A variable, output or local value (``locals``: the member of that name) of this module."""
        key = (kind, name)
        if key not in self._found:
            self._found[key] = self._find(kind, name)
        return self._found[key]

    def _find(self, kind: str, name: str) -> Definition | None:
        found: Definition | None = None
        for text in sorted(self._base, key=lambda text: not text.likely(kind, name)):
            found = found or next(self._defined(text, kind, name), None)
        for text in self._overrides:
            for other in self._defined(text, kind, name):
                found = found.overridden(other) if found else other
        return found or self.json.find(kind, name)

    def _defined(self, text: Text, kind: str, name: str) -> Iterator[Definition]:
        word = re.escape(name.encode())
        form = rb"(?<![\w.-])" + word + rb"[ \t]*=" if kind == "locals" else kind.encode() + rb'[ \t]+"?' + word
        if kind.encode() not in text.data or name.encode() not in text.data or not re.search(form, text.data):
            return  # most files, without a scan
        for block in text.scan.blocks:
            if block.labels == (kind,) or block.labels == (kind, name):
                inside = text.members(block)
                if kind != "locals" or name in inside:
                    yield Definition(text, text.lines.position(block.start), inside)


def _wanted(block: Block) -> bool:
    if block.labels[0] == "module":
        return len(block.labels) == 2
    return block.labels[0] == "resource" and len(block.labels) == 3 and block.labels[1] in TERRAFORM_TYPES


def _names(folder: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise InputError(f"the folder {quote(folder)} cannot be read: {reason(error)}") from None
    return [name for name in names if os.path.isfile(os.path.join(folder, name)) or _dangling(folder, name)]


def _dangling(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.islink(path) and not os.path.exists(path)


def _is_automatic(name: str) -> bool:
    return name in ("terraform.tfvars", "terraform.tfvars.json") or name.endswith((".auto.tfvars", ".auto.tfvars.json"))
