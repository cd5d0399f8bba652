"""Calls that are tried again: with one token, for as long as it helps, and never against the user's will."""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError

from pcs_bridge.plugin.logs import Logger
from pcs_bridge.plugin.provider import Call
from pcs_bridge.provider import waiting
from pcs_bridge.provider.client import Client
from pcs_bridge.provider.kinds import CLUSTER, NODE_GROUP
from pcs_bridge.provider.remote import Remote
from pcs_bridge.provider.waiting import Interrupted, TookTooLong

URL = "https://pcs.example.com"
IDENTITY = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "pcs_1"}


def refusal(code: str, **members: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": 400}, **members}
    return ClientError(response, "any")


THROTTLED = refusal("ThrottlingException")
CONFLICT = refusal("ConflictException", resourceId="pcs_2", resourceType="compute node group")
NOT_FOUND = refusal("ResourceNotFoundException")
LOST = ConnectionClosedError(endpoint_url=URL)
UNREACHED = EndpointConnectionError(endpoint_url=URL)


class Script:
    """A boto3 client that answers as it is told, and notes what it is asked."""

    def __init__(self, **answers: list[Any]) -> None:
        self._answers = {name: iter(several) for name, several in answers.items()}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        def method(**request: Any) -> dict[str, Any]:
            self.asked.append((name, request))
            answer = next(self._answers[name])
            if isinstance(answer, Exception):
                raise answer
            return {"ResponseMetadata": {}, **answer}

        return method

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.asked]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FIRST_PAUSE", 0.0)


def a_call(*, cancelled: bool = False) -> Call:
    call = Call(Event(), Logger())
    if cancelled:
        call.cancelled.set()
    return call


def group(status: str) -> dict[str, Any]:
    return {"computeNodeGroup": {"status": status}}


def cluster(status: str) -> dict[str, Any]:
    return {"cluster": {"status": status}}


SOON = math.inf


def test_all_tries_of_a_create_carry_one_token() -> None:
    script = Script(create_compute_node_group=[THROTTLED, LOST, LOST, group("CREATING")])
    Client(script, 25).call("CreateComputeNodeGroup", {"clusterIdentifier": "hpc"}, a_call())
    tokens = {request["clientToken"] for _, request in script.asked}
    assert (len(script.asked), len(tokens)) == (4, 1)
    assert len(tokens.pop()) == 36


def test_two_creates_carry_two_tokens() -> None:
    script = Script(create_compute_node_group=[group("CREATING"), group("CREATING")])
    for _ in range(2):
        Client(script, 25).call("CreateComputeNodeGroup", {}, a_call())
    assert len({request["clientToken"] for _, request in script.asked}) == 2


@pytest.mark.parametrize(
    ("answers", "retries", "tries"),
    [([THROTTLED] * 9, 3, 4), ([LOST] * 9, 0, 1), ([UNREACHED] * 9, 25, 5), ([NOT_FOUND] * 9, 25, 1)],
    ids=["throttled", "none allowed", "unreached", "refused"],
)
def test_there_is_an_end_to_it(answers: list[Any], retries: int, tries: int) -> None:
    script = Script(get_compute_node_group=answers)
    with pytest.raises(type(answers[0])):
        Client(script, retries).call("GetComputeNodeGroup", IDENTITY, a_call())
    assert len(script.asked) == tries


def test_an_interrupt_ends_the_tries() -> None:
    script = Script(get_compute_node_group=[THROTTLED] * 9)
    with pytest.raises(Interrupted):
        Client(script, 25).call("GetComputeNodeGroup", IDENTITY, a_call(cancelled=True))
    assert len(script.asked) == 1


def changed(verb: str, script: Script, request: dict[str, Any], deadline: float = SOON) -> None:
    Remote(NODE_GROUP, Client(script, 25)).change(verb, request, deadline, a_call())


def test_a_delete_waits_for_what_is_under_way() -> None:
    script = Script(
        delete_compute_node_group=[*[CONFLICT] * 6, {}],
        get_compute_node_group=[group("UPDATING"), *[group("ACTIVE")] * 3],
        get_cluster=[cluster("UPDATING"), *[cluster("ACTIVE")] * 2],
        list_queues=[
            {"queues": [{"status": "ACTIVE"}], "nextToken": "more"},
            {"queues": [{"status": "UPDATING"}]},
            {"queues": []},
        ],
        list_compute_node_groups=[{"computeNodeGroups": [{"status": "DELETING"}]}],
    )
    changed("Delete", script, IDENTITY)
    # Twice on the chance that it is over already, then for the group, its cluster, a queue and another group.
    group_only = ["get_compute_node_group", "delete_compute_node_group"]
    with_cluster = ["get_compute_node_group", "get_cluster", "delete_compute_node_group"]
    with_queues = ["get_compute_node_group", "get_cluster", "list_queues", "list_queues", "delete_compute_node_group"]
    with_all = ["get_compute_node_group", "get_cluster", "list_queues", "list_compute_node_groups"]
    assert script.names == [
        *["delete_compute_node_group"] * 3,
        *group_only,
        *with_cluster,
        *with_queues,
        *with_all,
        "delete_compute_node_group",
    ]
    assert ("list_queues", {"clusterIdentifier": "hpc", "nextToken": "more"}) in script.asked


def test_clusters_are_made_one_after_the_other() -> None:
    quota = refusal("ServiceQuotaExceededException")
    clusters = [{"clusters": [{"status": "CREATING"}]}, {"clusters": [{"status": "ACTIVE"}]}]
    script = Script(create_cluster=[*[quota] * 4, quota], list_clusters=clusters)
    with pytest.raises(ClientError):
        Remote(CLUSTER, Client(script, 25)).change("Create", {"clusterName": "hpc"}, SOON, a_call())
    # For as long as one is being made; then it is another quota that is exceeded.
    assert script.names == [*["create_cluster"] * 3, "list_clusters", "create_cluster", "list_clusters"]
    groups = Script(create_compute_node_group=[quota])
    with pytest.raises(ClientError):
        changed("Create", groups, {"clusterIdentifier": "hpc"})
    assert len(groups.asked) == 1


def test_a_conflict_is_told_where_nobody_may_look_for_its_reason() -> None:
    denied = refusal("AccessDeniedException")
    script = Script(delete_compute_node_group=[CONFLICT] * 9, get_compute_node_group=[denied])
    with pytest.raises(ClientError, match="ConflictException"):
        changed("Delete", script, IDENTITY)


def test_a_conflict_that_stays_is_told() -> None:
    script = Script(
        delete_compute_node_group=[CONFLICT] * 9,
        get_compute_node_group=[group("ACTIVE")],
        get_cluster=[cluster("ACTIVE")],
        list_queues=[{"queues": [{"status": "ACTIVE"}]}],
        list_compute_node_groups=[{"computeNodeGroups": [{"status": "ACTIVE"}]}],
    )
    with pytest.raises(ClientError):
        changed("Delete", script, IDENTITY)
    assert script.names.count("delete_compute_node_group") == 3


def test_a_name_that_is_taken_is_told_at_once_and_one_that_becomes_free_is_waited_for() -> None:
    taken = Script(
        create_compute_node_group=[CONFLICT], get_compute_node_group=[group("ACTIVE")], get_cluster=[cluster("ACTIVE")]
    )
    with pytest.raises(ClientError):
        changed("Create", taken, {"clusterIdentifier": "hpc"})
    assert taken.asked[1] == (
        "get_compute_node_group",
        {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": "pcs_2"},
    )
    leaving = Script(
        create_compute_node_group=[CONFLICT, group("CREATING")],
        get_compute_node_group=[group("DELETING")],
        get_cluster=[cluster("ACTIVE")],
    )
    changed("Create", leaving, {"clusterIdentifier": "hpc"})


def test_conflicts_end_with_the_time() -> None:
    script = Script(update_compute_node_group=[CONFLICT] * 9)
    with pytest.raises(ClientError):
        changed("Update", script, IDENTITY, deadline=0.0)
    assert len(script.asked) == 1


def over(script: Script, deadline: float = SOON, *, new: bool = False, cancelled: bool = False) -> Any:
    remote = Remote(NODE_GROUP, Client(script, 25))
    return remote.over(IDENTITY, deadline, a_call(cancelled=cancelled), new=new)


@pytest.mark.parametrize(
    ("answers", "new", "end"),
    [
        ([group("CREATING"), group("UPDATING"), group("ACTIVE")], False, {"status": "ACTIVE"}),
        ([group("CREATING"), group("CREATE_FAILED")], False, {"status": "CREATE_FAILED"}),
        ([group("DELETING"), NOT_FOUND], False, None),
        ([group("DELETING"), group("DELETED")], False, None),
        ([NOT_FOUND, NOT_FOUND, group("CREATING"), group("ACTIVE")], True, {"status": "ACTIVE"}),
        ([NOT_FOUND] * 6, True, None),
    ],
    ids=["made", "failed", "gone", "listed for a while", "not seen at first", "never seen"],
)
def test_waiting(answers: list[Any], new: bool, end: Any) -> None:
    script = Script(get_compute_node_group=answers)
    assert over(script, new=new) == end
    assert len(script.asked) == len(answers)


def test_waiting_ends_with_the_time_and_with_an_interrupt() -> None:
    with pytest.raises(TookTooLong, match="CREATING"):
        over(Script(get_compute_node_group=[group("CREATING")] * 2), deadline=0.0)
    with pytest.raises(Interrupted):
        over(Script(get_compute_node_group=[group("CREATING")] * 2), cancelled=True)


def test_pauses_grow_to_a_bound_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FIRST_PAUSE", 0.25)
    waited: list[float] = []
    call = a_call()
    monkeypatch.setattr(call.cancelled, "wait", lambda seconds: waited.append(seconds))
    for tries in range(1, 30):
        waiting.pause(tries, call)
    bounds = [min(20.0, 0.25 * 2 ** (tries - 1)) for tries in range(1, 30)]
    assert all(bound / 2 <= seconds <= bound for seconds, bound in zip(waited, bounds, strict=True))
    assert len(set(waited[-10:])) == 10
    waiting.pause(1, call, least=7.0)
    assert waited[-1] == 7.0
