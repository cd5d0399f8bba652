"""The one model: value and statedness of every leaf, from the trees that the inputs have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs_policies.document import (
    Basis,
    Below,
    Change,
    Leaf,
    MalformedGroup,
    Missing,
    NodeGroup,
    State,
    Stated,
    Template,
    build,
)

YES, NO, MAYBE = Stated.YES, Stated.NO, Stated.MAYBE
KNOWN, UNKNOWN, ABSENT, PARTLY = State.KNOWN, State.UNKNOWN, State.ABSENT, State.PARTLY
CONFIGURATION, API_DEFAULT, PRIOR, PROVIDER = (
    Basis.CONFIGURATION,
    Basis.API_DEFAULT,
    Basis.PRIOR_STATE,
    Basis.PROVIDER,
)
MISSING: Any = object()


def member(name: str, value: Any) -> dict[str, Any]:
    return {} if value is MISSING else {name: value}


def group(
    name: str, after: Any, unknown: Any = MISSING, stated: Any = MISSING, before: Any = MISSING, **rest: Any
) -> NodeGroup:
    """A group with one script whose member ``name`` has these trees."""

    def wrapped(value: Any) -> dict[str, Any]:
        return {"node_lifecycle_actions": {"stages": {"node_ready": [member(name, value)]}}}

    return build(
        address="awscc_pcs_compute_node_group.hpc",
        resource_type="awscc_pcs_compute_node_group",
        spelling="terraform",
        after=wrapped(after),
        unknown=wrapped(unknown),
        stated=stated if isinstance(stated, Stated) else wrapped(stated),
        before=wrapped(before) if before is not MISSING else None,
        **rest,
    )


@pytest.mark.parametrize(
    ("after", "unknown", "stated", "before", "expected"),
    [
        # what the plan says           what was written   the leaf
        ("CONTINUE", MISSING, "CONTINUE", MISSING, (KNOWN, "CONTINUE", YES, CONFIGURATION)),
        ("CONTINUE", False, MAYBE, MISSING, (KNOWN, "CONTINUE", MAYBE, CONFIGURATION)),
        ("TERMINATE", MISSING, MISSING, MISSING, (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        ("CONTINUE", MISSING, MISSING, "CONTINUE", (KNOWN, "CONTINUE", NO, PRIOR)),
        ("TERMINATE", MISSING, MISSING, "TERMINATE", (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        ("CONTINUE", MISSING, MISSING, "TERMINATE", (KNOWN, "CONTINUE", NO, PROVIDER)),
        (None, MISSING, MISSING, MISSING, (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        (None, MISSING, None, MISSING, (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        (None, MISSING, MAYBE, MISSING, (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        (MISSING, True, MISSING, MISSING, (KNOWN, "TERMINATE", NO, API_DEFAULT)),
        (MISSING, True, "CONTINUE", MISSING, (UNKNOWN, None, YES, None)),
        (MISSING, True, MAYBE, MISSING, (UNKNOWN, None, MAYBE, None)),
        (Template(("TERM", None)), MISSING, YES, MISSING, (PARTLY, Template(("TERM", None)), YES, CONFIGURATION)),
    ],
)
def test_a_member_with_an_api_default(after: Any, unknown: Any, stated: Any, before: Any, expected: Any) -> None:
    (script,) = group("on_error", after, unknown, stated, before).scripts()
    leaf = script.on_error
    assert (leaf.state, leaf.value, leaf.stated, leaf.basis) == expected


@pytest.mark.parametrize(
    ("after", "unknown", "stated", "before", "expected"),
    [
        (None, MISSING, MISSING, MISSING, (ABSENT, None, NO, None)),
        (MISSING, True, MISSING, MISSING, (ABSENT, None, NO, None)),
        (MISSING, True, "mount", MISSING, (UNKNOWN, None, YES, None)),
        ("mount", MISSING, MISSING, "mount", (KNOWN, "mount", NO, PRIOR)),
        (7, MISSING, 7, MISSING, (KNOWN, "7", YES, CONFIGURATION)),
        (True, MISSING, True, MISSING, (KNOWN, "true", YES, CONFIGURATION)),
    ],
)
def test_a_member_without_a_default(after: Any, unknown: Any, stated: Any, before: Any, expected: Any) -> None:
    (script,) = group("name", after, unknown, stated, before).scripts()
    assert (script.name.state, script.name.value, script.name.stated, script.name.basis) == expected


@pytest.mark.parametrize(
    ("after", "unknown", "stated", "outside"),
    [
        (MISSING, MISSING, MISSING, True),
        (MISSING, MISSING, MAYBE, True),
        (None, MISSING, MISSING, False),
        (MISSING, True, MISSING, False),
        (MISSING, MISSING, "mount", False),
    ],
)
def test_a_key_that_a_plan_does_not_have_is_outside_of_the_schema(
    after: Any, unknown: Any, stated: Any, outside: bool
) -> None:
    (script,) = group("name", after, unknown, stated, missing=Missing.NOT_JUDGED).scripts()
    assert script.name.outside is outside


def test_members_of_an_absent_object_are_absent_and_of_an_unknown_one_unknown() -> None:
    absent = group("script_source", None).scripts()[0].location
    unknown = group("script_source", MISSING, True, MAYBE).scripts()[0].location
    assert (absent.state, absent.stated) == (ABSENT, NO)
    assert (unknown.state, unknown.stated) == (UNKNOWN, MAYBE)


def test_a_stated_reference_tells_nothing_of_what_lies_below() -> None:
    (script,) = build(
        address="g",
        resource_type="awscc_pcs_compute_node_group",
        spelling="terraform",
        after={"node_lifecycle_actions": {"stages": {"node_ready": [{"on_error": "CONTINUE"}]}}},
        stated={"node_lifecycle_actions": Below.MAYBE},
    ).scripts()
    assert script.on_error.stated is MAYBE


@pytest.mark.parametrize(
    ("marks", "sensitive"),
    [
        ({"node_lifecycle_actions": {"stages": {"node_ready": [{"arguments": [False, True]}]}}}, [False, True]),
        ({"node_lifecycle_actions": {"stages": {"node_ready": [{"arguments": True}]}}}, [True, True]),
        ({"node_lifecycle_actions": True}, [True, True]),
        (True, [True, True]),
        ({}, [False, False]),
    ],
)
def test_sensitive_marks_reach_all_below_them(marks: Any, sensitive: list[bool]) -> None:
    (script,) = group("arguments", ["--token", "example"], sensitive=marks).scripts()
    assert [item.sensitive for item in script.arguments.items] == sensitive


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (None, "the resource should be an object but is null"),
        ([], "the resource should be an object but is a list"),
        (
            {"node_lifecycle_actions": "some text"},
            "nodeLifecycleActions should be an object but is a string of 9 characters",
        ),
        (
            {"node_lifecycle_actions": {"stages": {"node_ready": {}}}},
            "nodeLifecycleActions.stages.nodeReady should be a list but is an object",
        ),
        (
            {"scaling_configuration": {"min_instance_count": "many"}},
            "scalingConfiguration.minInstanceCount should be a whole number but is a string of 4 characters",
        ),
        ({"name": {"a": 1}}, "name should be a string but is an object"),
    ],
)
def test_another_shape_than_the_contracts_is_said_without_the_value(after: Any, message: str) -> None:
    with pytest.raises(MalformedGroup) as error:
        build(address="g", resource_type="t", spelling="terraform", after=after)
    assert str(error.value) == message


def test_before_is_a_document_of_its_own() -> None:
    changed = group("on_error", "CONTINUE", before="TERMINATE", change=Change.UPDATE)
    before = changed.as_before()
    assert before is not None
    assert [script.on_error.value for script in before.scripts()] == ["TERMINATE"]
    assert before.change is Change.NONE
    assert before.as_before() is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["node_lifecycle_actions", "stages", "node_ready", "name", "tags", "script_source"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(after=json_values, unknown=json_values, sensitive=json_values, stated=json_values, before=json_values)
def test_any_trees_give_a_document_or_say_what_is_wrong(
    after: Any, unknown: Any, sensitive: Any, stated: Any, before: Any
) -> None:
    try:
        made = build(
            address="g",
            resource_type="t",
            spelling="terraform",
            after=after,
            unknown=unknown,
            sensitive=sensitive,
            stated=stated,
            before=before,
        )
    except MalformedGroup:
        return
    for script in made.scripts():
        assert isinstance(script.name, Leaf)
    list(made.unseen())
