"""Clients that behave: one publishes to a topic, the others read it and keep what they get."""

import asyncio
import itertools
import json
import ssl
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

# Of one call; a busy machine may take a while for it.
CALL_SECONDS = 60.0
# Publish commands on their way. As many replies come before the next ones go.
PUBLISHED_AT_ONCE = 32


class Audience:
    """Readers of one topic and a publisher, on a thread of their own.

    Nobody comes back: who is cut off stays away, and `received` shows it. Publications are numbered
    from 1, so that everybody can see what is missing.
    """

    def __init__(
        self, port: int, topic: str, readers: int, context: ssl.SSLContext | None = None
    ) -> None:
        # By reader: offset and number of each publication, in the order in which they came.
        self.received: list[list[tuple[int, int]]] = [[] for _ in range(readers)]
        self.published = 0
        self._topic = topic
        self._url = f"{'wss' if context else 'ws'}://127.0.0.1:{port}/connection/websocket"
        self._context = context
        self._commands = itertools.count(1)
        self._connections: list[ClientConnection] = []
        self._reading: list[asyncio.Task[None]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._call(self._join())
        except BaseException:
            self.close()
            raise

    def publish(self, count: int, padding: int = 0) -> None:
        """Publishes so many, each with so many bytes more; returns when all are committed."""
        self._call(self._publish(count, padding))

    @property
    def has_everything(self) -> bool:
        """Whether each reader has got what was published, each once and in order."""
        numbers = list(range(1, self.published + 1))
        return all(
            [number for _, number in each] == numbers and _is_contiguous(each)
            for each in self.received
        )

    @property
    def counts(self) -> list[int]:
        """How many publications each reader has got."""
        return [len(each) for each in self.received]

    def close(self) -> None:
        self._call(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)
        self._loop.close()

    # The thread

    def _call(self, coroutine: Coroutine[Any, Any, None]) -> None:
        bounded = asyncio.wait_for(coroutine, CALL_SECONDS)
        asyncio.run_coroutine_threadsafe(bounded, self._loop).result()

    async def _join(self) -> None:
        publisher = await self._connect()
        self._publisher = publisher
        self._replies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._read(publisher, self._replies.put_nowait)
        for received in self.received:
            reader = await self._connect()
            await self._command(reader, "subscribe", {"channel": self._topic})
            self._read(reader, lambda push, into=received: into.append(_publication(push)))

    async def _connect(self) -> ClientConnection:
        connection = await connect(
            self._url, ssl=self._context, proxy=None, ping_interval=None, open_timeout=CALL_SECONDS
        )
        self._connections.append(connection)
        await self._command(connection, "connect", {})
        return connection

    async def _command(self, connection: ClientConnection, method: str, value: Any) -> None:
        await connection.send(json.dumps({"id": next(self._commands), method: value}))
        reply = {}
        while not reply:
            reply = json.loads(await connection.recv())
            if not reply:
                # The first ping comes at any time.
                await connection.send("{}")
        assert method in reply, reply

    def _read(self, connection: ClientConnection, take: Callable[[dict[str, Any]], None]) -> None:
        async def read() -> None:
            async for message in connection:
                for line in message.splitlines():
                    if line == "{}":
                        await connection.send("{}")
                    else:
                        take(json.loads(line))

        self._reading.append(asyncio.create_task(read()))

    async def _publish(self, count: int, padding: int) -> None:
        end = self.published + count
        while self.published < end:
            batch = min(end - self.published, PUBLISHED_AT_ONCE)
            for _ in range(batch):
                self.published += 1
                data = {"number": self.published, "padding": "x" * padding}
                command = {"channel": self._topic, "data": data}
                text = json.dumps({"id": next(self._commands), "publish": command})
                await self._publisher.send(text)
            for _ in range(batch):
                reply = await self._replies.get()
                assert "publish" in reply, reply

    async def _leave(self) -> None:
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        await asyncio.gather(*(each.close() for each in self._connections))


def _publication(push: dict[str, Any]) -> tuple[int, int]:
    publication = push["push"]["pub"]
    return publication["offset"], publication["data"]["number"]


def _is_contiguous(received: list[tuple[int, int]]) -> bool:
    return all(later[0] == earlier[0] + 1 for earlier, later in itertools.pairwise(received))
