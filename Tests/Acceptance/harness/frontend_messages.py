"""What a client of PostgreSQL executes, read from the bytes that it sends: "Message Formats" in the
chapter on the frontend/backend protocol of PostgreSQL's documentation.
"""

import struct

START_UP = 196_608


class FrontendMessages:
    """Bytes of one connection in, statements out. Bytes of a message may come in several chunks."""

    def __init__(self) -> None:
        self._bytes = b""
        self._has_started = False
        # By the name of a prepared statement.
        self._prepared: dict[bytes, str] = {}

    def take(self, chunk: bytes) -> list[str]:
        """Returns the statements whose execution the chunk completes a message for."""
        self._bytes += chunk
        statements = []
        while message := self._next():
            kind, body = message
            if kind == b"P":
                name, sql = body.split(b"\0")[:2]
                self._prepared[name] = sql.decode()
            elif kind == b"B":
                statements.append(self._prepared.get(body.split(b"\0")[1], ""))
            elif kind == b"Q":
                statements.append(body.rstrip(b"\0").decode())
        return statements

    def _next(self) -> tuple[bytes, bytes] | None:
        """The type of a message and its content. Those before the start-up have no type."""
        begin = 1 if self._has_started else 0
        if len(self._bytes) < begin + 4:
            return None
        end = begin + struct.unpack_from("!I", self._bytes, begin)[0]
        if len(self._bytes) < end:
            return None
        kind, body = self._bytes[:begin], self._bytes[begin + 4 : end]
        self._bytes = self._bytes[end:]
        if not self._has_started:
            # Others ask for encryption, which the server of a test does not have.
            self._has_started = struct.unpack_from("!I", body)[0] == START_UP
        return kind or b"-", body
