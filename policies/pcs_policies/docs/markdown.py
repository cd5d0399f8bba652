"""The bits of Markdown that the generated pages are made of."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

WIDTH = 120


def generated(source: str) -> str:
    """The comment at the top of a page."""
    return f"<!-- Written by `make docs` from {source}: change that, not this page. -->\n"


def paragraph(text: str) -> str:
    """Running text, or a list, whose items have a line each."""
    wrapped = (
        fill(
            line,
            WIDTH,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
    return "\n".join(wrapped) + "\n"


def code(language: str, text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def document(parts: Iterable[str]) -> str:
    """Parts with a blank line between them."""
    return "\n".join(parts)
