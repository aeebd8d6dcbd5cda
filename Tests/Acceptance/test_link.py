"""Each fault of the proxy between nodes and their server."""

import contextlib
import socket
import struct
import threading

import pytest

from harness.frontend_messages import FrontendMessages
from harness.link import Direction, Link
from harness.waiting import wait_until

PATIENCE_SECONDS = 10.0


class Echo:
    """A server that returns what it receives, and keeps it."""

    def __init__(self):
        self.received = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._has_more = threading.Condition()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            while chunk := connection.recv(1000):
                with self._has_more:
                    self.received += chunk
                    self._has_more.notify_all()
                connection.sendall(chunk)

    def wait_for(self, text):
        with self._has_more:
            assert self._has_more.wait_for(lambda: text in self.received, PATIENCE_SECONDS)

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def server(stage):
    server = Echo()
    stage.ends_with(server.close)
    return server


@pytest.fixture
def link(stage, server):
    link = Link(server.port)
    stage.ends_with(link.close)
    return link


@pytest.fixture
def connect(stage, link):
    def make():
        client = socket.create_connection(("127.0.0.1", link.port), PATIENCE_SECONDS)
        stage.ends_with(client.close)
        return client

    return make


def is_echoed(client, text):
    client.sendall(text)
    received = b""
    while len(received) < len(text):
        chunk = client.recv(1000)
        if not chunk:
            return False
        received += chunk
    return received == text


def is_broken(client):
    try:
        return client.recv(1000) == b""
    except ConnectionResetError:
        return True


def is_refused(connect):
    """The reset may arrive before `connect` has returned."""
    try:
        return is_broken(connect())
    except ConnectionResetError:
        return True


def test_bytes_pass_in_both_directions(connect):
    client, other = connect(), connect()
    assert is_echoed(client, b"one") and is_echoed(other, b"two") and is_echoed(client, b"three")


def test_end_of_a_connection_is_passed_on(connect):
    client = connect()
    assert is_echoed(client, b"one")
    client.shutdown(socket.SHUT_WR)
    assert client.recv(1000) == b""


def test_reset_breaks_connections_and_takes_others(link, connect):
    client = connect()
    assert is_echoed(client, b"one")
    link.reset()
    assert is_broken(client)
    assert is_echoed(connect(), b"two")


def test_cut_refuses_connections_until_it_heals(link, connect):
    client = connect()
    assert is_echoed(client, b"one")
    link.cut()
    assert is_broken(client) and is_refused(connect)
    link.heal()
    assert is_echoed(connect(), b"two")


def test_swallowed_requests_do_not_arrive_and_their_connection_breaks(link, server, connect):
    client, other = connect(), connect()
    assert is_echoed(client, b"one") and is_echoed(other, b"two")
    link.swallow(frozenset({Direction.TO_SERVER}))
    client.sendall(b"lost")
    wait_until(lambda: link.lost_byte_count == 4, within=PATIENCE_SECONDS, what="it is lost")
    link.heal()
    assert is_broken(client)
    assert is_echoed(other, b"three") and b"lost" not in server.received


def test_swallowed_answers_do_not_arrive_and_their_connection_breaks(link, server, connect):
    client = connect()
    assert is_echoed(client, b"one")
    link.swallow(frozenset({Direction.TO_CLIENT}))
    client.sendall(b"lost")
    wait_until(lambda: link.lost_byte_count == 4, within=PATIENCE_SECONDS, what="it is lost")
    assert b"lost" in server.received
    link.heal()
    assert is_broken(client)


def test_held_bytes_arrive_when_it_heals(link, server, connect):
    client = connect()
    assert is_echoed(client, b"one")
    link.hold(frozenset({Direction.TO_CLIENT}))
    client.sendall(b"two")
    server.wait_for(b"two")
    link.heal()
    assert client.recv(1000) == b"two"


def test_delayed_bytes_arrive(link, connect):
    client = connect()
    link.delay(0.01)
    assert is_echoed(client, b"one")


def message(kind, body):
    return kind + struct.pack("!I", 4 + len(body)) + body


SSL_REQUEST = message(b"", struct.pack("!I", 80_877_103))
START_UP = message(b"", struct.pack("!I", 196_608) + b"user\0varde\0\0")
PREPARE_COMMIT = message(b"P", b"s7\0COMMIT\0\0\0")
COMMIT = message(b"B", b"\0s7\0\0\0\0\0\0\0") + message(b"E", b"\0\0\0\0\0")
PREPARE = message(b"P", b"s8\0INSERT\0\0\0")
INSERT = message(b"B", b"\0s8\0\0\0\0\1marker\0\0")
BEGINNING = START_UP + PREPARE_COMMIT + PREPARE


def test_trap_that_does_not_pass_breaks_before_the_commit(link, server, connect):
    client, other = connect(), connect()
    assert is_echoed(client, BEGINNING) and is_echoed(other, BEGINNING)
    trap = link.trap(b"marker", passes=False)
    assert is_echoed(other, COMMIT) and is_echoed(client, INSERT)
    assert not trap.has_sprung.is_set()
    before = len(server.received)
    client.sendall(COMMIT)
    assert trap.has_sprung.wait(PATIENCE_SECONDS) and is_broken(client)
    assert is_echoed(other, COMMIT) and len(server.received) == before + len(COMMIT)


def test_trap_that_passes_breaks_behind_the_commit(link, server, connect):
    client, other = connect(), connect()
    assert is_echoed(client, BEGINNING) and is_echoed(other, BEGINNING)
    trap = link.trap(b"marker", passes=True)
    client.sendall(INSERT + COMMIT)
    assert trap.has_sprung.wait(PATIENCE_SECONDS)
    server.wait_for(INSERT + COMMIT)
    assert is_echoed(other, COMMIT)
    link.heal()
    assert is_broken(client)


def test_statements_are_found_however_their_bytes_are_split():
    whole = SSL_REQUEST + BEGINNING + INSERT + COMMIT + message(b"Q", b"ROLLBACK\0")
    expected = ["INSERT", "COMMIT", "ROLLBACK"]
    assert FrontendMessages().take(whole) == expected
    for at in range(len(whole)):
        messages = FrontendMessages()
        assert messages.take(whole[:at]) + messages.take(whole[at:]) == expected
    one_by_one = FrontendMessages()
    found = [sql for byte in whole for sql in one_by_one.take(bytes([byte]))]
    assert found == expected
