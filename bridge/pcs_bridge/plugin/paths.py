"""Where a value is within a resource: attribute paths, as terraform means them."""

from __future__ import annotations


class Key(str):
    """The key of a map's element, where a plain string is the name of an attribute."""

    __slots__ = ()


Step = str | int
"""An attribute's name, a map's `Key`, or the index of a list's element, from 0."""

Path = tuple[Step, ...]
"""From the resource's top level downwards. Elements of sets have no path: it ends at the set."""


def dotted(path: Path) -> str:
    """Write a path as Terraform's language does: `stages.node_ready[0].checksum`, `tags["a b"]`."""
    pieces: list[str] = []
    for step in path:
        if isinstance(step, Key):
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            pieces.append(f'["{quoted}"]')
        elif isinstance(step, str):
            pieces.append(f".{step}" if pieces else step)
        else:
            pieces.append(f"[{step}]")
    return "".join(pieces)
