"""PyYAML, imported when the first YAML template is read: its parser with the marks of each event.

Only events are taken from it. What makes values of them is in :mod:`~pcs_policies.sources.cloudformation.yaml_text`,
which can tell how much of a document there is before it is too much.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from io import StringIO
from itertools import islice
from typing import Any

from pcs_contract.record import Record
from pcs_policies.errors import InputError, UsageError
from pcs_policies.redaction import printable

INSTALL = "pip install 'pcsguard[cfn]'"

Event = Any
"""A ``yaml.Event``: its class says what begins or ends, ``start_mark`` counts lines and columns from 0."""


def events(text: str) -> Iterator[Event]:
    """The events of a YAML text, as they are parsed.

    Raises :class:`~pcs_policies.errors.InputError` for what is no YAML, and :class:`~pcs_policies.errors.UsageError`
    where PyYAML is not installed.
    """
    yaml = _library()
    # libyaml's parser is ten times as fast; a PyYAML that was built without it has its own.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.YAMLError as error:
        raise InputError(_message(error, text)) from None


def plain_value(text: str) -> Any:
    """What YAML 1.1, which CloudFormation reads, takes an unquoted text for: null, true or false, a whole number."""
    scalars = _scalars()
    tag = scalars.resolver.resolve(scalars.node, text, (True, False)).rpartition(":")[2]
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() in ("yes", "true", "on")
    if tag == "int" and len(text) < LONGEST_NUMBER:
        try:
            return scalars.constructor.construct_yaml_int(scalars.node(f"{_TAGS}int", text))
        except ValueError:  # such as 0x_
            pass
    return text  # a fraction or a date stays as its author wrote it: no member of a node group is one


LONGEST_NUMBER = 20
"""Characters from which on a number is kept as text: a checksum of digits, or something absurd."""

_TAGS = "tag:yaml.org,2002:"


class _Scalars(Record):
    """The parts of PyYAML that know what unquoted texts mean."""

    node: Any
    resolver: Any
    constructor: Any


@cache
def _scalars() -> _Scalars:
    yaml = _library()
    return _Scalars(yaml.ScalarNode, yaml.resolver.Resolver(), yaml.constructor.SafeConstructor())


def _library() -> Any:
    try:
        import yaml
    except ImportError:
        raise UsageError(f"reading YAML templates needs PyYAML, which is not installed: {INSTALL}") from None
    return yaml


def _message(error: Any, text: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed")
    if "nesting depth" in problem:
        return f"the file nests too deep to be a template: {place}{problem}"
    if mark and next(islice(StringIO(text), mark.line, None), "")[mark.column :].startswith("\t"):
        problem = "a tab, but YAML indents with spaces only"
    return f"the file is not valid YAML: {place}{printable(problem)}; CloudFormation refuses it too, so mend it"
