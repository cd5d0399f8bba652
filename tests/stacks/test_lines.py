"""Which line of whose program."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pcs_stacks import lines
from pcs_stacks.lines import Call, Line, here
from pcs_stacks.resource import nearest_line, note

PROGRAM = """\
def build(ask):
    return ask(
        1,
        name="motd",
        tags={
            "a": "b",
        },
        **{"size": 3},
    )

calls = [ask(name=n) for n in "ab"]
"""


TOOL = "def ask(*_, **__):\n    return here()\n"


def run(path: str, text: str = PROGRAM, *, module: str = "app") -> list[Call]:
    """What the calls of a program are told, in a module of that name; what it calls is to be passed over."""
    tool: dict[str, Any] = {"__name__": "pcs_stacks.tool", "here": here}
    exec(compile(TOOL, "tool.py", "exec"), tool)
    values: dict[str, Any] = {"__name__": module, "ask": tool["ask"]}
    exec(compile(text, path, "exec"), values)
    return [values["build"](values["ask"]), *values["calls"]]


def test_lines_of_a_call_and_of_its_keyword_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacks").mkdir()
    file = tmp_path / "stacks" / "main.py"
    file.write_text(PROGRAM, encoding="utf-8")
    spread, *_ = run(str(file))
    shown = "stacks/main.py"
    assert spread == Call(Line(shown, 2), {"name": Line(shown, 4), "tags": Line(shown, 5)})
    assert (str(spread.line), spread.of("tags"), spread.of("size")) == ("stacks/main.py:2", Line(shown, 5), spread.line)


@pytest.mark.parametrize(
    ("written", "changed"),
    [(False, None), (True, "def ("), (True, "x = 1\n" * 20)],
    ids=["there is no file", "the file does not parse", "the file was changed"],
)
def test_without_the_source_there_is_the_line_of_the_call(written: bool, changed: str | None, tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    if written and changed:
        file.write_text(changed, encoding="utf-8")
    assert run(str(file))[0] == Call(Line("main.py", 2), {})


def test_text_that_is_no_file() -> None:
    assert [call.line for call in run("<stdin>")] == [Line("<stdin>", 2), Line("<stdin>", 11), Line("<stdin>", 11)]


@pytest.mark.parametrize(
    ("path", "importable", "shown"),
    [
        ("work/main.py", (), "main.py"),
        ("work/stacks/hpc.py", (), "stacks/hpc.py"),
        ("site/corp/hpc.py", ("site",), "corp/hpc.py"),
        ("site/corp/hpc.py", ("site", "site/corp"), "hpc.py"),
        ("elsewhere/hpc.py", (), "hpc.py"),
        ("workshop/hpc.py", (), "hpc.py"),
    ],
)
def test_no_file_is_named_absolutely(path: str, importable: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    roots = tuple(str(tmp_path / root) for root in importable)
    assert lines._shown(str(tmp_path / path), str(tmp_path / "work"), roots) == shown
    assert lines._shown(str(tmp_path / path), os.sep, roots).startswith(os.sep) is False


@pytest.mark.parametrize(
    ("module", "line"),
    [("app", 2), ("pcs_stacks.app", 2), ("pcs_stacks.cluster", None), ("jsii._runtime", None), ("cdktn", None)],
)
def test_whose_lines_count(module: str, line: int | None, tmp_path: Path) -> None:
    (call, *_) = run(str(tmp_path / "main.py"), module=module)
    if line is None:
        assert call.line.file != "main.py"
    else:
        assert call.line == Line("main.py", line)


def test_only_lines_that_differ_from_what_is_around_them_are_noted() -> None:
    places = {
        "": Line("main.py", 3),
        "name": Line("main.py", 3),
        "tags": Line("main.py", 7),
        "stages": Line("scripts.py", 1),
        "stages.ready[0]": Line("scripts.py", 1),
        "stages.ready[0].name": Line("main.py", 3),
        "stages.ready[10].name": Line("scripts.py", 9),
    }
    assert note(places) == {
        "file": "main.py",
        "line": 3,
        "places": {
            "tags": 7,
            "stages": "scripts.py:1",
            "stages.ready[0].name": 3,
            "stages.ready[10].name": "scripts.py:9",
        },
    }
    assert note({"": Line("main.py", 3)}) == {"file": "main.py", "line": 3}


def test_the_nearest_line() -> None:
    places = {"": Line("a", 1), "stages": Line("a", 2), "stages.ready[0]": Line("a", 3)}
    found = [
        nearest_line(places, path).line for path in ("name", "stages.ready", "stages.ready[1].x", "stages.ready[0].x")
    ]
    assert found == [1, 2, 2, 3]


def test_a_call_from_this_test() -> None:
    assert here().line.line == sys._getframe().f_lineno
