"""Which kind of input a file is, told from its content and never from its name."""

from __future__ import annotations

from typing import Any

from pcs_policies.errors import InputError
from pcs_policies.sources import plan, state, text
from pcs_policies.sources.reading import Reading

BINARY_PLAN = b"PK\x03\x04"
"""How a plan file begins: it is a ZIP archive."""

LARGE = 2_000_000
"""Bytes from which on a file is decoded in parts: about where that begins to pay (docs/performance.md)."""

READERS = (plan, state)
"""The readers of JSON documents, in the order in which they are asked."""


def open_input(path: str, *, may_execute: bool = True) -> Reading:
    """Open an input (``-`` for standard input). Raises :class:`~pcs_policies.errors.InputError`."""
    data = text.read(path)
    if data.startswith(BINARY_PLAN):
        from pcs_policies.sources import terraform_show  # imports subprocess, which no other input needs

        data = terraform_show.show(path, may_execute=may_execute)
    return open_document(data, path)


def open_document(data: bytes, file: str, large: int = LARGE) -> Reading:
    """Open the content of ``file``; from ``large`` bytes on it is decoded in parts. Raises as :func:`open_input`."""
    document = _parse(data, large)
    if not isinstance(document, dict):
        raise InputError(f"the file holds {_what(document)}, not a plan or a state of terraform")
    for reader in READERS:
        if reader.recognises(document):
            reading: Reading = reader.read(document, file)
            return reading
    raise InputError(_unknown(document))


def _parse(data: bytes, large: int) -> Any:
    if len(data) < large:
        return text.parse(text.decode(data))
    from pcs_policies.sources.large import outline  # imports msgspec, which takes longer than parsing a small file does

    if text.encoding(data) == "utf-8":
        text.check_utf8(data)
    else:
        data = text.decode(data).encode("utf-8", "surrogatepass")
    document = outline(data)
    return text.parse(text.decode(data)) if document is None else document


def _unknown(document: dict[str, Any]) -> str:
    if "provider_schemas" in document:
        return (
            "this is the output of `terraform providers schema -json`, not a plan; give `terraform show -json PLANFILE`"
        )
    if {"version", "serial", "lineage"} <= document.keys():
        return "this is a state as terraform stores it; give the output of `terraform show -json`, which is documented"
    return (
        "this is JSON, but neither a plan nor a state of terraform (it has no format_version with a plan's or a "
        "state's members); give the output of `terraform show -json PLANFILE`"
    )


def _what(document: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(document), "null")
