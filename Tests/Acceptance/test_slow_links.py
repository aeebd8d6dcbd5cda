"""A client on a slow link that reads steadily is alive; a client that reads nothing is not."""

import json
import time

import pytest

from harness.crowd import UPGRADE, connect, masked, read_head
from harness.settings import API_KEY, configuration, namespace, started_hub
from harness.waiting import wait_until

PATIENCE_SECONDS = 60.0
PUBLICATIONS = 400
PAYLOAD_BYTES = 1000
# A tenth of the pings of production, and a link that is that much faster.
PING, PONG, STALL = "2s", "500ms", "3s"
LINK_BYTES_PER_SECOND = 40_000
READ_BYTES = 2000
RECEIVE_BYTES = 4096


@pytest.fixture
def hub(stage):
    hub = started_hub(
        stage,
        configuration(
            namespace("feed", publish="anyone"),
            limits=json.dumps({"stall_timeout": STALL, "queue_bytes": "2MiB"}),
            websocket=json.dumps({"ping_interval": PING, "pong_timeout": PONG}),
        ),
    )
    api = stage.server_api(hub.port)
    for number in range(PUBLICATIONS):
        api.publish("feed:a", {"number": number, "padding": "x" * PAYLOAD_BYTES})
    return hub


def read_slowly(client, bytes_wanted):
    """Reads at the speed of the link; fewer bytes at the end of the stream."""
    received = b""
    begin = time.monotonic()
    while len(received) < bytes_wanted:
        piece = client.recv(READ_BYTES)
        if not piece:
            break
        received += piece
        due = begin + len(received) / LINK_BYTES_PER_SECOND
        time.sleep(max(0, due - time.monotonic()))
    return received


def open_socket(stage, hub, *commands):
    """A WebSocket with a small buffer, which has sent a connect command and others."""
    client = connect(hub.port, receive_bytes=RECEIVE_BYTES)
    stage.ends_with(client.close)
    client.sendall(UPGRADE)
    assert read_head(client).startswith(b"HTTP/1.1 101 ")
    lines = [{"id": 1, "connect": {}}, *commands]
    client.sendall(masked("\n".join(json.dumps(each) for each in lines)))
    return client


def test_recovery_over_a_slow_link_ends(stage, hub, record_property):
    wish = {"channel": "feed:a", "recover": True, "offset": 0, "epoch": epoch_of(stage, hub)}
    client = open_socket(stage, hub, {"id": 2, "subscribe": wish})
    begin = time.monotonic()
    received = read_slowly(client, PUBLICATIONS * PAYLOAD_BYTES)
    record_property("seconds", f"{time.monotonic() - begin:.1f}")
    assert len(received) >= PUBLICATIONS * PAYLOAD_BYTES


def test_event_stream_over_a_slow_link_goes_on(stage, hub):
    client = connect(hub.port, receive_bytes=RECEIVE_BYTES)
    stage.ends_with(client.close)
    client.sendall(b"GET /events?topics=feed:a&since=beginning HTTP/1.1\r\nHost: h\r\n\r\n")
    assert len(read_slowly(client, PUBLICATIONS * PAYLOAD_BYTES)) >= PUBLICATIONS * PAYLOAD_BYTES


def test_answer_over_a_slow_link_ends(stage, hub):
    client = connect(hub.port, receive_bytes=RECEIVE_BYTES)
    stage.ends_with(client.close)
    body = json.dumps({"channel": "feed:a", "limit": PUBLICATIONS})
    client.sendall(
        f"POST /api/history HTTP/1.1\r\nHost: h\r\nX-API-Key: {API_KEY}\r\nConnection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    assert len(read_slowly(client, PUBLICATIONS * PAYLOAD_BYTES)) >= PUBLICATIONS * PAYLOAD_BYTES


def test_client_that_reads_nothing_is_ended(stage, hub):
    asked = {"id": 2, "history": {"channel": "feed:a", "limit": PUBLICATIONS}}
    open_socket(stage, hub, asked)
    wait_until(
        lambda: "reason=no pong" in hub.log or 'reason="no pong"' in hub.log,
        within=PATIENCE_SECONDS,
        what=lambda: f"it is ended:\n{hub.log}",
    )


def epoch_of(stage, hub):
    api = stage.server_api(hub.port)
    return api.publish("feed:b", {}).epoch
