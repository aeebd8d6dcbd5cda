"""A client of the client protocol without a WebSocket, which does over HTTP what centrifuge-js does."""

import contextlib
import http.client
import json
import urllib.parse
from typing import Any

ANSWER_SECONDS = 30.0


class ClientStream:
    """The transport `http_stream` or `sse`: one response with messages, and requests with commands."""

    def __init__(self, port: int, transport: str, connect: dict[str, Any] | None = None) -> None:
        self._port = port
        self._transport = transport
        self._id = 1
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        first = json.dumps({"id": 1, "connect": connect or {}})
        if transport == "http_stream":
            fields = {"Content-Type": "application/json", "Accept": "application/json"}
            self._connection.request("POST", "/connection/http_stream", first, fields)
        else:
            query = urllib.parse.urlencode({"cf_connect": first})
            fields = {"Accept": "text/event-stream"}
            self._connection.request("GET", f"/connection/sse?{query}", headers=fields)
        self.response = self._connection.getresponse()
        assert self.response.status == 200, self.response.read()
        # Of the connect reply, and what came before an awaited message.
        self.passed_over: list[dict[str, Any]] = []
        self.connected = self.reply(1)["connect"]

    def message(self) -> dict[str, Any] | None:
        """The next message; nil at the end. Pings are answered."""
        while True:
            text = self._text()
            if text is None:
                return None
            message = json.loads(text)
            if message:
                return message
            # A hub that stops accepts no connection, and its last messages are on the way.
            with contextlib.suppress(ConnectionRefusedError):
                self.emulate({})

    def _text(self) -> str | None:
        line = self.response.readline().decode()
        if self._transport == "http_stream":
            return line.rstrip("\n") if line.endswith("\n") else None
        if not line:
            return None
        assert line.startswith("data: ") and self.response.readline() == b"\n", line
        return line.removeprefix("data: ").rstrip("\n")

    def reply(self, number: int) -> dict[str, Any]:
        while message := self.message():
            if message.get("id") == number:
                return message
            self.passed_over.append(message)
        raise AssertionError(f"the stream ended before reply {number}: {self.passed_over}")

    def push(self) -> dict[str, Any]:
        message = self.passed_over.pop(0) if self.passed_over else self.message()
        assert message and "push" in message, message
        return message["push"]

    def command(self, **method: Any) -> dict[str, Any]:
        self._id += 1
        assert self.emulate({"id": self._id, **method}) == 204
        return self.reply(self._id)

    def emulate(self, *commands: dict[str, Any]) -> int:
        """Sends commands in a request of their own; returns its status."""
        body = {
            "session": self.connected["session"],
            "node": self.connected["node"],
            "data": "\n".join(json.dumps(command) for command in commands),
        }
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            fields = {"Content-Type": "application/json"}
            connection.request("POST", "/emulation", json.dumps(body), fields)
            return connection.getresponse().status
        finally:
            connection.close()

    def close(self) -> None:
        self._connection.close()
        self.response.close()
