"""Waivers that stand beside the code: ``Metadata: {pcsguard: {ignore: [...]}}`` of a node group.

They are read as they are written. Whether they are valid, in force and used is judged with all other waivers.
"""

from __future__ import annotations

from typing import Any

from pcs_policies.sources.cloudformation.marked import place_of
from pcs_policies.sources.cloudformation.parameters import as_text
from pcs_policies.sources.written import InlineWaiver, Position


def waivers(notes: Any, file: str) -> tuple[InlineWaiver, ...]:
    """The waivers in the ``pcsguard`` member of a resource's metadata.

    An entry is an object with ``rules`` (or ``rule``), ``owner``, ``until``, ``reason`` and ``path``, or just the name
    of a rule.
    """
    entries = notes.get("ignore") if isinstance(notes, dict) else None
    if entries is None:
        return ()
    if not isinstance(entries, list):
        return (_waiver(entries, file, place_of(notes, "ignore")),)
    return tuple(_waiver(entry, file, place_of(entries, index)) for index, entry in enumerate(entries))


def _waiver(entry: Any, file: str, place: Position | None) -> InlineWaiver:
    said = entry if isinstance(entry, dict) else {"rules": entry}
    rules = said.get("rules", said.get("rule"))
    listed = rules if isinstance(rules, list) else [] if rules is None else [rules]
    return InlineWaiver(
        rules=tuple(as_text(rule) for rule in listed),
        owner=_text(said.get("owner")),
        until=_text(said.get("until")),
        reason=_text(said.get("reason")),
        path=_text(said.get("path")) or "",
        file=file,
        line=place.line if place else 0,
    )


def _text(value: Any) -> str | None:
    return None if value is None else as_text(value)
