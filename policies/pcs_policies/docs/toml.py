"""Settings as a person would write them down in TOML."""

from __future__ import annotations

import json
from typing import Any

from pcs_policies.config_keys import KEYS
from pcs_policies.settings import Settings


def value(given: Any) -> str:
    """A value of the settings as TOML; JSON's strings, numbers, booleans and lists are TOML's too."""
    if isinstance(given, frozenset):
        given = sorted(given)
    if isinstance(given, tuple) and given and isinstance(given[0], tuple):
        return "{ " + ", ".join(f"{name} = {value(item)}" for name, item in given) + " }"
    if isinstance(given, tuple):
        given = list(given)
    return json.dumps(given, ensure_ascii=False)


def changed(settings: Settings) -> str:
    """What a configuration file says for settings that differ from the defaults; empty for the defaults."""
    default = Settings()
    lines = []
    for key in KEYS:
        now, usual = getattr(settings, key.field, None), getattr(default, key.field, None)
        if isinstance(now, frozenset) and isinstance(usual, frozenset):
            now = tuple(sorted(now - usual) + sorted(f"-{word}" for word in usual - now))
            usual = ()
        if now != usual:
            lines.append(f"{key.name} = {value(now)}\n")
    return "".join(lines)
