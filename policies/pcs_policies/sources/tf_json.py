"""Terraform's JSON syntax: what ``cdktf synth`` writes (``cdk.tf.json``), and any other ``.tf.json``.

Strings are templates there, and ``${...}`` in them is an expression. cdktf adds under ``//`` which construct made a
resource; pcsguard's own constructs add under ``pcsguard`` which line of Python did: ``file`` and ``line``, and in
``places`` the lines of attributes that were written elsewhere (``{"name": 7, "tags": "common.py:12"}``). Waivers stand
there too: a list of objects, ``waivers``, each with ``rule`` (or ``rules``), ``owner``, ``until``, ``reason``, and
perhaps a ``leaf`` and a ``file`` and ``line`` of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcs_contract.hints import Any
from pcs_policies.document import Expression, Template
from pcs_policies.sources.kinds import CDKTF, TERRAFORM_TYPES
from pcs_policies.sources.reading import Json, Reading, mapping
from pcs_policies.sources.terraform import META_ARGUMENTS
from pcs_policies.sources.written import InlineWaiver, Written, documents

BLOCKS = frozenset(
    "// terraform provider resource data variable output locals module moved import removed check ephemeral".split()
)
"""Top-level members of terraform's JSON syntax (https://developer.hashicorp.com/terraform/language/syntax/json)."""

TELLING = frozenset({"terraform", "provider", "resource", "variable", "module"})
"""Those that no other kind of JSON is likely to have."""


OTHERS = META_ARGUMENTS | {"//", "dynamic"}
"""Members of a resource that are no attributes of it."""

KINDS = (CDKTF.id,)


def recognises(document: Json) -> bool:
    return document.keys() <= BLOCKS and not document.keys().isdisjoint(TELLING)


def read(document: Json, file: str) -> Reading:
    """The node groups of a JSON configuration. Raises :class:`~pcs_policies.errors.InputError`."""
    return Reading(kind=CDKTF, groups=documents(written(document, file), CDKTF.spelling))


def written(configuration: Json, file: str, modules: tuple[str, ...] = ()) -> list[Written]:
    """The node groups that a JSON configuration writes down. Raises :class:`~pcs_policies.errors.InputError`."""
    found = []
    for kind, resources in _members(configuration.get("resource"), "resource"):
        if kind not in TERRAFORM_TYPES:
            continue
        for name, body in _members(resources, f"resource.{kind}"):
            where = f"resource.{kind}.{name}"
            values = _only(body, where)
            if values.get("count") != 0:
                found.append(_written(kind, name, values, file, modules, where))
    return found


def bodies(configuration: Json, file: str) -> Iterator[tuple[Written, Json]]:
    """The node groups as :func:`written` gives them, each with its body as it stands there."""
    for kind, resources in _members(configuration.get("resource"), "resource"):
        if kind in TERRAFORM_TYPES:
            for name, body in _members(resources, f"resource.{kind}"):
                where = f"resource.{kind}.{name}"
                values = _only(body, where)
                yield _written(kind, name, values, file, (), where), values


def _members(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The members of a block; terraform takes an object, or a list of objects that are merged."""
    for part in value if isinstance(value, list) else [value]:
        yield from ((name, member) for name, member in mapping(part, where).items() if name != "//")


def _only(body: Any, where: str) -> Json:
    return mapping(body[0] if isinstance(body, list) and len(body) == 1 else body, where)


def _written(kind: str, name: str, body: Json, file: str, modules: tuple[str, ...], where: str) -> Written:
    note = body.get("//")
    notes = note if isinstance(note, dict) else {}
    metadata, told = notes.get("metadata"), notes.get("pcsguard")
    ours = told if isinstance(told, dict) else {}
    python = _python(ours)
    construct = metadata.get("path") if isinstance(metadata, dict) else None
    values = {key: _value(value) for key, value in body.items() if key not in OTHERS}
    for block, _ in _members(body.get("dynamic"), f"{where}.dynamic"):
        values[block] = Expression(f'dynamic "{block}"')
    return Written(
        type=kind,
        name=name,
        values=values,
        file=file,
        modules=modules,
        construct=construct if isinstance(construct, str) else None,
        python=python,
        waivers=tuple(_waivers(ours, *python.get("", (file, 0)))),
    )


def _python(ours: Json) -> dict[str, tuple[str, int]]:
    """The lines of Python that a note tells, by path as written; what is in another form tells nothing."""
    own = _line(ours)
    if own is None:
        return {}
    lines = {"": own}
    places = ours.get("places")
    for path, place in places.items() if isinstance(places, dict) else ():
        file, _, line = place.rpartition(":") if isinstance(place, str) else (own[0], "", place)
        if str(line).isdecimal():
            lines[path] = (file, int(line))
    return lines


def _line(said: Json) -> tuple[str, int] | None:
    file, line = said.get("file"), said.get("line")
    return (file, line) if isinstance(file, str) and isinstance(line, int) else None


def _waivers(ours: Json, file: str, line: int) -> Iterator[InlineWaiver]:
    """Waivers as they are written; whether they are any good is judged with all others."""
    entries = ours.get("waivers")
    for entry in entries if isinstance(entries, list) else [] if entries is None else [entries]:
        said = entry if isinstance(entry, dict) else {}
        rules = said.get("rules", said.get("rule"))
        names = rules if isinstance(rules, list) else [] if rules is None else [rules]
        owner, until, reason, leaf = (_said(said.get(key)) for key in ("owner", "until", "reason", "leaf"))
        yield InlineWaiver(tuple(map(str, names)), owner, until, reason, leaf or "", *(_line(said) or (file, line)))


def _said(value: Any) -> str | None:
    return None if value is None else str(value)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return template(value)
    if isinstance(value, dict):
        return {key: _value(member) for key, member in value.items() if key != "//"}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return value


def template(text: str) -> str | Template | Expression:
    """A string of terraform's JSON syntax: a literal, a template with literal parts, or all expression.

    ``$${`` and ``%%{`` stand for the characters ``${`` and ``%{``. A template directive (``%{ if ... }``) leaves the
    rest of the text undecided, as it may leave parts of it out.
    """
    if "{" not in text:
        return text  # as most are; what follows looks at each letter
    parts: list[str | None] = []
    literal = ""
    at = 0
    while at < len(text):
        two, three = text[at : at + 2], text[at : at + 3]
        if three in ("$${", "%%{"):
            literal += three[1:]
            at += 3
        elif two == "%{":
            return Template((*parts, literal, None)) if literal or parts else Expression(text)
        elif two == "${":
            end = _end(text, at + 2)
            if at == 0 and end == len(text):
                return Expression(text[2:-1].strip())
            parts += [literal, None] if literal else [None]
            literal = ""
            at = end
        else:
            literal += text[at]
            at += 1
    if not parts:
        return literal
    return Template((*parts, literal) if literal else tuple(parts))


def _end(text: str, at: int) -> int:
    """Where the expression that begins at ``at`` ends, behind its brace. Braces in strings inside do not count."""
    depth = 1
    quoted = False
    while at < len(text):
        letter = text[at]
        if quoted and letter == "\\":
            at += 1
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter == "{":
            depth += 1
        elif not quoted and letter == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)
