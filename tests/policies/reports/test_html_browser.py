"""The HTML report in a real browser: what a reader sees and does, and what the page must never do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from support import browser as browsers
from support import render, report_inputs
from support.browser import opened
from support.fleet import fleet
from support.groups import complete
from support.pcsguard_cli import pcsguard

from pcs_policies.reports.html import LIMIT
from pcs_policies.rules.fragments import SHA256, actions, script

ROOT = Path(__file__).resolve().parents[3]
PLAN, SOURCE = ROOT / "examples/plans/change.json", ROOT / "examples/terraform/change"
HOSTILE = "</script><img src=https://evil.example.com/x onerror=alert(1)>"
SECRET = "s3cr3t-value"

VIEWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "middle": {"viewport": {"width": 800, "height": 900}},
    "narrow": {"viewport": {"width": 390, "height": 844}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with browsers.launched() as browser:
            yield browser
    except browsers.NoBrowser as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A real change of three groups, a group whose every name is hostile, and groups that run the same scripts."""
    folder = tmp_path_factory.mktemp("pages")
    plans = {
        "change": json.loads(PLAN.read_text()),
        "hostile": hostile(),
        "few": fleet(12, alike=3),
        "fleet": fleet(500, alike=5),
    }
    made = {"excused": excused(tmp_path_factory.mktemp("excused"))}
    for name, plan in plans.items():
        (folder / f"{name}.json").write_text(json.dumps(plan))
        source = ("--source", SOURCE) if name == "change" else ()
        run = pcsguard("check", f"{name}.json", *source, "--format", f"html={name}.html", cwd=folder)
        assert (run.code, run.err) == (1, "")
        made[name] = folder / f"{name}.html"
    return made


def excused(folder: Path) -> Path:
    """Something of everything that a report can tell: waived, in the baseline, undecided, not checked, elsewhere."""
    report_inputs.write(folder)
    options = ("--select", report_inputs.RULES, "--baseline", "base.json", "--format", "html=excused.html")
    assert pcsguard("baseline", "write", "base.json", "plan.json", "--isolated", cwd=folder).code == 0
    run = pcsguard("check", *report_inputs.INPUTS, *options, cwd=folder, PCSGUARD_TODAY=report_inputs.TODAY)
    assert (run.code, run.err) == (3, "")
    return folder / "excused.html"


def hostile() -> dict[str, Any]:
    """Markup in every name, a name without any place to break, and secrets."""
    long = "x" * 900
    before = [script(HOSTILE, f"https://h.example.com/{long}", arguments=["--token", SECRET])]
    after = [
        script(f"{HOSTILE}{long}", f"https://user:{SECRET}@h.example.com/{HOSTILE}", checksum=SHA256),
        script("'\"><svg/onload=alert(2)>", f"https://h.example.com/?X-Amz-Signature={SECRET}"),
    ]
    document = render.plan(complete(**actions(ready=after)), before=complete(**actions(ready=before)))
    document["resource_changes"][0]["address"] = f'module.a["{HOSTILE}"].{render.ADDRESS}'
    return document


@pytest.mark.parametrize("name", ["change", "hostile", "few", "excused"])
@pytest.mark.parametrize("view", VIEWS)
def test_it_renders_without_an_error_a_request_or_a_cut_word(
    browser: Browser, pages: dict[str, Path], name: str, view: str
) -> None:
    with opened(browser, pages[name], **VIEWS[view]) as (page, wrong, asked):
        page.evaluate(OPEN_SOME)
        assert page.locator("h1").inner_text().endswith(("the run", "be checked"))
        assert (wrong, asked) == ([], [])
        assert page.evaluate(CUT) == []


OPEN_SOME = "[...document.querySelectorAll('details')].slice(0, 4).forEach((part) => { part.open = true; })"
CUT = """() => [...document.querySelectorAll("body *")].filter((element) => {
  if (element.matches(".sr, .sr *, legend, .skip, .toggle input, svg *, option")) return false;
  const { right, left, width } = element.getBoundingClientRect();
  return width > 0 && (right > innerWidth + 1 || left < -1);
}).map((element) => `${element.tagName} ${element.className}`)"""
"""Elements that reach beyond the window."""


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("change", "wide"),
        ("change", "dark"),
        ("hostile", "narrow"),
        ("few", "wide"),
        ("excused", "narrow"),
        ("excused", "dark"),
    ],
)
def test_nothing_keeps_people_from_reading_it(browser: Browser, pages: dict[str, Path], name: str, view: str) -> None:
    with opened(browser, pages[name], **VIEWS[view]) as (page, _, _):
        page.evaluate(OPEN_SOME)
        violations = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in violations] == []


def test_a_name_stays_text_and_a_secret_away(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["hostile"]) as (page, wrong, _):
        assert page.locator("img, script:not(:last-of-type), iframe, object, [onerror], [onload]").count() == 0
        text = page.locator("main").inner_text()
        assert text.count(HOSTILE) > 3
        assert SECRET not in page.content()
        assert wrong == []


def test_its_own_policy_stops_what_would_get_in(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["change"]) as (page, wrong, _):
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=https://evil.example.com/x onerror=alert(1)>')"
        )
        page.wait_for_timeout(100)
        assert len(wrong) == 2
        assert all("Content Security Policy" in said for said in wrong)


def status(page: Page) -> str:
    return page.get_by_role("status").inner_text()


def tab_to(page: Page, selector: str) -> None:
    """Press the tabulator until the place has the focus."""
    for _ in range(30):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {selector} with the tabulator")


def test_it_is_filtered_with_the_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["change"]) as (page, _, _):
        shown = page.locator(".finding:visible")
        assert (status(page), shown.count()) == ("9 findings, 3 node groups", 9)

        tab_to(page, "[name=word][value=error]")
        page.keyboard.press("Space")
        assert status(page) == "6 findings, 2 node groups"
        assert shown.count() == 6
        assert page.locator(".finding.error:visible").count() == 0
        page.keyboard.press("Space")

        tab_to(page, "[name=rule]")
        page.keyboard.type("PCS502")
        assert status(page) == "1 finding, 1 node group"
        assert page.locator(".index li:visible").all_inner_texts()[0].startswith("awscc_pcs_compute_node_group.gpu")
        page.keyboard.press("Home")

        tab_to(page, "[name=group]")
        page.keyboard.type("LOGIN")
        assert status(page) == "0 findings, 1 node group"

        tab_to(page, "[type=reset]")
        page.keyboard.press("Enter")
        page.locator(".status", has_text="9 findings").wait_for()
        assert shown.count() == 9


def test_links_lead_to_findings_and_rules(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["change"]) as (page, _, _):
        rule = page.locator("#PCS505")
        assert not rule.locator("h4").first.is_visible()
        page.locator(".finding .rule", has_text="PCS505").click()
        assert rule.locator("h4").all_inner_texts() == ["What it checks", "Why", "Fix", "Sources"]
        assert rule.locator("h4").first.is_visible()
        link = page.locator(".finding.warning .self").first.get_attribute("href") or ""
        page.locator("[name=word][value=warning]").uncheck(force=True)
        assert not page.locator(link).is_visible()
        page.evaluate("(link) => { location.hash = link; }", link)
        page.locator(link).wait_for(state="visible")
    with opened(browser, pages["change"], anchor=link) as (page, _, _):
        assert page.locator(link).is_visible()


def test_without_its_script_it_tells_as_much(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["change"], java_script_enabled=False) as (page, wrong, _):
        assert page.locator(".finding").count() == 9
        assert all(finding.is_visible() for finding in page.locator(".finding").all())
        assert not page.locator("form").is_visible()
        assert wrong == []


def test_a_fleet_stays_usable(browser: Browser, pages: dict[str, Path]) -> None:
    assert pages["fleet"].stat().st_size < LIMIT
    with opened(browser, pages["fleet"], **VIEWS["narrow"]) as (page, wrong, asked):
        assert status(page).endswith("500 node groups")
        assert page.locator(".group[open]").count() == 0
        assert page.locator(".group").count() == page.locator(".index li").count() == 100
        page.locator("[name=group]").fill("g499")
        page.locator(".index li:visible a").click()
        group = page.locator(".group:visible")
        assert group.locator(".boot").is_visible()
        assert [name.rpartition(".")[2] for name in group.locator(".members code:visible").all_inner_texts()] == [
            "g499"
        ]
        assert (wrong, asked) == ([], [])
        assert page.evaluate(CUT) == []


def test_all_of_it_is_printed(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["change"], color_scheme="dark") as (page, _, _):
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".boot:visible").count() == 3
        assert not page.locator("form").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.pdf(format="A4", print_background=True).startswith(b"%PDF")
