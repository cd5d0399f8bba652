"""The same node groups in every kind of input: every rule says the same of the same leaf, wherever it can judge it.

What a kind carries stands in ``sources/kinds.py`` and nowhere else; ``support.model`` makes of it what a document
should be, and no test here knows of an exception.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import model, render, render_source
from support.differential import Documents, by_name, fragments, has_kept
from support.faults import faulty
from support.groups import complete
from support.model import Case, Found
from support.render_source import Groups

from pcs_policies.document import Change, NodeGroup
from pcs_policies.rules.fragments import Tree
from pcs_policies.rules.hcl_example import AWSCC, PCS, resource_type
from pcs_policies.sources import join
from pcs_policies.sources.api_json import TYPE as API_TYPE
from pcs_policies.sources.detect import open_document
from pcs_policies.sources.kinds import (
    API_REQUEST,
    API_RESPONSE,
    CDKTF,
    CLOUDFORMATION,
    CLOUDFORMATION_TYPE,
    DEPEND_ON_PROVIDER,
    HCL,
    KINDS,
    PLAN,
    STATE,
    Kind,
    References,
)

# Readers of rendered groups: from groups by name to their documents by name.


def _text(render_all: Callable[[Groups], str], file: str) -> Callable[[Groups], Documents]:
    def read(groups: Groups) -> Documents:
        return by_name(open_document(render_all(groups).encode(), file), groups)

    return read


def _one_by_one(render_one: Callable[[Tree], Any]) -> Callable[[Groups], Documents]:
    def read(groups: Groups) -> Documents:
        found: Documents = {}
        for name, tree in groups.items():
            rendered = render_one(tree)
            text = rendered if isinstance(rendered, str) else json.dumps(rendered)
            (group,) = open_document(text.encode(), "input.json").groups
            assert isinstance(group, NodeGroup), group
            found[name] = group
        return found

    return read


def _hcl(groups: Groups) -> Documents:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.tf").write_text(render_source.terraform(groups), encoding="utf-8")
        return by_name(join.as_input(join.open_source(folder, explicit=True)), groups)


def _plan(flavour: render.Flavour) -> Callable[[Tree], Any]:
    return lambda tree: render.plan(tree, flavour=flavour, resource_type=resource_type(tree))


READERS: list[tuple[str, Kind, Callable[[Groups], Documents]]] = [
    ("plan", PLAN, _one_by_one(_plan("null"))),
    ("plan, provider with defaults", PLAN, _one_by_one(_plan("plain"))),
    ("plan, all-computed provider", PLAN, _one_by_one(_plan("computed"))),
    ("plan that changes nothing", PLAN, _one_by_one(lambda tree: _no_op(tree))),
    ("state", STATE, _one_by_one(lambda tree: render.state(tree, resource_type=resource_type(tree)))),
    ("terraform JSON", CDKTF, _text(render_source.terraform_json, "cdk.tf.json")),
    ("terraform source", HCL, _hcl),
    ("CloudFormation YAML", CLOUDFORMATION, _text(render_source.cloudformation_yaml, "t.yaml")),
    ("CloudFormation JSON", CLOUDFORMATION, _text(render_source.cloudformation_json, "t.json")),
    ("API request", API_REQUEST, _one_by_one(render_source.api_request)),
    ("API response", API_RESPONSE, _one_by_one(render_source.api_response)),
]


AMBIGUOUS = frozenset({"plan, provider with defaults", "plan, all-computed provider"})
"""Where a reference stands beside it, what is left out looks there like what a reference gives: only the join with the
source tells them apart, which the tests with terraform show."""


def _no_op(tree: Tree) -> Any:
    return render.plan(tree, before=tree, change=Change.NO_OP, resource_type=resource_type(tree))


def type_in(kind: Kind, tree: Tree) -> str:
    """The resource type of a group in an input of this kind."""
    types = {"cloudformation": CLOUDFORMATION_TYPE, "api": API_TYPE}
    return types.get(kind.spelling) or resource_type(tree)


def case_of(reader: str, kind: Kind, tree: Tree, base: Case) -> Case | None:
    """The case as this reader gets it; ``None`` where the kind cannot carry it."""
    if not model.carries(kind, tree, type_in(kind, tree)):
        return None
    if reader in AMBIGUOUS and not render.is_known(tree):
        return None
    if reader == "plan that changes nothing":
        return None if not render.is_known(tree) else base._replace(before=tree, change=Change.NO_OP)
    return base._replace(change=Change.CREATE)


def differences(reader: str, cases: Mapping[str, Case]) -> dict[str, tuple[Found, Found]]:
    """The groups of which rules say something else than they should: ``(only said, only expected)``."""
    (kind, read) = next((kind, read) for name, kind, read in READERS if name == reader)
    carried = {}
    for name, case in cases.items():
        tree = complete(**case.tree) if kind is API_REQUEST and "clusterId" not in case.tree else case.tree
        this = case_of(reader, kind, tree, case._replace(tree=tree))
        if this is not None:
            carried[name] = this
    documents = read({name: case.tree for name, case in carried.items()}) if carried else {}
    wrong = {}
    for name, case in carried.items():
        said = model.found(kind, documents[name], case.settings)
        should = model.expected(kind, case, type_in(kind, case.tree))
        if said != should:
            wrong[name] = (said - should, should - said)
    return wrong


# Every fragment of every rule.


def fragment_cases() -> dict[str, Case]:
    """The groups of all fragments, as if each were new: what a plan does with them is for the tests with terraform."""
    return {
        name: Case(fragment.group, settings=fragment.settings)
        for name, (_, _, fragment) in fragments().items()
        if not has_kept(fragment.group)
    }


@pytest.mark.parametrize("reader", [name for name, _, _ in READERS])
def test_fragments_give_the_same_in_every_kind(reader: str) -> None:
    assert differences(reader, fragment_cases()) == {}


def test_every_kind_has_a_reader() -> None:
    assert {kind for _, kind, _ in READERS} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_literal_fragments_give_what_their_rule_says_in_every_kind(kind: Kind) -> None:
    """The documented verdict of a rule on its own fragment holds wherever the kind carries what the rule needs."""
    judged = 0
    for rule, outcome, fragment in fragments().values():
        if fragment.before is not None or not render.is_known(fragment.group) or not rule.needs <= kind.carries:
            continue
        name = type_in(kind, fragment.group)
        if rule.id in DEPEND_ON_PROVIDER:
            if kind not in (PLAN, CDKTF, HCL):
                continue
            name = AWSCC  # which the documentation shows
        if not model.carries(kind, fragment.group, name):
            continue
        case = Case(fragment.group, change=fragment.change or Change.CREATE, settings=fragment.settings)
        said = {entry for entry in model.expected(kind, case, name) if entry[0] == rule.id}
        assert said == {(rule.id, outcome.value, path) for path in fragment.at}, (rule.id, fragment.title)
        judged += 1
    assert judged > 100


@pytest.mark.parametrize("references", [References.MEMBER, References.NONE])
def test_only_rules_that_depend_on_the_provider_tell_resource_types_apart(references: References) -> None:
    kind = HCL if references is References.MEMBER else API_REQUEST
    differing = set()
    for case in fragment_cases().values():
        if references is References.NONE and not render.is_known(case.tree):
            continue
        said = [model.expected(kind, case, name) for name in (AWSCC, PCS, CLOUDFORMATION_TYPE, API_TYPE)]
        differing |= {rule for one in said for rule, _, _ in one ^ said[0]}
    assert differing <= DEPEND_ON_PROVIDER.keys()


def test_every_rule_that_is_said_to_depend_on_the_provider_does() -> None:
    differing = set()
    for case in fragment_cases().values():
        for kind in (HCL, STATE, PLAN):
            for change in (Change.CREATE, Change.UPDATE):
                said = [
                    model.expected(kind, case._replace(change=change), name)
                    for name in (AWSCC, PCS, CLOUDFORMATION_TYPE)
                    if model.carries(kind, case.tree, name)
                ]
                differing |= {rule for one in said for rule, _, _ in one ^ said[0]}
    assert differing == DEPEND_ON_PROVIDER.keys()


# Generated groups, with faults and references put in.


SLOW = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.parametrize("references", [False, True], ids=["literal", "with-references"])
@SLOW
@given(st.data())
def test_generated_groups_give_the_same_in_every_kind(references: bool, data: st.DataObject) -> None:
    trees = data.draw(st.lists(faulty(references), min_size=1, max_size=4))
    cases = {f"g{index}": Case(tree) for index, tree in enumerate(trees)}
    for reader, _, _ in READERS:
        assert (reader, differences(reader, cases)) == (reader, {})
