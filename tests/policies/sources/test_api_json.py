"""JSON of the PCS API: which form it is, what it tells, and what it leaves as it is."""

from __future__ import annotations

from typing import Any

import pytest
from support.groups import COMPLETE

from pcs_policies.document import NodeGroup, Stated
from pcs_policies.errors import InputError
from pcs_policies.sources import api_json
from pcs_policies.sources.kinds import API_REQUEST, API_RESPONSE, Kind

ACTIONS = {"stages": {"nodeReady": [{"name": "motd", "scriptSource": {"scriptLocation": "s3://abc/motd.sh"}}]}}
CREATE = {"clusterIdentifier": "hpc-cluster", "computeNodeGroupName": "hpc", "nodeLifecycleActions": ACTIONS}
UPDATE = {"clusterIdentifier": "hpc-cluster", "computeNodeGroupIdentifier": "pcs_abc", "nodeLifecycleActions": ACTIONS}
GROUP = {**COMPLETE, "nodeLifecycleActions": ACTIONS}


def groups(document: Any) -> list[NodeGroup]:
    found = list(api_json.read(document, "request.json").groups)
    assert all(isinstance(group, NodeGroup) for group in found)
    return [group for group in found if isinstance(group, NodeGroup)]


@pytest.mark.parametrize(
    ("document", "kind", "addresses"),
    [
        (CREATE, API_REQUEST, ["hpc"]),
        (UPDATE, API_REQUEST, ["pcs_abc"]),
        (ACTIONS, API_REQUEST, ["compute node group"]),
        ({**ACTIONS, "scriptCachingPolicy": "CACHE_ONCE"}, API_REQUEST, ["compute node group"]),
        ({"computeNodeGroup": GROUP}, API_RESPONSE, ["hpc"]),
        (GROUP, API_RESPONSE, ["hpc"]),
        ([CREATE, UPDATE, ACTIONS], API_REQUEST, ["hpc", "pcs_abc", "compute node group/2"]),
        ([GROUP, {"computeNodeGroup": GROUP}], API_RESPONSE, ["hpc", "hpc"]),
    ],
)
def test_forms(document: Any, kind: Kind, addresses: list[str]) -> None:
    assert api_json.recognises(document)
    assert api_json.read(document, "request.json").kind is kind
    assert [group.address for group in groups(document)] == addresses


@pytest.mark.parametrize("document", [{}, [], [7], {"name": "hpc"}, {"stages": {}, "other": 1}, {"clusterId": "x"}])
def test_other_json(document: Any) -> None:
    assert not api_json.recognises(document)


def test_requests_and_responses_do_not_mix() -> None:
    with pytest.raises(InputError, match=r"^the list mixes requests and responses"):
        api_json.read([CREATE, GROUP], "request.json")


@pytest.mark.parametrize(("document", "stated"), [(CREATE, Stated.YES), (UPDATE, Stated.YES), (GROUP, Stated.MAYBE)])
def test_only_a_request_tells_what_was_written(document: Any, stated: Stated) -> None:
    (group,) = groups(document)
    assert group.scripts()[0].name.stated is stated


@pytest.mark.parametrize(("document", "outside"), [(CREATE, False), (GROUP, False), (UPDATE, True), (ACTIONS, True)])
def test_what_an_update_does_not_mention_is_not_judged(document: Any, outside: bool) -> None:
    (group,) = groups(document)
    assert group.after.child("purchaseOption").outside is outside
    assert group.scripts()[0].on_error.outside is False


def test_members_that_only_a_request_has_are_no_strangers() -> None:
    (group,) = groups({**UPDATE, "clientToken": "0123456789"})
    assert group.strangers == ()


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (CREATE, "/nodeLifecycleActions/stages/nodeReady/0/name"),
        (ACTIONS, "/stages/nodeReady/0/name"),
        ([UPDATE], "/0/nodeLifecycleActions/stages/nodeReady/0/name"),
        ({"computeNodeGroup": GROUP}, "/computeNodeGroup/nodeLifecycleActions/stages/nodeReady/0/name"),
    ],
)
def test_origins_point_into_the_document(document: Any, pointer: str) -> None:
    (group,) = groups(document)
    assert group.origins("nodeLifecycleActions.stages.nodeReady[0].name").pointer == pointer
