"""The pages of docs/provider/ are what the schemas and the example say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcs_bridge.plugin.schema import Attributes, Nested
from pcs_bridge.provider.docs import example
from pcs_bridge.provider.docs.pages import FOLDER, pages
from pcs_bridge.provider.provider import PcsProvider

ROOT = Path(__file__).resolve().parents[3]
PAGES = pages()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_fresh(path: str) -> None:
    page = ROOT / path
    assert page.is_file(), f"{path} does not exist: run `make docs`"
    assert page.read_text(encoding="utf-8") == PAGES[path], f"{path} is stale: run `make docs`"


def test_no_page_is_left_of_what_is_gone() -> None:
    there = {str(path.relative_to(ROOT)) for path in (ROOT / FOLDER).rglob("*") if path.is_file()}
    assert there == set(PAGES), "run `make docs`"


@pytest.mark.parametrize("path", PAGES)
def test_no_two_sections_have_one_anchor(path: str) -> None:
    headings = re.findall(r"^### (`.+)$", PAGES[path], re.MULTILINE)
    assert len({re.sub(r"\W", "", heading) for heading in headings}) == len(headings)


def names(attributes: Attributes) -> set[str]:
    found = set(attributes)
    for attribute in attributes.values():
        if isinstance(attribute.of, Nested):
            found |= names(attribute.of.attributes)
    return found


def test_every_attribute_is_described_on_its_page() -> None:
    provider = PcsProvider()
    for folder, types in (("resources", provider.resources), ("data-sources", provider.data_sources)):
        for name, type_ in types.items():
            page = PAGES[f"{FOLDER}/{folder}/{name.removeprefix('pcs_')}.md"]
            listed = {match[1] for match in re.finditer(r"^- `(\w+)` \([^)]+\) \S", page, re.MULTILINE)}
            assert listed == names(type_.schema.attributes), name


def test_a_page_without_an_example_is_no_page() -> None:
    assert example.blocks('resource "pcs_queue"').startswith('resource "pcs_queue" "batch" {\n')
    with pytest.raises(ValueError, match="no block for"):
        example.blocks('resource "pcs_other"')
