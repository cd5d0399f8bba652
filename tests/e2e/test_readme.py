"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from support.pcsguard_cli import COMMAND

from pcs_policies.errors import EXIT_CODES
from pcs_policies.sources.kinds import KINDS

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"

CONSOLE = re.compile(r"(?<=^```console\n)\$ (?P<command>[^\n]*)\n(?P<output>.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def rendered(text: str) -> str:
    """The README with its runs run again and its tables made from the code."""
    text = CONSOLE.sub(lambda run: f"$ {run['command']}\n{output(run['command'])}", text)
    return table(table(text, "inputs", inputs()), "exit codes", exit_codes())


def output(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "pcsguard"
    done = subprocess.run([COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.strip("\n") + "\n"


def inputs() -> list[str]:
    def tick(carries: frozenset[str], need: str) -> str:
        return "yes" if need in carries else ""

    return [
        f"| `{kind.id}` | {kind.title} | {kind.made_by} "
        f"| {tick(kind.carries, 'stated')} | {tick(kind.carries, 'change')} |"
        for kind in KINDS
    ]


def exit_codes() -> list[str]:
    return [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES]


def table(text: str, name: str, rows: list[str]) -> str:
    """The text with the rows of the table that ends in a comment of that name."""
    return re.sub(
        rf"(\|(?:---\|)+\n)(?:\|[^\n]*\n)*(?=<!-- {name} -->)", lambda head: head[1] + "\n".join(rows) + "\n", text
    )


def test_the_readme_is_true(request: pytest.FixtureRequest) -> None:
    text = README.read_text(encoding="utf-8")
    fresh = rendered(text)
    if request.config.getoption("--update-snapshots"):
        README.write_text(fresh, encoding="utf-8")
        return
    assert text == fresh, "the README is stale: run `make snapshots`"


def test_it_shows_a_run_within_one_screen() -> None:
    (run, *_) = CONSOLE.finditer(README.read_text(encoding="utf-8"))
    assert 5 < run["output"].count("\n") < 40
