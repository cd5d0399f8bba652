"""What of a resource in Terraform's own syntax is sensitive, which checkov does not tell.

Read from the variables and locals of its module, and from the calls of that module: only where a file has the word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pcs_policies.adapters.checkov.hcl_text import Written, members
from pcs_policies.sources.hcl.files import Text

Call = tuple[str, str]
"""The file of a module call, and its name."""

_REFERENCE = re.compile(r"(?<![\w.-])(?:var|local)\.[\w-]+")
_FUNCTION = re.compile(r"(?<![\w.-])sensitive\s*\(")
_LIFTED = re.compile(r"(?<![\w.-])nonsensitive\s*\([^()]*\)")


@lru_cache(maxsize=64)  # most files of a folder have the same, and a folder has many node groups
def names(path: str, calls: tuple[Call, ...]) -> frozenset[str]:
    """The variables and locals that are sensitive in the module of a file: ``var.token``, ``local.flags``.

    ``calls`` lead to the module, its own call first.
    """
    folder = os.path.dirname(path)
    found = set(_given(calls))
    if not found and not _mentioned(folder):
        return frozenset()
    defined: dict[str, Any] = {}
    for labels, block in _blocks(folder):
        if labels[0] == "variable" and block.get("sensitive") not in (None, False, "false"):
            found |= {f"var.{name}" for name in labels[1:]}
        elif labels[0] == "locals":
            defined |= {f"local.{name}": value for name, value in block.items()}
    while more := {name for name, value in defined.items() if name not in found and _refers(value, found)}:
        found |= more
    return frozenset(found)


def marks(value: Any, sensitive: frozenset[str]) -> Any:
    """What of a value is sensitive, in its shape: ``True`` for an expression that refers to something that is."""
    if isinstance(value, dict):
        return {name: marks(member, sensitive) for name, member in value.items()}
    if isinstance(value, list):
        return [marks(item, sensitive) for item in value]
    return _refers(value, sensitive)


def _given(calls: tuple[Call, ...]) -> Iterator[str]:
    """The variables that the call of a module gives something sensitive."""
    if not calls:
        return
    path, name = calls[0]
    outside = names(path, calls[1:])
    if outside or _mentioned(os.path.dirname(path)):
        for labels, block in _blocks(os.path.dirname(path)):
            if labels == ("module", name):
                yield from (f"var.{argument}" for argument, value in block.items() if _refers(value, outside))


def _refers(value: Any, sensitive: frozenset[str] | set[str]) -> bool:
    if isinstance(value, Written):
        inner = [_LIFTED.sub("", expression) for expression in value.inner]
        return any(not sensitive.isdisjoint(_REFERENCE.findall(text)) or _FUNCTION.search(text) for text in inner)
    if isinstance(value, dict):
        return any(_refers(member, sensitive) for member in value.values())
    return isinstance(value, list) and any(_refers(item, sensitive) for item in value)


@lru_cache(maxsize=16)
def _texts(folder: str) -> tuple[Text, ...]:
    listed = sorted(os.listdir(folder or "."))
    return tuple(Text(os.path.join(folder, name)) for name in listed if name.endswith(".tf"))


def _mentioned(folder: str) -> bool:
    return any(b"sensitive" in text.data for text in _texts(folder))


def _blocks(folder: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Type and labels, and the members, of the blocks that can make something sensitive."""
    for text in _texts(folder):
        for block in text.scan.blocks:
            if block.labels[0] in ("variable", "locals", "module"):
                yield block.labels, members(text.scan, block) or {}
