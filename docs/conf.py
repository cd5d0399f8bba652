"""The documentation site, built by `make site`: Sphinx over the Markdown of this folder.

The build refuses a link that leads nowhere, and a page that is in no section.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent

SECTIONS = {
    "Use it": ("ci", "inputs/index", "reports", "exit-codes", "configuration", "waivers", "faq"),
    "Rules": ("rules/index", "writing-rules"),
    "More ways in": ("checkov", "constructs", "constructs/*", "deploy", "provider", "provider/*", "local-endpoint"),
    "Compared": ("comparison", "performance"),
    "Behind it": ("dependencies", "decisions/*"),
}
"""The navigation: sections, with patterns for their pages, in order. Pages beside an `index.md` hang below that one."""

project = "pcsguard"
html_title = "pcsguard"
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
extensions = ["myst_parser"]
myst_heading_anchors = 4
# How code is coloured is no matter of right or wrong: examples hold `...`, and lexers lag behind languages.
suppress_warnings = ["misc.highlighting_failure"]


def pages() -> set[str]:
    """All pages, by path, without ending."""
    return {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}


def navigation(page: str) -> dict[str, list[str]]:
    """Section -> the pages that it leads to, from a page."""
    known = pages()
    below = {name: f"{name.rpartition('/')[0]}/index" for name in known if "/" in name}
    below = {name: index for name, index in below.items() if index in known and name != index}
    if page != "index":
        return {"": sorted(name for name, index in below.items() if index == page)} if page in below.values() else {}
    left = sorted(known - below.keys())
    return {
        section: list(dict.fromkeys(name for pattern in patterns for name in left if fnmatchcase(name, pattern)))
        for section, patterns in SECTIONS.items()
    }


def _add_navigation(_app: object, page: str, source: list[str]) -> None:
    """Put tables of contents behind pages that have some; GitHub shows the pages without them."""
    for section, names in navigation(page).items():
        caption = [f":caption: {section}"] if section else []
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", *caption, "", *(f"/{name}" for name in names), "```\n"])


def setup(app: Any) -> None:
    """What Sphinx calls."""
    app.connect("source-read", _add_navigation)
