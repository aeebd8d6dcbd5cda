"""Subscribers by the thousand that come back with their position, and compare what they are told.

A seat is one subscriber: it connects, resumes, reads, and takes its place again when the hub is
gone. All seats of a process share a `TopicRecord` for each topic. Who sees a publication first
writes it down there; everybody after that has to see the same at the same offset. A WebSocket that
gets the very bytes that are written down is done with them after one comparison: that is what lets
one process read tens of thousands of messages a second.

Nothing here does I/O except on the socket that the seat owns; `listeners.py` waits for all of them.
"""

import json
import random
import socket
from collections.abc import Callable
from typing import Any

from .crowd import CLOSE_FRAME, TEXT_FRAME, UPGRADE, masked

RECEIVE_BYTES = 1 << 18
# A hub that is away is back in a moment; a thousand clients that ask all the time would delay it.
RETURN_SECONDS = (0.02, 0.2)
PONG = masked("{}")


class TopicRecord:
    """What the seats of one process have been told about a topic, by offset less one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.epoch = ""
        self.numbers: list[int | None] = []
        # The frame that a WebSocket got with it; empty while only others have seen it.
        self.frames: list[bytes] = []

    def problem(self, offset: int, number: int | None, frame: bytes) -> str:
        """Writes a publication down, or says what contradicts it."""
        if offset > len(self.numbers) + 1:
            return f"{self.name}: offset {offset} when {len(self.numbers)} was the newest"
        if offset == len(self.numbers) + 1:
            self.numbers.append(number)
            self.frames.append(frame)
        elif self.numbers[offset - 1] != number:
            return f"{self.name}: offset {offset} is {number} and {self.numbers[offset - 1]}"
        elif frame:
            self.frames[offset - 1] = frame
        return ""


class Seat:
    """One subscriber. A subclass says what it asks for and how it reads the answer."""

    def __init__(self, port: int, complain: Callable[[str], None]) -> None:
        self.is_open = False
        # When it lost its place; none while it has it, and before it had one.
        self.lost_at: float | None = None
        # From each loss until it had its place again and was told that nothing is missing.
        self.absences: list[float] = []
        self.socket: socket.socket | None = None
        self._port = port
        self._complain = complain
        self._unread = b""
        self._has_head = False

    # What `listeners.py` calls

    def connect(self) -> socket.socket:
        self._unread, self._has_head = b"", False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect_ex(("127.0.0.1", self._port))
        return self.socket

    def connected(self) -> bool:
        """Whether it worked; then the request is on its way."""
        assert self.socket
        if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
            return False
        self.socket.send(self.request())
        return True

    def readable(self, now: float) -> bool:
        """Whether the connection is still there."""
        assert self.socket
        try:
            part = self.socket.recv(RECEIVE_BYTES)
            if part:
                self._unread = self._unread + part if self._unread else part
                if not self._has_head and not self._take_head():
                    return True
                self.take(now)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return bool(part)

    def lose(self, now: float) -> float:
        """Gives the connection up; returns when to come back."""
        if self.socket:
            self.socket.close()
            self.socket = None
        if self.is_open:
            self.is_open = False
            self.lost_at = now
        return now + random.uniform(*RETURN_SECONDS)

    @property
    def counts(self) -> dict[str, int]:
        """How many publications of each topic it has got."""
        raise NotImplementedError

    # What a subclass says

    def request(self) -> bytes:
        raise NotImplementedError

    def take(self, now: float) -> None:
        """Reads what is whole in `_unread` and leaves the rest."""
        raise NotImplementedError

    def accepted(self) -> None:
        """After the head of the answer."""

    # Shared

    status = b""

    def _take_head(self) -> bool:
        head, mark, rest = self._unread.partition(b"\r\n\r\n")
        if not mark:
            return False
        self._unread, self._has_head = rest, True
        if head.startswith(self.status):
            self.accepted()
            return True
        # A hub that turns clients away while it comes up asks for another try.
        if not head.startswith(b"HTTP/1.1 503 "):
            self._complain(f"answered {head!r}")
        raise ConnectionAbortedError

    def _found(self, now: float) -> None:
        self.is_open = True
        if self.lost_at is not None:
            self.absences.append(now - self.lost_at)
            self.lost_at = None


class WebSocketSeat(Seat):
    """Subscribes to one topic in the client protocol."""

    status = b"HTTP/1.1 101 "

    def __init__(
        self,
        port: int,
        complain: Callable[[str], None],
        record: TopicRecord,
        token: str = "",
        number: tuple[str, ...] = ("number",),
    ) -> None:
        """`number` leads through a publication's data to its number, if it has one."""
        super().__init__(port, complain)
        self._record = record
        self._connect = {"token": token} if token else {}
        self._number = number
        self._offset = 0

    @property
    def counts(self) -> dict[str, int]:
        return {self._record.name: self._offset}

    def request(self) -> bytes:
        return UPGRADE

    def accepted(self) -> None:
        assert self.socket
        subscribe: dict[str, Any] = {"channel": self._record.name}
        if self._record.epoch:
            subscribe |= {"recover": True, "epoch": self._record.epoch, "offset": self._offset}
        commands = [{"id": 1, "connect": self._connect}, {"id": 2, "subscribe": subscribe}]
        self.socket.send(masked("\n".join(json.dumps(each) for each in commands)))

    def take(self, now: float) -> None:
        unread, start, end = self._unread, 0, len(self._unread)
        frames = self._record.frames
        while end - start >= 2:
            body, length = start + 2, unread[start + 1]
            if length >= 126:
                body += 2 if length == 126 else 8
                if body > end:
                    break
                length = int.from_bytes(unread[start + 2 : body], "big")
            if body + length > end:
                break
            frame = unread[body : body + length]
            kind, start = unread[start], body + length
            # The next publication, as somebody here has got it already.
            if self._offset < len(frames) and frames[self._offset] == frame:
                self._offset += 1
            else:
                self._take_frame(kind, frame, now)
        self._unread = unread[start:]

    def _take_frame(self, kind: int, frame: bytes, now: float) -> None:
        if kind == CLOSE_FRAME:
            raise ConnectionAbortedError
        if kind != TEXT_FRAME:
            self._complain(f"a frame that begins with {kind:#x}")
            return
        lines = frame.split(b"\n")
        for line in lines:
            message = json.loads(line)
            if not message:
                assert self.socket
                self.socket.send(PONG)
            elif "push" in message:
                is_alone = len(lines) == 1
                self._take_push(message["push"], frame if is_alone else b"")
            elif "error" in message:
                self._complain(f"answered {message}")
                raise ConnectionAbortedError
            elif "subscribe" in message:
                self._take_reply(message["subscribe"], now)

    def _take_push(self, push: dict[str, Any], frame: bytes) -> None:
        if push["channel"] != self._record.name or "pub" not in push:
            self._complain(f"{self._record.name} got {push}")
        else:
            self._take_publication(push["pub"], frame)

    def _take_reply(self, reply: dict[str, Any], now: float) -> None:
        record = self._record
        record.epoch = record.epoch or reply["epoch"]
        if reply["epoch"] != record.epoch:
            self._complain(f"{record.name}: epoch {reply['epoch']} after {record.epoch}")
        if reply.get("was_recovering") and not reply.get("recovered"):
            self._complain(f"{record.name}: a gap after {self._offset}: {reply}")
        if reply["offset"] != self._offset:
            self._complain(f"{record.name}: has {self._offset}, the hub says {reply['offset']}")
        for publication in reply.get("publications", []):
            self._take_publication(publication, b"")
        self._found(now)

    def _take_publication(self, publication: dict[str, Any], frame: bytes) -> None:
        offset, record = publication["offset"], self._record
        if offset != self._offset + 1:
            self._complain(f"{record.name}: offset {offset} after {self._offset}")
        number = publication["data"]
        for key in self._number:
            number = number.get(key) if number else None
        problem = record.problem(offset, number, frame)
        if problem:
            self._complain(problem)
        self._offset = max(offset, self._offset)


class EventStreamSeat(Seat):
    """Reads several topics in one event stream and resumes by its cursor."""

    status = b"HTTP/1.1 200 "

    def __init__(
        self, port: int, complain: Callable[[str], None], records: list[TopicRecord]
    ) -> None:
        super().__init__(port, complain)
        self._records = {record.name: record for record in records}
        self._counts = dict.fromkeys(self._records, 0)
        self._last_id = 0

    @property
    def counts(self) -> dict[str, int]:
        return self._counts

    def request(self) -> bytes:
        resume = f"Last-Event-ID: {self._last_id}\r\n" if self._last_id else ""
        target = f"/events?topics={','.join(self._records)}"
        return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{resume}\r\n".encode()

    def take(self, now: float) -> None:
        *blocks, self._unread = self._unread.split(b"\n\n")
        for block in blocks:
            fields = dict(line.partition(": ")[::2] for line in block.decode().splitlines())
            # It has its place from the first block on: `retry`, which comes even without an event.
            if not self.is_open:
                self._found(now)
            if "data" in fields:
                self._take_event(fields)
            elif "id" in fields:
                self._last_id = int(fields["id"])

    def _take_event(self, fields: dict[str, str]) -> None:
        topic, cursor = fields["event"], int(fields["id"])
        if topic not in self._records:
            # `gap` above all: nothing is evicted here, so there must be none.
            self._complain(f"event {fields}")
            return
        if cursor <= self._last_id:
            self._complain(f"{topic}: cursor {cursor} after {self._last_id}")
        self._last_id = cursor
        self._counts[topic] += 1
        number = json.loads(fields["data"])["number"]
        problem = self._records[topic].problem(self._counts[topic], number, b"")
        if problem:
            self._complain(f"event stream: {problem}")
