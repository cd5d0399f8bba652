"""The two ways in which a run can go wrong without a finding, and the exit codes of all."""

from __future__ import annotations

from collections.abc import Iterable

OK = 0
FINDINGS = 1
USAGE = 2
UNCHECKED = 3

EXIT_CODES = (
    (OK, "everything was checked, and nothing is at or above --fail-on"),
    (FINDINGS, "there are findings at or above --fail-on (default: error)"),
    (USAGE, "wrong usage or configuration; nothing was checked"),
    (UNCHECKED, "something could not be checked: unreadable, errored or incomplete input, or an undecided rule"),
)


class UsageError(Exception):
    """The command or its configuration is wrong: exit code 2. The text says what to do."""


class InputError(Exception):
    """An input cannot be checked: exit code 3. The text says what was found, why it matters and what to do."""


def without_extra(what: str, extra: str | None, error: ModuleNotFoundError) -> UsageError | None:
    """What to say where ``what`` needs a module that its extra brings; ``None`` where the module is no extra's."""
    missing = (error.name or "").partition(".")[0]
    if extra is None or not missing or missing.startswith("pcs_"):
        return None
    return UsageError(
        f"{what} needs {missing}, which is not installed; the extra {extra!r} brings it: "
        f"pip install 'pcsguard[{extra}]'"
    )


def worst(codes: Iterable[int]) -> int:
    """The exit code of a run with several outcomes: 2 before 3 before 1 before 0."""
    order = (USAGE, UNCHECKED, FINDINGS, OK)
    return min(codes, key=order.index, default=OK)


def nearest(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the most similar known word, or nothing."""
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    found = get_close_matches(word.lower(), names, n=1)
    return f" (did you mean {names[found[0]]!r}?)" if found else ""
