"""Which kind of input a file is, told from its content and never from its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from types import ModuleType

from pcs_contract.hints import TYPE_CHECKING, Any
from pcs_policies.errors import InputError
from pcs_policies.sources import plan, state, text
from pcs_policies.sources.given import Given
from pcs_policies.sources.kinds import CLOUDFORMATION, HCL
from pcs_policies.sources.reading import Json, Reading
from pcs_policies.sources.variables import NONE_GIVEN, Variables

if TYPE_CHECKING:
    from pcs_policies.sources.join import Source

BINARY_PLAN = b"PK\x03\x04"
"""How a plan file begins: it is a ZIP archive."""

LARGE = 2_000_000
"""Bytes from which on a file is decoded in parts: about where that begins to pay (docs/performance.md)."""

TERRAFORM_BLOCK = rb"(?m)^[ \t]*(resource|module|variable|terraform|provider|locals|data|output)\b[^\n]*\{"
"""Something that a file of terraform's own syntax has, and no JSON."""

YAML_START = rb"""(?:\s|#[^\n]*\n)*(?:---|%YAML|(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t\r\n]|$))"""
"""How YAML begins that is no JSON: behind comments, with a key. Nothing in terraform's syntax begins like this."""


def open_input(
    path: str,
    kind: str | None = None,
    source: Source | None = None,
    *,
    may_execute: bool = True,
    given: Given | None = None,
    within: str | None = None,
    variables: Variables = NONE_GIVEN,
) -> Reading:
    """Open an input (``-`` for standard input).

    ``kind`` is the id of the kind to take it for; ``source`` is what a plan is joined with, by default what lies
    beside it. ``given`` are parameters of a template, ``variables`` those of a root module; ``within`` is a folder of
    which all is checked. Raises :class:`~pcs_policies.errors.InputError`.
    """
    data = text.read(path)
    if data.startswith(BINARY_PLAN):
        from pcs_policies.sources import terraform_show  # imports subprocess, which no other input needs

        folder = terraform_show.folder_of(path)
        return open_document(
            terraform_show.show(path, may_execute=may_execute),
            path,
            kind,
            source or _beside(folder, variables, hcl=True),
        )
    if kind == HCL.id or (kind is None and not is_yaml(data) and _is_terraform_syntax(data)):
        from pcs_policies.sources.join import as_input, open_source

        return as_input(open_source(path, explicit=True, variables=variables))
    beside = source or _beside(os.path.dirname(path) or ".", variables, hcl=False)
    return open_document(data, path, kind, beside, given=given, within=within)


def _beside(folder: str, variables: Variables, *, hcl: bool) -> Callable[[], Source | None]:
    """What finds the source beside a plan, when there turns out to be a plan to join."""

    def find() -> Source | None:
        if not hcl and not os.path.exists(os.path.join(folder, "cdk.tf.json")):
            return None  # spares most runs the import
        from pcs_policies.sources.join import implicit_source

        return implicit_source(folder, hcl=hcl, variables=variables)

    return find


def _is_terraform_syntax(data: bytes) -> bool:
    return data.lstrip()[:1] not in (b"{", b"[", b'"') and re.search(TERRAFORM_BLOCK, data) is not None


def is_yaml(data: bytes) -> bool:
    """Whether a file begins like YAML that is no JSON."""
    if data.startswith((b"{", b"[")):  # JSON, as nearly always: nothing to look for
        return False
    name = text.encoding(data)
    head = data[:_HEAD] if name == "utf-8" else data[: 4 * _HEAD].decode(name, "ignore").encode()
    return re.match(YAML_START, head) is not None


_HEAD = 1 << 16


def open_document(
    data: bytes,
    file: str,
    kind: str | None = None,
    source: Source | Callable[[], Source | None] | None = None,
    large: int = LARGE,
    *,
    given: Given | None = None,
    within: str | None = None,
) -> Reading:
    """Open the content of ``file``; from ``large`` bytes on it is decoded in parts. Otherwise as :func:`open_input`."""
    if kind in (None, CLOUDFORMATION.id) and is_yaml(data):
        from pcs_policies.sources import cloudformation

        return cloudformation.read_yaml(data, file, given or Given(), explicit=kind is not None, within=within)
    document = _parse(data, large)
    reader = _reader(document, kind)
    if reader is plan:
        return plan.read(document, file, source() if callable(source) else source)
    reading: Reading
    if CLOUDFORMATION.id in reader.KINDS:
        reading = reader.read_json(document, data, file, given or Given(), within=within)
    else:
        reading = reader.read(document, file)
    return reading


def _reader(document: Any, kind: str | None) -> ModuleType:
    """The module that reads a document, told from its content, or from the kind that it is to be taken for."""
    if isinstance(document, dict):
        for reader in (plan, state):
            if kind in reader.KINDS if kind else reader.recognises(document):
                return reader
    from pcs_policies.sources import api_json, tf_json  # not needed for the most common inputs

    if kind in api_json.KINDS if kind else api_json.recognises(document):
        return api_json
    if not isinstance(document, dict):
        raise InputError(f"the file holds {_what(document)}, which is no input that pcsguard knows")
    if kind in tf_json.KINDS if kind else tf_json.recognises(document):
        return tf_json
    from pcs_policies.sources import cloudformation

    if kind in cloudformation.KINDS if kind else cloudformation.recognises(document):
        return cloudformation
    raise InputError(_unknown(document))


def _parse(data: bytes, large: int) -> Any:
    if len(data) < large:
        return text.parse(text.decode(data))
    try:
        from pcs_policies.sources.large import outline  # msgspec takes longer to import than a small file to parse
    except ModuleNotFoundError:  # a checkout that checkov loads has only what checkov brings
        return text.parse(text.decode(data))

    if text.encoding(data) == "utf-8":
        text.check_utf8(data)
    else:
        data = text.decode(data).encode("utf-8", "surrogatepass")
    document = outline(data)
    return text.parse(text.decode(data)) if document is None else document


def _unknown(document: Json) -> str:
    if "provider_schemas" in document:
        return (
            "this is the output of `terraform providers schema -json`, not a plan; give `terraform show -json PLANFILE`"
        )
    if {"version", "serial", "lineage"} <= document.keys():
        return "this is a state as terraform stores it; give the output of `terraform show -json`, which is documented"
    if {"typeName", "properties"} <= document.keys():
        return "this is the schema of a resource type of CloudFormation, not a template; give the template"
    return (
        "this is JSON, but no plan or state of terraform, no configuration of it, no CloudFormation template, and no "
        "request or response of the PCS API; give the output of `terraform show -json PLANFILE`, "
        "or say with --kind what it is"
    )


def _what(document: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(document), "null")
