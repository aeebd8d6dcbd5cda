"""A TCP proxy whose connections are slow, late, and cut at a byte or a moment, from one seed."""

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

CHUNK_BYTES = 1 << 16
CALL_SECONDS = 10.0
# A connection lasts for so long at most.
SECONDS_MAX = 0.15
# Closing with this sends RST.
NO_LINGER = struct.pack("ii", 1, 0)


@dataclass
class Weather:
    """What happens to one connection."""

    # It is cut when the client has been sent so many bytes, or after so many seconds.
    bytes_max: int | None = None
    seconds_max: float | None = None
    # The client is sent this much at once, and waits as long before each piece.
    piece_bytes: int = CHUNK_BYTES
    delay_seconds: float = 0.0


class Storm:
    """The weather of each connection of a link, from one seed: sooner or later each is cut."""

    def __init__(self, seed: int, reply_bytes: int) -> None:
        self._random = random.Random(seed)
        # About the length of what a client is sent when it returns.
        self._reply_bytes = reply_bytes

    def __call__(self) -> Weather:
        dice = self._random
        return Weather(
            bytes_max=dice.randrange(self._reply_bytes) if dice.random() < 0.5 else None,
            seconds_max=dice.random() * SECONDS_MAX,
            piece_bytes=dice.choice([CHUNK_BYTES, CHUNK_BYTES, 400, 90]),
            delay_seconds=dice.choice([0.0, 0.0, 0.001, 0.004]),
        )


class RoughLink:
    """Listens on `port`, and passes bytes to and from `target`, on the loop that enters it.

    It begins calm; then each connection has its own `weather`.
    """

    def __init__(self, target: int, weather: Callable[[], Weather]) -> None:
        self._target = target
        self._weather = weather
        self._is_calm = True
        self._writers: set[asyncio.StreamWriter] = set()
        self.cut_count = 0

    async def __aenter__(self) -> "RoughLink":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._reset()

    def begin(self) -> None:
        """Every connection is cut sooner or later, from now on."""
        self._is_calm = False
        self._reset()

    def calm(self) -> None:
        """Connections stay, and are fast, from now on."""
        self._is_calm = True
        self._reset()

    def _reset(self) -> None:
        for writer in list(self._writers):
            connection = writer.get_extra_info("socket")
            if connection is not None and not writer.transport.is_closing():
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        weather = Weather() if self._is_calm else self._weather()
        hub_reader, hub = await asyncio.open_connection("127.0.0.1", self._target)
        pair = {client, hub}
        self._writers |= pair
        passing = asyncio.gather(
            self._pass(reader, hub, Weather()), self._pass(hub_reader, client, weather)
        )
        try:
            with contextlib.suppress(OSError, TimeoutError):
                await asyncio.wait_for(passing, weather.seconds_max)
        finally:
            self._writers -= pair
            self.cut_count += weather != Weather()
            for writer in pair:
                writer.transport.abort()

    async def _pass(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, weather: Weather
    ) -> None:
        left = weather.bytes_max
        while chunk := await source.read(weather.piece_bytes):
            if weather.delay_seconds:
                await asyncio.sleep(weather.delay_seconds)
            if left is not None:
                sink.write(chunk[:left])
                left -= len(chunk)
            else:
                sink.write(chunk)
            await sink.drain()
            if left is not None and left <= 0:
                raise ConnectionAbortedError
        raise ConnectionAbortedError


class LinkOnThread:
    """A link for tests without a loop of their own; it is rough from the beginning."""

    def __init__(self, target: int, weather: Callable[[], Weather]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._link = RoughLink(target, weather)
        self._link.begin()
        self._call(self._link.__aenter__())

    @property
    def port(self) -> int:
        return int(self._link.port)

    def close(self) -> None:
        self._call(self._link.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)

    def _call(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(CALL_SECONDS)
