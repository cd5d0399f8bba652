"""CloudFormation templates, YAML and JSON: their compute node groups as far as the template tells.

The data flows through one module each::

    library.py     text                         -> PyYAML's events
    yaml_text.py   events                       -> values with places, bounded
    json_text.py   text that was parsed before  -> the same, of the part that matters
    template.py    values                       -> node groups, and what is not followed
    values.py      properties of a node group   -> values, templates, expressions   (with conditions.py, parameters.py)
    waivers.py     metadata of a node group     -> waivers

YAML needs the extra ``cfn``; JSON needs nothing.
"""

from __future__ import annotations

import re
from typing import Any

from pcs_policies.errors import InputError
from pcs_policies.redaction import quote
from pcs_policies.sources import text
from pcs_policies.sources.cloudformation import template, yaml_text
from pcs_policies.sources.cloudformation.json_text import Places
from pcs_policies.sources.cloudformation.template import recognises
from pcs_policies.sources.given import Given
from pcs_policies.sources.kinds import CLOUDFORMATION
from pcs_policies.sources.reading import Json, Reading

__all__ = ["KINDS", "may_be", "read_json", "read_yaml", "recognises"]

KINDS = (CLOUDFORMATION.id,)

_TELLING = re.compile(rb"""^["']?(AWSTemplateFormatVersion|Resources)["']?[ \t]*:""", re.MULTILINE)
_TELLING_JSON = re.compile(rb'"(AWSTemplateFormatVersion|Resources)"\s*:')


def may_be(data: bytes) -> bool:
    """Whether a file looks like a template at a glance: a folder may hold much YAML that is something else."""
    if text.encoding(data) != "utf-8":
        data = data.decode(text.encoding(data), "replace").encode("utf-8", "replace")
    return (_TELLING_JSON if data.lstrip()[:1] == b"{" else _TELLING).search(data) is not None


def read_json(document: Json, data: bytes, file: str, given: Given, *, within: str | None = None) -> Reading:
    """The node groups of a JSON template that has been parsed. Raises :class:`~pcs_policies.errors.InputError`."""
    places: list[Places] = []  # the text is walked over again only where there is a group

    def body_of(name: str, _: Json) -> Json:
        if not places:
            places.append(Places(text.decode(data)))
        body: Json = places[0].member("Resources", name)
        return body

    return template.read(document, file, given, body_of=body_of, within=within)


def read_yaml(data: bytes, file: str, given: Given, *, explicit: bool = False, within: str | None = None) -> Reading:
    """The node groups of a YAML template; ``explicit``: somebody said that it is one.

    Raises :class:`~pcs_policies.errors.InputError`, and :class:`~pcs_policies.errors.UsageError` where PyYAML is not
    installed.
    """
    document = yaml_text.parse(text.decode(data))
    if not explicit and not recognises(document):
        raise InputError(
            f"this is YAML ({_what(document)}), but no CloudFormation template: there are no Resources with a Type "
            "such as AWS::PCS::ComputeNodeGroup; if it is one all the same, say so with --kind cloudformation"
        )
    return template.read(document, file, given, within=within)


def _what(document: Any) -> str:
    if isinstance(document, dict):
        names = list(document)[:3]
        more = ", ..." if len(document) > len(names) else ""
        return f"an object with {', '.join(map(quote, names))}{more}" if names else "an empty object"
    return "a list" if isinstance(document, list) else "nothing" if document is None else "a single value"
