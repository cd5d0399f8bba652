"""The table of differences is what it says it is."""

from __future__ import annotations

from pathlib import Path

from support import checkov
from support.checkov_limits import LIMITS, source, table


def test_each_difference_is_real_and_whole(tmp_path: Path) -> None:
    for index, limit in enumerate(LIMITS):
        folder = tmp_path / f"limit{index}"
        folder.mkdir()
        (folder / "main.tf").write_text(source(limit), encoding="utf-8")
    said = checkov.scan("-d", ".", "--framework", "terraform", cwd=tmp_path)
    found = checkov.differences(said, checkov.pcsguard(tmp_path))
    assert found == {(f"/limit{index}/main.tf", "hpc"): limit.checks for index, limit in enumerate(LIMITS)}


def test_the_documentation_has_the_table() -> None:
    assert table() in (checkov.ROOT / "docs" / "checkov.md").read_text(encoding="utf-8")
