"""Many clients that come and go on a thread, and the events about them as their logs."""

import asyncio
import json
import threading
from collections import defaultdict
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from .tokens import connection_token

CALL_SECONDS = 60.0
RETURN_SECONDS = 0.05

Subject = tuple[str, str, str]
ARRIVALS = ("hub.client.connected", "hub.user.online", "hub.topic.occupied", "hub.member.joined")


class Visitors:
    """Clients by name, each with a user and topics. One that is wanted comes back by itself."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._present: dict[str, asyncio.Event] = {}

    def come(self, name: str, port: int, user: str, topics: list[str]) -> None:
        self._loop.call_soon_threadsafe(self._start, name, port, user, topics)

    def go(self, name: str) -> None:
        self._loop.call_soon_threadsafe(self._leave, name)

    def wait(self, *names: str) -> None:
        """Until all of them are subscribed."""
        future = asyncio.run_coroutine_threadsafe(self._all(names), self._loop)
        future.result(CALL_SECONDS)

    def close(self) -> None:
        async def end() -> None:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(CALL_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)

    async def _all(self, names: tuple[str, ...]) -> None:
        for name in names:
            while name not in self._present:
                await asyncio.sleep(RETURN_SECONDS)
            await self._present[name].wait()

    def _start(self, name: str, port: int, user: str, topics: list[str]) -> None:
        self._present[name] = asyncio.Event()
        self._tasks[name] = self._loop.create_task(self._stay(name, port, user, topics))

    def _leave(self, name: str) -> None:
        self._tasks.pop(name).cancel()

    async def _stay(self, name: str, port: int, user: str, topics: list[str]) -> None:
        while True:
            try:
                address = f"ws://127.0.0.1:{port}/connection/websocket"
                async with connect(address, proxy=None, ping_interval=None) as socket:
                    await self._enter(socket, user, topics)
                    self._present[name].set()
                    async for message in socket:
                        if message == "{}":
                            await socket.send("{}")
            except (OSError, EOFError, Exception):  # noqa: BLE001
                pass
            self._present[name].clear()
            await asyncio.sleep(RETURN_SECONDS)

    @staticmethod
    async def _enter(socket: ClientConnection, user: str, topics: list[str]) -> None:
        token = connection_token(user) if user else ""
        commands = [{"id": 1, "connect": {"token": token} if token else {}}]
        commands += [
            {"id": index, "subscribe": {"channel": topic}} for index, topic in enumerate(topics, 2)
        ]
        for command in commands:
            await socket.send(json.dumps(command))
        missing = len(commands)
        while missing:
            for line in str(await socket.recv()).splitlines():
                answer = json.loads(line)
                if "error" in answer:
                    raise OSError(line)
                missing -= "id" in answer


def logs(events: list[dict[str, Any]]) -> dict[Subject, list[dict[str, Any]]]:
    """The events of each kind and subject, and of each user for members."""
    found: dict[Subject, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        kind = event["type"].split(".")[1]
        user = event["data"].get("user", "") if kind == "member" else ""
        found[(kind, event["subject"], user)].append(event)
    return found


def check_logs(events: list[dict[str, Any]]) -> dict[Subject, bool]:
    """Each alternates, is numbered without holes, and goes forward; who is there in the end."""
    ends = {}
    for subject, log in logs(events).items():
        arrivals = [event["type"] in ARRIVALS for event in log]
        assert arrivals == [index % 2 == 0 for index in range(len(log))], (subject, log)
        assert [event["data"]["sequence"] for event in log] == list(range(1, len(log) + 1)), (subject, log)
        times = [event["data"]["observed_at"] for event in log]
        assert times == sorted(times), (subject, log)
        ends[subject] = arrivals[-1]
    return ends
