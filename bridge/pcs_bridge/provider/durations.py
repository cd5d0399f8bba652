"""Durations in a configuration: hours, minutes and seconds in this order, each with its unit, such as `1h30m`."""

from __future__ import annotations

import re
from typing import Final

_DURATION: Final = re.compile(r"(?=\d)(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,5})s)?", re.ASCII)


def seconds(text: str) -> float:
    """How long a duration is; 0 for what is none."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return 0.0
    hours, minutes, rest = (int(part or 0) for part in match.groups())
    return hours * 3600.0 + minutes * 60.0 + rest
