"""The Centrifuge SDK for Python as an app uses it, with a record of what it reported."""

import asyncio
import json
import ssl
import threading
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any

from centrifuge import Client, ClientEventHandler, SubscriptionEventHandler

CALL_SECONDS = 10.0
# The SDK's code for what the app itself has asked for.
CALLED = 0


class SDKClient:
    """A client on a thread of its own. It reconnects and recovers as the SDK does; nothing here
    helps it.

    With `use_protobuf` the SDK takes and gives payloads in bytes; here they are values in either
    encoding. Other `options` are the SDK's.
    """

    def __init__(
        self,
        port: int,
        topics: list[str],
        ssl_context: ssl.SSLContext | None = None,
        *,
        use_protobuf: bool = False,
        until_connected: bool = True,
        **options: Any,
    ) -> None:
        # By topic: offset and data of each publication, in the order in which they were reported.
        self.publications: dict[str, list[tuple[int, Any]]] = defaultdict(list)
        # The same publications with everything that the SDK says of them, tags for instance.
        self.details: dict[str, list[Any]] = defaultdict(list)
        # By topic: the contexts of `on_subscribed`.
        self.subscribed: dict[str, list[Any]] = defaultdict(list)
        # By topic: the code of `on_unsubscribed`.
        self.unsubscribed: dict[str, int] = {}
        # By topic: codes and reasons of subscriptions that the SDK wants to have back.
        self.subscribing: dict[str, list[tuple[int, str]]] = defaultdict(list)
        # By topic: who came and who went.
        self.joined: dict[str, list[Any]] = defaultdict(list)
        self.left: dict[str, list[Any]] = defaultdict(list)
        # By topic: its own subscriptions, and who came and went, in the order of the reports.
        self.course: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        # Subscriptions that the hub has made.
        self.server_subscribed: dict[str, list[Any]] = defaultdict(list)
        self.server_unsubscribed: list[str] = []
        self.connected: list[str] = []
        # Codes and reasons of lost connections that the SDK wants to have back.
        self.connecting: list[tuple[int, str]] = []
        # Codes and reasons of connections that are over.
        self.disconnected: list[tuple[int, str]] = []
        # What the SDK found wrong with the connection or a subscription.
        self.errors: list[Exception] = []
        self._use_protobuf = use_protobuf
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        scheme = "wss" if ssl_context else "ws"
        self._address = f"{scheme}://127.0.0.1:{port}/connection/websocket"
        self._options = options | {"ssl_context": ssl_context, "use_protobuf": use_protobuf}
        self.call(self._connect(until_connected))
        for topic in topics:
            self.subscribe(topic)

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Runs it on the SDK's loop; returns or raises what comes of it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(CALL_SECONDS)

    def subscribe(self, topic: str, **options: Any) -> None:
        """Begins; `subscribed` and `unsubscribed` tell what came of it."""
        self.call(self._subscribe(topic, options))

    def unsubscribe(self, topic: str) -> None:
        self.call(self.client.get_subscription(topic).unsubscribe())

    def publish(self, topic: str, value: Any) -> None:
        self.call(self.client.publish(topic, self._encoded(value)))

    def rpc(self, method: str, value: Any) -> Any:
        return self.value(self.call(self.client.rpc(method, self._encoded(value))).data)

    def send(self, value: Any) -> None:
        """The protocol's `send`, for which the SDK has no method of its own."""
        data = self.client._encode_data(self._encoded(value))
        self.call(self.client._send_commands([{"send": {"data": data}}]))

    def value(self, payload: Any) -> Any:
        """What stands in a payload, of a publication or of somebody's info."""
        return json.loads(payload) if isinstance(payload, bytes) else payload

    def offsets(self, topic: str) -> list[int]:
        return [offset for offset, _ in self.publications[topic]]

    def values(self, topic: str) -> list[Any]:
        return [value for _, value in self.publications[topic]]

    def close(self) -> None:
        if self._loop.is_running():
            self.call(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CALL_SECONDS)
            self._loop.close()

    def _encoded(self, value: Any) -> Any:
        return json.dumps(value).encode() if self._use_protobuf else value

    async def _end(self) -> None:
        await self.client.disconnect()
        # The SDK says goodbye in tasks that nobody waits for.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=CALL_SECONDS / 2)

    async def _connect(self, until_connected: bool) -> None:
        self.client = Client(
            self._address,
            events=_ClientEvents(self),
            min_reconnect_delay=0.05,
            max_reconnect_delay=0.5,
            proxy=None,
            **self._options,
        )
        await self.client.connect()
        if until_connected:
            await self.client.ready(CALL_SECONDS)

    async def _subscribe(self, topic: str, options: dict[str, Any]) -> None:
        events = _SubscriptionEvents(self, topic)
        subscription = self.client.new_subscription(topic, events=events, **options)
        await subscription.subscribe()

    def _take(self, topic: str, publication: Any) -> None:
        self.details[topic].append(publication)
        self.publications[topic].append((publication.offset, self.value(publication.data)))


class _ClientEvents(ClientEventHandler):
    """The connection's, and those of subscriptions that the hub has made."""

    def __init__(self, record: SDKClient) -> None:
        self._record = record

    async def on_connecting(self, ctx: Any) -> None:
        if ctx.code != CALLED:
            self._record.connecting.append((ctx.code, ctx.reason))

    async def on_connected(self, ctx: Any) -> None:
        self._record.connected.append(ctx.client)

    async def on_disconnected(self, ctx: Any) -> None:
        self._record.disconnected.append((ctx.code, ctx.reason))

    async def on_error(self, ctx: Any) -> None:
        self._record.errors.append(ctx.error)

    async def on_subscribed(self, ctx: Any) -> None:
        self._record.server_subscribed[ctx.channel].append(ctx)

    async def on_unsubscribed(self, ctx: Any) -> None:
        self._record.server_unsubscribed.append(ctx.channel)

    async def on_publication(self, ctx: Any) -> None:
        self._record._take(ctx.channel, ctx.pub)


class _SubscriptionEvents(SubscriptionEventHandler):
    def __init__(self, record: SDKClient, topic: str) -> None:
        self._record = record
        self._topic = topic

    async def on_subscribing(self, ctx: Any) -> None:
        if ctx.code != CALLED:
            self._record.subscribing[self._topic].append((ctx.code, ctx.reason))

    async def on_subscribed(self, ctx: Any) -> None:
        self._record.subscribed[self._topic].append(ctx)
        self._record.course[self._topic].append(("subscribed", ctx))

    async def on_unsubscribed(self, ctx: Any) -> None:
        self._record.unsubscribed[self._topic] = ctx.code

    async def on_publication(self, ctx: Any) -> None:
        self._record._take(self._topic, ctx.pub)

    async def on_join(self, ctx: Any) -> None:
        self._record.joined[self._topic].append(ctx.info)
        self._record.course[self._topic].append(("joined", ctx.info))

    async def on_leave(self, ctx: Any) -> None:
        self._record.left[self._topic].append(ctx.info)
        self._record.course[self._topic].append(("left", ctx.info))

    async def on_error(self, ctx: Any) -> None:
        self._record.errors.append(ctx.error)
