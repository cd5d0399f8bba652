"""Many clients at once: no update is lost, and no call fails. `make bench` has more of them, for longer."""

import asyncio
from pathlib import Path

import pytest
from support import load

from pcs_bridge.endpoint import Delays, running


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "file"])
def test_many_clients(kept: bool, tmp_path: Path) -> None:
    with running(delays=Delays(0, 0, 0), folder=tmp_path if kept else None) as endpoint:
        clients = asyncio.run(load.run(endpoint.url, 40, rounds=5))
    assert [client.wrong for client in clients] == [[]] * 40
    assert {client.rounds for client in clients} == {5}
