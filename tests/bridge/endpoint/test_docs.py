"""The page about the endpoint: its tables say what the code says, and its example runs."""

import re
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


def test_example() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "docs/local-endpoint.md", "exec"), {})
