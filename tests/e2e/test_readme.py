"""What the README and the questions show is what happens."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.pcsguard_cli import COMMAND

from pcs_policies.errors import EXIT_CODES
from pcs_policies.sources.kinds import KINDS

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
PAGES = (README, ROOT / "docs" / "faq.md")
COMPARISON = ROOT / "docs" / "comparison.md"

CONSOLE = re.compile(r"(?<=^```console\n)\$ (?P<command>[^\n]*)\n(?P<output>.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def rendered(text: str) -> str:
    """A page with its runs run again and its tables made from the code."""
    text = CONSOLE.sub(lambda run: f"$ {run['command']}\n{output(run['command'])}", text)
    for name, rows in (("inputs", inputs()), ("exit codes", exit_codes()), ("comparison", comparison())):
        text = table(text, name, rows)
    return text


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


def comparison() -> list[str]:
    """The rows that `make bench` has written."""
    return re.findall(r"^\| (?!\|).*$", COMPARISON.read_text(encoding="utf-8"), re.MULTILINE)


def table(text: str, name: str, rows: list[str]) -> str:
    """The text with the rows of the table that ends in a comment of that name."""
    return re.sub(
        rf"(\|(?:---\|)+\n)(?:\|[^\n]*\n)*(?=<!-- {name} -->)", lambda head: head[1] + "\n".join(rows) + "\n", text
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_true(page: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text(encoding="utf-8")
    fresh = rendered(text)
    if request.config.getoption("--update-snapshots"):
        page.write_text(fresh, encoding="utf-8")
        return
    assert text == fresh, f"{page.name} is stale: run `make snapshots`"


def test_it_shows_a_run_within_one_screen() -> None:
    (run, *_) = CONSOLE.finditer(README.read_text(encoding="utf-8"))
    assert 5 < run["output"].count("\n") < 40


def test_the_first_five_minutes(tmp_path: Path) -> None:
    """A finding, waived, then a green run: the lines of the README, behind those that install."""
    (script,) = re.findall(r"^```sh\n(python3 -m venv .*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    install, _, use = script.partition("pcsguard check")
    assert install.count("\n") == 2
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    log = 'pcsguard() { code=0; command pcsguard "$@" || code=$?; echo "$1 $code" >> codes; }\n'
    env = {**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "PCSGUARD_TODAY": "2026-12-15"}
    subprocess.run(["bash", "-e", "-c", f"{log}pcsguard check{use}"], cwd=tmp_path, env=env, check=True)
    codes = (tmp_path / "codes").read_text().splitlines()
    waived = ["waive 0"] * 5  # two lists, three waivers
    assert codes == ["check 1", "explain 0", *waived, "check 0"]
