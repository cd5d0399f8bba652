"""The docstring of a rule file, taken apart: a first sentence, then sections with fixed headings."""

from __future__ import annotations

from inspect import cleandoc

from pcs_contract.record import Record


class Section(Record):
    """``paragraphs`` are texts without line breaks, but for lists, whose items keep a line each."""

    heading: str
    paragraphs: tuple[str, ...]


class RuleDoc(Record):
    """What a rule's docstring says."""

    summary: str
    sections: tuple[Section, ...]


def parse(docstring: str | None) -> RuleDoc:
    """A docstring with headings at its margin and text indented below them; empty where there is none."""
    lines = cleandoc(docstring or "").splitlines()
    summary: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line in lines:
        if not sections and (not summary or summary[-1]):
            summary.append(line.strip())
        elif line and not line.startswith(" "):
            sections.append((line.strip(), []))
        elif sections:
            sections[-1][1].append(line)
    return RuleDoc(" ".join(summary).strip(), tuple(Section(heading, _paragraphs(text)) for heading, text in sections))


def _paragraphs(lines: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for block in cleandoc("\n".join(lines)).split("\n\n"):
        text = ""
        for line in block.splitlines():
            item = line.startswith(("- ", "* "))
            text += ("\n" if item else " ") * bool(text) + line.strip()
        if text:
            found.append(text)
    return tuple(found)
