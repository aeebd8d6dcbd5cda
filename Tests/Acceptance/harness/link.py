"""A TCP proxy between a node and its database server, which fails as networks do.

Faults hold for connections that exist and for later ones, until `heal`.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum
from typing import Any

from .frontend_messages import FrontendMessages
from .ports import free_port

CHUNK_BYTES = 1 << 16
CALL_SECONDS = 10.0
COMMIT = "COMMIT"
# Closing with this sends RST.
NO_LINGER = struct.pack("ii", 1, 0)


class Direction(Enum):
    TO_SERVER = "to the server"
    TO_CLIENT = "to the client"


BOTH = frozenset(Direction)


class _Pair:
    """A connection of the client, and the one to the server that belongs to it."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.writers = {Direction.TO_SERVER: server, Direction.TO_CLIENT: client}
        self.is_silent = False
        self.has_lost_bytes = False
        # For a trap: what the client executes, and whether it has sent the marker.
        self.messages = FrontendMessages()
        self.has_marker = False

    def reset(self) -> None:
        for writer in self.writers.values():
            _reset(writer)


class Trap:
    """Waits for the commit of a transaction that contains some bytes, and breaks its connection."""

    def __init__(self, marker: bytes, passes: bool) -> None:
        self.marker = marker
        self.passes = passes
        self.has_sprung = threading.Event()


class Link:
    """Listens on a port of its own, and passes bytes to and from the port `target`."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = free_port()
        self.lost_byte_count = 0
        self._pairs: set[_Pair] = set()
        self._is_cut = False
        self._swallowed: frozenset[Direction] = frozenset()
        self._held: frozenset[Direction] = frozenset()
        self._delay_seconds = 0.0
        self._trap: Trap | None = None
        self._loop = asyncio.new_event_loop()
        self._healed = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(
            CALL_SECONDS
        )

    # Faults

    def reset(self) -> None:
        """Breaks every connection; the client can make others at once."""
        self._call(self._reset_pairs)

    def cut(self) -> None:
        """Breaks every connection, and refuses others."""

        def apply() -> None:
            self._is_cut = True
            self._reset_pairs()

        self._call(apply)

    def swallow(self, directions: frozenset[Direction] = BOTH) -> None:
        """Drops bytes. `heal` breaks the connections that have lost some."""

        def apply() -> None:
            self._swallowed = directions

        self._call(apply)

    def hold(self, directions: frozenset[Direction] = BOTH) -> None:
        """Keeps bytes until `heal`, as TCP does in a partition that is over soon."""

        def apply() -> None:
            self._held = directions
            self._healed.clear()

        self._call(apply)

    def delay(self, seconds: float) -> None:
        """Each chunk in each direction is late."""

        def apply() -> None:
            self._delay_seconds = seconds

        self._call(apply)

    def trap(self, marker: bytes, *, passes: bool) -> Trap:
        """Breaks the connection that sends `marker` to the server when it sends the next COMMIT.

        With `passes` the server receives the COMMIT, and the client no answer until `heal` breaks
        the connection. Otherwise the connection breaks at once, and the server receives no COMMIT.
        """
        trap = Trap(marker, passes)

        def apply() -> None:
            self._trap = trap

        self._call(apply)
        return trap

    def heal(self) -> None:
        def apply() -> None:
            self._is_cut, self._swallowed, self._held = False, frozenset(), frozenset()
            self._delay_seconds, self._trap = 0.0, None
            self._healed.set()
            for pair in [pair for pair in self._pairs if pair.has_lost_bytes or pair.is_silent]:
                pair.reset()

        self._call(apply)

    def close(self) -> None:
        if not self._loop.is_running():
            return

        def apply() -> None:
            self._server.close()
            self._is_cut = True
            self._healed.set()
            self._reset_pairs()

        self._call(apply)
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(CALL_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)
        self._loop.close()

    # The loop's thread

    def _call(self, function: Callable[[], Any]) -> None:
        done: Future[None] = Future()

        def run() -> None:
            try:
                function()
                done.set_result(None)
            except Exception as error:
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        done.result(CALL_SECONDS)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _reset_pairs(self) -> None:
        for pair in list(self._pairs):
            pair.reset()

    async def _accept(
        self, client_reader: asyncio.StreamReader, client: asyncio.StreamWriter
    ) -> None:
        if self._is_cut:
            return _reset(client)
        try:
            server_reader, server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return _reset(client)
        pair = _Pair(client, server)
        if self._is_cut:
            return pair.reset()
        self._pairs.add(pair)
        try:
            await asyncio.gather(
                self._pass(pair, Direction.TO_SERVER, client_reader),
                self._pass(pair, Direction.TO_CLIENT, server_reader),
            )
        except asyncio.CancelledError:
            pass  # The link ends.
        finally:
            self._pairs.discard(pair)
            pair.reset()

    async def _pass(
        self, pair: _Pair, direction: Direction, reader: asyncio.StreamReader
    ) -> None:
        writer = pair.writers[direction]
        try:
            while chunk := await reader.read(CHUNK_BYTES):
                if self._delay_seconds:
                    await asyncio.sleep(self._delay_seconds)
                if direction in self._held:
                    await self._healed.wait()
                if direction is Direction.TO_SERVER and not self._passes_trap(pair, chunk):
                    return pair.reset()
                is_silent = pair.is_silent and direction is Direction.TO_CLIENT
                if direction in self._swallowed or is_silent:
                    pair.has_lost_bytes = True
                    self.lost_byte_count += len(chunk)
                    continue
                writer.write(chunk)
                await writer.drain()
            writer.write_eof()
        except (OSError, RuntimeError):
            # The other direction may still wait for its peer.
            pair.reset()

    def _passes_trap(self, pair: _Pair, chunk: bytes) -> bool:
        statements = pair.messages.take(chunk)
        trap = self._trap
        if not trap:
            return True
        pair.has_marker = pair.has_marker or trap.marker in chunk
        if not pair.has_marker or COMMIT not in statements:
            return True
        self._trap = None
        pair.is_silent = trap.passes
        trap.has_sprung.set()
        return trap.passes


def _reset(writer: asyncio.StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    if connection is not None and not writer.transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    writer.transport.abort()
