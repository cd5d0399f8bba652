"""The page about the constructs is what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcs_stacks.docs import pages

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages()


@pytest.mark.parametrize("path", PAGES)
def test_a_generated_page_is_fresh(path: str) -> None:
    page = ROOT / path
    assert page.is_file(), f"{path} does not exist: run `make docs`"
    assert page.read_text(encoding="utf-8") == PAGES[path], f"{path} is stale: run `make docs`"
