"""The HTML report without a browser: one whole page, everything in it once, and no more of it than has room."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support import render
from support.findings import finding, result
from support.fleet import fleet
from support.groups import complete
from support.pcsguard_cli import Run, pcsguard

from pcs_policies import boot
from pcs_policies.document import Change
from pcs_policies.engine import run
from pcs_policies.findings import Result, Unchecked
from pcs_policies.reports import html
from pcs_policies.reports.html import page, timeline
from pcs_policies.rules.fragments import SHA256, UNKNOWN, actions, script
from pcs_policies.rules.table import RULES
from pcs_policies.settings import Settings
from pcs_policies.sources.detect import open_document
from pcs_policies.sources.inputs import Opened

STATED = {"onError": "CONTINUE", "executionPolicy": "EVERY_BOOT"}
MOTD = script("motd", "https://scripts.example.com/motd.sh", checksum=SHA256, **STATED)


def judged(document: dict[str, Any], settings: Settings | None = None) -> Result:
    reading = open_document(json.dumps(document).encode(), "plan.json")
    return run([Opened("plan.json", reading)], RULES, settings or Settings(), view=boot.sharing())


def check(folder: Path, document: Any, *arguments: str) -> Run:
    (folder / "plan.json").write_text(json.dumps(document))
    return pcsguard("check", "plan.json", "--format", "html", *arguments, cwd=folder)


class Reader(HTMLParser):
    """What there is in a page: ids, where links lead, and elements that ask for something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "link", "input", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "a" or "src" in given:
            self.links.add(given.get("href") or given.get("src") or "")
        assert not any(name.startswith("on") or name == "style" for name in given), given

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


DOCUMENTS = {
    "a new group": render.plan(complete(**actions(ready=[MOTD]))),
    "no actions": render.plan(complete()),
    "all of it is known later": render.plan(complete(nodeLifecycleActions=UNKNOWN)),
    "a change": render.plan(complete(**actions(bootstrapped=[MOTD])), before=complete(**actions(ready=[MOTD]))),
    "a state": render.state(complete(**actions(ready=[MOTD]))),
    "forty scripts": render.plan(
        complete(**actions(bootstrapped=[{**MOTD, "name": f"s{n}"} for n in range(40)], ready=[MOTD, UNKNOWN]))
    ),
    "groups alike": fleet(4),
    "hostile names": render.plan(
        complete(**actions(ready=[{**MOTD, "name": "</p></style></script><b id=x>'\" &amp;"}]))
    ),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_page_is_whole_and_asks_for_nothing(document: dict[str, Any]) -> None:
    text = html.text(judged(document), Settings())
    reader = Reader(text)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert {link for link in reader.links if link[1:] not in reader.ids} == set()
    assert not reader.tags & {"img", "iframe", "object", "embed", "base"}
    assert "b id=x" not in re.sub(r"&lt;b id=x", "", text)
    for name in ("style", "script"):
        assert text.count(f"<{name}>") == text.count(f"</{name}>") == 1


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_finding_is_there_once_for_each_group(document: dict[str, Any]) -> None:
    found = judged(document)
    ids = {identity for identity in Reader(html.text(found, Settings())).ids if identity.startswith("f-")}
    assert len(ids) == len(found.findings) + len(found.undecided)
    assert {identity[2:18] for identity in ids} == {f.fingerprint for f in (*found.findings, *found.undecided)}


def sections(document: dict[str, Any]) -> tuple[page.Group, ...]:
    return page.tell(judged(document), Settings()).groups


def test_groups_that_run_the_same_scripts_share_a_section() -> None:
    document = fleet(5, alike=3)
    document["resource_changes"][1]["change"]["after"]["scaling_configuration"]["max_instance_count"] = 9
    first, second = sections(document)
    assert [[m.address.rpartition(".")[2] for m in group.members] for group in (first, second)] == [
        ["g0", "g1", "g2"],
        ["g3", "g4"],
    ]
    assert [[row.name for row in member.rows] for member in first.members] == [["scaling"], ["scaling"], ["scaling"]]
    assert {row.name for row in first.common.rows} >= {"instances", "caching"}
    assert {len(card.ids) for stage in first.stages for one in stage.scripts for card in one.cards} == {3}


def test_the_worst_comes_first() -> None:
    document = fleet(3, alike=1)
    stages = document["resource_changes"][1]["change"]["after"]["node_lifecycle_actions"]["stages"]
    stages["node_ready"][-1]["on_error"] = "TERMINATE"
    assert [group.common.address[-2:] for group in sections(document)] == ["g1", "g0", "g2"]


def test_a_finding_stands_where_it_bites() -> None:
    group = complete(
        **actions(
            bootstrapped=[MOTD, {**MOTD, "name": "b", "onError": "SOMETIMES"}],
            ready=[MOTD, {**MOTD, "onError": "TERMINATE"}],
        ),
        purchaseOption="FREE",
    )
    (told,) = sections(render.plan(group))
    bootstrapped, ready = told.stages
    assert [card.rule for card in told.common.cards] == ["PCS302"]
    assert [[card.rule for card in one.cards] for one in bootstrapped.scripts] == [[], ["PCS302"]]
    assert "PCS201" in [card.rule for card in ready.scripts[1].cards]
    assert "PCS201" not in [card.rule for card in ready.scripts[0].cards]


@pytest.mark.parametrize(
    ("after", "change", "impact"),
    [
        ({}, Change.UPDATE, []),
        (actions(ready=[{**MOTD, "name": "b"}]), Change.UPDATE, [("drain", True)]),
        (actions(ready=[{**MOTD, "name": UNKNOWN}]), Change.UPDATE, [("drain", False)]),
        ({"name": "other"}, Change.REPLACE, [("replace", True)]),
        (
            {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 1}},
            Change.UPDATE,
            [("jobs fail", True)],
        ),
    ],
    ids=["none", "drain", "may drain", "replace", "jobs fail"],
)
@pytest.mark.parametrize("settings", [Settings(), Settings(ignore=("PCS5",))], ids=["all rules", "ignored"])
def test_what_a_change_does_to_nodes(after: Any, change: Change, impact: list[Any], settings: Settings) -> None:
    before = complete(**actions(ready=[MOTD]))
    told = page.tell(judged(render.plan({**before, **after}, before=before, change=change), settings), settings)
    assert [(one.impact.kind, one.impact.certain) for one in told.affected] == impact


def test_what_is_deleted_is_an_effect_too() -> None:
    found = judged(DOCUMENTS["a new group"])
    text = html.text(found._replace(inputs=(found.inputs[0]._replace(removed=2),)), Settings())
    assert "2 groups deleted or forgotten" in text
    assert "Nothing: no node is drained" not in text
    assert "Nothing: no node is drained" in html.text(found, Settings())


def test_quiet_leaves_out_groups_without_a_finding() -> None:
    clean = page.tell(judged(DOCUMENTS["a new group"]), Settings(select=("PCS101",)))
    assert len(clean.groups) == 1
    found = judged(DOCUMENTS["a new group"])._replace(findings=(), undecided=())
    assert page.tell(found, Settings(), quiet=True).groups == ()


def test_findings_about_no_group_are_told_elsewhere() -> None:
    told = page.tell(result(finding(rule="PCS802", address="")), Settings())
    assert [(card.rule, card.address) for card in told.elsewhere] == [("PCS802", "plan.json")]
    text = html.text(result(finding(rule="PCS802", address="")), Settings())
    assert "Findings about something else" in text


@pytest.mark.parametrize(
    ("code", "said"), [(0, "Nothing fails"), (1, "1 finding fails the run"), (3, "Not everything")]
)
def test_the_outcome_is_the_title(code: int, said: str) -> None:
    found = result(*([finding()] if code else []), exit_code=code)
    assert f"<title>pcsguard: {said}" in html.text(found, Settings())


@pytest.fixture(scope="module")
def hundred() -> Result:
    return judged(fleet(100, alike=2))


@pytest.mark.parametrize("limit", [45_000, 60_000, 120_000, 300_000])
def test_a_page_has_a_limit_and_says_what_has_no_room(hundred: Result, limit: int) -> None:
    text = html.text(hundred, Settings(), limit=limit)
    assert len(text.encode()) <= limit
    reader = Reader(text)
    assert {link for link in reader.links if link[1:] not in reader.ids} == set()
    drawn, brief = text.count('<ol class="boot">'), text.count("There is no room for its boot")
    groups = len(re.findall(r'<details class="group"', text))
    assert (drawn + brief, drawn < 50) == (groups, True)
    told = re.search(r"<p>There is no room for (.*?)\.", text)
    expected = [f"{(50 - groups) * 2} node groups"] * (groups < 50) + [f"{brief} boots"] * (brief > 0)
    assert told is not None
    assert told[1] == ", ".join(expected)


def test_much_that_could_not_be_checked_has_a_limit_too() -> None:
    found = result(unchecked=tuple(Unchecked(f"{n}.json", "x" * 1000) for n in range(10_000)), exit_code=3)
    text = html.text(found, Settings())
    assert len(text.encode()) <= html.LIMIT
    assert text.count("x" * 1000) == html.MOST_UNCHECKED
    assert f", {10_000 - html.MOST_UNCHECKED} unchecked places." in text


@pytest.mark.parametrize(
    ("scripts", "unseen", "drawn", "note"),
    [
        (0, False, 0, "no script"),
        (0, True, 0, "known later"),
        (9, False, 9, ""),
        (10, False, 8, "+2"),
        (1, True, 1, "…"),
    ],
)
def test_a_drawing_shows_each_script_up_to_a_number(scripts: int, unseen: bool, drawn: int, note: str) -> None:
    one = page.ScriptCards("s", boot.ScriptView("", 1, (), ""), {}, ())
    stage = page.StageCards(boot.StageView("nodeReady", "", (), unseen), (one,) * scripts, ())
    drawing = timeline.draw((stage, stage), 2)
    assert [(len(band.dots), band.note) for band in drawing.bands] == [(drawn, note)] * 2
    for band in drawing.bands:
        places = [dot.x for dot in band.dots] + [band.note_at] * bool(note)
        assert all(band.x + 12 <= place <= band.x + band.width - 12 for place in places)
    assert drawing.bands[0].x + drawing.bands[0].width < drawing.slurmd < drawing.bands[1].x


MISSING = """
import sys
sys.modules["jinja2"] = None
from pcs_policies.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def test_without_its_extra_the_run_ends_before_it_begins(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        MISSING,
        "check",
        "plan.json",
        "--format",
        "json=r.json",
        "--format",
        "html=r.html",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "pcsguard: the format html needs jinja2, which is not installed; the extra 'html' brings it: "
        "pip install 'pcsguard[html]'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_whole_run(tmp_path: Path) -> None:
    run = check(tmp_path, DOCUMENTS["a new group"])
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("<!DOCTYPE html>")
    assert run.out.endswith("</html>\n")
