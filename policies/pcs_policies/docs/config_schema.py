"""The JSON Schema of a configuration file, for editors: ``pcsguard.toml``, or the table in ``pyproject.toml``."""

from __future__ import annotations

import json
from typing import Any

from pcs_policies.config_keys import KEYS, Key
from pcs_policies.docs import toml
from pcs_policies.settings import Settings

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    return {
        "$schema": DIALECT,
        "title": "pcsguard",
        "description": "Configuration of pcsguard: a whole pcsguard.toml, or [tool.pcsguard] of a pyproject.toml.",
        "type": "object",
        "properties": {key.name: {"description": key.about, **key.kind.schema(), **_default(key)} for key in KEYS},
        "additionalProperties": False,
    }


def page() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _default(key: Key) -> dict[str, Any]:
    """The default, where there is one that the key itself could say (words are added to the built-in ones)."""
    default = getattr(Settings(), key.field, None)
    if default is None or isinstance(default, frozenset):
        return {}
    if key.name == "severity":
        return {"default": {}}
    return {"default": json.loads(toml.value(default))}
