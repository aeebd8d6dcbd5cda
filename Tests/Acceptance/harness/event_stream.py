"""A reader of event streams that does what a browser's EventSource does (WHATWG HTML, 9.2)."""

import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field
from typing import Any

# The hub sends a comment every 15 s; a stream that is silent for longer is dead.
SILENCE_SECONDS = 30.0
# A browser waits as long as `retry` says; a test that restarts the hub twenty times can't.
RETURN_SECONDS = 0.05


@dataclass(frozen=True)
class StreamEvent:
    id: int
    topic: str
    data: str

    def json(self) -> Any:
        return json.loads(self.data)


class EventStreamParser:
    """Lines in, events out. An event that a broken connection cut off is not one."""

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry: int | None = None
        self.comment_count = 0
        self._id = last_id
        self._name = ""
        self._data: list[str] = []

    def take(self, line: str) -> StreamEvent | None:
        """Takes one line without its end."""
        if not line:
            return self._dispatch()
        if line.startswith(":"):
            self.comment_count += 1
            return None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value)
        return None

    def _dispatch(self) -> StreamEvent | None:
        # The id counts from the blank line on, with data or without.
        self.last_id = self._id
        name, data = self._name or "message", self._data
        self._name, self._data = "", []
        return StreamEvent(int(self.last_id), name, "\n".join(data)) if data else None


@dataclass
class StreamConnection:
    """One of the connections of a reader."""

    resumed_after: str
    status: int = 0
    # "open", then "end of stream" when the hub ended it, else what went wrong.
    end: str = "open"
    # Names in lower case.
    headers: dict[str, str] = field(default_factory=dict)


class EventStream:
    """Reads topics on a thread of its own, and comes back with the id it saw last until closed."""

    def __init__(
        self,
        port: int,
        topics: list[str],
        last_event_id: str = "",
        token: str = "",
        key: str = "",
    ) -> None:
        self._port = port
        self._credentials = f"X-API-Key: {key}\r\n" if key else ""
        self._target = f"/events?topics={','.join(topics)}" + (f"&token={token}" if token else "")
        self._parser = EventStreamParser(last_event_id)
        self._events: list[StreamEvent] = []
        self._is_closed = threading.Event()
        self._socket: socket.socket | None = None
        self.connections: list[StreamConnection] = []
        # The id that the hub sent before any event: what the stream began after.
        self.begin: int | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def events(self) -> list[StreamEvent]:
        """Publications so far; what the hub says of the stream itself is not among them."""
        return [event for event in self._events if event.topic not in ("gap", "unsubscribed")]

    @property
    def gaps(self) -> list[StreamEvent]:
        return [event for event in self._events if event.topic == "gap"]

    @property
    def unsubscribed(self) -> list[StreamEvent]:
        """The ends of topics."""
        return [event for event in self._events if event.topic == "unsubscribed"]

    @property
    def position(self) -> int:
        """The id it would resume after; 0 before there is one."""
        return int(self._parser.last_id or 0)

    @property
    def is_open(self) -> bool:
        """Whether the hub has answered on the connection that there is now."""
        connections = self.connections
        return bool(connections) and connections[-1].status == 200 and connections[-1].end == "open"

    def of_type(self, event_type: str) -> list[StreamEvent]:
        return [event for event in self.events if event.json()["type"] == event_type]

    def close(self) -> None:
        self._is_closed.set()
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(SILENCE_SECONDS)

    # The thread

    def _run(self) -> None:
        while not self._is_closed.is_set():
            connection = StreamConnection(resumed_after=self._parser.last_id)
            try:
                self._read(connection)
                connection.end = "end of stream"
            except ConnectionRefusedError:
                pass
            except OSError as error:
                connection.end = repr(error)
            self._is_closed.wait(RETURN_SECONDS)

    def _read(self, connection: StreamConnection) -> None:
        with socket.create_connection(("127.0.0.1", self._port), SILENCE_SECONDS) as stream:
            self._socket = stream
            self.connections.append(connection)
            resume = f"Last-Event-ID: {self._parser.last_id}\r\n" if self._parser.last_id else ""
            request = f"GET {self._target} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            request += f"{self._credentials}{resume}\r\n"
            stream.sendall(request.encode())
            with stream.makefile("rb") as lines:
                self._read_head(lines, connection)
                # What a broken connection leaves of an event is dropped with its parser.
                parser = EventStreamParser(self._parser.last_id)
                for line in lines:
                    if not line.endswith(b"\n"):
                        break
                    event = parser.take(line.decode().rstrip("\r\n"))
                    if event:
                        self._events.append(event)
                    elif self.begin is None and parser.last_id:
                        self.begin = int(parser.last_id)
                    self._parser.last_id = parser.last_id

    @staticmethod
    def _read_head(lines: Any, connection: StreamConnection) -> None:
        status = lines.readline().split()
        if len(status) < 2:
            raise ConnectionResetError("no response")
        for line in lines:
            if not line.strip():
                break
            name, _, value = line.decode().partition(":")
            connection.headers[name.strip().lower()] = value.strip()
        connection.status = int(status[1])
