"""A TCP proxy in front of PostgreSQL that loses the answer to one COMMIT, and the server with it."""

import contextlib
import socket
import threading
import time

from .ports import free_port
from .proxy import CHUNK_BYTES, _reset

# CommandComplete, its length and the tag (PostgreSQL, "Message Formats").
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class AnswerThief:
    """Passes bytes to and from `target`, until a transaction that `steal` describes is committed.

    Its answer is dropped. All connections are cut, and others are refused for some time.
    """

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self._target = target
        self._lock = threading.Lock()
        self._marker: bytes | None = None
        self._silence = 0.0
        self._refuses_until = 0.0
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.has_stolen = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @classmethod
    def of(cls, stage, server) -> "AnswerThief":
        """A proxy that ends with the test."""
        thief = cls(server.port)
        stage.ends_with(thief.close)
        return thief

    def steal(self, marker: bytes, *, silence: float) -> None:
        """Loses the answer of the next transaction that contains `marker`, and refuses connections
        for `silence` seconds."""
        with self._lock:
            self._marker, self._silence = marker, silence
        self.has_stolen.clear()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._cut()

    def _cut(self) -> None:
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            _reset(each)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if time.monotonic() < self._refuses_until:
                _reset(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _reset(client)
                continue
            with self._lock:
                self._sockets |= {client, server}
            marked = threading.Event()
            for function in (self._ask, self._answer):
                threading.Thread(
                    target=function, args=(client, server, marked), daemon=True
                ).start()

    def _ask(self, client: socket.socket, server: socket.socket, marked: threading.Event) -> None:
        seen = b""
        with contextlib.suppress(OSError):
            while chunk := client.recv(CHUNK_BYTES):
                with self._lock:
                    marker = self._marker
                if marker:
                    seen += chunk
                    if marker in seen:
                        marked.set()
                    seen = seen[-len(marker):]
                server.sendall(chunk)
            server.shutdown(socket.SHUT_WR)

    def _answer(
        self, client: socket.socket, server: socket.socket, marked: threading.Event
    ) -> None:
        with contextlib.suppress(OSError):
            while chunk := server.recv(CHUNK_BYTES):
                if marked.is_set() and COMMITTED in chunk:
                    with self._lock:
                        self._marker = None
                        self._refuses_until = time.monotonic() + self._silence
                    self._cut()
                    self.has_stolen.set()
                    return
                client.sendall(chunk)
            client.shutdown(socket.SHUT_WR)
