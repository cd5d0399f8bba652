"""``pcsguard show``: what the nodes of a group run when they boot, and with which effect."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from pcs_contract.record import Record
from pcs_policies import boot, terminal
from pcs_policies.boot import GroupView, Row, ScriptView, StageView
from pcs_policies.cli import arguments
from pcs_policies.errors import OK, UNCHECKED, InputError
from pcs_policies.redaction import printable
from pcs_policies.sources.inputs import Opened
from pcs_policies.sources.reading import Removed, Unjoined, Unreadable
from pcs_policies.terminal import BOLD, DIM, GREEN, RED, YELLOW, Paint

MARKS = {"+": GREEN, "-": RED, "~": YELLOW}


class Shown(Record):
    """What there is to show of an input, and what could not be read of it. The title is empty if nothing could."""

    path: str
    title: str
    groups: tuple[GroupView, ...]
    problems: tuple[str, ...]


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard show",
        description="Show the scripts of each compute node group in the order in which a node runs them, with their "
        "effective values: what is (default) was left out, what is `known after apply` only terraform will know. For "
        "a plan, `old -> new` is a change, + an added script, - a removed one and ~ a changed one. Nothing is judged.",
        epilog="exit codes:\n  0  everything was shown\n  2  wrong usage\n  3  an input could not be read",
        formatter_class=arguments.Help,
        allow_abbrev=False,
    )
    arguments.add_inputs(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to show it (default: text)")
    return parser


def run(parsed: Namespace) -> int:
    paint = terminal.paint(sys.stdout)
    shown = []
    code = OK
    for opened in arguments.inputs(parsed):
        if opened.skipped:
            continue
        entry = _read(opened)
        if entry.problems:
            code = UNCHECKED
        if parsed.format == "json":
            shown.append(_json(entry))
            continue
        for line in _lines(entry, paint):
            print(line)
        for problem in entry.problems:
            print(f"pcsguard: {printable(entry.path)}: {printable(problem)}", file=sys.stderr)
    if parsed.format == "json":
        json.dump({"inputs": shown}, sys.stdout, indent=2)
        print()
    return code


def _read(opened: Opened) -> Shown:
    reading = opened.reading
    if reading is None:
        return Shown(opened.path, "", (), (opened.reason,))
    groups: list[GroupView] = []
    problems = list(reading.problems)
    try:
        for entry in reading.groups:
            if isinstance(entry, Unreadable):
                problems.append(f"{entry.address} cannot be shown: {entry.reason}")
            elif isinstance(entry, Unjoined):
                problems.append(f"{entry.address} is shown by the plan alone: {entry.reason}")
            elif not isinstance(entry, Removed):
                groups.append(boot.view(entry))
    except InputError as error:
        problems.append(str(error))
    return Shown(opened.path, reading.kind.title, tuple(groups), tuple(problems))


def _lines(shown: Shown, paint: Paint) -> Iterator[str]:
    if not shown.title:
        return
    count = len(shown.groups)
    number = f"{count} node group{'s' * (count != 1)}" if count else "no node group to show"
    yield f"{printable(shown.path)}: {shown.title}, {number}"
    for group in shown.groups:
        yield ""
        yield paint(group.address, BOLD) + (f" ({group.change})" if group.change else "")
        yield from _rows(group.rows, "  ", paint)
        for stage in group.stages:
            yield from _stage(stage, paint)
    yield ""


def _stage(stage: StageView, paint: Paint) -> Iterator[str]:
    if stage.scripts or stage.unseen:
        yield f"  {stage.name} {paint(f'({stage.when})', DIM)}"
    for script in stage.scripts:
        yield from _script(script, paint)
    if stage.unseen:
        yield f"    {boot.LATER}" if not stage.scripts else f"    more scripts are {boot.LATER}"


def _script(script: ScriptView, paint: Paint) -> Iterator[str]:
    rows = {row.name: row for row in script.rows}
    name = _value(rows["name"], paint) if "name" in rows else "(no name)"
    moved = rows["position"].was
    mark = paint(script.mark, MARKS[script.mark]) if script.mark else " "
    yield f"  {mark} {script.position}. {name}" + (paint(f" (was {moved}.)", YELLOW) if moved else "")
    if script.mark != "-":
        yield from _rows([row for row in script.rows if row.name not in ("name", "position")], " " * 7, paint)


def _rows(rows: Sequence[Row], indent: str, paint: Paint) -> Iterator[str]:
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        yield f"{indent}{paint(row.name.ljust(width), DIM)}  {_value(row, paint)}"


def _value(row: Row, paint: Paint) -> str:
    if row.was == row.now:  # what is hidden or shortened looks the same
        return f"{row.now} {paint('(changed)', YELLOW)}"
    return row.now if row.was is None else f"{row.was} {paint('->', YELLOW)} {paint(row.now, YELLOW)}"


def _json(shown: Shown) -> dict[str, Any]:
    return {
        "path": shown.path,
        "groups": [
            {
                "address": group.address,
                "change": group.change or None,
                "facts": _facts(group.rows),
                "stages": {stage.name: _stage_json(stage) for stage in group.stages},
            }
            for group in shown.groups
        ],
        "problems": list(shown.problems),
    }


def _stage_json(stage: StageView) -> dict[str, Any]:
    scripts = [
        {"mark": script.mark or None, "position": script.position, "facts": _facts(script.rows)}
        for script in stage.scripts
    ]
    return {"scripts": scripts, "unseen": stage.unseen}


def _facts(rows: tuple[Row, ...]) -> dict[str, dict[str, str | None]]:
    return {row.name.replace(" ", "_"): {"now": row.now, "was": row.was} for row in rows}
