"""Many clients of one endpoint at once, each of which knows what it has to find: nothing may be lost, and no call fail.

The clients speak HTTP themselves and share one thread: what is measured is the endpoint.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from support.pcs import AUTHORIZATION, CLUSTER, GROUP

SHARED_BY = 4
"""Clients that work on the same group; each counts in a tag of its own, and a group has at most 50."""

LIMIT = 2048
"""Instances of a cluster of size LARGE, together."""


class Failed(Exception):
    """An answer that is none of those that the caller expects."""


class Connection:
    """One connection that is kept open, and what became of its calls."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.seconds: list[float] = []
        """How long each call took."""

    async def call(self, operation: str, **parameters: Any) -> Any:
        """The response of a call that succeeds. Raises Failed for any other, and OSError or EOFError without one."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._address.hostname, self._address.port)
        reader, writer = self._streams
        body = json.dumps(parameters)
        started = time.perf_counter()
        writer.write(
            f"POST / HTTP/1.1\r\nHost: {self._address.netloc}\r\nAuthorization: {AUTHORIZATION}\r\n"
            f"X-Amz-Target: AWSParallelComputingService.{operation}\r\nContent-Type: application/x-amz-json-1.0\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").lower()
        length = int(head.partition("content-length:")[2].partition("\r\n")[0])
        content = await reader.readexactly(length)
        self.seconds.append(time.perf_counter() - started)
        if not head.startswith("http/1.1 200 "):
            raise Failed(f"{operation}: {head.splitlines()[0]} {content.decode()}")
        return json.loads(content)

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            with suppress(OSError):
                await self._streams[1].wait_closed()


def group(name: str, most: int = 1, cluster: str = "load") -> dict[str, Any]:
    """The parameters of a group with room for so many instances."""
    scaling = {"minInstanceCount": 0, "maxInstanceCount": most}
    return {**GROUP, "clusterIdentifier": cluster, "computeNodeGroupName": name, "scalingConfiguration": scaling}


class Client:
    """Counts in a tag of a group that others use as well, and makes, changes and deletes groups of its own."""

    def __init__(self, url: str, number: int, shared: str) -> None:
        self.connection = Connection(url)
        self.tag = f"client-{number}"
        self.shared = shared
        self.rounds = 0
        self.wrong: list[str] = []
        """What went wrong; the client stops at the first."""

    async def work(self, rounds: int | None, seconds: float | None) -> None:
        """Until so many rounds are done, or so much time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            while self.rounds != rounds and (deadline is None or time.monotonic() < deadline):
                await self._round(self.rounds + 1)
                self.rounds += 1
        except (Failed, OSError, EOFError) as error:
            self.wrong.append(f"{self.tag}: {type(error).__name__} {error}")
        finally:
            await self.connection.close()

    async def _round(self, number: int) -> None:
        call = self.connection.call
        await call("TagResource", resourceArn=self.shared, tags={self.tag: str(number)})
        tags = (await call("ListTagsForResource", resourceArn=self.shared))["tags"]
        if tags.get(self.tag) != str(number):
            raise Failed(f"wrote {number} and found {tags.get(self.tag)}")
        name = f"{self.tag}-{number}"
        own = {"clusterIdentifier": "load", "computeNodeGroupIdentifier": name}
        await call("CreateComputeNodeGroup", **group(name), clientToken=f"create-{name}")
        scaling = {"minInstanceCount": 0, "maxInstanceCount": 2}
        await call("UpdateComputeNodeGroup", **own, scalingConfiguration=scaling, clientToken=f"update-{name}")
        found = (await call("GetComputeNodeGroup", **own))["computeNodeGroup"]
        if found["scalingConfiguration"] != scaling or found["status"] not in ("ACTIVE", "UPDATING"):
            raise Failed(f"updated {name} and found {found}")
        await call("ListComputeNodeGroups", clusterIdentifier="load")
        if number % 4:  # every fourth one stays for a round more
            await call("DeleteComputeNodeGroup", **own, clientToken=f"delete-{name}")
        if number > 1 and (number - 1) % 4 == 0:
            own["computeNodeGroupIdentifier"] = f"{self.tag}-{number - 1}"
            await call("DeleteComputeNodeGroup", **own, clientToken=f"delete-{number - 1}-{self.tag}")


async def run(url: str, clients: int, *, rounds: int | None = None, seconds: float | None = None) -> list[Client]:
    """Let so many clients work at the same time, in a cluster `load` of their own.

    `wrong` of each is empty when all is well. Its endpoint takes no time for what it does (`--delay 0`).
    """
    before = Connection(url)
    await before.call("CreateCluster", **{**CLUSTER, "clusterName": "load", "size": "LARGE"})
    shared = [
        (await before.call("CreateComputeNodeGroup", **group(f"shared-{number}")))["computeNodeGroup"]["arn"]
        for number in range(-(-clients // SHARED_BY))
    ]
    await before.close()
    working = [Client(url, number, shared[number // SHARED_BY]) for number in range(clients)]
    await asyncio.gather(*(client.work(rounds, seconds) for client in working))
    after = Connection(url)
    await _check_end(after, working)
    await after.close()
    return working


async def _check_end(connection: Connection, clients: list[Client]) -> None:
    """Find the last number of each client, and that the capacity of the cluster is what its groups add up to."""
    for client in clients:
        tags = (await connection.call("ListTagsForResource", resourceArn=client.shared))["tags"]
        if not client.wrong and tags.get(client.tag) != str(client.rounds):
            client.wrong.append(f"{client.tag}: wrote {client.rounds} and found {tags.get(client.tag)} at the end")
    left = LIMIT - sum([(await _most(connection, name)) for name in await _names(connection)])
    if await _fits(connection, left + 1) or not await _fits(connection, left):
        clients[0].wrong.append(f"the cluster should have room for {left} instances more")


async def _fits(connection: Connection, most: int) -> bool:
    try:
        await connection.call("CreateComputeNodeGroup", **group(f"room-for-{most}", most))
    except Failed as refused:
        if "ServiceQuotaExceededException" in str(refused):
            return False
        raise
    return True


async def _names(connection: Connection) -> list[str]:
    names: list[str] = []
    more: Mapping[str, str] = {}
    while True:
        page = await connection.call("ListComputeNodeGroups", clusterIdentifier="load", maxResults=100, **more)
        names += [found["name"] for found in page["computeNodeGroups"]]
        if "nextToken" not in page:
            return names
        more = {"nextToken": page["nextToken"]}


async def _most(connection: Connection, name: str) -> int:
    where = {"clusterIdentifier": "load", "computeNodeGroupIdentifier": name}
    found = (await connection.call("GetComputeNodeGroup", **where))["computeNodeGroup"]
    most: int = found["scalingConfiguration"]["maxInstanceCount"]
    return most
