"""Blocks of the complete example, examples/provider, for the page of what they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[4]
FOLDER: Final = "examples/provider"

_BLOCK: Final = re.compile(r"^\w[^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL)


def blocks(label: str) -> str:
    """The blocks that begin with a label, such as `resource "pcs_queue"`. Raises ValueError where there is none."""
    return _joined(label, (block for block in _all() if block.startswith(f"{label} ")))


def blocks_with(text: str) -> str:
    """The blocks that have a text in them. Raises ValueError where there is none."""
    return _joined(text, (block for block in _all() if text in block))


def _joined(wanted: str, found: Iterator[str]) -> str:
    joined = "\n".join(found)
    if not joined:  # every page has an example
        raise ValueError(f"{FOLDER} has no block for {wanted}")
    return joined


def _all() -> Iterator[str]:
    for path in sorted((ROOT / FOLDER).glob("*.tf")):
        yield from _BLOCK.findall(path.read_text(encoding="utf-8"))
