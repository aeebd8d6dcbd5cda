"""Clients by the thousand: bare sockets that say little, and read only when the test does."""

import json
import resource
import socket
import ssl
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

# No client waits longer for the hub.
SOCKET_SECONDS = 30.0
# Few enough for the kernel to find a free port at once.
CONNECTIONS_PER_ADDRESS = 1000
# Of the test itself: its files, pipes and other clients.
DESCRIPTORS_KEPT = 200
# With the segments of loopback, 64 KiB, the kernel would keep megabytes between the hub and each
# client that does not read. This is what a client far away has.
SEGMENT_BYTES = 1400
# First bytes of frames that are whole messages.
TEXT_FRAME, CLOSE_FRAME, PING_FRAME, PONG_FRAME = 0x81, 0x88, 0x89, 0x8A
# A subscription that the hub ends with such a code is to be begun again.
RESUBSCRIBES_FROM = 2500

UPGRADE = (
    b"GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n"
)


def need_descriptors(count: int) -> None:
    """Lets this process open so many and some more, or skips the test."""
    needed = count + DESCRIPTORS_KEPT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.skip(f"needs {needed} open files, may have {hard}")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def connect(port: int, address: str = "127.0.0.1", *, receive_bytes: int = 0) -> socket.socket:
    """A connection from one of this machine's own addresses.

    With `receive_bytes` its buffer is small, so that it soon takes nothing when nobody reads.
    """
    client = socket.socket()
    try:
        client.settimeout(SOCKET_SECONDS)
        if receive_bytes:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
        client.bind((address, 0))
        client.connect(("127.0.0.1", port))
    except BaseException:
        client.close()
        raise
    return client


class Crowd:
    """Many connections, from as many addresses as needed, which leave together."""

    def __init__(self, port: int, per_address: int = CONNECTIONS_PER_ADDRESS) -> None:
        self._port = port
        self._per_address = per_address
        self.clients: list[socket.socket] = []

    def join(
        self, count: int, first: bytes = b"", *, receive_bytes: int = 0
    ) -> list[socket.socket]:
        """Adds connections that send `first` and nothing more; returns them."""
        joined = []
        for _ in range(count):
            # 127.0.1.1, 127.0.1.2 …: nobody else comes from there.
            number = len(self.clients) // self._per_address
            address = f"127.0.{number // 250 + 1}.{number % 250 + 1}"
            client = connect(self._port, address, receive_bytes=receive_bytes)
            self.clients.append(client)
            joined.append(client)
            if first:
                client.sendall(first)
        return joined

    def leave(self) -> None:
        for client in self.clients:
            client.close()
        self.clients = []


def read_to_end(client: socket.socket) -> bytes:
    """Everything that has come and comes until the hub ends the connection."""
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def read_head(client: socket.socket) -> bytes:
    """The head of a response; byte by byte, to leave in the socket what follows it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = client.recv(1)
        assert byte, f"the connection ended after {head!r}"
        head += byte
    return head


def client_hello() -> bytes:
    """What a TLS client says first."""
    outgoing = ssl.MemoryBIO()
    context = ssl.create_default_context()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


@dataclass
class Told:
    """What a subscriber got of a topic in one go."""

    offsets: list[int] = field(default_factory=list)
    # Positions that it asked to go on from, and was told that something after them is missing.
    gaps: list[int] = field(default_factory=list)
    # Offsets that came after a hole which nobody had told it of.
    untold_gaps: list[int] = field(default_factory=list)


class BareSubscriber:
    """Subscribes to a topic over a connection, and then reads only when told."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._unread = b""
        self._position = 0
        self._epoch = ""
        # The hub's name for it.
        self.client = ""
        # Of the close frame; None when there was none.
        self.close_code: int | None = None

    def subscribe(self, topic: str, **position: Any) -> dict[str, Any]:
        """Makes the connection a WebSocket, subscribes, and returns the hub's reply."""
        self._client.sendall(UPGRADE)
        head = read_head(self._client)
        assert head.startswith(b"HTTP/1.1 101 "), head
        commands = [
            {"id": 1, "connect": {}},
            {"id": 2, "subscribe": {"channel": topic, **position}},
        ]
        self._client.sendall(masked("\n".join(json.dumps(each) for each in commands)))
        for reply in self._messages():
            if reply.get("id") == 1:
                self.client = reply["connect"]["client"]
            if reply.get("id") == 2:
                accepted = reply["subscribe"]
                self._epoch, self._position = accepted["epoch"], accepted["offset"]
                return accepted
        raise AssertionError(f"no reply to subscribe, but the end after {self._unread!r}")

    def offsets_to_end(self) -> list[int]:
        """The offsets of the publications that came, up to the end of the connection."""
        pushes = [message for message in self._messages() if "push" in message]
        return [push["push"]["pub"]["offset"] for push in pushes]

    def read_until_offset(self, topic: str, offset: int) -> Told:
        """Everything up to that publication. Where the hub ends the subscription for want of what
        was missed, it subscribes again from where it is, as every client does."""
        told = Told()
        messages = self._messages()
        while self._position < offset:
            message = next(messages)
            push = message.get("push", {})
            if push.get("unsubscribe", {}).get("code", 0) >= RESUBSCRIBES_FROM:
                position = {"recover": True, "epoch": self._epoch, "offset": self._position}
                command = {"id": 3, "subscribe": {"channel": topic, **position}}
                self._client.sendall(masked(json.dumps(command)))
            elif "pub" in push:
                self._take(push["pub"]["offset"], told)
            elif "subscribe" in message:
                reply = message["subscribe"]
                if not reply.get("recovered"):
                    told.gaps.append(self._position)
                if not reply.get("recovered"):
                    self._position = reply["offset"]
                for publication in reply.get("publications", []):
                    self._take(publication["offset"], told)
            else:
                assert not message, message
        return told

    def _take(self, offset: int, told: Told) -> None:
        if offset != self._position + 1:
            told.untold_gaps.append(offset)
        told.offsets.append(offset)
        self._position = offset

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """First byte and payload of each frame, up to the end of the connection."""
        while True:
            while frame := self._next_frame():
                yield frame
            try:
                part = self._client.recv(1 << 18)
            except ConnectionResetError:
                return
            if not part:
                return
            self._unread += part

    def _messages(self) -> Iterator[dict[str, Any]]:
        """Up to the end of the connection. Pings are answered, and are empty messages."""
        for kind, payload in self.frames():
            if kind == CLOSE_FRAME:
                self.close_code = int.from_bytes(payload[:2], "big")
                return
            # The hub's frames are not masked, and its messages not in fragments.
            for line in payload.splitlines():
                message = json.loads(line)
                if not message:
                    self._client.sendall(masked("{}"))
                yield message

    def _next_frame(self) -> tuple[int, bytes] | None:
        """The first byte and the payload of the next frame; none when it is not all here."""
        if len(self._unread) < 2:
            return None
        start, length = 2, self._unread[1]
        if length > 125:
            start = 4 if length == 126 else 10
            if len(self._unread) < start:
                return None
            length = int.from_bytes(self._unread[2:start], "big")
        if len(self._unread) < start + length:
            return None
        kind, payload = self._unread[0], self._unread[start : start + length]
        self._unread = self._unread[start + length :]
        return kind, payload


def masked(text: str | bytes, first: int = TEXT_FRAME) -> bytes:
    """A frame of a client, by default of text. Its masking key is 0, as it may be."""
    payload = text.encode() if isinstance(text, str) else text
    assert len(payload) < 1 << 16
    if len(payload) < 126:
        head = struct.pack(">BB", first, 0x80 | len(payload))
    else:
        head = struct.pack(">BBH", first, 0x80 | 126, len(payload))
    return head + bytes(4) + payload
