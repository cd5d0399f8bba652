"""Terraform's JSON syntax and what cdktf writes in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pcs_policies.document import Expression, NodeGroup, Origin, State, Stated, Template
from pcs_policies.errors import InputError
from pcs_policies.sources import tf_json
from pcs_policies.sources.join import cdk_stack
from pcs_policies.sources.reading import Unreadable

TYPE = "awscc_pcs_compute_node_group"


def configuration(body: Any, name: str = "hpc") -> dict[str, Any]:
    return {"resource": {TYPE: {name: body}}}


def groups(document: dict[str, Any]) -> list[NodeGroup]:
    found = list(tf_json.read(document, "cdk.tf.json").groups)
    assert all(isinstance(group, NodeGroup) for group in found)
    return [group for group in found if isinstance(group, NodeGroup)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("$5 and {braces}", "$5 and {braces}"),
        ("$${HOME}/x", "${HOME}/x"),
        ("%%{if}", "%{if}"),
        ("${var.x}", Expression("var.x")),
        ("${ var.x }", Expression("var.x")),
        ("s3://${var.bucket}/x.sh", Template(("s3://", None, "/x.sh"))),
        ("${var.a}${var.b}", Template((None, None))),
        ("${var.a}/x", Template((None, "/x"))),
        ('${lookup({"}" = "b"}, "}")}/x', Template((None, "/x"))),
        (r'${replace("a\"}", "b", "c")}', Expression(r'replace("a\"}", "b", "c")')),
        ("a${{ x = 1 }}b", Template(("a", None, "b"))),
        ("%{if var.x}a%{endif}", Expression("%{if var.x}a%{endif}")),
        ("a%{if var.x}b%{endif}", Template(("a", None))),
        ("${unclosed", Template((None,))),
    ],
)
def test_strings_are_templates(text: str, value: Any) -> None:
    assert tf_json.template(text) == value or (text == "${unclosed" and isinstance(tf_json.template(text), Expression))


@pytest.mark.parametrize(
    ("document", "recognised"),
    [
        ({"resource": {}}, True),
        ({"//": {"metadata": {}}, "terraform": {}, "resource": {}}, True),
        ({"variable": {"x": {}}}, True),
        ({"data": {}}, False),
        ({"output": {}, "locals": {}}, False),
        ({"resource": {}, "Resources": {}}, False),
        ({}, False),
    ],
)
def test_which_json_is_a_configuration(document: dict[str, Any], recognised: bool) -> None:
    assert tf_json.recognises(document) is recognised


def test_what_is_stated_and_what_is_known() -> None:
    script = {
        "name": "motd",
        "script_source": {"script_location": "s3://${var.bucket}/motd.sh", "checksum": "${var.sum}"},
        "arguments": ["--text", "${var.text}"],
        "on_error": None,
    }
    (group,) = groups(configuration({"name": "hpc", "node_lifecycle_actions": {"stages": {"node_ready": [script]}}}))
    (seen,) = group.scripts()
    assert (seen.name.state, seen.name.stated) == (State.KNOWN, Stated.YES)
    assert (seen.location.state, seen.location.value) == (State.PARTLY, Template(("s3://", None, "/motd.sh")))
    assert seen.checksum.deferred
    assert (seen.on_error.value, seen.on_error.stated) == ("TERMINATE", Stated.NO)
    assert [item.state for item in seen.arguments.items] == [State.KNOWN, State.UNKNOWN]


@pytest.mark.parametrize(
    ("expression", "stated"),
    [("${var.sum}", Stated.YES), ("${var.pin ? local.sum : null}", Stated.MAYBE), ("${var.nullable}", Stated.YES)],
)
def test_an_expression_that_may_be_null_may_leave_the_member_out(expression: str, stated: Stated) -> None:
    script = {"name": "motd", "script_source": {"script_location": "s3://abc/x", "checksum": expression}}
    (group,) = groups(configuration({"node_lifecycle_actions": {"stages": {"node_ready": [script]}}}))
    assert group.scripts()[0].checksum.stated is stated


def test_notes_of_cdktf_and_of_our_constructs() -> None:
    body = {
        "//": {
            "metadata": {"path": "site/hpc", "uniqueId": "hpc"},
            "pcsguard": {"file": "stacks/hpc.py", "line": 12},
        },
        "name": "hpc",
    }
    (group,) = groups(configuration(body))
    assert group.address == f"{TYPE}.hpc"
    assert group.origins("name") == Origin(file="stacks/hpc.py", line=12, construct="site/hpc")
    assert group.strangers == ()


READY = "node_lifecycle_actions.stages.node_ready[0]"


@pytest.mark.parametrize(
    ("path", "file", "line"),
    [
        ("", "main.py", 3),
        ("amiId", "main.py", 3),
        ("name", "main.py", 7),
        ("tags.Name", "common.py", 12),
        ("nodeLifecycleActions.stages.nodeReady[0].onError", "scripts.py", 4),
        ("nodeLifecycleActions.stages.nodeReady[0].scriptSource.checksum", "a:b.py", 6),
        ("nodeLifecycleActions.stages.nodeReady[1].onError", "main.py", 9),
    ],
)
def test_lines_of_attributes_that_were_written_elsewhere(path: str, file: str, line: int) -> None:
    places = {
        "name": 7,
        "tags": "common.py:12",
        "node_lifecycle_actions": 9,
        READY: "scripts.py:4",
        f"{READY}.script_source.checksum": "a:b.py:6",
        # In another form they tell nothing, and what is around counts.
        "ami_id": "main.py",
        f"{READY}.on_error": ["scripts.py", 1],
    }
    note = {"metadata": {"path": "site/hpc"}, "pcsguard": {"file": "main.py", "line": 3, "places": places}}
    (group,) = groups(configuration({"//": note, "name": "hpc"}))
    assert group.origins(path) == Origin(file=file, line=line, construct="site/hpc")


@pytest.mark.parametrize("places", [None, 7, ["name"], {"name": None, "": "x.py:x"}])
def test_places_in_another_form_tell_nothing(places: Any) -> None:
    (group,) = groups(configuration({"//": {"pcsguard": {"file": "main.py", "line": 3, "places": places}}}))
    assert group.origins("name") == Origin(file="main.py", line=3)


@pytest.mark.parametrize(
    ("own", "where"), [({}, ("main.py", 3)), ({"file": "waivers.py", "line": 8}, ("waivers.py", 8))]
)
def test_a_waiver_stands_where_the_group_was_made_or_where_it_says(own: Any, where: tuple[str, int]) -> None:
    waiver = {"rule": "PCS104", "owner": "hpc", "until": "2027-01-31", "reason": "it is a test", **own}
    (group,) = groups(configuration({"//": {"pcsguard": {"file": "main.py", "line": 3, "waivers": [waiver]}}}))
    (found,) = group.waivers
    assert (found.file, found.line) == where


def test_terraforms_own_members_are_no_members_of_the_group() -> None:
    body = {"name": "hpc", "count": 2, "for_each": "${var.x}", "lifecycle": {}, "depends_on": [], "provider": "awscc.x"}
    (group,) = groups(configuration(body))
    assert group.strangers == ()


def test_a_count_of_zero_makes_no_group() -> None:
    assert groups(configuration({"count": 0})) == []


def test_a_dynamic_block_is_known_after_apply() -> None:
    (group,) = groups(configuration({"dynamic": {"node_lifecycle_actions": {"for_each": "${var.x}", "content": {}}}}))
    assert [node.path for node in group.unseen()] == ["nodeLifecycleActions"]


def test_list_forms() -> None:
    document = {"resource": [{TYPE: {"a": [{"name": "a"}]}}, {TYPE: [{"b": {"name": "b"}}]}]}
    assert [group.address for group in groups(document)] == [f"{TYPE}.a", f"{TYPE}.b"]


def test_members_that_a_group_does_not_have_are_told() -> None:
    script = {"name": "motd", "argumants": [], "script_location": "s3://abc/x"}
    (group,) = groups(configuration({"nmae": "hpc", "node_lifecycle_actions": {"stages": {"node_ready": [script]}}}))
    assert group.strangers == (
        ("", "nmae"),
        ("nodeLifecycleActions.stages.nodeReady[0]", "argumants"),
        ("nodeLifecycleActions.stages.nodeReady[0]", "script_location"),
    )


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"resource": 7}, "resource should be an object"),
        ({"resource": {TYPE: "x"}}, f"resource.{TYPE} should be an object"),
        (configuration("x"), f"resource.{TYPE}.hpc should be an object"),
    ],
)
def test_broken_configurations_say_where(document: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        tf_json.read(document, "cdk.tf.json")


def test_a_malformed_group_is_told() -> None:
    (found,) = tf_json.read(configuration({"node_lifecycle_actions": 7}), "cdk.tf.json").groups
    assert found == Unreadable(f"{TYPE}.hpc", "nodeLifecycleActions should be an object but is a number")


def test_every_configuration_of_the_corpus_is_read(corpus_dir: Path, plans_dir: Path) -> None:
    found = {}
    for path in sorted([*(corpus_dir / "cdktf").glob("*.json"), *(plans_dir / "cdk").glob("*.json")]):
        document = json.loads(path.read_text())
        assert tf_json.recognises(document), path.name
        found[path.name] = len(groups(document))
    assert {name: count for name, count in found.items() if count} == {"cdktn_N2.cdk.tf.json": 2}


@pytest.mark.parametrize("names", [("a",), ("a", "b")], ids=["one stack", "two stacks"])
def test_the_stack_to_join_with(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Of several stacks nobody knows which one was planned, so none is taken."""
    (tmp_path / "manifest.json").write_text("{}")
    for name in names:
        (tmp_path / "stacks" / name).mkdir(parents=True)
        (tmp_path / "stacks" / name / "cdk.tf.json").write_text("{}")
    first = tmp_path / "stacks" / "a"
    if len(names) == 1:
        assert cdk_stack(str(tmp_path)) == str(first / "cdk.tf.json")
        return
    message = f"{tmp_path} holds 2 stacks; give the one that was planned, such as {first}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        cdk_stack(str(tmp_path))
