"""One reader stops reading while its topic gets 100 MB: its queue stays within its bound, the
others miss nothing, and what happens to the reader is what its namespace says and the hub explains.
"""

import json

import pytest

from harness.crowd import BareSubscriber, connect
from harness.processes import IS_RELEASE
from harness.settings import (
    API_KEY,
    configuration,
    namespace,
    outcome,
    slow_reader_closes,
    started_hub,
)
from harness.waiting import wait_until

PATIENCE_SECONDS = 60.0
PUBLISHED_BYTES = 100_000_000
# A command of a client may have 64 KiB.
PAYLOAD_BYTES = 50_000
PUBLICATIONS = PUBLISHED_BYTES // PAYLOAD_BYTES
READERS = 3
KEYS = 10
# 20 of them are the history; it has to hold what a reader that catches up is given at once.
HISTORY_SIZE = 20
QUEUE_BYTES = 1 << 20
# The queue, the history in memory, what is on its way to the others. Measured where readers are
# closed: 5.
GROWTH_MIB_MAX = 16
SLOW = 3008


@pytest.fixture
def start(stage):
    def start(policy):
        return started_hub(
            stage,
            configuration(
                namespace(
                    "feed",
                    publish="anyone",
                    durable=False,
                    history_size=HISTORY_SIZE,
                    slow_consumer=policy,
                ),
                # A reader that does not read answers no ping either, and accepts no bytes, however long a
                # busy machine needs.
                limits=json.dumps({"queue_bytes": f"{QUEUE_BYTES >> 10}KiB", "user_timeout": "15m"}),
                websocket=json.dumps({"ping_interval": "10m", "pong_timeout": "5m"}),
            ),
        )

    return start


def test_reader_that_stops_is_closed(stage, start, record_property):
    hub = start("close")
    slow, audience = slow_reader(stage, hub), stage.audience(hub.port, "feed:all", READERS)
    epoch = slow.subscribe("feed:all")["epoch"]
    flood(hub, audience, record_property)

    wait_until(lambda: slow_reader_closes(hub.log), within=PATIENCE_SECONDS, what="it is closed")
    assert slow_reader_closes(hub.log) == [SLOW]
    offsets = slow.offsets_to_end()
    assert offsets == list(range(1, len(offsets) + 1)), "one is missing in between"
    assert len(offsets) * PAYLOAD_BYTES < 2 * QUEUE_BYTES
    # It comes back and is told that too much is missing; the newest are there.
    reply = slow_reader(stage, hub).subscribe(
        "feed:all", recover=True, epoch=epoch, offset=len(offsets)
    )
    assert reply["was_recovering"] and not reply.get("recovered")
    assert reply["publications"][-1]["offset"] == PUBLICATIONS
    assert why(hub, slow, 1) == "delivered"
    assert why(hub, slow, PUBLICATIONS) == "not_subscribed"


def test_reader_that_stops_loses_the_oldest_and_is_told(stage, start, record_property):
    hub = start("drop_oldest")
    slow, audience = slow_reader(stage, hub), stage.audience(hub.port, "feed:all", READERS)
    slow.subscribe("feed:all")
    flood(hub, audience, record_property)
    assert not slow_reader_closes(hub.log)

    told = slow.read_until_offset("feed:all", PUBLICATIONS)
    assert told.gaps, "it was told no gap"
    assert told.untold_gaps == []
    assert told.offsets == sorted(set(told.offsets))
    # The newest are there, as many as the history has or the queue takes.
    newest = min(HISTORY_SIZE, QUEUE_BYTES // 2 // PAYLOAD_BYTES)
    assert told.offsets[-newest:] == list(range(PUBLICATIONS - newest + 1, PUBLICATIONS + 1))
    missing = set(range(1, PUBLICATIONS + 1)) - set(told.offsets)
    assert why(hub, slow, max(missing)) in ("dropped", "trimmed")
    assert why(hub, slow, PUBLICATIONS) == "delivered"
    audience.publish(1)
    told = slow.read_until_offset("feed:all", PUBLICATIONS + 1)
    assert told.offsets == [PUBLICATIONS + 1] and not told.gaps


def test_reader_that_stops_gets_the_latest_of_each_key(stage, start, record_property):
    hub = start("latest_per_key")
    slow, other = slow_reader(stage, hub), reader(stage, hub)
    slow.subscribe("feed:all")
    other.subscribe("feed:all")
    api, before = stage.server_api(hub.port), hub.process.memory_mib
    received = []
    for number in range(PUBLICATIONS):
        data = {"number": number, "padding": "x" * PAYLOAD_BYTES}
        assert api.publish("feed:all", data, tags={"key": f"k{number % KEYS}"}).offset == number + 1
        received += other.read_until_offset("feed:all", number + 1).offsets
    assert received == list(range(1, PUBLICATIONS + 1))
    assert_bounded(hub, before, record_property)
    assert not slow_reader_closes(hub.log)

    told = slow.read_until_offset("feed:all", PUBLICATIONS)
    assert told.offsets == sorted(set(told.offsets))
    # Of each key the newest, which are the last publications of all.
    assert told.offsets[-KEYS:] == list(range(PUBLICATIONS - KEYS + 1, PUBLICATIONS + 1))
    assert len(told.offsets) * PAYLOAD_BYTES < 3 * QUEUE_BYTES
    missing = set(range(1, PUBLICATIONS + 1)) - set(told.offsets)
    assert why(hub, slow, max(missing)) in ("conflated", "dropped", "trimmed")
    assert why(hub, slow, PUBLICATIONS) == "delivered"


def test_event_stream_that_is_not_read_is_told_the_gap(stage, start, record_property):
    hub = start("drop_oldest")
    audience = stage.audience(hub.port, "feed:all", READERS)
    client = connect(hub.port, receive_bytes=4096)
    stage.ends_with(client.close)
    client.sendall(b"GET /events?topics=feed:all HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    metrics = stage.metrics(hub.port)
    wait_until(
        lambda: metrics.connections("eventstream") == 1,
        within=PATIENCE_SECONDS,
        what="the stream is open",
    )
    flood(hub, audience, record_property)

    newest, gaps_told, count = 0, 0, 0
    for name, data in events_of(client):
        if name == "gap":
            gaps_told += 1
        elif name == "feed:all":
            assert data["number"] > newest, "not in order, or twice"
            if data["number"] != newest + 1:
                gaps_told -= 1
                assert gaps_told >= 0, f"a hole after {newest} that was not told"
            newest, count = data["number"], count + 1
        if newest == PUBLICATIONS:
            break
    assert newest == PUBLICATIONS
    assert count * PAYLOAD_BYTES < 4 * QUEUE_BYTES, "nothing was dropped"


def slow_reader(stage, hub):
    """Its kernel buffers are small, so that the hub soon sees that it does not read."""
    return reader(stage, hub, receive_bytes=4096)


def reader(stage, hub, **options):
    client = connect(hub.port, **options)
    stage.ends_with(client.close)
    return BareSubscriber(client)


def events_of(client):
    """Name and data of each event that is whole, up to the end of the stream."""
    with client.makefile("rb") as lines:
        name = ""
        for line in lines:
            field, _, value = line.rstrip(b"\n").partition(b": ")
            if field == b"event":
                name = value.decode()
            elif field == b"data" and line.endswith(b"\n"):
                yield name, json.loads(value)


def flood(hub, audience, record_property):
    """100 MB; all that read get everything."""
    before = hub.process.memory_mib
    audience.publish(PUBLICATIONS, padding=PAYLOAD_BYTES)
    wait_until(
        lambda: audience.has_everything,
        within=PATIENCE_SECONDS,
        what=lambda: f"everybody has {audience.published}: {audience.counts}",
    )
    assert_bounded(hub, before, record_property)


def assert_bounded(hub, before, record_property):
    growth = hub.process.peak_memory_mib - before
    record_property("MiB at most", f"{growth:.1f}")
    if IS_RELEASE:
        assert growth <= GROWTH_MIB_MAX


def why(hub, reader, offset):
    target = f"/debug/why?client={reader.client}&topic=feed:all&offset={offset}"
    response = hub.get(target, {"X-API-Key": API_KEY})
    assert response.status == 200, response
    return outcome(response.json())
