"""What an endpoint keeps in a folder: over a restart, a killed process, a bad disk and a second server."""

import os
import re
import signal
import sqlite3
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionError, HTTPClientError
from support.pcs import ACTIONS, CLUSTER, GROUP, STEP, Lab, lab, refused
from support.pcsguard_cli import COMMAND, pcsguard

from pcs_bridge.endpoint import Delays, ManualClock, running, sessions
from pcs_bridge.endpoint.state import FILE, opened
from pcs_bridge.endpoint.store import CannotKeep, Change, Kind, Resource

HPC = {"clusterIdentifier": "hpc"}
WORKERS = {**HPC, "computeNodeGroupIdentifier": "workers"}
TOKEN = "a-client-token"

EVERYTHING = Resource(
    kind=Kind.GROUP,
    id="pcs_0",
    parent="hpc",
    name="wörkers \u0000 \U0001f600",
    facts={"list": [1, {"a": None}], "float": 0.1, "text": "", "empty": {}},
    hidden={"secret": "s"},
    tags={"": "\ud7ff"},
    change=Change(1767225600.1, None, {"code": "c", "message": "m"}),
)


def test_a_resource_comes_back_as_it_was(tmp_path: Path) -> None:
    plain = Resource(Kind.QUEUE, "pcs_1", "hpc", "batch", {})
    with opened(tmp_path) as store, store.transaction() as transaction:
        made = [transaction.put(EVERYTHING), transaction.put(plain)]
    with opened(tmp_path) as store, store.transaction() as transaction:
        assert transaction.everything(Kind.GROUP) + transaction.everything(Kind.QUEUE) == made
        assert transaction.due(1767225600) == []
        assert transaction.due(1767225600.1) == made[:1]
        transaction.delete(made[0])
        assert transaction.put(Resource(Kind.QUEUE, "pcs_2", "hpc", "other", {})).order == 3
    with opened(tmp_path) as store, store.transaction() as transaction:
        assert transaction.everything(Kind.GROUP) == []
        assert [queue.name for queue in transaction.page(Kind.QUEUE, "hpc")] == ["batch", "other"]


def test_what_was_taken_back_is_not_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        with suppress(KeyError), store.transaction() as transaction:
            transaction.put(EVERYTHING)
            raise KeyError
        with store.transaction() as transaction:
            transaction.put(Resource(Kind.QUEUE, "pcs_1", "hpc", "batch", {}))
    with opened(tmp_path) as store, store.transaction() as transaction:
        assert [transaction.count(kind, "hpc") for kind in (Kind.GROUP, Kind.QUEUE)] == [0, 1]


# Over a restart, as a client sees it.


@contextmanager
def restarted(folder: Path, seconds_later: float = 0) -> Iterator[Lab]:
    """A lab with that state, some time after a lab began."""
    with lab(folder=folder) as made:
        made.clock.advance(10 * STEP + seconds_later)
        yield made


def test_a_restart(tmp_path: Path) -> None:
    with lab(folder=tmp_path) as made:
        cluster = made.cluster(tags={"team": "hpc"})
        group = made.group(nodeLifecycleActions=ACTIONS)
        queue = made.queue(group["id"])
        node = made.register(group)
        instances = made.endpoint.instances
        assert node["sharedSecret"] in "".join(path.read_text("latin-1") for path in tmp_path.iterdir())
    with restarted(tmp_path) as made:
        assert made.pcs.get_cluster(**HPC)["cluster"] == cluster
        assert made.get_group() == group
        assert made.pcs.get_queue(**HPC, queueIdentifier="batch")["queue"] == queue
        assert made.pcs.list_tags_for_resource(resourceArn=cluster["arn"])["tags"] == {"team": "hpc"}
        assert made.endpoint.instances == instances
        again = made.register(group)
        assert (again["nodeID"], again["sharedSecret"]) == (node["nodeID"], node["sharedSecret"])
        with refused("ConflictException"):
            made.group()
        with refused("ServiceQuotaExceededException"):  # 4 of 32 are taken
            made.group(
                computeNodeGroupName="others", scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 29}
            )


def test_what_is_under_way_goes_on(tmp_path: Path) -> None:
    with lab(folder=tmp_path) as made:
        made.cluster()
        made.clock.advance(8 * STEP)
        made.pcs.create_compute_node_group(**GROUP)
    with restarted(tmp_path, -0.001) as made:
        assert made.get_group()["status"] == "CREATING"
        made.clock.advance(0.001)
        assert made.get_group()["status"] == "ACTIVE"
        made.pcs.delete_compute_node_group(**WORKERS)
    with restarted(tmp_path, STEP) as made, refused("ResourceNotFoundException"):
        made.get_group()


def test_tokens_of_clients_are_remembered_and_those_of_pages_are_not(tmp_path: Path) -> None:
    with lab(folder=tmp_path) as made:
        made.cluster()
        group = made.pcs.create_compute_node_group(**GROUP, clientToken=TOKEN)["computeNodeGroup"]
        made.group(computeNodeGroupName="others")
        page = made.pcs.list_compute_node_groups(**HPC, maxResults=1)["nextToken"]
    with restarted(tmp_path) as made:
        assert made.pcs.create_compute_node_group(**GROUP, clientToken=TOKEN)["computeNodeGroup"] == group
        with refused("ValidationException", "nextToken"):
            made.pcs.list_compute_node_groups(**HPC, nextToken=page)


def test_neighbours_begin_anew(tmp_path: Path) -> None:
    with lab(folder=tmp_path) as made:
        made.client("s3").create_bucket(Bucket="hpc-scripts")
    with restarted(tmp_path) as made:
        assert made.client("s3").list_buckets()["Buckets"] == []


# A folder that is of no use.


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with opened(folder):
        modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == {0o600}


def in_use(folder: Path) -> str:
    return f"the state in {folder} is in use by another pcsguard local; stop that one, or name another folder"


def test_a_second_server_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for _ in range(2):  # the refusal of one here must not let in another one there
            with pytest.raises(CannotKeep, match=f"^{re.escape(in_use(tmp_path))}$"), opened(tmp_path):
                pass
            run = pcsguard("local", "--state", str(tmp_path), "--exec", "true", stdin=b"", cwd=None)
            assert (run.code, run.err) == (2, f"pcsguard: {in_use(tmp_path)}\n")
        with store.transaction() as transaction:
            transaction.put(EVERYTHING)
    with opened(tmp_path):
        pass


def test_of_several_that_begin_at_once_one_gets_it(tmp_path: Path) -> None:
    got: list[bool] = []
    together = threading.Barrier(4, timeout=60)

    def begin() -> None:
        together.wait()
        try:
            with opened(tmp_path / "new"):
                got.append(True)
                together.wait()
        except CannotKeep:
            got.append(False)
            together.wait()

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [False, False, False, True]


def other_form(path: Path) -> None:
    with opened(path.parent):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")


def other_content(path: Path) -> None:
    with opened(path.parent):
        pass
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO resource VALUES (1, '{}')")


def other_file(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (id INTEGER)")


def cut_off(path: Path) -> None:
    with opened(path.parent) as store, store.transaction() as transaction:
        for number in range(200):
            transaction.put(Resource(Kind.QUEUE, f"pcs_{number}", "hpc", f"q-{number}", {"text": "x" * 100}))
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_text("notes " * 1000), "{path} is not a state of pcsguard local; name another folder"),
        (other_file, "{path} is not a state of pcsguard local; name another folder"),
        (other_form, "{path} is of form 2, and this version of pcsguard knows form 1 only"),
        (other_content, "{path} is damaged; remove the folder to begin anew"),
        (cut_off, "{path} is damaged; remove the folder to begin anew"),
        (lambda path: path.mkdir(), "cannot keep the state in {folder}: unable to open database file"),
    ],
    ids=["text", "another-database", "another-form", "another-content", "cut-off", "a-folder"],
)
def test_what_is_no_state(tmp_path: Path, spoil: Any, said: str) -> None:
    path = tmp_path / FILE
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(CannotKeep) as raised, opened(tmp_path):
        pass
    assert str(raised.value) == said.format(path=path, folder=tmp_path)
    assert before == (path.read_bytes() if path.is_file() else None)


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run = pcsguard("local", "--state", str(tmp_path / "file"), "--exec", "true", stdin=b"", cwd=None)
    assert run.code == 2
    assert run.err == f"pcsguard: cannot keep the state in {tmp_path / 'file'}: that is a file; name a folder\n"


CANNOT_BE_STORED = "nothing was changed, since it cannot be stored: attempt to write a readonly database"


def test_a_disk_that_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    connections: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connections.append(connect(*arguments, **options))
        return connections[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    with lab(folder=tmp_path) as made:
        made.cluster()
        made.pcs.create_queue(**HPC, queueName="batch")
        made.settle()
        (connection,) = connections
        connection.execute("PRAGMA query_only = ON")
        for _ in range(2):
            with refused("InternalServerException"):
                made.pcs.create_compute_node_group(**GROUP)
        # What is due cannot be settled either, and so nothing can be told.
        assert made.http("GET", "/_pcsguard/instances").json == {"message": CANNOT_BE_STORED}
        connection.execute("PRAGMA query_only = OFF")
        group = made.group()
        assert made.pcs.list_compute_node_groups(**HPC)["computeNodeGroups"][1:] == []
    assert capsys.readouterr().err == f"pcsguard local: {CANNOT_BE_STORED}\n" * 2
    with restarted(tmp_path) as made:
        assert made.get_group() == group
        assert made.pcs.get_queue(**HPC, queueIdentifier="batch")["queue"]["status"] == "ACTIVE"


# A process that is killed.


class Writer(threading.Thread):
    """Makes groups and counts in a tag of the cluster, and knows what it was told to be done."""

    def __init__(self, name: str, url: str, cluster: str) -> None:
        super().__init__(name=name, daemon=True)
        config = Config(retries={"total_max_attempts": 1}, read_timeout=30)
        self.pcs = sessions.client("pcs", sessions.REGION, url, {"config": config})
        self.cluster = cluster
        self.groups: dict[str, Any] = {}
        self.number = 0
        self.error: Exception | None = None

    def run(self) -> None:
        scaling = {"minInstanceCount": 0, "maxInstanceCount": 2}
        try:
            while True:
                name = f"{self.name}-{self.number}"
                request = {**GROUP, "computeNodeGroupName": name, "scalingConfiguration": scaling}
                group = self.pcs.create_compute_node_group(**request)["computeNodeGroup"]
                self.groups[group["id"]] = group
                self.pcs.tag_resource(resourceArn=self.cluster, tags={self.name: str(self.number + 1)})
                self.number += 1
        except (ConnectionError, HTTPClientError):
            pass  # the server is gone
        except ClientError as error:
            self.error = error


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [str(COMMAND), "local", "--state", str(folder), "--delay", "0", "--switch", "scaling=anything"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout is not None
        try:
            yield server, server.stdout.readline().strip().partition("=")[2]
        finally:
            server.kill()


def test_a_killed_process_loses_nothing_that_it_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (server, url):
        pcs = sessions.client("pcs", sessions.REGION, url, {})
        cluster = pcs.create_cluster(**{**CLUSTER, "size": "LARGE"})["cluster"]
        writers = [Writer(f"writer-{number}", url, cluster["arn"]) for number in range(4)]
        for writer in writers:
            writer.start()
        while sum(len(writer.groups) for writer in writers) < 60:
            assert any(writer.is_alive() for writer in writers)
        server.send_signal(signal.SIGKILL)
        for writer in writers:
            writer.join()
    assert [writer.error for writer in writers] == [None] * 4
    answered = {id: group for writer in writers for id, group in writer.groups.items()}
    with opened(tmp_path) as store, store.transaction() as transaction:
        groups = {group.id: group for group in transaction.everything(Kind.GROUP)}
        # A call that was under way when the process ended may have been done, one for each writer: as a whole or not.
        assert set(answered) <= set(groups)
        assert len(groups) <= len(answered) + len(writers)
        (kept,) = transaction.everything(Kind.CLUSTER)
        assert kept.hidden["capacity"] == 2 * len(groups)
        answers = [answer.facts.get("computeNodeGroup", {}) for answer in transaction.everything(Kind.ANSWER)]
        assert {answer["id"] for answer in answers if answer} == set(groups)
        for writer in writers:
            assert int(kept.tags.get(writer.name, 0)) in (writer.number, writer.number + 1)
    clock = ManualClock()
    with running(folder=tmp_path, clock=clock, delays=Delays(0, 0, 0)) as endpoint:
        pages = endpoint.client("pcs").get_paginator("list_compute_node_groups").paginate(clusterIdentifier="hpc")
        assert {group["id"] for page in pages for group in page["computeNodeGroups"]} == set(groups)
        for id, group in answered.items():
            where = {"clusterIdentifier": "hpc", "computeNodeGroupIdentifier": id}
            found = endpoint.client("pcs").get_compute_node_group(**where)["computeNodeGroup"]
            assert {**found, "status": None, "modifiedAt": None} == {**group, "status": None, "modifiedAt": None}
