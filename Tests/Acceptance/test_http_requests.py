"""RFC 9110 and 9112 in bytes: protocol/vectors/http-requests.json over real sockets."""

import json
import socket

import pytest

from harness.processes import REPOSITORY
from harness.stage import Stage

PATIENCE_SECONDS = 10.0
# A longer request in pieces of one byte takes long and shows no more.
BYTEWISE_LENGTH_MAX = 500
PROBE = b"GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
CASES = json.loads((REPOSITORY / "protocol/vectors/http-requests.json").read_text())["cases"]


def data_of(case):
    parts = case["input"]
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts).encode()


def name_of(case):
    return f"{case['rfc']} {case['name']}"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Of one hub for all cases: what a broken request does to it, the next would see."""
    stage = Stage(tmp_path_factory.mktemp("http"))
    try:
        hub = stage.hub()
        hub.start()
        yield hub.port
    finally:
        stage.close()


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_requests_are_answered_as_the_vectors_say(port, case):
    with Conversation(port) as peer:
        peer.send(data_of(case))
        check(peer, case)


# Whether content comes along with its head decides about `100 Continue`, so those stay whole.
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        if len(data_of(case)) <= BYTEWISE_LENGTH_MAX and b"100-continue" not in data_of(case)
    ],
    ids=name_of,
)
def test_requests_are_answered_alike_when_they_come_byte_by_byte(port, case):
    with Conversation(port) as peer:
        for byte in data_of(case):
            peer.send(bytes([byte]))
        check(peer, case)


def check(peer, case):
    # Of HEAD the length is told and nothing comes.
    first = data_of(case).split(b" ", 1)[0].decode()
    heads = [
        peer.receive(first if index == 0 else "GET") for index in range(len(case["answers"]))
    ]
    assert [head.status for head in heads] == case["answers"]
    for head in heads:
        check_fields(head, is_of_server=asks_server(data_of(case)))
    if case["closes"]:
        assert peer.rest() == b""
    elif case["closes"] is False:
        peer.send(PROBE)
        assert peer.receive("GET").status == 200
        assert peer.rest() == b""


def asks_server(data):
    """Whether a request is about the server as a whole, RFC 9110 §9.3.7."""
    return b" * " in data or b" http://h HTTP" in data


def check_fields(head, is_of_server=False):
    if head.status in (204, 405):
        # Of the server as a whole, in whose routes all of them are.
        expected = "GET, HEAD, OPTIONS"
        if is_of_server:
            expected = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
        assert head.fields["allow"] == expected
    if head.status == 204:
        assert "content-length" not in head.fields
    if head.status == 426:
        assert head.fields["upgrade"] == "websocket"
        assert head.fields["sec-websocket-version"] == "13"
        assert "upgrade" in head.fields["connection"].lower()
    if head.status >= 200:
        assert head.fields["date"].endswith(" GMT")


class Head:
    def __init__(self, lines):
        version, status, _ = lines[0].split(" ", 2)
        assert version == "HTTP/1.1"
        self.status = int(status)
        pairs = [line.split(": ", 1) for line in lines[1:]]
        self.fields = {name.lower(): value for name, value in pairs}
        assert len(self.fields) == len(pairs), lines


class Conversation:
    """One connection, read without any library."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.input.close()
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # It may refuse before it has heard all.

    def receive(self, method):
        lines = []
        while line := self.input.readline():
            assert line.endswith(b"\r\n"), line
            if line == b"\r\n":
                break
            lines.append(line[:-2].decode())
        assert lines, "the connection ended"
        head = Head(lines)
        if method != "HEAD":
            length = int(head.fields.get("content-length", 0))
            assert len(self.input.read(length)) == length
        return head

    def rest(self):
        """What comes to the end of the stream."""
        return self.input.read()
