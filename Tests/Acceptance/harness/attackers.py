"""Clients of the client protocol that ask for as much as they can, from addresses of their own."""

import contextlib
import itertools
import json
import socket
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from .crowd import (
    CLOSE_FRAME,
    PONG_FRAME,
    UPGRADE,
    BareSubscriber,
    connect,
    masked,
    read_head,
)

# Of one message; a client's may have a mebibyte, `masked` can write this much.
MESSAGE_BYTES_MAX = 60_000
DEFLATE = UPGRADE[:-2] + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
# First byte of a frame that begins a compressed text message and does not end it (RFC 7692 §6.1).
UNFINISHED_COMPRESSED_FRAME = 0x41
ACCEPTED = "accepted"

One = TypeVar("One")


def address(number: int) -> str:
    """The source address of an attacker: 127.1.0.1, 127.1.0.2 …, 127.1.1.1 …"""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


class Attacker:
    """A connected client that counts what becomes of its commands."""

    def __init__(self, port: int, number: int = 0, token: str = "") -> None:
        self._socket = connect(port, address(number))
        self._socket.sendall(UPGRADE)
        head = read_head(self._socket)
        assert head.startswith(b"HTTP/1.1 101 "), head
        self._frames = BareSubscriber(self._socket).frames()
        self._ids = itertools.count(1)
        self.close_code: int | None = None
        self.replies: list[dict[str, Any]] = []
        self.outcomes: Counter[Any] = Counter()
        self.ask([{"connect": {"token": token} if token else {}}])

    def ask(self, commands: Iterable[dict[str, Any]]) -> Counter[Any]:
        """Sends them, waits for all replies, and counts which were accepted, or got which error.

        What is asked of a connection that the hub has closed counts as its close code.
        """
        found: Counter[Any] = Counter()
        for message, count in self._messages(commands):
            found += self._ask(message, count)
        self.outcomes += found
        return found

    def close(self) -> None:
        self._socket.close()

    def _messages(self, commands: Iterable[dict[str, Any]]) -> Iterator[tuple[str, int]]:
        """Commands joined to messages that are as long as they may be."""
        lines: list[str] = []
        for command in commands:
            line = json.dumps({"id": next(self._ids), **command})
            if lines and sum(map(len, lines)) + len(lines) + len(line) > MESSAGE_BYTES_MAX:
                yield "\n".join(lines), len(lines)
                lines = []
            lines.append(line)
        if lines:
            yield "\n".join(lines), len(lines)

    def _ask(self, message: str, count: int) -> Counter[Any]:
        found: Counter[Any] = Counter()
        try:
            if self.close_code is None:
                self._socket.sendall(masked(message))
                self.replies = []
            while self.close_code is None and found.total() < count:
                for reply in self._next():
                    error = reply.get("error")
                    found[error["code"] if error else ACCEPTED] += 1
                    self.replies.append(reply)
        except (OSError, StopIteration):
            self.close_code = self.close_code or 0
        found[self.close_code] += count - found.total()
        return +found

    def _next(self) -> list[dict[str, Any]]:
        """The replies of the next frame."""
        kind, payload = next(self._frames)
        if kind == CLOSE_FRAME:
            self.close_code = int.from_bytes(payload[:2], "big")
            return []
        messages = [json.loads(line) for line in payload.splitlines()]
        if {} in messages:
            self._socket.sendall(masked("{}"))
        return [each for each in messages if "id" in each]


class Attackers:
    """Many of them, each from an address of its own unless there are more than addresses."""

    def __init__(self, port: int, count: int, *, addresses: int, tokens: Any = None) -> None:
        self.all: list[Attacker] = []
        try:
            for number in range(count):
                token = tokens(number) if tokens else ""
                self.all.append(Attacker(port, number % addresses, token))
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        for each in self.all:
            each.close()
        self.all = []


@contextlib.contextmanager
def attacking(
    attack: Callable[[One, threading.Event], None], attackers: Iterable[One]
) -> Iterator[None]:
    """Runs `attack` for each attacker in a thread of its own while the block runs.

    The event is set at the end of the block, which then waits for all threads: an attack that
    repeats itself looks at it each time.
    """
    is_over = threading.Event()
    threads = [
        threading.Thread(target=attack, args=(each, is_over), daemon=True) for each in attackers
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def unfinished_message(inflated_bytes: int) -> bytes:
    """A frame that is short and inflates to so many bytes, of a message that does not end."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = compressor.compress(b"x" * inflated_bytes) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return masked(text, UNFINISHED_COMPRESSED_FRAME)


def is_answering(client: socket.socket, ping: bytes) -> bool:
    """Whether the hub answers a ping, and so has read what came before; else it has ended it."""
    try:
        client.sendall(ping)
        for kind, _ in BareSubscriber(client).frames():
            if kind == CLOSE_FRAME:
                return False
            if kind == PONG_FRAME:
                return True
    except OSError:
        pass
    return False
