"""A TCP proxy that cuts connections, as a tunnel or a router does."""

import contextlib
import fcntl
import socket
import struct
import termios
import threading
import time

from .ports import free_port

CHUNK_BYTES = 1 << 16
# Closing with this sends RST: no farewell, and what is under way is lost.
LINGER_NOT = struct.pack("ii", 1, 0)


class CuttingProxy:
    """Listens on `port`, by default one of its own, and passes bytes to and from `target`."""

    def __init__(self, target: int, port: int = 0) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._cuts_next_chunk = False
        self.cut_count = 0
        self._port = port or free_port()
        self._listener = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return self._port

    def cut(self) -> None:
        """Breaks every connection off, now."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
            self.cut_count += 1
        for each in sockets:
            _reset(each)

    def cut_in_next_message(self) -> None:
        """Breaks off in the middle of what the hub sends next."""
        self._cuts_next_chunk = True

    def close(self) -> None:
        try:
            # Only this wakes the thread that accepts.
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # It is closed already.
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _reset(client)
                continue
            with self._lock:
                self._sockets |= {client, server}
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, is_from_hub: bool) -> None:
        try:
            while chunk := source.recv(CHUNK_BYTES):
                if is_from_hub and self._cuts_next_chunk:
                    self._cuts_next_chunk = False
                    sink.sendall(chunk[: len(chunk) // 2])
                    # The half has to arrive before the RST, which would overtake it.
                    _wait_until_sent(sink)
                    self.cut()
                    return
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def _wait_until_sent(sink: socket.socket) -> None:
    """Returns when the peer's kernel has everything. Its process may still have to read it."""
    for _ in range(200):
        waiting = struct.unpack("i", fcntl.ioctl(sink, termios.TIOCOUTQ, b"\0\0\0\0"))[0]
        if waiting == 0:
            break
        time.sleep(0.005)
    time.sleep(0.05)


def _reset(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
    # `close` alone leaves a thread in `recv` waiting, and the connection with it.
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RD)
    each.close()
