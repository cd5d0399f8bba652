"""Planned states: what is configured, what is kept, what is unknown, and what needs another resource."""

from __future__ import annotations

from typing import Any

import pytest

from pcs_bridge.plugin.cty import STRING, ListOf
from pcs_bridge.plugin.paths import Key, Path
from pcs_bridge.plugin.planning import plan
from pcs_bridge.plugin.schema import Attribute, Attributes, Nested, Nesting, Schema
from pcs_bridge.plugin.values import UNKNOWN, Object, Unknown


def nested(nesting: Nesting, **flags: bool) -> Nested:
    members = (
        Attribute("name", STRING, required=True),
        Attribute("checksum", STRING, optional=True, **flags),  # type: ignore[arg-type]
    )
    return Nested(nesting, Attributes(members))


PLAIN = Schema(
    Attributes(
        (
            Attribute("id", STRING, computed=True, keeps_prior=True),
            Attribute("modified", STRING, computed=True),
            Attribute("name", STRING, required=True, replaces=True),
            Attribute("note", STRING, optional=True),
            Attribute("token", STRING, optional=True, write_only=True),
        )
    )
)
PRIOR: Object = {"id": "g-1", "modified": "monday", "name": "a", "note": "x", "token": None}


@pytest.mark.parametrize(
    ("config", "prior", "state", "replace"),
    [
        pytest.param(
            {"name": "a"},
            None,
            {"id": UNKNOWN, "modified": UNKNOWN, "name": "a", "note": None, "token": None},
            (),
            id="create",
        ),
        pytest.param({"name": "a", "note": "x"}, PRIOR, PRIOR, (), id="nothing-changes"),
        pytest.param({"name": "a", "note": "y"}, PRIOR, {**PRIOR, "note": "y", "modified": UNKNOWN}, (), id="change"),
        pytest.param({"name": "a"}, PRIOR, {**PRIOR, "note": None, "modified": UNKNOWN}, (), id="removal"),
        pytest.param(
            {"name": "b", "note": "x"},
            PRIOR,
            {**PRIOR, "name": "b", "modified": UNKNOWN},
            (("name",),),
            id="replacement",
        ),
        pytest.param(
            {"name": UNKNOWN, "note": "x"},
            PRIOR,
            {**PRIOR, "name": UNKNOWN, "modified": UNKNOWN},
            (("name",),),
            id="replacement-by-an-unknown",
        ),
        pytest.param(
            {"name": "a", "note": Unknown(b"\x81\x01\xc2")},
            None,
            {"id": UNKNOWN, "modified": UNKNOWN, "name": "a", "note": Unknown(b"\x81\x01\xc2"), "token": None},
            (),
            id="refinements-are-kept",
        ),
        pytest.param({"name": "a", "note": "x", "token": "t"}, PRIOR, PRIOR, (), id="write-only-is-never-planned"),
    ],
)
def test_plain_attributes(config: Object, prior: Object | None, state: Object, replace: tuple[Path, ...]) -> None:
    planned = plan(PLAIN, {"note": None, "token": None, **config}, prior)
    assert planned.state == state
    assert planned.replace == replace


def script(name: str, checksum: Any = None) -> Object:
    return {"name": name, "checksum": checksum}


A, B, C = script("a", "1"), script("b", "2"), script("c")


@pytest.mark.parametrize(
    ("nesting", "config", "prior", "planned"),
    [
        pytest.param(Nesting.LIST, [script("a")], None, [script("a", UNKNOWN)], id="create"),
        pytest.param(Nesting.LIST, [script("a"), B], [A, B], [A, B], id="kept"),
        pytest.param(Nesting.LIST, None, [A, B], [A, B], id="a-removed-list-is-kept"),
        pytest.param(
            Nesting.LIST,
            [script("new"), A],
            [A],
            [script("new", "1"), A],
            id="inserted-above-inherits-by-index",
        ),
        pytest.param(Nesting.LIST, [A, C], [A], [A, script("c", UNKNOWN)], id="appended"),
        pytest.param(Nesting.LIST, UNKNOWN, [A], UNKNOWN, id="unknown-list"),
        pytest.param(Nesting.LIST, [UNKNOWN, B], [A, B], [UNKNOWN, B], id="unknown-element"),
        pytest.param(
            Nesting.MAP, {"k": C, "l": C}, {"k": A}, {"k": script("c", "1"), "l": script("c", UNKNOWN)}, id="map"
        ),
        pytest.param(Nesting.SET, [script("a"), C], [A], [A, script("c", UNKNOWN)], id="set-by-what-is-configured"),
        pytest.param(Nesting.SINGLE, script("a"), A, A, id="single"),
        pytest.param(Nesting.SINGLE, script("b"), None, script("b", UNKNOWN), id="single-created"),
    ],
)
def test_computed_members_follow_the_element(nesting: Nesting, config: Any, prior: Any, planned: Any) -> None:
    of = nested(nesting, computed=True, keeps_prior=True)
    schema = Schema(Attributes((Attribute("scripts", of, optional=True, computed=True, keeps_prior=True),)))
    before = None if prior is None else {"scripts": prior}
    assert plan(schema, {"scripts": config}, before).state == {"scripts": planned}


def test_a_removed_member_that_is_not_computed_is_gone() -> None:
    schema = Schema(Attributes((Attribute("scripts", nested(Nesting.LIST), optional=True),)))
    assert plan(schema, {"scripts": [script("a")]}, {"scripts": [A]}).state == {"scripts": [script("a")]}
    assert plan(schema, {"scripts": None}, {"scripts": [A]}).state == {"scripts": None}


def test_a_prior_null_becomes_unknown_only_when_something_changes() -> None:
    schema = Schema(
        Attributes(
            (
                Attribute("ami", STRING, optional=True, computed=True, keeps_prior=True),
                Attribute("zones", ListOf(STRING), optional=True),
            )
        )
    )
    prior = {"ami": None, "zones": ["a"]}
    assert plan(schema, {"ami": None, "zones": ["a"]}, prior).state == prior
    assert plan(schema, {"ami": None, "zones": ["b"]}, prior).state == {"ami": UNKNOWN, "zones": ["b"]}


@pytest.mark.parametrize(
    ("nesting", "after", "before", "paths"),
    [
        (Nesting.SINGLE, A, script("a", "0"), (("scripts", "checksum"),)),
        (Nesting.LIST, [A, B], [A, script("b", "0")], (("scripts", 1, "checksum"),)),
        (Nesting.LIST, [A, B], [A], ()),
        (Nesting.MAP, {"k": A}, {"k": script("a", "0")}, (("scripts", Key("k"), "checksum"),)),
        (Nesting.SET, [A], [B], ()),
        (Nesting.SINGLE, A, None, ()),
    ],
)
def test_nested_replacements_are_named_by_their_path(
    nesting: Nesting, after: Any, before: Any, paths: tuple[Path, ...]
) -> None:
    of = nested(nesting, replaces=True)
    schema = Schema(Attributes((Attribute("scripts", of, optional=True),)))
    assert plan(schema, {"scripts": after}, {"scripts": before}).replace == paths
