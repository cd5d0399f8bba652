"""One page for people: how the nodes of every group boot, with the findings where they bite.

The page is one file that asks for nothing else: style, script and drawings are in it. Its policy for content lets just
those run, by their hashes, so that a name of an input is text in more than one way. It tells everything without its
script, which filters. Templates are in the folder of that name; what they show is worked out in
:mod:`~pcs_policies.reports.html.page`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from itertools import repeat
from typing import Any, TextIO

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pcs_policies import __version__, boot
from pcs_policies.findings import Result
from pcs_policies.redaction import printable
from pcs_policies.reports.html import page
from pcs_policies.reports.html.timeline import draw
from pcs_policies.reports.words import count, gone, summary
from pcs_policies.settings import Settings

LIMIT = 5_000_000
"""Bytes of a page at most: more is slow to open on a phone."""

MOST_UNCHECKED = 500
"""Places that could not be checked which a page lists: they come first, and leave room for the groups."""


def write(result: Result, settings: Settings, out: TextIO, *, quiet: bool = False) -> None:
    """Write the report; ``quiet`` leaves out the groups without a finding."""
    out.write(text(result, settings, quiet=quiet) + "\n")


def text(result: Result, settings: Settings, *, quiet: bool = False, limit: int = LIMIT) -> str:
    """The page, at most ``limit`` bytes long."""
    templates = _templates()
    parts: Any = templates.get_template("parts.html").module  # its macros are attributes
    told = page.tell(result, settings, quiet=quiet)
    style, script = (_asset(templates, name) for name in ("style.css", "filter.js"))
    shell = templates.get_template("page.html")
    frame = {
        "told": told,
        "style": style,
        "script": script,
        "policy": _policy(style, script),
        "counts": result.counts,
        "summary": summary(result.counts),
        "gone": tuple(gone(result)),
        "inputs": result.inputs,
        "skipped": result.skipped,
        "version": __version__,
    }
    nothing: dict[str, Any] = {"unchecked": (), "index": (), "groups": (), "elsewhere": (), "left_out": {}}
    ids = [group.id for group in told.groups]
    room = _Room(limit - _LEFT_OUT - _size(shell.render(**frame, **nothing, ids=ids)))
    unchecked = room.take(parts.unchecked(entry) for entry in result.unchecked[:MOST_UNCHECKED])
    index = room.take(parts.entry(group) for group in told.groups)
    groups = room.take(parts.brief(group, told) for group in told.groups[: len(index)])
    elsewhere = room.take(parts.elsewhere(card) for card in told.elsewhere)
    drawn = room.swap(groups, (parts.group(group, told) for group in told.groups))
    return shell.render(
        **frame,
        unchecked=unchecked,
        index=index[: len(groups)],
        groups=[*drawn, *groups[len(drawn) :]],
        ids=ids[: len(groups)],
        elsewhere=elsewhere,
        left_out={
            "node group": told.unseen + sum(len(group.members) for group in told.groups[len(groups) :]),
            "boot": len(groups) - len(drawn),
            "finding": result.counts["left_out"] + len(told.elsewhere) - len(elsewhere),
            "unchecked place": len(result.unchecked) - len(unchecked),
        },
    )


class _Room:
    """How many bytes are left; once a piece does not fit, none behind it is taken."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, pieces: Iterable[Markup]) -> list[Markup]:
        """The first pieces that there is room for."""
        return self.swap(repeat(Markup()), pieces)

    def swap(self, old: Iterable[Markup], new: Iterable[Markup]) -> list[Markup]:
        """The first of the new pieces that there is room for in the place of the old ones."""
        taken = []
        for piece, other in zip(old, new, strict=False):
            more = _size(other) - _size(piece)
            if more > self._left:
                break
            self._left -= more
            taken.append(other)
        return taken


_LEFT_OUT = 2_000
"""Bytes for what a page says of what has no room in it, and for the line breaks between its pieces."""


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) + 1


def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader(__name__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"printable": printable, "prose": prose, "breakable": breakable, "number_of": count}
    templates.globals |= {"boot": boot, "draw": draw, "words": page.WORDS}
    return templates


def _asset(templates: Environment, name: str) -> Markup:
    """A file that is part of the page as it is."""
    assert templates.loader is not None
    return Markup(templates.loader.get_source(templates, name)[0])


def _policy(style: str, script: str) -> str:
    """The page's policy for content: its own style and script, and nothing from elsewhere."""
    style_hash, script_hash = (b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def prose(paragraph: str) -> Markup:
    """A paragraph of a rule's documentation, with its code in a fixed font."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(paragraph))))


def breakable(text: str) -> Markup:
    """A name that may break behind its separators."""
    return Markup(re.sub(r"(?<=[._/\]])(?=\w)", "<wbr>", str(escape(text))))
