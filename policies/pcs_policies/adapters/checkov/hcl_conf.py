"""The values of a resource in Terraform's own syntax: from its text what is literal, from checkov what it evaluated.

checkov evaluates variables and locals, but it sorts lists of strings, puts objects before them, turns ``"true"`` into a
boolean, leaves what it cannot follow as bare strings, and takes an empty value for what it does not understand (a
``for`` expression, a variable without a default). So its value is taken only for a plain reference, and only where it
cannot be one of those; everything else that is no literal stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pcs_contract import spelling
from pcs_contract.spelling import FieldSpec
from pcs_policies.adapters.checkov.hcl_text import Written
from pcs_policies.document import Expression, Template
from pcs_policies.sources.terraform import META_ARGUMENTS
from pcs_policies.sources.tf_json import template

_ABSENT: Any = object()

MARKS = frozenset({"__address__", "__start_line__", "__end_line__"})
"""What checkov adds to the members of a resource."""

_PLAIN = re.compile(r'(var|local|each|count)(\.[\w-]+|\[("[^"$%\\]*"|\d+)\])+')
"""A reference whose value is in the configuration itself."""

_UNRESOLVED = re.compile(
    r"(var|local|module|data|each|count|path|self|terraform)\.\w"  # terraform's own names
    r"|[a-z][a-z0-9]*(_[a-z0-9]+)+\.[\w-]+(\[[^\]]*\])?\.\w"  # an attribute of a resource
    r"|.*(\(.*\)|[$%]\{|==| \? )",  # a function, a template, a condition
    re.DOTALL,
)
"""What a string of checkov's looks like that is really an expression."""


def values(conf: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a resource as :attr:`~pcs_policies.sources.written.Written.values`.

    ``conf`` is checkov's, which wraps each attribute in a list; ``text`` is what
    :func:`~pcs_policies.adapters.checkov.hcl_text.read` made of the block.
    """
    root = spelling.structure("terraform")
    return {
        key: _merged(_member(root, key), value, _unwrapped(conf.get(key, _ABSENT)))
        for key, value in text.items()
        if key not in META_ARGUMENTS
    }


def _unwrapped(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _member(spec: FieldSpec | None, key: str) -> FieldSpec | None:
    """What the member ``key`` of an object or map holds; ``None`` where a node group has no such member."""
    if spec is None or spec.kind == "map":
        return spec and spec.item
    return next((field for field in spec.fields if key in (field.written, *field.also_written)), None)


def _merged(spec: FieldSpec | None, written: Any, evaluated: Any) -> Any:
    """What is written, with checkov's value where that is a reference."""
    if isinstance(written, Written):
        return _resolved(spec, written, evaluated)
    if isinstance(written, dict):
        known = evaluated if isinstance(evaluated, dict) else {}
        return {key: _merged(_member(spec, key), member, known.get(key, _ABSENT)) for key, member in written.items()}
    if isinstance(written, list):
        return _merged_list(spec and spec.item, written, evaluated)
    return written


def _merged_list(item: FieldSpec | None, written: list[Any], evaluated: Any) -> list[Any]:
    """The items of a list in the order of the text. Of checkov's, which are in another one, only objects pair up."""
    known = evaluated if isinstance(evaluated, list) else []
    objects = [entry for entry in known if isinstance(entry, dict)]
    if len(objects) != sum(isinstance(entry, dict) for entry in written):
        objects = []  # some came from references
    told = iter(objects)
    alone = known[0] if len(written) == len(known) == 1 else _ABSENT
    return [_merged(item, entry, next(told, _ABSENT) if isinstance(entry, dict) else alone) for entry in written]


def _resolved(spec: FieldSpec | None, written: Written, evaluated: Any) -> Any:
    """What an expression comes to; it stays one where checkov cannot be trusted with it."""
    if not all(_PLAIN.fullmatch(inner) for inner in written.inner) or evaluated is _ABSENT:
        return _unknown(spec, written, evaluated)
    if written.is_text:
        if not isinstance(evaluated, str) or any(part is None for part in _parts(evaluated)):
            return written.unknown
        return template(evaluated)
    value = _trusted(spec, evaluated)
    return _unknown(spec, written, evaluated) if value is _ABSENT else value


def _unknown(spec: FieldSpec | None, written: Written, evaluated: Any) -> Expression | Template:
    """An expression. A single value may be null (and leave its member out) if checkov shows a null in it, or could not
    follow a variable or local: one that is null looks just like one without a value.
    """
    unknown = written.unknown
    single = spec is not None and spec.item is None and not spec.fields
    plain = all(_PLAIN.fullmatch(inner) for inner in written.inner)
    shown = "" if evaluated is _ABSENT else str(evaluated)
    nullable = (single and plain) or re.search(r"\b(null|None)\b", shown) is not None
    return unknown._replace(nullable=nullable) if isinstance(unknown, Expression) else unknown


def _parts(text: str) -> tuple[str | None, ...]:
    value = template(text)
    return value.parts if isinstance(value, Template) else (None,) if isinstance(value, Expression) else (value,)


def _trusted(spec: FieldSpec | None, value: Any) -> Any:
    """A value that is checkov's alone, if it has the shape of what the place holds; :data:`_ABSENT` otherwise."""
    if value is None or value in ("", [], {}) or (isinstance(value, str) and _UNRESOLVED.match(value)):
        return _ABSENT
    kind = spec.kind if spec is not None else ""
    if kind == "list":
        items = [value] if isinstance(value, dict) else value  # checkov takes a list of one out of its list
        if not isinstance(items, list) or sum(not isinstance(entry, dict) for entry in items) > 1:
            return _ABSENT  # strings, whose order is lost
        found = [_or_unknown(spec and spec.item, entry) for entry in items]
        return found if len(found) == 1 or all(isinstance(entry, dict) for entry in found) else _ABSENT
    if isinstance(value, dict):
        if kind not in ("object", "map"):
            return _ABSENT
        return {key: _or_unknown(_member(spec, key), member) for key, member in value.items() if key not in MARKS}
    return _ABSENT if isinstance(value, list) or kind in ("object", "map") else value


def _or_unknown(spec: FieldSpec | None, value: Any) -> Any:
    if value is None:
        return None  # in an object or list that is known, it says what it is
    found = _trusted(spec, value)
    return Expression("a value that checkov does not tell") if found is _ABSENT else found
