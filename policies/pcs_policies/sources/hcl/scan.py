"""From the text of a file to its top-level blocks, in one pass and in linear time.

The grammar is that of HCL's specification (https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md); where it is
silent (which dollars escape, where a heredoc ends) the pass does what terraform was seen to do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

from pcs_contract.record import Record
from pcs_policies.redaction import quote
from pcs_policies.sources.written import Position

REMEDY = "what is around it is not checked until `terraform validate` accepts the file"


class SyntaxProblem(Exception):
    """Text that terraform would refuse as well. ``offset`` is where, counted in characters.

    ``stray``: it is something between blocks, of which a file of variables is full. ``remedy`` is what to do.
    """

    def __init__(self, offset: int, what: str, *, stray: bool = False, remedy: str = REMEDY) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what
        self.stray = stray
        self.remedy = remedy


class Part(Record):
    """A part of a template: literal text as written, a ``${...}`` or a ``%{...}``, the last two with their braces."""

    kind: Literal["text", "value", "directive"]
    start: int
    end: int


class Quoted(Record):
    """A quoted string or a heredoc (``flush``: one that begins with ``<<-``; ``bare``: one without any mark)."""

    start: int
    end: int
    parts: tuple[Part, ...]
    heredoc: bool = False
    flush: bool = False
    bare: bool = False


class Block(Record):
    """A top-level block: its type, then its labels. ``end`` is behind the closing brace."""

    labels: tuple[str, ...]
    start: int
    end: int


class Scan(Record):
    """A file, scanned. ``clean`` is the text without comments, ``skeleton`` is what python-hcl2 gets to see.

    Both are as long as the text, so that an offset means the same place in each. ``strings`` are the outermost ones,
    by where they begin. ``problems`` end the scan or cost a block; the blocks are those that were whole nevertheless.
    ``comments`` are where those stand that may hold a waiver.
    """

    text: str
    clean: str
    skeleton: str
    strings: dict[int, Quoted]
    blocks: tuple[Block, ...]
    problems: tuple[SyntaxProblem, ...]
    comments: tuple[tuple[int, int], ...] = ()


WAIVER = "pcsguard:"
"""What a comment has in it that may hold a waiver."""


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Line and column, from 1, of an offset."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)


def scan(text: str) -> Scan:
    """Scan the text of a file, which has no byte order mark."""
    scanner = _Scanner(text)
    problems: list[SyntaxProblem] = []
    try:
        scanner.run()
        whole = len(text)
    except SyntaxProblem as problem:
        problems.append(problem)
        whole = scanner.braces[-1][1] if scanner.braces else 0
    clean, skeleton = "".join(scanner.clean), "".join(scanner.skeleton)
    # What comes behind the last whole block before an error is unknown: leave it blank.
    clean, skeleton = clean[:whole].ljust(len(text)), skeleton[:whole].ljust(len(text))
    blocks = _blocks(clean, skeleton, scanner.braces, problems)
    told = tuple(sorted(problems, key=lambda problem: problem.offset))
    return Scan(text, clean, skeleton, scanner.strings, blocks, told, tuple(scanner.comments))


def scan_expression(text: str) -> Scan:
    """Scan the text of one expression. Raises :class:`SyntaxProblem`."""
    scanner = _Scanner(text)
    scanner.run()
    return Scan(text, "".join(scanner.clean), "".join(scanner.skeleton), scanner.strings, (), ())


def scan_template(text: str) -> tuple[Scan, Quoted]:
    """Scan the text of a template without quotes around it, as in a file. Raises :class:`SyntaxProblem`."""
    scanner = _Scanner(text)
    scanner.template()
    quoted = Quoted(0, len(text), tuple(scanner.parts), heredoc=True, bare=True)
    return Scan(text, text, "", {0: quoted}, (), ()), quoted


class _Open(Record):
    """Something that has begun and not ended: its opening text, and where."""

    mark: str
    start: int
    heredoc: str = ""  # the word that ends it


_CODE = re.compile(r'"(?P<plain>[^"\\$%\n]*)"|["{}()\[\]#]|//|/\*|<<(?P<flush>-?)(?P<word>[^\W\d][\w-]*)\r?\n')
_QUOTED = re.compile(r'\\.|\$\$\{|%%\{|\$\{|%\{|"|\n', re.DOTALL)
_HEREDOC = re.compile(r"\$\$\{|%%\{|\$\{|%\{|\n")
_CLOSES = {"}": ("{", "${", "%{"), ")": ("(",), "]": ("[",)}
_TEMPLATES = frozenset({'"', "<<", "<<-"})


class _Scanner:
    """One pass over a text. ``open`` is the stack of what has begun; its top decides how to read on.

    Templates nest in code and code nests in templates; only what is outside of every template is written to ``clean``
    and ``skeleton``, piece by piece, each as long as what it replaces.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[_Open] = []
        self.templates = 0  # how many of the open things are templates
        self.clean: list[str] = []
        self.skeleton: list[str] = []
        self.strings: dict[int, Quoted] = {}
        self.braces: list[tuple[int, int]] = []  # of the top-level blocks
        self.comments: list[tuple[int, int]] = []
        self.parts: list[Part] = []  # of the outermost template
        self.part = 0  # where the part of it at hand begins

    def run(self) -> None:
        """Raises :class:`SyntaxProblem` where the pass cannot go on."""
        while self.at < len(self.text):
            mark = self.open[-1].mark if self.open else ""
            if mark == '"':
                self._quoted()
            elif mark in _TEMPLATES:
                self._heredoc()
            else:
                self._code()
        if self.open:
            raise self._unended()

    def template(self) -> None:
        """Take the whole text for that of a template. Raises :class:`SyntaxProblem`."""
        self.open.append(_Open("<<", 0, " "))  # no line can end it
        self.templates = 1
        while self.at < len(self.text):
            if self.open[-1].mark == '"':
                self._quoted()
            elif self.open[-1].mark not in _TEMPLATES:
                self._code()
            elif _HEREDOC.search(self.text, self.at) is None:
                break
            else:
                self._heredoc()
        if len(self.open) > 1:
            raise self._unended()
        self._part("text", len(self.text))

    def _code(self) -> None:
        found = _CODE.search(self.text, self.at)
        end = found.start() if found else len(self.text)
        self._plain(self.text[self.at : end])
        self.at = end
        if found is None:
            return
        mark = found.group()
        if mark in ("#", "//", "/*"):
            self._comment(mark)
        elif mark in _CLOSES:
            self._close(mark)
        elif mark in ("{", "(", "["):
            self._plain(mark)
            self._push(_Open(mark, self.at), self.at + 1)
        elif mark == '"':
            self._begin_template(_Open(mark, self.at), found.end())
        elif found["plain"] is not None:  # most strings: in one step
            self._whole_string(found.end())
        else:
            self._begin_template(_Open(f"<<{found['flush']}", self.at, found["word"]), found.end())
            self._end_heredoc()

    def _unended(self) -> SyntaxProblem:
        opened = self.open[-1]
        if opened.heredoc:
            what = f"a heredoc that begins here has no line {quote(opened.heredoc)} that ends it"
        elif opened.mark == '"':
            what = "a string that begins here does not end on its line"
        else:
            what = f"{quote(opened.mark)} that begins here never ends"
        return SyntaxProblem(opened.start, what)

    def _comment(self, mark: str) -> None:
        close, length = ("*/", 2) if mark == "/*" else ("\n", 0)
        end = self.text.find(close, self.at + len(mark))
        if end < 0 and mark == "/*":
            raise SyntaxProblem(self.at, "a comment that begins here never ends")
        end = len(self.text) if end < 0 else end + length
        # A comment over several lines is one space to terraform: it does not end what stands before it.
        if not self.templates:
            self._write(" " * (end - self.at), " " * (end - self.at))
            if self.text.find(WAIVER, self.at, end) >= 0:
                self.comments.append((self.at, end))
        self.at = end

    def _close(self, mark: str) -> None:
        if not self.open or self.open[-1].mark not in _CLOSES[mark]:
            before = f"; {quote(self.open[-1].mark)} is open" if self.open else ""
            raise SyntaxProblem(self.at, f"{quote(mark)} has no opening counterpart{before}")
        opened = self.open.pop()
        self._plain(mark)
        self.at += 1
        if opened.mark in ("${", "%{"):
            self._part("value" if opened.mark == "${" else "directive", self.at)
        elif not self.open and mark == "}":
            self.braces.append((opened.start, self.at))

    def _push(self, opened: _Open, end: int) -> None:
        self.open.append(opened)
        self.at = end

    def _begin_template(self, opened: _Open, end: int) -> None:
        self._push(opened, end)
        self.templates += 1
        if self.templates == 1:
            self.parts, self.part = [], end

    def _quoted(self) -> None:
        found = _QUOTED.search(self.text, self.at)
        mark = found.group() if found else "\n"
        if found is None or mark == "\n":
            raise self._unended()
        if mark in ("${", "%{"):
            self._part("text", found.start())
            self._push(_Open(mark, found.start()), found.end())
        elif mark == '"':
            self._end_template(found.start(), found.end())
        else:
            self.at = found.end()

    def _heredoc(self) -> None:
        found = _HEREDOC.search(self.text, self.at)
        if found is None:
            raise self._unended()
        mark = found.group()
        if mark in ("${", "%{"):
            self._part("text", found.start())
            self._push(_Open(mark, found.start()), found.end())
            return
        self.at = found.end()
        if mark == "\n":
            self._end_heredoc()

    def _end_heredoc(self) -> None:
        """At the beginning of a line of a heredoc: end it, if that is what the line says."""
        end = self.text.find("\n", self.at)
        if end >= 0 and self.text[self.at : end].strip() == self.open[-1].heredoc:
            start = self.at
            self._end_template(start, end - 1 if self.text[end - 1] == "\r" else end)

    def _end_template(self, end_of_text: int, end: int) -> None:
        self._part("text", end_of_text)
        opened = self.open.pop()
        self.templates -= 1
        self.at = end
        if self.templates == 0:
            heredoc = opened.mark != '"'
            self.strings[opened.start] = Quoted(
                opened.start, end, tuple(self.parts), heredoc, flush=opened.mark == "<<-"
            )
            text = self.text[opened.start : end]
            self._write(text, f'"{"a" * (len(text) - 2)}"')

    def _whole_string(self, end: int) -> None:
        """A string of literal text alone."""
        start, self.at = self.at, end
        if self.templates:
            return
        inner = (Part("text", start + 1, end - 1),) if end - start > 2 else ()
        self.strings[start] = Quoted(start, end, inner)
        self._write(self.text[start:end], f'"{"a" * (end - start - 2)}"')

    def _part(self, kind: Literal["text", "value", "directive"], end: int) -> None:
        """A part of the outermost template ends."""
        if self.templates == 1:
            if end > self.part:
                self.parts.append(Part(kind, self.part, end))
            self.part = end

    def _plain(self, code: str) -> None:
        """Write code that is in no template."""
        if self.templates or not code:
            return
        shown = code if code.isascii() else _FOREIGN.sub(_ascii, code)
        if self.open and self.open[-1].mark in ("(", "["):
            shown = shown.replace("\n", " ")  # line ends mean nothing there, which python-hcl2 knows in part only
        self._write(code, shown)

    def _write(self, clean: str, skeleton: str) -> None:
        self.clean.append(clean)
        self.skeleton.append(skeleton)


_FOREIGN = re.compile(r"[^\x00-\x7f]")


def _ascii(match: re.Match[str]) -> str:
    """A letter in place of one that python-hcl2 does not allow in names, and that terraform does."""
    return "a" if f"a{match.group()}".isidentifier() else match.group()


_HEADER = re.compile(r'[ \t]*(?P<type>[^\W\d][\w-]*)(?P<labels>(?:[ \t]+[^\W\d][\w-]*|[ \t]*"[^"]*")*)[ \t\r]*')
_LABEL = re.compile(r'[\w-]+|"[^"]*"')


def _blocks(
    clean: str,
    skeleton: str,
    braces: list[tuple[int, int]],
    problems: list[SyntaxProblem],
) -> tuple[Block, ...]:
    """The blocks whose braces these are. Adds to ``problems`` what is in front of a block and does not belong there."""
    blocks = []
    after = 0
    for opening, end in braces:
        line = max(skeleton.rfind("\n", after, opening) + 1, after)
        if skeleton[after:line].strip():
            problems.append(_stray(clean, after))
        header = _HEADER.fullmatch(skeleton, line, opening)
        if header is None:
            problems.append(_stray(clean, line))
        else:
            found = _LABEL.finditer(skeleton, *header.span("labels"))
            labels = (clean[match.start() : match.end()].strip('"') for match in found)
            blocks.append(Block((clean[slice(*header.span("type"))], *labels), header.start("type"), end))
        after = end
    if skeleton[after:].strip():
        problems.append(_stray(clean, after))
    return tuple(blocks)


_BLANK = re.compile(r"\s*")


def _stray(clean: str, after: int) -> SyntaxProblem:
    blank = _BLANK.match(clean, after)
    offset = blank.end() if blank else after
    return SyntaxProblem(offset, f"{word(clean, offset)} is where only a block may begin", stray=True)


def word(text: str, offset: int) -> str:
    """What stands at an offset, for a message; of a string only that it is one."""
    found = _WORD.match(text, offset)
    shown = found["word"] if found else ""
    if shown in ("", "\n"):
        return "the end of the line"
    return "a string" if shown in ('"', "<<") else quote(shown)


_WORD = re.compile(r"[ \t\r]*(?P<word>\n|<<|[\w.-]+|.|)")
