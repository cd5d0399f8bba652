"""What HashiCorp's awscc provider has of PCS: the schema of its resource types, as data.

`awscc.json` is in the form of `terraform providers schema -json`, cut down to names, types and whether an author may
or must set an attribute. Its source are the bindings that were generated from awscc 1.106.0 (cdktn-provider-awscc
1.8.0). Descriptions are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

VERSION: Final = "1.106.0"
"""The version of the provider that the schema is of; a test holds it against the file."""

# Not pathlib: importing it would cost more than reading the file.
_PATH = os.path.join(os.path.dirname(__file__), "awscc.json")

Attributes = Mapping[str, Mapping[str, Any]]
"""Name -> `type` (as Terraform writes types) or `nested_type` (`nesting_mode`, `attributes`), and `required`,
`optional` or `computed`, whichever is true."""


@cache
def schemas() -> Mapping[str, Attributes]:
    """Return the attributes of each resource type, for reading only."""
    import json

    with open(_PATH, encoding="utf-8") as file:
        loaded: Mapping[str, Attributes] = json.load(file)["resources"]
    return loaded


def lacking(resource_type: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of what an author wrote and the resource type does not let anybody set.

    `values` are a resource's own, in Terraform's spelling; elements of lists are not marked in paths:
    `node_lifecycle_actions.stages.node_ready.on_error`. Raises KeyError for a resource type that the file does not
    have.
    """
    yield from dict.fromkeys(_lacking(schemas()[resource_type], values, ""))


def _lacking(attributes: Attributes, value: Any, around: str) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        for name, member in item.items() if isinstance(item, Mapping) else ():
            attribute = attributes.get(name, {})
            if not (attribute.get("required") or attribute.get("optional")):
                yield around + name
            elif "nested_type" in attribute:
                yield from _lacking(attribute["nested_type"]["attributes"], member, f"{around}{name}.")
