"""The Centrifuge SDK for Python as an app uses it, with a record of what it reported."""

import asyncio
import ssl
import threading
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any

from centrifuge import Client, ClientEventHandler, SubscriptionEventHandler

CALL_SECONDS = 10.0


class SDKClient:
    """A connected client on a thread of its own. It reconnects and recovers as the SDK does;
    nothing here helps it."""

    def __init__(
        self, port: int, topics: list[str], ssl_context: ssl.SSLContext | None = None
    ) -> None:
        # By topic: offset and data of each publication, in the order in which they were reported.
        self.publications: dict[str, list[tuple[int, Any]]] = defaultdict(list)
        # By topic: the contexts of `on_subscribed`.
        self.subscribed: dict[str, list[Any]] = defaultdict(list)
        # By topic: the code of `on_unsubscribed`.
        self.unsubscribed: dict[str, int] = {}
        self.connected: list[str] = []
        # Codes and reasons of lost connections that the SDK wants to have back.
        self.connecting: list[tuple[int, str]] = []
        # Codes and reasons of connections that are over.
        self.disconnected: list[tuple[int, str]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        scheme = "wss" if ssl_context else "ws"
        self._address = f"{scheme}://127.0.0.1:{port}/connection/websocket"
        self._ssl_context = ssl_context
        self.call(self._connect())
        for topic in topics:
            self.subscribe(topic)

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Runs it on the SDK's loop; returns or raises what comes of it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(CALL_SECONDS)

    def subscribe(self, topic: str) -> None:
        """Begins; `subscribed` and `unsubscribed` tell what came of it."""
        self.call(self._subscribe(topic))

    def offsets(self, topic: str) -> list[int]:
        return [offset for offset, _ in self.publications[topic]]

    def close(self) -> None:
        if self._loop.is_running():
            self.call(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CALL_SECONDS)
            self._loop.close()

    async def _end(self) -> None:
        await self.client.disconnect()
        # The SDK says goodbye in tasks that nobody waits for.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=CALL_SECONDS / 2)

    async def _connect(self) -> None:
        self.client = Client(
            self._address,
            events=_ClientEvents(self),
            min_reconnect_delay=0.05,
            max_reconnect_delay=0.5,
            ssl_context=self._ssl_context,
            proxy=None,
        )
        await self.client.connect()
        await self.client.ready(CALL_SECONDS)

    async def _subscribe(self, topic: str) -> None:
        subscription = self.client.new_subscription(topic, events=_SubscriptionEvents(self, topic))
        await subscription.subscribe()


class _ClientEvents(ClientEventHandler):
    def __init__(self, record: SDKClient) -> None:
        self._record = record

    async def on_connecting(self, ctx: Any) -> None:
        self._record.connecting.append((ctx.code, ctx.reason))

    async def on_connected(self, ctx: Any) -> None:
        self._record.connected.append(ctx.client)

    async def on_disconnected(self, ctx: Any) -> None:
        self._record.disconnected.append((ctx.code, ctx.reason))


class _SubscriptionEvents(SubscriptionEventHandler):
    def __init__(self, record: SDKClient, topic: str) -> None:
        self._record = record
        self._topic = topic

    async def on_subscribed(self, ctx: Any) -> None:
        self._record.subscribed[self._topic].append(ctx)

    async def on_unsubscribed(self, ctx: Any) -> None:
        self._record.unsubscribed[self._topic] = ctx.code

    async def on_publication(self, ctx: Any) -> None:
        self._record.publications[self._topic].append((ctx.pub.offset, ctx.pub.data))
