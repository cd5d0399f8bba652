"""Measures the local PCS endpoint, in a process of its own: with much in it, and with many clients at once.

`make bench` makes it a part of docs/performance.md; `PYTHONPATH=tests python benchmarks/endpoint.py` prints that part.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from support import load
from support.pcs import CLUSTER

from pcs_bridge.endpoint.idempotency import MOST

COMMAND = Path(sys.executable).parent / "pcsguard"

FEW, MANY = 10, 10_000
"""Groups in one cluster."""

TURNS = 300
"""Calls of each operation that are measured."""

CLIENTS, SECONDS = 200, 60.0

MOMENTS = (20, 40, 60)
"""Seconds after which the memory is told."""


class Server(NamedTuple):
    """An endpoint in a process of its own."""

    url: str
    pid: int

    def memory(self) -> float:
        """Megabytes that it occupies now (Linux)."""
        (line,) = [row for row in Path(f"/proc/{self.pid}/status").read_text().splitlines() if row.startswith("VmRSS:")]
        return int(line.split()[1]) / 1024


@contextmanager
def served(folder: str | None = None) -> Iterator[Server]:
    """An endpoint whose operations take no time, and whose groups may be without instances, so that many fit in."""
    state = [] if folder is None else ["--state", folder]
    command = [str(COMMAND), "local", "--delay", "0", "--switch", "scaling=anything", *state]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(process.stdout.readline().strip().partition("=")[2], process.pid)
        finally:
            process.terminate()


async def fill(url: str, groups: int) -> None:
    """Make so many groups in a cluster `hpc`."""
    connection = load.Connection(url)
    await connection.call("CreateCluster", **CLUSTER)
    for number in range(groups):
        made = load.group(f"group-{number}", most=0, cluster="hpc")
        await connection.call("CreateComputeNodeGroup", **made, clientToken=f"fill-group-{number}")
    await connection.close()


OPERATIONS = (
    "CreateComputeNodeGroup",
    "GetComputeNodeGroup",
    "ListComputeNodeGroups",
    "UpdateComputeNodeGroup",
    "TagResource",
    "DeleteComputeNodeGroup",
)


async def turn(connection: load.Connection, number: int) -> list[float]:
    """Call each of the operations once, and return the seconds that each took."""
    cluster = {"clusterIdentifier": "hpc"}
    one = {**cluster, "computeNodeGroupIdentifier": f"turn-{number}"}
    made = load.group(f"turn-{number}", most=0, cluster="hpc")
    created = await connection.call("CreateComputeNodeGroup", **made, clientToken=f"create-turn-{number}")
    await connection.call("GetComputeNodeGroup", **one)
    await connection.call("ListComputeNodeGroups", **cluster)
    await connection.call("UpdateComputeNodeGroup", **one, amiId="ami-1", clientToken=f"update-turn-{number}")
    await connection.call("TagResource", resourceArn=created["computeNodeGroup"]["arn"], tags={"n": str(number)})
    await connection.call("DeleteComputeNodeGroup", **one, clientToken=f"delete-turn-{number}")
    return connection.seconds[-len(OPERATIONS) :]


async def latencies(few: str, many: str) -> list[tuple[float, float]]:
    """Median seconds of each operation at two endpoints, which take turns."""
    await fill(few, FEW)
    await fill(many, MANY)
    connections = [load.Connection(url) for url in (few, many)]
    turns = [[await turn(connection, number) for connection in connections] for number in range(TURNS)]
    for connection in connections:
        await connection.close()
    return [
        (median(taken[0][index] for taken in turns), median(taken[1][index] for taken in turns))
        for index in range(len(OPERATIONS))
    ]


class Loaded(NamedTuple):
    """What many clients at once make of an endpoint."""

    calls: float
    """Per second."""
    latencies: list[float]
    """Seconds, sorted."""
    memory: list[float]
    """Megabytes after each second."""
    wrong: list[str]


async def loaded(server: Server) -> Loaded:
    """The figures of `CLIENTS` clients in `SECONDS` seconds. The endpoint remembers as many tokens as it ever will."""
    await fill(server.url, MANY)
    memory: list[float] = []

    async def watch() -> None:
        began = time.monotonic()
        while True:
            memory.append(server.memory())
            await asyncio.sleep(began + len(memory) - time.monotonic())

    watching = asyncio.create_task(watch())
    clients = await load.run(server.url, CLIENTS, seconds=SECONDS)
    watching.cancel()
    seconds = sorted(taken for client in clients for taken in client.connection.seconds)
    return Loaded(len(seconds) / SECONDS, seconds, memory, [wrong for client in clients for wrong in client.wrong])


def section() -> list[str]:
    """The part of docs/performance.md about the endpoint. Raises RuntimeError when a call went wrong."""
    with served() as few, served() as many:
        medians = asyncio.run(latencies(few.url, many.url))
    with served() as server:
        memory = asyncio.run(loaded(server))
    with tempfile.TemporaryDirectory(prefix="pcsguard-bench-") as folder, served(folder) as server:
        kept = asyncio.run(loaded(server))
    for result in (memory, kept):
        if result.wrong:
            raise RuntimeError("; ".join(result.wrong[:10]))
    return [
        "## The local endpoint",
        "",
        f"`pcsguard local` with {FEW} and with {MANY:,} groups in one cluster, which take turns: medians of {TURNS}",
        "calls each of a client that waits for the answer.",
        "",
        f"| operation | {FEW} groups | {MANY:,} groups | ratio |",
        "|---|---|---|---|",
        *(
            f"| {name} | {few * 1000:.2f} ms | {many * 1000:.2f} ms | {many / few:.2f} |"
            for name, (few, many) in zip(OPERATIONS, medians, strict=True)
        ),
        "",
        f"{CLIENTS} clients at once for {SECONDS:.0f} seconds, with {MANY:,} groups stored; each sends a call when the",
        "one before is answered. Clients and endpoint share the machine. Every client reads back what it wrote, and",
        "what it wrote last has to be there at the end: one lost update or one failed call, and there would be no",
        f"figures here. Memory is that of the endpoint after {', '.join(map(str, MOMENTS))} seconds. It grows until",
        f"all {MOST:,} answers that it remembers for client tokens are those of this load, and then by ever less,",
        "while the C library fills the small stock of free blocks that it keeps for each thread.",
        "",
        "| | calls per second | median | 99% within | slowest | memory |",
        "|---|---|---|---|---|---|",
        _row("in memory", memory),
        _row("with `--state`", kept),
    ]


def _row(name: str, found: Loaded) -> str:
    within, slowest = found.latencies[int(len(found.latencies) * 0.99)], found.latencies[-1]
    cells: Sequence[Any] = (
        name,
        f"{found.calls:,.0f}",
        f"{median(found.latencies) * 1000:.0f} ms",
        f"{within * 1000:.0f} ms",
        f"{slowest * 1000:.0f} ms",
        ", ".join(f"{found.memory[second]:.0f}" for second in MOMENTS) + " MB",
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    print("\n".join(section()))
