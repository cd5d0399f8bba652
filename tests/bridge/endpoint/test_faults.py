"""Faults on purpose: which there are, what a client sees of each, and that a seed decides all of them."""

import http.client
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError
from support.pcs import AUTHORIZATION, CLUSTER, GROUP, Lab, lab, refused
from support.processes import eventually

from pcs_bridge.endpoint import Delays, Endpoint, running
from pcs_bridge.endpoint.faults import HEADER, MEANINGS, Fault, Faults, WrongFault, parse

HPC = {"clusterIdentifier": "hpc"}
HEADERS = {
    "X-Amz-Target": "AWSParallelComputingService.ListClusters",
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": AUTHORIZATION,
}


@contextmanager
def dropped() -> Iterator[None]:
    with pytest.raises(ConnectionClosedError):
        yield


def met(lab: Lab) -> Any:
    return lab.endpoint.faults["met"]


def test_all_have_a_meaning() -> None:
    assert list(MEANINGS) == list(Fault)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("throttle", "'throttle' is not fault=value"),
        ("nothing=1", "there is no fault 'nothing'; there are throttle, internal, drop, "),
        ("throttle=", "throttle has no value ''; it has a probability such as 0.1, or a count such as 2x"),
        ("throttle=1.1", "throttle has no value '1.1'"),
        ("throttle=-1", "throttle has no value '-1'"),
        ("throttle=nan", "throttle has no value 'nan'"),
        ("throttle=\u0661", "throttle has no value '\u0661'"),
        ("throttle=50ms", "throttle has no value '50ms'"),
        ("latency=0.1", "latency has no value '0.1'; it has a time such as 50ms or 2s, or two such as 20ms-80ms"),
        ("latency=80ms-20ms", "latency has no value '80ms-20ms'"),
        ("latency=601s", "up to 600s"),
        ("latency=1e999s", "latency has no value '1e999s'"),
        ("throttle@=1", "throttle has no operation ''; it has CreateCluster, "),
        ("throttle@Nothing=1", "throttle has no operation 'Nothing'; it has CreateCluster, "),
        ("create-fails@GetQueue=1", "create-fails has no operation 'GetQueue'; it has CreateCluster, "),
        (" throttle = .5 , latency@Get* = 1s - 2s ,", None),
        ("", None),
    ],
)
def test_plans(plan: str, said: str | None) -> None:
    if said is None:
        parse(plan)
    else:
        with pytest.raises(WrongFault, match=re.escape(said)):
            parse(plan)


@pytest.mark.parametrize(
    ("plan", "code", "done"),
    [
        ("throttle=1x", "ThrottlingException", False),
        ("internal=1x", "InternalServerException", False),
        ("throttle=1x,internal=1x", "ThrottlingException", False),
        ("drop=1x", None, False),
        ("drop=1x,throttle=1x,drop-answer=1x", None, False),
        ("drop-answer=1x", None, True),
    ],
)
def test_what_a_client_sees(plan: str, code: str | None, done: bool) -> None:
    with lab(faults=plan) as made:
        with refused(code) if code else dropped():
            made.pcs.create_cluster(**CLUSTER)
        made.endpoint.inject("")
        assert [cluster["name"] for cluster in made.pcs.list_clusters()["clusters"]] == ["hpc"] * done


def test_a_throttled_call_is_told_when_to_come_back() -> None:
    with lab(faults="throttle=1") as made:
        assert made.send("ListClusters", {}).json["retryAfterSeconds"] == 1


def test_a_lost_answer_is_repeated_for_its_token() -> None:
    with lab(faults="drop-answer@CreateCluster=1x") as made:
        with dropped():
            made.pcs.create_cluster(**CLUSTER, clientToken="a-client-token")
        assert made.pcs.create_cluster(**CLUSTER, clientToken="a-client-token")["cluster"]["name"] == "hpc"


def test_clients_that_try_again_get_through() -> None:
    with running(delays=Delays(0, 0, 0), faults="throttle=1x,drop@CreateCluster=2x") as endpoint:
        pcs = endpoint.client("pcs")  # with boto3's own retries
        pcs.create_cluster(**CLUSTER)
        assert pcs.get_cluster(clusterIdentifier="hpc")["cluster"]["status"] == "ACTIVE"
        assert endpoint.faults["met"] == {"throttle": 1, "drop": 2}


@pytest.mark.parametrize(
    ("verb", "begin"),
    [
        ("create", lambda lab: lab.pcs.create_compute_node_group(**GROUP)),
        ("update", lambda lab: lab.pcs.update_compute_node_group(**HPC, computeNodeGroupIdentifier="workers")),
        ("delete", lambda lab: lab.pcs.delete_compute_node_group(**HPC, computeNodeGroupIdentifier="workers")),
    ],
)
def test_what_is_begun_can_fail(cluster: Lab, verb: str, begin: Any) -> None:
    if verb != "create":
        cluster.group()
    cluster.endpoint.inject(f"{verb}-fails=1")
    begin(cluster)
    cluster.settle()
    group = cluster.get_group()
    assert group["status"] == f"{verb.upper()}_FAILED"
    assert group["errorInfo"] == [
        {"code": "InjectedFault", "message": f"The fault {verb}-fails made the ComputeNodeGroup workers fail."}
    ]
    assert met(cluster) == {f"{verb}-fails": 1}


def test_operations_are_chosen_by_pattern(cluster: Lab) -> None:
    cluster.endpoint.inject("throttle@Get*=1,throttle@GetQueue=0,create-fails@CreateQueue=1")
    with refused("ThrottlingException"):
        cluster.pcs.get_cluster(**HPC)
    with refused("ResourceNotFoundException"):
        cluster.pcs.get_queue(**HPC, queueIdentifier="batch")
    cluster.pcs.create_compute_node_group(**GROUP)
    cluster.pcs.create_queue(**HPC, queueName="batch")
    cluster.settle()
    assert [q["status"] for q in cluster.pcs.list_queues(**HPC)["queues"]] == ["CREATE_FAILED"]
    assert [g["status"] for g in cluster.pcs.list_compute_node_groups(**HPC)["computeNodeGroups"]] == ["ACTIVE"]


def test_an_answer_can_be_late() -> None:
    with lab(faults="latency=30ms-60ms") as made:
        started = time.monotonic()
        made.pcs.list_clusters()
        assert time.monotonic() - started >= 0.03
        assert met(made) == {"latency": 1}


def test_a_late_answer_does_not_hold_up_the_end() -> None:
    def ask(made: Lab) -> None:
        with dropped():
            made.pcs.list_clusters()

    with lab(faults="latency=600s") as made:
        asking = threading.Thread(target=ask, args=(made,))
        asking.start()
        assert eventually(lambda: met(made) == {"latency": 1})
    asking.join()
    assert "pcs-connection" not in [thread.name for thread in threading.enumerate()]


def test_a_wrong_request_is_told_so_first() -> None:
    with lab(faults="internal=1") as made:
        with refused("ValidationException", "clusterIdentifier"):
            made.pcs.get_cluster()
        assert met(made) == {}


# Faults of a single request.


def asked(lab: Lab, *plans: str) -> str | None:
    """The error of a request with a header for each plan."""
    connection = http.client.HTTPConnection(urlsplit(lab.endpoint.url).netloc, timeout=30)
    with closing(connection):
        connection.putrequest("POST", "/")
        for name, value in {**HEADERS, "Content-Length": "2"}.items():
            connection.putheader(name, value)
        for plan in plans:
            connection.putheader(HEADER, plan)
        connection.endheaders(b"{}")
        error: str | None = json.loads(connection.getresponse().read()).get("__type")
        return error


def test_faults_of_a_request() -> None:
    with lab(faults="internal=1") as made:
        assert asked(made) == "InternalServerException"
        assert asked(made, "throttle=1") == "ThrottlingException"
        assert asked(made, "latency=1ms", "throttle=1") == "ThrottlingException"
        assert asked(made, "") is None
        with pytest.raises(http.client.RemoteDisconnected):
            asked(made, "drop=1")
        assert met(made) == {"throttle": 2, "internal": 1, "drop": 1, "latency": 1}


def test_a_wrong_plan_in_a_request_is_refused(lab: Lab) -> None:
    assert asked(lab, "nothing=1") == "ValidationException"


# Reproducible from the seed.


def outcomes(seed: int, number: int = 200) -> list[bool]:
    faults = Faults("throttle=0.3", seed)
    return [faults.meet("ListClusters", "").error is not None for _ in range(number)]


def test_a_seed_repeats_and_another_differs() -> None:
    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 30 < sum(outcomes(1)) < 90


def test_without_a_seed_one_is_chosen() -> None:
    assert Faults("throttle=0.5").seed != Faults("throttle=0.5").seed


def test_what_one_name_meets_is_not_moved_by_another() -> None:
    alone, between = Faults("drop=0.5", 1), Faults("drop=0.5", 1)
    first = [alone.meet("GetQueue", "a").dropped for _ in range(50)]
    second = []
    for _ in range(50):
        between.meet("GetQueue", "b")
        second.append(between.meet("GetQueue", "a").dropped)
        between.meet("GetCluster", "a")
    assert first == second


def run_of_faults(endpoint: Endpoint) -> dict[str, list[str]]:
    """What eight concurrent clients meet, by their names; ids are used where there is a choice."""
    found: dict[str, list[str]] = {}
    pcs = Lab(endpoint, None).pcs  # type: ignore[arg-type]
    hpc = pcs.create_cluster(**CLUSTER)["cluster"]["id"]
    endpoint.inject("throttle=0.3,internal=0.1,drop@TagResource=0.2", 7)

    def use(name: str) -> None:
        said = found[name] = []

        def call(method: str, **request: Any) -> Any:
            while True:
                try:
                    answer = getattr(pcs, method)(**request)
                except ConnectionClosedError:
                    said.append(f"{method} dropped")
                except ClientError as error:
                    said.append(f"{method} {error.response['Error']['Code']}")
                else:
                    said.append(f"{method} done")
                    return answer

        group = call("create_compute_node_group", **{**GROUP, "clusterIdentifier": hpc, "computeNodeGroupName": name})
        where = {"clusterIdentifier": hpc, "computeNodeGroupIdentifier": group["computeNodeGroup"]["id"]}
        for number in range(5):
            call("tag_resource", resourceArn=group["computeNodeGroup"]["arn"], tags={"n": str(number)})
            call("get_compute_node_group", **where)
        call("delete_compute_node_group", **where)

    threads = [threading.Thread(target=use, args=(f"group-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_concurrent_run_repeats() -> None:
    runs = []
    for _ in range(2):
        with running(delays=Delays(0, 0, 0)) as endpoint:
            runs.append((run_of_faults(endpoint), endpoint.faults))
    assert runs[0] == runs[1]
    found, faults = runs[0]
    assert set(faults["met"]) == {"throttle", "internal", "drop"}
    assert len({tuple(said) for said in found.values()}) == len(found)  # each name has its own


# Over HTTP, for whoever is in another process.


def test_changing_them_over_http(lab: Lab) -> None:
    def put(content: Any) -> tuple[int, Any]:
        answer = lab.http("PUT", "/_pcsguard/faults", {}, json.dumps(content).encode())
        return answer.status, answer.json

    wanted = {"faults": "throttle=1", "seed": 5}
    assert put(wanted) == (200, {**wanted, "met": {}})
    with refused("ThrottlingException"):
        lab.pcs.list_clusters()
    assert lab.http("GET", "/_pcsguard/faults").json == {**wanted, "met": {"throttle": 1}}
    usage = 'the body must be JSON such as {"faults": "throttle=0.1", "seed": 1}; seed may be left out'
    nearly: list[Any] = [None, [], {}, {"seed": 1}, {"faults": 1}, {"faults": "", "seed": "1"}, {"faults": "", "x": 1}]
    for wrong in nearly:
        assert put(wrong) == (400, {"message": usage})
    assert put({"faults": "throttle"}) == (400, {"message": "'throttle' is not fault=value"})
    assert lab.endpoint.faults == {**wanted, "met": {"throttle": 1}}
    assert put({"faults": ""})[0] == 200
    lab.pcs.list_clusters()
