"""Ctrl-C, and what it is like to come back."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import time
from datetime import datetime

import pytest

from harness.processes import BINARY
from harness.settings import API_KEY, ENVIRONMENT, configuration, namespace, started_hub
from harness.stage import ALERTS, TOPICS
from harness.store import event_log
from harness.strace import injected
from harness.waiting import wait_until

# Half an hour before the shock arrives; four hours of the night in 40 s.
START = "2024-12-09T18:40:00Z"
SPEED = 360
PATIENCE_SECONDS = 60.0
STOP_SECONDS = 6.0
SHUTDOWN = 3001
HEAD = "POST /api/publish HTTP/1.1\r\nHost: h\r\nX-API-Key: {}\r\n"
LENGTH = HEAD + "Content-Length: {}\r\n\r\n"
CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n"


def test_interrupted_hub_says_goodbye_and_goes_on_where_it_stopped(stage, record_property):
    replay = stage.replay()
    receiver = stage.receiver()
    hub = stage.aurora_hub(
        f"http://127.0.0.1:{replay}", start=START, speed=SPEED, receiver=receiver
    )
    hub.start()
    stream = stage.event_stream(hub.port, TOPICS)
    sdk = stage.sdk(hub.port, TOPICS)
    wait_until(
        lambda: stream.of_type("aurora.alert.raised") and sdk.publications[ALERTS],
        within=PATIENCE_SECONDS,
        what="the alert is raised",
    )
    wait_until(lambda: receiver.received, within=PATIENCE_SECONDS, what="the webhook")

    begin = time.monotonic()
    hub.interrupt(within=STOP_SECONDS)
    record_property("seconds to stop", f"{time.monotonic() - begin:.2f}")
    assert stream.connections[0].end == "end of stream"
    wait_until(
        lambda: (SHUTDOWN, "shutdown") in sdk.connecting,
        within=5,
        what=lambda: f"the SDK was told why: {sdk.connecting}",
    )
    # Whoever copies the database now has to copy one file.
    journal = hub.database.with_name(f"{hub.database.name}-wal")
    assert not journal.exists() or journal.stat().st_size == 0
    log = event_log(hub.database, TOPICS)

    hub.start()
    told = datetime.fromisoformat(json.loads(log[-1].data)["time"])
    assert told <= hub.clock(), "it lives before what it has told"
    last = log[-1].cursor
    wait_until(
        lambda: stream.position > last and len(event_log(hub.database, TOPICS)) >= len(log) + 10,
        within=PATIENCE_SECONDS,
        what="ten more events",
    )
    hub.interrupt(within=STOP_SECONDS)

    whole = event_log(hub.database, TOPICS)
    assert whole[: len(log)] == log
    cursors = [event.cursor for event in whole]
    assert cursors == sorted(set(cursors))
    for topic in TOPICS:
        offsets = [event.offset for event in whole if event.topic == topic]
        assert offsets == list(range(1, len(offsets) + 1)), topic
        told = sdk.offsets(topic)
        assert told == list(range(told[0], told[0] + len(told))), topic
    told = [(event.id, event.topic, event.data) for event in stream.events]
    logged = [(event.cursor, event.topic, event.data) for event in whole]
    begin = logged.index(told[0])
    assert told == logged[begin : begin + len(told)] and len(told) > len(log) - begin
    assert not stream.gaps
    raised = [json.loads(event.data)["id"] for event in whole if event.topic == ALERTS]
    assert len(raised) == 1, "the alert was raised again"
    assert [each.id for each in receiver.genuine] == raised
    assert len(receiver.received) == 1


def test_webhook_that_was_not_taken_is_sent_again_after_a_restart(stage):
    replay = stage.replay()
    receiver = stage.receiver(answers=[500])
    hub = stage.aurora_hub(
        f"http://127.0.0.1:{replay}", start="2024-12-09T19:20:00Z", speed=SPEED, receiver=receiver
    )
    hub.start()
    wait_until(lambda: receiver.received, within=PATIENCE_SECONDS, what="the first attempt")
    hub.process.wait_for_log(r"webhook failed .*next_attempt=\S+Z .*status 500", within=10)
    hub.interrupt(within=STOP_SECONDS)
    assert len(receiver.received) == 1
    hub.start("--clock-speed", "0.001")
    # The second attempt is due 5 s after the first.
    wait_until(
        lambda: len(receiver.received) == 2, within=PATIENCE_SECONDS, what="the second attempt"
    )
    first, second = receiver.received
    assert first.id == second.id and first.event == second.event
    assert int(second.headers["webhook-timestamp"]) >= int(first.headers["webhook-timestamp"])


def test_client_that_does_not_leave_is_cut(stage, record_property):
    hub = stage.hub()
    hub.start("--echo")
    with deaf_client(hub) as client:
        begin = time.monotonic()
        hub.interrupt(within=STOP_SECONDS)
        record_property("seconds to stop", f"{time.monotonic() - begin:.2f}")
        assert drained(client)


@pytest.mark.parametrize("is_encrypted", [False, True])
@pytest.mark.parametrize("head", [CHUNKED, LENGTH])
def test_request_that_has_begun_is_answered(stage, certificate, is_encrypted, head):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(configuration(namespace("kept")))
    hub.start(*(certificate.flags if is_encrypted else []))
    client = socket.create_connection(("127.0.0.1", hub.port), STOP_SECONDS)
    if is_encrypted:
        context = certificate.trusting_context()
        client = context.wrap_socket(client, server_hostname="127.0.0.1")
    with client:
        body = json.dumps({"channel": "kept:a", "data": {"number": 1}}).encode()
        if head == CHUNKED:
            body = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
        client.sendall(head.format(API_KEY, len(body)).encode() + body[:10])
        # So that the hub has read them.
        time.sleep(0.3)
        hub.process.signal(signal.SIGTERM)
        hub.process.wait_for_log("stopping", within=STOP_SECONDS)
        time.sleep(0.3)
        client.sendall(body[10:])
        answer = b""
        while piece := client.recv(4096):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200 ") and b'"offset":1' in answer, answer
    assert b"Connection: close" in answer
    assert hub.process.wait(within=STOP_SECONDS) == 0


def test_second_signal_ends_the_hub_at_once(stage):
    hub = stage.hub()
    hub.start("--echo")
    with deaf_client(hub) as client:
        hub.process.signal(signal.SIGINT)
        hub.process.wait_for_log("stopping", within=STOP_SECONDS)
        hub.process.signal(signal.SIGINT)
        assert hub.process.wait(within=STOP_SECONDS / 2) == 130
        assert drained(client)
    hub.start()
    assert hub.get("/readyz").status == 200


def test_hub_whose_log_nobody_reads_ends(stage):
    hub = stage.hub()
    reading, writing = full_pipe()
    process = subprocess.Popen(
        [str(BINARY), "serve", "--listen", f"127.0.0.1:{hub.port}"]
        + ["--database", str(hub.database)],
        stdin=subprocess.DEVNULL,
        stderr=writing,
    )
    os.close(writing)
    try:
        wait_until(lambda: is_ready(hub), within=PATIENCE_SECONDS, what="the hub is ready")
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def test_hub_that_cannot_flush_its_store_ends_with_status_1(stage):
    hub = started_hub(stage, configuration(namespace("kept")))
    stage.backend(hub.port).publish("kept:a", {"number": 1})
    with injected(hub.process.pid, "fdatasync:error=EIO", "fsync:error=EIO"):
        hub.process.signal(signal.SIGTERM)
        assert hub.process.wait(within=PATIENCE_SECONDS) == 1
    hub.process.wait_for_log("shutdown: step failed .*step=store", within=STOP_SECONDS)


def full_pipe():
    """The two ends of a pipe that takes nothing more until it is read."""
    reading, writing = os.pipe()
    flags = fcntl.fcntl(writing, fcntl.F_GETFL)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        fcntl.fcntl(writing, fcntl.F_SETFL, flags)
    return reading, writing


def is_ready(hub):
    try:
        return hub.get("/readyz").status == 200
    except OSError:
        return False


def deaf_client(hub):
    """A WebSocket that is open and then says nothing, whatever it is told."""
    client = socket.create_connection(("127.0.0.1", hub.port), STOP_SECONDS)
    client.sendall(
        b"GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n"
    )
    assert client.recv(4096).startswith(b"HTTP/1.1 101 ")
    return client


def drained(client):
    """Whether the connection is at its end."""
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True
