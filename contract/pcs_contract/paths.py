"""Leaf paths such as `nodeLifecycleActions.stages.nodeReady[0].name`, taken apart one step at a time."""

from __future__ import annotations


def take(path: str) -> tuple[str, str, str]:
    """Return the first name of `path`, the brackets that follow it as written, and the rest after the dot.

    `nodeReady[0].name` gives `("nodeReady", "[0]", "name")`; `nodeReady["a.b"].name` gives `("nodeReady",
    '["a.b"]', "name")`, since a quoted selector may hold dots and brackets. Raises ValueError when a bracket
    is not closed, when something other than a dot follows one, or when a name is empty.
    """
    end = len(path)
    at = 0
    while at < end and path[at] not in ".[":
        at += 1
    name = path[:at]
    start = at
    while at < end and path[at] == "[":
        at = _after_bracket(path, at)
    brackets = path[start:at]
    if not name:
        raise ValueError(f"{path!r}: a name is missing before position {at}")
    if at == end:
        return name, brackets, ""
    if path[at] != "." or at + 1 == end:
        raise ValueError(f"{path!r}: expected a dot and a name at position {at}")
    return name, brackets, path[at + 1 :]


def depth(brackets: str) -> int:
    """Return how many selectors stand in a run of brackets: `""` 0, `"[3]"` 1, `'[0]["a[1]"]'` 2."""
    count = at = 0
    while at < len(brackets):
        at = _after_bracket(brackets, at)
        count += 1
    return count


def _after_bracket(path: str, at: int) -> int:
    """Return the position after the selector that opens at `at`."""
    inside = at + 1
    if path[inside : inside + 1] == '"':
        inside += 1
        while inside < len(path) and path[inside] != '"':
            inside += 2 if path[inside] == "\\" else 1
        inside += 1
    close = path.find("]", inside)
    if close < 0:
        raise ValueError(f"{path!r}: the bracket at position {at} is not closed")
    return close + 1
