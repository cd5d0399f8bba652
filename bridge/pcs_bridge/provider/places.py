"""Attribute paths of terraform for what the API and the rules call a place."""

from __future__ import annotations

import re
from typing import Final

from pcs_bridge.plugin.paths import Key, Path
from pcs_bridge.provider.kinds import Kind
from pcs_contract import paths
from pcs_contract.spelling import FieldSpec


def attribute(kind: Kind, path: str) -> Path:
    """The attribute that a path in the API's spelling is about, by a request's names or by a response's.

    What comes from outside may have any form: the result is the innermost attribute around the place that is known,
    and empty when there is none.
    """
    response_names = {requested: name for name, requested in kind.request_names.items()}
    found: list[str | int] = []
    here: FieldSpec = kind.spec
    rest = path
    while rest:
        if here.kind == "map":
            found.append(Key(rest))
            break
        try:
            name, brackets, rest = paths.take(rest)
        except ValueError:
            break
        wanted = name if found else response_names.get(name, name)
        field = next((field for field in here.fields if field.name == wanted), None)
        if field is None:
            break
        found.append(field.written)
        here = field
        for selector in _SELECTOR.findall(brackets):
            if here.item is None:
                return tuple(found)
            here = here.item
            if selector.isdecimal():
                found.append(int(selector))
            else:
                return tuple(found)
    return tuple(found)


_SELECTOR: Final = re.compile(r"\[([^\]]*)\]")
