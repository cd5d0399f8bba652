"""The page about the endpoint: its tables say what the code says, and its example runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pcs_bridge.endpoint import cli, faults, switches

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "local-endpoint.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", [switches.table(), faults.table()], ids=["switches", "faults"])
def test_tables(table: str) -> None:
    assert table in PAGE, f"docs/local-endpoint.md should have this table:\n{table}"


def test_flags() -> None:
    documented = set(re.findall(r"^\| `(--[a-z]+)", PAGE, re.MULTILINE))
    assert documented == {flag for action in cli.parser()._actions for flag in action.option_strings} - {"-h", "--help"}


EXAMPLE, CONFTEST, TESTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_example() -> None:
    exec(compile(EXAMPLE, "docs/local-endpoint.md", "exec"), {})


def test_example_for_pytest(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_example.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "--strict-markers", "-p", "no:cacheprovider", "-q", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path)
    assert done.stdout.startswith(".."), done.stdout
    assert done.returncode == 0
