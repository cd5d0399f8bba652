"""`make demo`, once it is set up: what it shows is in the README, and it leaves nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import cdktf_cli

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
SHOWN = re.compile(r"(?<=^```text\n)(?:(?!^```)[^\n]*\n)*(?=```\n<!-- make demo -->$)", re.MULTILINE)


def demo(home: Path, *programs: Path) -> str:
    """What the demo says with these on PATH, and little else. Fails when the demo does."""
    (home / "tmp").mkdir(parents=True)
    path = os.pathsep.join(map(str, (*programs, Path(sys.executable).parent, "/usr/bin", "/bin")))
    done = subprocess.run(
        ["sh", ROOT / "examples" / "demo.sh"],
        cwd=home,
        env={"PATH": path, "HOME": str(home), "TMPDIR": str(home / "tmp"), "HTTPS_PROXY": "http://127.0.0.1:9"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    assert list((home / "tmp").iterdir()) == []
    return done.stdout


@pytest.mark.e2e
def test_the_readme_shows_it(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cdktf_cli.require("cdktf")
    terraform = shutil.which("terraform")
    assert terraform is not None
    fresh = demo(tmp_path / "home", cdktf_cli.PROGRAMS["cdktf"].parent, Path(terraform).parent)
    text = README.read_text(encoding="utf-8")
    if request.config.getoption("--update-snapshots"):
        README.write_text(SHOWN.sub(lambda _: fresh, text), encoding="utf-8")
        return
    (shown,) = SHOWN.findall(text)
    assert fresh == shown, "the README is stale: run `make snapshots`"


def test_what_is_missing_is_said_and_a_plan_is_checked(tmp_path: Path) -> None:
    if any(shutil.which(name, path="/usr/bin:/bin") for name in ("terraform", "cdktf")):
        pytest.skip("terraform or cdktf is where everything is")
    said = demo(tmp_path / "home")
    assert said.startswith(
        "Not on PATH: terraform, cdktf (npm, which comes with Node, installs it). No cluster is made"
    )
    assert said.count("(exit code 1)") == said.count("(exit code 0)") == 1
