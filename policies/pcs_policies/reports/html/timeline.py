"""The boot of a node as a drawing, from left to right: where each thing stands, for the template that draws it."""

from __future__ import annotations

from pcs_contract.record import Record
from pcs_policies.reports.html.page import ScriptCards, StageCards

GAP = 36
"""Pixels from one script to the next."""
STEP = 104
"""Pixels that a step takes that is no script."""
MOST = 9
"""Scripts of a stage that are drawn one by one; the others are counted."""
PADDING = 24


class Dot(Record):
    """A script; ``x`` is its middle."""

    x: int
    script: ScriptCards


class Band(Record):
    """A stage, from ``x`` on. ``note`` stands in the place of scripts that are not drawn."""

    x: int
    width: int
    name: str
    dots: tuple[Dot, ...]
    note: str
    note_at: int

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


class Drawing(Record):
    """A boot. ``steps`` are the middles of the steps before the scripts, ``slurmd`` that of the one between stages."""

    width: int
    steps: tuple[int, ...]
    bands: tuple[Band, ...]
    slurmd: int


def draw(stages: tuple[StageCards, ...], steps: int) -> Drawing:
    """Where everything stands: ``steps`` steps, a stage, slurmd, a stage."""
    before, after = stages
    first = _band(before, steps * STEP)
    slurmd = first.x + first.width + STEP // 2
    second = _band(after, slurmd + STEP // 2)
    places = tuple(STEP // 2 + number * STEP for number in range(steps))
    return Drawing(second.x + second.width + PADDING, places, (first, second), slurmd)


def _band(stage: StageCards, x: int) -> Band:
    scripts = [script for script in stage.scripts if script.view.mark != "-"]
    drawn = scripts if len(scripts) <= MOST else scripts[: MOST - 1]
    note = _note(len(scripts), len(drawn), stage.view.unseen)
    places = len(drawn) + bool(note)
    width = max(places * GAP + PADDING, LEAST)
    start = x + (width - (places - 1) * GAP) // 2
    dots = tuple(Dot(start + number * GAP, script) for number, script in enumerate(drawn))
    return Band(x, width, stage.view.name, dots, note, start + len(drawn) * GAP)


def _note(scripts: int, drawn: int, unseen: bool) -> str:
    if scripts > drawn:
        return f"+{scripts - drawn}"
    if unseen:
        return "…" if scripts else "known later"
    return "" if scripts else "no script"


LEAST = 150
"""Pixels that the name of a stage needs."""
