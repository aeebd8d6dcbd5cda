"""Clients that an attack must not harm, in a process of their own.

Each actor does one thing at a fixed pace; after a call that took longer than its pace, the next one
follows at once. The first line of standard input is the order; each further line is a question,
answered in one line:

    {"ask": "counts"}   how many calls each actor has ended since the last report
    {"ask": "report"}   latencies and refusals since the last report
"""

import asyncio
import contextlib
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

# A call that takes longer counts as refused.
CALL_SECONDS = 30.0
# Between two calls of an actor.
PACE_SECONDS = {"delivery": 0.02, "api": 0.04, "newcomer": 0.05, "request": 0.04}
# Refusals that a report quotes; all are counted.
REFUSALS_SHOWN = 3
# Attackers on the same machine must not delay the measurement itself. Only root may set it.
NICENESS = -10


@dataclass
class Tally:
    """What one actor has met since the last report."""

    milliseconds: list[float] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        ordered = sorted(self.milliseconds)
        found = {
            "count": len(ordered),
            "p50": percentile(ordered, 0.5),
            "p99": percentile(ordered, 0.99),
            "refused": len(self.refusals),
            "refusals": self.refusals[:REFUSALS_SHOWN],
        }
        self.milliseconds, self.refusals = [], []
        return found


def percentile(ordered: list[float], part: float) -> float:
    return ordered[math.ceil(len(ordered) * part) - 1] if ordered else 0.0


class Bystanders:
    def __init__(self, order: dict[str, Any]) -> None:
        self._port = order["port"]
        self._key = order["key"]
        self._token = order["token"]
        self._topic = order["topic"]
        self._requests = order["requests"]
        self._numbers = itertools.count(1)
        self.tallies: dict[str, Tally] = {}

    def run(self) -> list[asyncio.Task[None]]:
        actors: dict[str, tuple[str, Callable[[], Awaitable[Callable[[], Awaitable[None]]]]]] = {
            "delivery": ("delivery", self._delivery),
            "api": ("api", self._api),
            "newcomer": ("newcomer", self._newcomer),
        }
        for target in self._requests:
            actors[target] = ("request", lambda target=target: self._request(target))
        self.tallies = {name: Tally() for name in actors}
        return [
            asyncio.create_task(self._act(self.tallies[name], PACE_SECONDS[kind], prepare))
            for name, (kind, prepare) in actors.items()
        ]

    async def _act(
        self,
        tally: Tally,
        pace: float,
        prepare: Callable[[], Awaitable[Callable[[], Awaitable[None]]]],
    ) -> None:
        call: Callable[[], Awaitable[None]] | None = None
        due = time.monotonic()
        while True:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    call = call or await prepare()
                    await call()
            except Exception as error:
                # The next call begins with a new connection.
                call = None
                tally.refusals.append(f"{type(error).__name__}: {error}")
            tally.milliseconds.append((time.monotonic() - due) * 1000)
            due = max(due + pace, time.monotonic())

    # Actors: each prepares its connections and returns what it does again and again.

    async def _delivery(self) -> Callable[[], Awaitable[None]]:
        """From a publish command to the publication at another connection."""
        publisher = await self._connected()
        reader = await self._connected()
        await self._command(reader, "subscribe", {"channel": self._topic})

        async def call() -> None:
            number = next(self._numbers)
            value = {"channel": self._topic, "data": {"number": number}}
            await self._command(publisher, "publish", value)
            found = 0
            while found < number:
                message = await self._message(reader)
                found = message["push"]["pub"]["data"]["number"]

        return call

    async def _newcomer(self) -> Callable[[], Awaitable[None]]:
        """From a connection to a subscription of a topic without subscribers."""

        async def call() -> None:
            connection = await self._connected()
            channel = f"{self._topic}-{next(self._numbers)}"
            await self._command(connection, "subscribe", {"channel": channel})
            await connection.close()

        return call

    async def _api(self) -> Callable[[], Awaitable[None]]:
        """A publication by the server API."""
        request = await self._http()

        async def call() -> None:
            body = {"channel": f"{self._topic}-api", "data": {"number": next(self._numbers)}}
            answer = await request("POST", "/api/publish", {"X-API-Key": self._key}, body)
            assert "result" in answer, answer

        return call

    async def _request(self, target: str) -> Callable[[], Awaitable[None]]:
        request = await self._http()

        async def call() -> None:
            await request("GET", target, {"Authorization": f"Bearer {self._token}"}, None)

        return call

    # Connections

    async def _connected(self) -> ClientConnection:
        url = f"ws://127.0.0.1:{self._port}/connection/websocket"
        connection = await connect(url, proxy=None, ping_interval=None, open_timeout=CALL_SECONDS)
        await self._command(connection, "connect", {"token": self._token})
        return connection

    async def _command(self, connection: ClientConnection, method: str, value: Any) -> None:
        await connection.send(json.dumps({"id": next(self._numbers), method: value}))
        reply = await self._message(connection)
        assert method in reply, reply

    async def _message(self, connection: ClientConnection) -> dict[str, Any]:
        while True:
            message = json.loads(await connection.recv())
            if message:
                return dict(message)
            await connection.send("{}")

    async def _http(self) -> Callable[..., Awaitable[Any]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)

        async def request(method: str, target: str, headers: dict[str, str], body: Any) -> Any:
            content = b"" if body is None else json.dumps(body).encode()
            fields = headers | {"Host": "127.0.0.1", "Content-Length": str(len(content))}
            lines = [f"{method} {target} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode() + content)
            status = (await reader.readline()).decode().split(" ")[1:2]
            length = 0
            while line := (await reader.readline()).strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
            text = await reader.readexactly(length)
            assert status == ["200"], f"{method} {target}: {status} {text[:200]!r}"
            return json.loads(text)

        return request


async def main() -> None:
    with contextlib.suppress(PermissionError):
        os.nice(NICENESS)
    loop = asyncio.get_running_loop()
    bystanders = Bystanders(json.loads(await loop.run_in_executor(None, sys.stdin.readline)))
    tasks = bystanders.run()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if json.loads(line)["ask"] == "counts":
            answer: Any = {name: len(t.milliseconds) for name, t in bystanders.tallies.items()}
        else:
            answer = {name: tally.report() for name, tally in bystanders.tallies.items()}
        print(json.dumps(answer), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main())
