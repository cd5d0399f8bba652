"""What a script is for, judged by its name: the words by which rules recognise mounts, log forwarders and the like.

The first telling word wins: `log-mounts` logs. Only what is mounted gives way to what is done with it:
`lustre-exporter` monitors and `efs-logs` logs, while `mount-logs` mounts. Where the name tells nothing, the file name
of the location is read the same way. The words are settings, so that a site's own names can be taught.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from pcs_policies.document import Script, Template
from pcs_policies.redaction import name_of
from pcs_policies.settings import Settings


class Role(Enum):
    """What depends on a script."""

    NEEDED_BEFORE_JOBS = "needed before jobs"
    LOG_FORWARDER = "forwards logs"
    BEST_EFFORT = "best effort"


def role(script: Script, settings: Settings) -> Role | None:
    """The role of a script, ``None`` where no word tells one."""
    for text in (name_of(script), _file_name(script)):
        if text:
            found = _role_in(text, settings.needed_before_jobs, settings.log_forwarders, settings.best_effort)
            if found is not None:
                return found
    return None


@lru_cache(maxsize=4096)  # the scripts of a run have few names
def _role_in(text: str, needed: frozenset[str], forwarders: frozenset[str], effort: frozenset[str]) -> Role | None:
    tables = ((needed, Role.NEEDED_BEFORE_JOBS), (forwarders, Role.LOG_FORWARDER), (effort, Role.BEST_EFFORT))
    told = [(word, role) for word in _words(text) for words, role in tables if word in words]
    if not told:
        return None
    word, first = told[0]
    if first is Role.NEEDED_BEFORE_JOBS and word not in _VERBS:
        return next((role for _, role in told if role is not first), first)
    return first


_VERBS = frozenset({"mount", "mounts"})


def can_tell(script: Script) -> bool:
    """Whether there is any text to judge by; a script without one may have any role."""
    return name_of(script) is not None or bool(_file_name(script))


def _file_name(script: Script) -> str:
    value = script.location.value
    if script.location.sensitive or value is None:
        return ""
    text = (value.parts[-1] or "") if isinstance(value, Template) else str(value)
    return re.split(r"[?#]", text, maxsplit=1)[0].rsplit("/", 1)[-1]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
