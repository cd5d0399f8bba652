"""The attribute `timeouts`: how long to wait for PCS, as texts such as `30m` or `1h30m`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Final

from pcs_bridge.plugin import cty
from pcs_bridge.plugin.diagnostics import Diagnostic, error
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting
from pcs_bridge.plugin.values import Object
from pcs_bridge.provider.durations import seconds

NAME: Final = "timeouts"

DEFAULTS: Final[Mapping[str, str]] = {"create": "60m", "update": "60m", "delete": "60m"}
"""PCS names no bound. Starting and draining instances take minutes; an hour is for what will not end by itself."""

ATTRIBUTE: Final = Attribute(
    NAME,
    Nested(
        Nesting.SINGLE,
        Attributes(
            Attribute(
                operation,
                cty.STRING,
                optional=True,
                description=f"For how long to wait until it is over, such as `30m` or `1h30m`; `{default}` without it.",
            )
            for operation, default in DEFAULTS.items()
        ),
    ),
    optional=True,
    description="How long operations may take. A change of it changes nothing in AWS.",
)


def problems(config: Object) -> Iterator[Diagnostic]:
    """What is wrong with the attribute, as far as it is known."""
    block = config.get(NAME)
    if not isinstance(block, dict):
        return
    for operation, text in block.items():
        if isinstance(text, str) and not seconds(text):
            yield error(
                "The timeout is no duration",
                "It has to be hours, minutes and seconds, in this order, each with its unit, and more than 0: `30m`, "
                "`1h30m`, `90s`. Without it, the default holds.",
                (NAME, operation),
            )


def deadline(state: Object, operation: str) -> float:
    """When an operation that begins now has to be over, by the clock of `time.monotonic`."""
    block = state.get(NAME)
    text = block.get(operation) if isinstance(block, dict) else None
    return time.monotonic() + seconds(text if isinstance(text, str) else DEFAULTS[operation])
