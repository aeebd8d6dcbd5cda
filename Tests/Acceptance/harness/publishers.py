"""A process full of publishers: `python -m harness.publishers`, told what to do in lines of JSON.

`{"port":…,"topics":[…],"rate":…,"through":"api"|"client","key":…}` is the first line. Each topic
has one publisher, which numbers its publications 1, 2, 3 … and has one on its way at a time.
`{"ask":"state"}` is answered with what was acknowledged; `{"ask":"stop"}` too, when the last is
settled.

Through the server API a publication that was not acknowledged is sent again, with the same
idempotency key, until it is. The client protocol has no such key: a publication whose connection
broke may have been committed or not, so it is given up and never sent again.
"""

import asyncio
import json
import sys
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

# A hub that is away is back in a moment.
RETRY_SECONDS = 0.05
ANSWER_SECONDS = 20.0


class Refused(Exception):
    """The hub has said no, and would say no again."""


class APIPublisher:
    """Publishes through `POST /api/publish` over one connection."""

    retries = True

    def __init__(self, port: int, topic: str, key: str) -> None:
        self._port, self._topic, self._key = port, topic, key
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def publish(self, number: int, **fields: Any) -> int:
        """Returns the offset that it was given."""
        body = json.dumps(
            {
                "channel": self._topic,
                "data": {"number": number},
                "idempotency_key": f"{self._topic}-{number}",
                **fields,
            }
        )
        head = (
            "POST /api/publish HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"X-API-Key: {self._key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        if not self._streams:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write((head + body).encode())
        status, answer = await self._read(reader)
        if status in (429, 503) or answer.get("error", {}).get("code") in (100, 111):
            raise ConnectionError(f"not now: {status} {answer}")
        if status != 200 or "result" not in answer:
            raise Refused(f"{status} {answer}")
        return int(answer["result"]["offset"])

    def drop(self) -> None:
        if self._streams:
            self._streams[1].close()
            self._streams = None

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].partition("\r\n")[0])
        body = await reader.readexactly(length)
        status = int(head.split()[1])
        return status, json.loads(body) if "application/json" in head else {"text": body.decode()}


class ClientPublisher:
    """Publishes as a client over one WebSocket."""

    retries = False

    def __init__(self, port: int, topic: str, _: str) -> None:
        self._url = f"ws://127.0.0.1:{port}/connection/websocket"
        self._topic = topic
        self._connection: ClientConnection | None = None

    async def publish(self, number: int) -> int:
        """Returns 0: the client protocol does not say which offset it was given."""
        if not self._connection:
            self._connection = await connect(
                self._url, proxy=None, compression=None, ping_interval=None
            )
            await self._command({"id": 1, "connect": {}})
        command = {"channel": self._topic, "data": {"number": number}}
        await self._command({"id": number + 1, "publish": command})
        return 0

    def drop(self) -> None:
        if self._connection:
            self._connection.transport.abort()
            self._connection = None

    async def _command(self, command: dict[str, Any]) -> None:
        assert self._connection
        await self._connection.send(json.dumps(command))
        while True:
            reply = json.loads(await self._connection.recv())
            if not reply:
                await self._connection.send("{}")
            elif reply.get("id") == command["id"]:
                if "error" in reply and reply["error"].get("temporary"):
                    raise ConnectionError(f"not now: {reply}")
                if "error" in reply:
                    raise Refused(str(reply))
                return


Publisher = APIPublisher | ClientPublisher


class Publishers:
    def __init__(self, order: dict[str, Any]) -> None:
        kinds: dict[str, type[Publisher]] = {"api": APIPublisher, "client": ClientPublisher}
        kind = kinds[order["through"]]
        self._publishers: dict[str, Publisher] = {
            topic: kind(order["port"], topic, order["key"]) for topic in order["topics"]
        }
        self._pause = len(self._publishers) / order["rate"]
        self._is_stopping = asyncio.Event()
        self._acknowledged: dict[str, list[int]] = {topic: [] for topic in self._publishers}
        self._unacknowledged = 0
        self._problems: list[str] = []

    async def run(self) -> None:
        publishing = [
            asyncio.create_task(self._publish(topic, self._pause * index / len(self._publishers)))
            for index, topic in enumerate(self._publishers)
        ]
        while question := await asyncio.to_thread(sys.stdin.readline):
            if json.loads(question)["ask"] == "stop":
                self._is_stopping.set()
                await asyncio.gather(*publishing)
            answer = {
                "acknowledged": self._acknowledged,
                "unacknowledged": self._unacknowledged,
                "complaints": self._problems,
            }
            print(json.dumps(answer), flush=True)

    async def _publish(self, topic: str, delay: float) -> None:
        """One after the other, as many in a second as ordered; what was held up is made up for."""
        publisher, number, due = self._publishers[topic], 0, time.monotonic() + delay
        while not await self._stops_before(due):
            number, due = number + 1, due + self._pause
            while not await self._is_settled(publisher, topic, number):
                publisher.drop()
                self._unacknowledged += 1
                await asyncio.sleep(RETRY_SECONDS)
                if not publisher.retries:
                    break
        publisher.drop()

    async def _is_settled(self, publisher: Publisher, topic: str, number: int) -> bool:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                offset = await publisher.publish(number)
        except Refused as refused:
            self._problems.append(f"{topic} {number}: {refused}")
            # Nothing good can come of going on.
            self._is_stopping.set()
            return True
        except (OSError, EOFError, TimeoutError, WebSocketException):
            return False
        self._acknowledged[topic].append(number)
        if offset not in (0, number):
            self._problems.append(f"{topic} {number} has offset {offset}")
        return True

    async def _stops_before(self, due: float) -> bool:
        try:
            async with asyncio.timeout(max(0.0, due - time.monotonic())):
                await self._is_stopping.wait()
        except TimeoutError:
            pass
        return self._is_stopping.is_set()


if __name__ == "__main__":
    asyncio.run(Publishers(json.loads(sys.stdin.readline())).run())
