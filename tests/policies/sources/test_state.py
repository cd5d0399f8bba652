"""States: root and child modules, and which JSON is one."""

from __future__ import annotations

from typing import Any

import pytest
from support import render

from pcs_policies.document import Change, NodeGroup, Stated
from pcs_policies.errors import InputError
from pcs_policies.rules.fragments import actions, script
from pcs_policies.sources import state

SCRIPTED = render.state(actions(ready=[script("motd", "s3://example-scripts/motd.sh")]))


def test_groups_of_root_and_child_modules() -> None:
    (resource,) = SCRIPTED["values"]["root_module"]["resources"]
    inner = {"address": "module.a", "resources": [{**resource, "address": f"module.a.{resource['address']}"}]}
    document = {**SCRIPTED, "values": {"root_module": {"resources": [resource], "child_modules": [inner]}}}
    groups = [group for group in state.read(document, "state.json").groups if isinstance(group, NodeGroup)]
    assert [group.address for group in groups] == [render.ADDRESS, f"module.a.{render.ADDRESS}"]
    assert {group.change for group in groups} == {Change.NONE}
    assert groups[1].origins("name").pointer == "/values/root_module/child_modules/0/resources/0/values/name"


def test_a_state_does_not_tell_what_was_written() -> None:
    (group,) = state.read(SCRIPTED, "state.json").groups
    assert isinstance(group, NodeGroup)
    (script_,) = group.scripts()
    assert script_.name.stated is Stated.MAYBE
    assert script_.checksum.absent


@pytest.mark.parametrize(
    ("document", "recognised"),
    [
        ({"format_version": "1.0"}, True),
        ({"format_version": "1.0", "terraform_version": "1.11.4", "values": {}}, True),
        ({"format_version": "1.0", "values": {}, "checks": []}, True),
        ({"format_version": "1.0", "planned_values": {}}, False),
        ({"format_version": "1.0", "provider_schemas": {}}, False),
        ({"values": {}}, False),
        ({}, False),
    ],
)
def test_which_json_is_a_state(document: dict[str, Any], recognised: bool) -> None:
    assert state.recognises(document) is recognised


def test_a_newer_format_is_not_guessed_at() -> None:
    with pytest.raises(InputError, match=r"^the state has format version 2\.0, newer than 1\.x"):
        state.read({"format_version": "2.0", "values": {}}, "state.json")
