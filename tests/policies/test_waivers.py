"""Waivers: what they cover, what is wrong with them, and who is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import render
from support.groups import complete
from support.pcsguard_cli import Run, pcsguard

from pcs_policies.errors import UsageError
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Tree, actions, script
from pcs_policies.rules.table import RULES, WAIVER_RULES
from pcs_policies.waivers.append import string
from pcs_policies.waivers.entry import fits
from pcs_policies.waivers.toml_file import parse

TODAY = "2026-12-01"
STATED = {"onError": "CONTINUE", "executionPolicy": "EVERY_BOOT", "s3VersionId": VERSION}
MOTD, TAGS = 'nodeLifecycleActions.stages.nodeReady["motd"]', 'nodeLifecycleActions.stages.nodeReady["tags"]'
CHECKSUM = ".scriptSource.checksum"
OTHERS = {"address": "awscc_pcs_compute_node_group.hpc", "owner": "hpc", "reason": "on its way", "until": "2027-01-31"}


def unpinned(*names: str, **members: Any) -> Tree:
    """A group whose scripts of these names have no checksum."""
    return complete(**actions(ready=[script(name, f"s3://example/{name}.sh", **STATED, **members) for name in names]))


def toml(*waivers: dict[str, Any]) -> str:
    return "".join("[[waiver]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in w.items()) for w in waivers)


def waiver(rule: str = "PCS101", **members: Any) -> dict[str, Any]:
    return {"rule": rule, **OTHERS, **members}


def check(
    folder: Path, group: Tree, *waivers: dict[str, Any], today: str = TODAY, options: tuple[str, ...] = ()
) -> Run:
    (folder / "plan.json").write_text(json.dumps(render.plan(group)))
    (folder / "pcsguard-waivers.toml").write_text(toml(*waivers))
    return run(folder, "plan.json", *options, today=today)


def run(folder: Path, *arguments: str, today: str = TODAY) -> Run:
    options = ("--select", "PCS101,PCS108,PCS109,PCS202,PCS501,PCS8", "--format", "json")
    return pcsguard("check", *arguments, *options, cwd=folder, PCSGUARD_TODAY=today)


def waived(run: Run) -> list[str]:
    return [f["leaf"] for f in run.report["findings"] + run.report["undecided"] if f["waiver"]]


def problems(run: Run) -> list[str]:
    return [f["rule"] for f in run.report["findings"] if f["rule"].startswith("PCS8")]


def test_a_waiver_covers_its_leaf(tmp_path: Path) -> None:
    report = check(tmp_path, unpinned("motd"), waiver(leaf=MOTD + CHECKSUM))
    assert (report.code, waived(report), problems(report)) == (0, [MOTD + CHECKSUM], [])
    assert report.report["summary"] | {"error": 0, "waived": 1} == report.report["summary"]
    (finding,) = report.report["findings"]
    source = {"owner": "hpc", "until": "2027-01-31", "reason": "on its way", "source": "pcsguard-waivers.toml:1"}
    assert finding["waiver"] == source


@pytest.mark.parametrize(("today", "code"), [("2027-01-31", 0), ("2027-02-01", 1)])
def test_its_last_day_is_the_last(tmp_path: Path, today: str, code: int) -> None:
    assert check(tmp_path, unpinned("motd"), waiver(leaf=MOTD + CHECKSUM), today=today).code == code


def test_one_day_past_its_end_it_is_told_whose_it_was(tmp_path: Path) -> None:
    report = check(tmp_path, unpinned("motd"), waiver(leaf=MOTD + CHECKSUM), today="2027-02-01")
    finding, problem = report.report["findings"]
    assert finding["waiver"] is None
    assert finding["lapsed_waiver"]["problem"] == "it ended on 2027-01-31"
    assert problem["message"] == "the waiver of hpc for PCS101 ended on 2027-01-31: 1 finding counts again"
    text = pcsguard("check", "plan.json", "--select", "PCS101", cwd=tmp_path, PCSGUARD_TODAY="2027-02-01")
    assert text.code == 1
    assert "the waiver of hpc does not hold: it ended on 2027-01-31 (pcsguard-waivers.toml:1)" in text.out


@pytest.mark.parametrize(
    "leaf",
    [
        TAGS + CHECKSUM,  # another script
        MOTD + ".scriptSource.s3VersionId",  # another leaf
        "nodeLifecycleActions.stages.nodeReady[0].scriptSource.checksum",  # by its position, which may become another's
        'nodeLifecycleActions.stages.nodeReady["mot"]',
        "nodeLifecycleActions.stages.nodeBootstrapped",
    ],
)
def test_it_covers_no_other_place(tmp_path: Path, leaf: str) -> None:
    report = check(tmp_path, unpinned("motd"), waiver(leaf=leaf))
    assert (report.code, waived(report), problems(report)) == (1, [], ["PCS802"])
    assert MOTD + CHECKSUM in report.report["findings"][-1]["message"], "it says where the rule finds something"


@pytest.mark.parametrize(
    ("members", "covered"),
    [
        ({"rule": "checksum-required"}, True),
        ({"rule": "PCS202"}, False),
        ({"address": "awscc_*"}, True),
        ({"address": "*.hpc"}, True),
        ({"address": "awscc_pcs_compute_node_group.h?c"}, False),
        ({"address": "awscc_pcs_compute_node_group.other"}, False),
    ],
)
def test_rule_and_address(tmp_path: Path, members: dict[str, str], covered: bool) -> None:
    assert bool(waived(check(tmp_path, unpinned("motd"), waiver(**{"leaf": MOTD + CHECKSUM} | members)))) is covered


def test_without_a_leaf_it_covers_one_and_never_two(tmp_path: Path) -> None:
    assert waived(check(tmp_path, unpinned("motd"), waiver())) == [MOTD + CHECKSUM]
    report = check(tmp_path, unpinned("motd", "tags"), waiver())
    assert (report.code, waived(report), problems(report)) == (1, [], ["PCS803"])
    assert "would cover 2 leaves, so it covers none of them" in report.report["findings"][-1]["message"]
    assert {f["lapsed_waiver"] and f["lapsed_waiver"]["problem"] for f in report.report["findings"][:2]} == {
        "it is too broad: it would cover 2 leaves"
    }


@pytest.mark.parametrize("leaf", ["nodeLifecycleActions", "nodeLifecycleActions.stages.nodeReady"])
def test_a_place_that_is_wider_than_a_script_covers_one_leaf_only(tmp_path: Path, leaf: str) -> None:
    assert waived(check(tmp_path, unpinned("motd"), waiver(leaf=leaf))) == [MOTD + CHECKSUM]
    assert problems(check(tmp_path, unpinned("motd", "tags"), waiver(leaf=leaf))) == ["PCS803"]


def test_a_script_as_the_leaf_covers_all_that_the_rule_finds_in_it(tmp_path: Path) -> None:
    silent = [
        script(name, f"s3://example/{name}.sh", checksum=SHA256, s3VersionId=VERSION) for name in ("motd", "tags")
    ]
    report = check(tmp_path, complete(**actions(ready=silent)), waiver("PCS202", leaf=MOTD))
    assert waived(report) == [f"{MOTD}.onError", f"{MOTD}.executionPolicy"]
    assert report.report["summary"]["warning"] == 2


def test_a_quote_in_a_name_does_not_lead_to_another_script(tmp_path: Path) -> None:
    odd = 'motd"].x["y'
    report = check(tmp_path, unpinned("motd", odd), waiver(leaf=MOTD))
    assert waived(report) == [MOTD + CHECKSUM]
    escaped = 'nodeLifecycleActions.stages.nodeReady["motd\\"].x[\\"y"]'
    assert waived(check(tmp_path, unpinned("motd", odd), waiver(leaf=escaped))) == [escaped + CHECKSUM]


def test_scripts_of_one_name_go_by_their_position(tmp_path: Path) -> None:
    second = "nodeLifecycleActions.stages.nodeReady[1].scriptSource.checksum"
    assert waived(check(tmp_path, unpinned("motd", "motd"), waiver(leaf=second))) == [second]


def test_an_undecided_verdict_can_be_waived(tmp_path: Path) -> None:
    group = unpinned("motd", checksum=UNKNOWN)
    assert check(tmp_path, group).code == 3
    assert check(tmp_path, group, waiver(leaf=MOTD + CHECKSUM)).code == 0


def test_a_rule_that_compares_groups_can_be_waived(tmp_path: Path) -> None:
    same = "s3://example/motd.sh"
    scripts = [script("motd", same, checksum="a" * 64, **STATED), script("tags", same, checksum="b" * 64, **STATED)]
    group = complete(**actions(ready=scripts))
    places = [f["leaf"] for f in check(tmp_path, group).report["findings"] if f["rule"] == "PCS109"]
    assert places
    report = check(tmp_path, group, *(waiver("PCS109", leaf=leaf) for leaf in places))
    assert (waived(report), problems(report)) == (places, [])


@pytest.mark.parametrize(
    ("members", "expected", "unseen"),
    [
        ({"until": "2027-05-30"}, [], 0),  # 180 days
        ({"until": "2027-05-31"}, ["PCS804"], 0),
        ({"until": "2026-11-30", "address": "other.x"}, ["PCS801"], 0),
        ({"address": "other.x"}, [], 1),
        ({"rule": "PCS501"}, ["PCS802"], 0),
        ({"rule": "PCS102"}, [], 1),  # not run
    ],
)
def test_what_is_wrong_with_a_waiver(tmp_path: Path, members: dict[str, str], expected: list[str], unseen: int) -> None:
    report = check(tmp_path, unpinned("motd"), waiver(**{"leaf": MOTD + CHECKSUM} | members))
    assert problems(report) == expected
    assert len(report.report["unseen_waivers"]) == unseen


def test_a_rule_that_the_input_cannot_answer_leaves_a_waiver_unjudged(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps(render.state(unpinned("motd"))))
    (tmp_path / "pcsguard-waivers.toml").write_text(toml(waiver("PCS501")))
    report = run(tmp_path, "state.json")
    assert (problems(report), len(report.report["unseen_waivers"])) == ([], 1)


def test_the_severity_of_a_problem_can_be_raised(tmp_path: Path) -> None:
    (tmp_path / "pcsguard.toml").write_text('waiver-days = 30\nseverity = { PCS804 = "error" }\n')
    assert check(tmp_path, unpinned("motd"), waiver(leaf=MOTD + CHECKSUM)).code == 1
    assert check(tmp_path, unpinned("motd"), waiver(leaf=MOTD + CHECKSUM, until="2026-12-31")).code == 0


def test_a_problem_fails_the_run_where_warnings_do(tmp_path: Path) -> None:
    gone = waiver(leaf=TAGS)
    pinned = unpinned("motd", checksum=SHA256)
    assert check(tmp_path, pinned, gone).code == 0
    assert check(tmp_path, pinned, gone, options=("--fail-on", "warning")).code == 1


def test_where_the_file_is_looked_for(tmp_path: Path) -> None:
    inside, elsewhere = tmp_path / "a" / "b", tmp_path / "w.toml"
    inside.mkdir(parents=True)
    (inside / "plan.json").write_text(json.dumps(render.plan(unpinned("motd"))))
    text = toml(waiver(leaf=MOTD + CHECKSUM))

    assert run(inside, "plan.json").code == 1
    (tmp_path / "pcsguard.toml").write_text("")
    (tmp_path / "pcsguard-waivers.toml").write_text(text)
    assert run(inside, "plan.json").code == 0, "beside the configuration"
    assert run(inside, "plan.json", "--isolated").code == 1
    (tmp_path / "pcsguard-waivers.toml").rename(elsewhere)
    assert run(inside, "plan.json").code == 1
    (tmp_path / "pcsguard.toml").write_text('waivers = "w.toml"')
    assert run(inside, "plan.json").code == 0, "by the key, relative to the configuration"
    assert run(inside, "plan.json", "--isolated", "--waivers", "../../w.toml").code == 0, "by the flag"
    elsewhere.rename(inside / "pcsguard-waivers.toml")
    (tmp_path / "pcsguard.toml").unlink()
    assert run(inside, "plan.json").code == 0, "in the working folder"
    assert run(inside, "plan.json", "--waivers", "no.toml").code == 2


GOOD = waiver(leaf=MOTD)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[waiver", "w.toml is not valid TOML"),
        ("waivers = []", "waivers is no key of a file of waivers (did you mean 'waiver'?)"),
        ("[waiver]\nrule = 'x'", "waiver is not a list of tables; write [[waiver]]"),
        ("waiver = [1]", "waiver is not a list of tables"),
        (toml(GOOD, {**GOOD, "onwer": "x"}), "w.toml:8: onwer is no key of a waiver (did you mean 'owner'?)"),
        *((toml({k: v for k, v in GOOD.items() if k != key}), f"w.toml:1: the waiver has no {key}") for key in OTHERS),
        (toml({**GOOD, "rule": "PCS999"}), "w.toml:1: there is no rule 'PCS999'"),
        (toml({**GOOD, "rule": "checksum-requird"}), "(did you mean 'checksum-required'?)"),
        (toml({**GOOD, "rule": "PCS801"}), "PCS801 is about waivers themselves and cannot be waived"),
        (toml({**GOOD, "owner": " "}), "w.toml:1: owner is empty"),
        (toml({**GOOD, "reason": 3}), "w.toml:1: reason is 3, not a text"),
        (toml({**GOOD, "until": "soon"}), 'w.toml:1: until is "soon", not a date'),
        (toml({**GOOD, "until": "20270131"}), "not a date"),
        (toml(GOOD).replace('"2027-01-31"', "2027-01-31T10:00:00Z"), "until is a date with a time"),
        (toml({**GOOD, "address": "*"}), 'w.toml:1: the address "*" fits every group'),
        (toml({**GOOD, "leaf": "nodeLifecycleActions.stage"}), "is no place in a node group"),
        (toml({**GOOD, "leaf": MOTD[:-1]}), "is no place in a node group"),
    ],
)
def test_a_file_with_a_mistake_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text.encode(), "w.toml", (*RULES, *WAIVER_RULES))
    assert message in str(error.value)


def test_a_mistake_ends_the_run_before_anything_is_checked(tmp_path: Path) -> None:
    report = check(tmp_path, unpinned("motd"), {**GOOD, "until": "soon"})
    assert (report.code, report.out) == (2, "")


def test_lines_and_dates_of_toml(tmp_path: Path) -> None:
    text = (
        "# one\n"
        + toml(GOOD)
        + "\n  [[ waiver ]]\n"
        + toml(GOOD).partition("\n")[2].replace('"2027-01-31"', "2027-01-31")
    )
    first, second = parse(text.encode(), "w.toml", RULES)
    assert (first.line, second.line) == (2, 10)
    assert first.until == second.until
    (inline,) = parse(
        b"waiver = [{" + b", ".join(f"{k} = {json.dumps(v)}".encode() for k, v in GOOD.items()) + b"}]", "w", RULES
    )
    assert (inline.line, inline.source) == (None, "w")


def test_a_wrong_date_of_today(tmp_path: Path) -> None:
    report = check(tmp_path, unpinned("motd"), GOOD, today="tomorrow")
    assert (report.code, report.out) == (2, "")
    assert 'PCSGUARD_TODAY: "tomorrow" is no date' in report.err


# In the source


def stack(*waivers: Any, names: tuple[str, ...] = ("motd",)) -> dict[str, Any]:
    scripts = [{"name": n, "script_source": {"script_location": f"s3://b/{n}.sh", "s3_version_id": "v"}} for n in names]
    for entry in scripts:
        entry |= {"on_error": "CONTINUE", "execution_policy": "EVERY_BOOT"}
    body = {
        "//": {"pcsguard": {"file": "stacks/site.py", "line": 7, "waivers": list(waivers)}},
        "node_lifecycle_actions": {"stages": {"node_ready": scripts}},
    }
    return {"terraform": {}, "resource": {"awscc_pcs_compute_node_group": {"hpc": body}}}


INLINE = {"rule": "PCS101", "owner": "hpc", "until": "2027-01-31", "reason": "on its way"}


def check_stack(folder: Path, *waivers: Any, names: tuple[str, ...] = ("motd",), today: str = TODAY) -> Run:
    (folder / "main.tf.json").write_text(json.dumps(stack(*waivers, names=names)))
    return run(folder, "main.tf.json", today=today)


@pytest.mark.parametrize(
    "leaf",
    [
        None,
        "node_lifecycle_actions.stages.node_ready[0]",
        "node_lifecycle_actions.stages.node_ready[0].script_source.checksum",
        'node_lifecycle_actions.stages.node_ready["motd"].script_source',
        MOTD + CHECKSUM,
    ],
)
def test_a_waiver_beside_the_code(tmp_path: Path, leaf: str | None) -> None:
    report = check_stack(tmp_path, {**INLINE, "leaf": leaf})
    assert (report.code, waived(report), problems(report)) == (0, [MOTD + CHECKSUM], [])
    assert report.report["findings"][0]["waiver"]["source"] == "stacks/site.py:7"


def test_it_covers_no_other_script(tmp_path: Path) -> None:
    names = ("tags", "motd")
    leaf = "node_lifecycle_actions.stages.node_ready[1]"
    assert waived(check_stack(tmp_path, {**INLINE, "leaf": leaf}, names=names)) == [MOTD + CHECKSUM]
    assert problems(check_stack(tmp_path, INLINE, names=names)) == ["PCS803"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"rule": None}, "it names no rule"),
        ({"rule": "PCS499"}, "there is no rule 'PCS499'"),
        ({"rule": "PCS802"}, "cannot be waived"),
        ({"owner": None}, "it has no owner"),
        ({"reason": " "}, "it has no reason"),
        ({"until": None}, "it has no until"),
        ({"until": "31.1.2027"}, '"31.1.2027" is no date'),
        ({"leaf": "node_lifecycle"}, '"node_lifecycle" is no place in a node group'),
        ({"leaf": "a["}, "is no place in a node group"),
    ],
)
def test_one_that_is_not_whole_is_an_error(tmp_path: Path, members: dict[str, Any], message: str) -> None:
    report = check_stack(tmp_path, {**INLINE, **members})
    assert (report.code, waived(report), problems(report)) == (1, [], ["PCS805"])
    assert message in report.report["findings"][-1]["message"]


@pytest.mark.parametrize("odd", [None, 3, "PCS101", []])
def test_one_of_another_shape_is_told(tmp_path: Path, odd: Any) -> None:
    assert problems(check_stack(tmp_path, odd)) == ["PCS805"]


def test_it_ends_and_is_found_unused_like_any_other(tmp_path: Path) -> None:
    assert problems(check_stack(tmp_path, INLINE, today="2027-02-01")) == ["PCS801"]
    assert problems(check_stack(tmp_path, {**INLINE, "rule": "PCS108"})) == ["PCS802"]
    assert problems(check_stack(tmp_path, {**INLINE, "until": "2030-01-01"})) == ["PCS804"]
    assert problems(check_stack(tmp_path, {**INLINE, "rule": "PCS901"})) == [], "a rule of somebody's own"


# pcsguard waive


def waive(folder: Path, *arguments: str) -> Run:
    return pcsguard("waive", *arguments, cwd=folder, PCSGUARD_TODAY=TODAY)


TERMS = ("--owner", "hpc", "--until", "2027-01-31", "--reason", 'it is "on its way"')


def fingerprint(folder: Path) -> str:
    listed = waive(folder, "list", "plan.json", "--select", "PCS101").out.splitlines()
    assert len(listed) == 1
    return listed[0].split()[0]


@pytest.mark.parametrize("before", [None, "", "# ours\n", "# no line break at the end", toml(waiver("PCS102"))])
@pytest.mark.parametrize("name", ["motd", "mo'td", 'mo"t\\d', "é\x7f\n"])
def test_a_waiver_is_written_behind_what_is_there(tmp_path: Path, before: str | None, name: str) -> None:
    file = tmp_path / "pcsguard-waivers.toml"
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(unpinned(name))))
    if before is not None:
        file.write_text(before)
    done = waive(tmp_path, fingerprint(tmp_path), "plan.json", *TERMS)
    assert (done.code, done.err) == (0, "")
    assert file.read_text().startswith(before or "[[waiver]]")
    assert run(tmp_path, "plan.json").code == 0
    again = waive(tmp_path, fingerprint(tmp_path), "plan.json", *TERMS)
    assert again.code == 2
    assert "is waived already, until 2027-01-31 by hpc" in again.err


@pytest.mark.parametrize(("until", "day"), [("2027-01-31", "2027-01-31"), ("0d", TODAY), ("30d", "2026-12-31")])
def test_its_end_is_a_day_or_a_number_of_days(tmp_path: Path, until: str, day: str) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(unpinned("motd"))))
    done = waive(tmp_path, fingerprint(tmp_path), "plan.json", *TERMS, "--until", until)
    assert done.code == 0, done.err
    assert f"until = {day}\n" in (tmp_path / "pcsguard-waivers.toml").read_text()


@pytest.mark.parametrize(
    ("finding", "terms", "message"),
    [
        ("0" * 16, TERMS, "no finding of this run begins with"),
        ("0", TERMS, "is too short to name a finding"),
        ("", TERMS[2:], "--owner is missing"),
        ("", TERMS[:4], "--reason is missing"),
        ("", (*TERMS, "--until", "soon"), '"soon" is no date'),
        ("", (*TERMS, "--until", "30"), '"30" is no date; write the last day, like 2027-01-31, or in how many days'),
        ("", (*TERMS, "--until", "99999d"), '"99999d" is no date'),
        ("", (*TERMS, "--until", "181d"), "2027-05-30 is the last day that it can have"),
        ("", (*TERMS, "--until", "2026-11-30"), "2026-11-30 is over already; today is 2026-12-01"),
        ("", (*TERMS, "--until", "2027-05-31"), "2027-05-30 is the last day that it can have"),
    ],
)
def test_what_no_waiver_is_written_for(tmp_path: Path, finding: str, terms: tuple[str, ...], message: str) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(unpinned("motd"))))
    done = waive(tmp_path, finding or fingerprint(tmp_path), "plan.json", *terms)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (tmp_path / "pcsguard-waivers.toml").exists()


def test_a_file_in_another_form_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(render.plan(unpinned("motd"))))
    (tmp_path / "pcsguard-waivers.toml").write_text("waiver = []\n")
    done = waive(tmp_path, fingerprint(tmp_path), "plan.json", *TERMS)
    assert done.code == 2
    assert "has waivers in another form" in done.err
    assert (tmp_path / "pcsguard-waivers.toml").read_text() == "waiver = []\n"


def test_the_list_says_what_could_not_be_checked(tmp_path: Path) -> None:
    done = waive(tmp_path, "list", "missing.json")
    assert (done.code, done.out) == (3, "")
    assert "there is no such file" in done.err


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_from_toml(text: str) -> None:
    import tomllib

    assert tomllib.loads(f"a = {string(text)}") == {"a": text}


@given(st.lists(st.sampled_from(["a", "b", "ab", "[", "."])), st.lists(st.sampled_from(["a", "b", "*", "[", "."])))
def test_a_glob_fits_as_a_regular_expression_would(address: list[str], glob: list[str]) -> None:
    import re

    pattern = "".join(".*" if part == "*" else re.escape(part) for part in glob)
    assert fits("".join(glob), "".join(address)) is (re.fullmatch(pattern, "".join(address)) is not None)
