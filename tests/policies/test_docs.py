"""The documentation is what the code says: generated pages are fresh, links lead somewhere, examples run."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import render
from support.pcsguard_cli import check_json, pcsguard

from pcs_policies.config_keys import BY_NAME, KEYS
from pcs_policies.docs import config_schema
from pcs_policies.docs.pages import RULES_FOLDER, pages
from pcs_policies.docs.rule_index import FAMILIES
from pcs_policies.docs.rule_page import NEEDS, bad, good, printed
from pcs_policies.reports.formats import NAMES
from pcs_policies.rules.fragments import Fragment
from pcs_policies.rules.table import RULES, WAIVER_RULES, Rule
from pcs_policies.sources.kinds import KINDS
from pcs_policies.waivers import toml_file

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages()
WRITING_RULES = (ROOT / "docs/writing-rules.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples/own_rules/pcs901_https_from_our_mirror.py"

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


@pytest.mark.parametrize("path", PAGES)
def test_a_generated_page_is_fresh(path: str) -> None:
    page = ROOT / path
    assert page.is_file(), f"{path} does not exist: run `make docs`"
    assert page.read_text(encoding="utf-8") == PAGES[path], f"{path} is stale: run `make docs`"


def test_no_page_is_left_of_a_rule_that_is_gone() -> None:
    there = {f"{RULES_FOLDER}/{path.name}" for path in (ROOT / RULES_FOLDER).glob("*.md")}
    assert there <= set(PAGES), "run `make docs`"


@each_rule
def test_every_bad_example_shows_what_pcsguard_prints(rule: Rule) -> None:
    for fragment in bad(rule):
        text = printed(rule, fragment)
        assert text.count(f" {rule.id} {rule.title} ") == len(fragment.at), fragment.title
        assert "fix: " in text


@each_rule
def test_no_good_example_has_a_finding(rule: Rule) -> None:
    assert [printed(rule, fragment) for fragment in good(rule)] == [""] * len(good(rule))


def test_everything_a_page_needs_has_words() -> None:
    assert set(NEEDS) >= {need for kind in KINDS for need in kind.carries}
    assert {rule.id[3] for rule in (*RULES, *WAIVER_RULES)} == set(FAMILIES) - LATER


LATER = {"6", "7"}
"""Families that have no rule yet."""


def test_the_pages_on_reports_and_waivers_name_what_there_is() -> None:
    reports, waivers = ((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("reports", "waivers"))
    assert re.findall(r"^\| `(\w+)` \|", reports, re.MULTILINE) == list(NAMES)
    assert re.findall(r"^\| \[(PCS\d+)\]", waivers, re.MULTILINE) == [rule.id for rule in WAIVER_RULES]


def test_the_example_of_a_waiver_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/waivers.md").read_text(encoding="utf-8"), re.DOTALL)
    (waiver,) = toml_file.parse(text.encode(), "docs/waivers.md", RULES)
    assert waiver.until.isoformat() == "2027-01-31"


WRITTEN = ["README.md", "CHANGELOG.md", *(str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("docs/**/*.md")))]


@pytest.mark.parametrize("path", WRITTEN)
def test_links_lead_somewhere(path: str) -> None:
    """Here and on GitHub; the site's own build refuses dead links as well."""
    text = (ROOT / path).read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", prose):
        page = (ROOT / path).parent / target if target else ROOT / path
        assert page.exists(), f"{path}: {target} does not exist"
        headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        slugs = {re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in slugs, f"{path}: {target} has no section {anchor}"


def test_every_page_has_a_place_in_the_navigation() -> None:
    """Else the build of the site refuses it: it needs a line in docs/conf.py."""
    site = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    left, reached = ["index"], set()
    while left:
        page = left.pop()
        reached.add(page)
        left += [name for names in site["navigation"](page).values() for name in names if name not in reached]
    assert sorted(site["pages"]() - reached) == [], "put them into SECTIONS of docs/conf.py"


SCHEMA = config_schema.schema()


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_the_example_of_a_key_is_valid_and_shown(key: Any) -> None:
    document = tomllib.loads(f"{key.name} = {key.example}")
    key.kind.read(document[key.name])
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    for place in (f"### {key.name}\n", f"`{key.variable}`", key.example):
        assert place in PAGES["docs/configuration.md"]


def test_the_whole_example_is_a_configuration(tmp_path: Path) -> None:
    page = PAGES["docs/configuration.md"]
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "pcsguard.toml").write_text(text.replace("policies/pcs901_owner_tag.py", str(EXAMPLE)))
    run = pcsguard("rules", cwd=tmp_path)
    assert (run.code, run.err) == (0, "")


@pytest.mark.parametrize(
    ("document", "valid"),
    [
        ({}, True),
        ({"failon": "error"}, False),
        ({"fail-on": "fatal"}, False),
        ({"changed-only": "yes"}, False),
        ({"select": "PCS101"}, False),
        ({"select": [""]}, False),
        ({"severity": {"PCS101": "info"}}, True),
        ({"severity": {"PCS101": "fatal"}}, False),
        ({"best-effort": ["inventory", "-motd"]}, True),
        ({"best-effort": ["My-Mount"]}, False),
    ],
)
def test_the_schema_and_the_reader_agree(document: dict[str, Any], valid: bool) -> None:
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document) is valid
    assert _reads(document) is valid


def _reads(document: dict[str, Any]) -> bool:
    try:
        for name, value in document.items():
            BY_NAME[name].kind.read(value)
    except (KeyError, ValueError):
        return False
    return True


def test_the_schema_is_a_schema_with_defaults_that_fit_it() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    defaults = {name: facts["default"] for name, facts in SCHEMA["properties"].items() if "default" in facts}
    jsonschema.Draft202012Validator(SCHEMA).validate(defaults)
    assert json.loads(PAGES["docs/pcsguard.schema.json"]) == SCHEMA


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", WRITING_RULES, re.DOTALL)


def test_the_page_on_writing_rules_shows_the_example() -> None:
    assert blocks("python")[0] == EXAMPLE.read_text(encoding="utf-8")


def test_the_example_rule_runs_as_the_page_says(tmp_path: Path) -> None:
    rule, test = blocks("python")
    (tmp_path / EXAMPLE.name).write_text(rule)
    (tmp_path / "test_rule.py").write_text(test)
    (tmp_path / "pcsguard.toml").write_text(blocks("toml")[0])
    group: Fragment = _module(rule)["BAD"][0]
    (tmp_path / "plan.json").write_text(json.dumps(render.planned(group)))

    commands = [line.removeprefix("$ pcsguard ").split() for line in blocks("console")[0].splitlines()]
    assert [pcsguard(*command, cwd=tmp_path).code for command in commands] == [0, 0, 1]
    said = check_json("--select", "PCS901", "plan.json", cwd=tmp_path).places()
    assert said == {render.ADDRESS: [f"PCS901 {path}" for path in group.at]}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def _module(text: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "pcs901"}
    exec(compile(text, EXAMPLE.name, "exec", dont_inherit=True), namespace)
    return namespace
