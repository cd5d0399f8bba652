"""What is stated in text about updates fits the requests of the contract."""

import pytest

from pcs_contract import prose, shapes, updates
from pcs_contract.limits import problems

UPDATE = "UpdateComputeNodeGroupRequest"
SOURCE = "PCS API reference, "


@pytest.mark.parametrize("fact", updates.CLEARING_FACTS, ids=lambda fact: fact.path)
def test_what_removes_a_setting_can_be_said_in_an_update(fact: updates.Clearing) -> None:
    shape = shapes.field(fact.path, UPDATE)
    assert fact.source.startswith(SOURCE)
    assert fact.value is None or list(problems(shape, fact.value)) == []


def test_what_clears_spot_options_is_their_default() -> None:
    assert updates.CLEARING["spotOptions"] == {"allocationStrategy": prose.DEFAULTS["spotOptions.allocationStrategy"]}


def test_unordered_lists_are_lists() -> None:
    assert {shapes.group_field(path).type for path in updates.UNORDERED} == {"list"}


def test_what_is_sent_along_is_part_of_an_update() -> None:
    takes = shapes.shape(UPDATE).members.keys()
    for name, others in updates.SENT_WITH.items():
        assert {name, *others} <= takes
