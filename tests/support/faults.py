"""Generated node groups with faults and references put in."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from support import strategies

from pcs_policies.rules.fragments import KEPT, SHA256, UNKNOWN, Tree


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


ODD = (
    "",
    "x",
    "TERMINATE",
    "s3://abc/main/x-latest.sh",
    "https://u:p@localhost/x?y",
    "${x} %{y} $${z}",
    "a\nb\t\"\\'#: -",
)
NUMBERS = (-1, 0, 1, 3, 10**8)


def edited(tree: Tree, path: tuple[Any, ...], value: Any) -> None:
    place: Any = tree
    for key in path[:-1]:
        place = place[key]
    if value is KEPT and isinstance(place, dict):
        del place[path[-1]]
    elif value is not KEPT:
        place[path[-1]] = value


@st.composite
def faulty(draw: st.DrawFn, references: bool) -> Tree:
    """A group with up to three faults: a member that is gone, another value, or a reference."""
    tree: Tree = copy.deepcopy(draw(strategies.groups()))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(sorted(places(tree), key=str)))
        held: Any = tree
        for key in path:
            held = held[key]
        if held is UNKNOWN:
            continue  # what it stands for may be a list or an object
        others: list[Any] = [KEPT]  # stands for "gone" here
        if references and path[0] != "tags":
            others.append(UNKNOWN)
        if isinstance(held, str):
            others += [*ODD, SHA256]
        elif isinstance(held, int):
            others += NUMBERS
        elif isinstance(held, list):
            others.append([])
        edited(tree, path, draw(st.sampled_from(others)))
    return tree
