"""kill -9, again and again, in the middle of the storm."""

import json
import os
import random
import time
from datetime import UTC, datetime

from harness.stage import ALERTS, CONDITIONS, TOPICS
from harness.store import event_log
from harness.waiting import wait_until

KILL_COUNT = 20
# Of these the hub is killed before it listens, while it opens its database.
KILLS_WHILE_STARTING = 4
STARTING_SECONDS = (0.0, 0.3)
RUNNING_SECONDS = (0.5, 5.5)

STORM_BEGINS = datetime(2024, 12, 9, 18, 30, tzinfo=UTC)
STORM_SECONDS = 150.0
# Its clock stands nearly still, so nothing new happens.
STANDING_STILL = ("--clock-speed", "0.001")


def test_killed_hub_loses_nothing_and_repeats_nothing(stage, record_property):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    replay = stage.replay()
    receiver = stage.receiver()
    hub = stage.aurora_hub(
        f"http://127.0.0.1:{replay}", start="2024-12-09T17:30:00Z", speed=360, receiver=receiver
    )
    hub.start()
    stream = stage.event_stream(hub.port, TOPICS)
    sdk = stage.sdk(hub.port, TOPICS)
    subscriber = stage.subscribe("subscriber", f"ws://127.0.0.1:{hub.port}", *TOPICS)
    wait_until(lambda: len(sdk.subscribed) == len(TOPICS), within=20, what="the SDK has subscribed")
    wait_until(lambda: hub.clock() >= STORM_BEGINS, within=60, what="the storm begins")

    kills = [True] * KILLS_WHILE_STARTING + [False] * (KILL_COUNT - KILLS_WHILE_STARTING)
    moments.shuffle(kills)
    for is_starting in kills:
        # The moments are the point of this test: the hub has to survive any of them.
        if is_starting:
            time.sleep(moments.uniform(*STARTING_SECONDS))
        else:
            hub.wait_until_ready()
            time.sleep(moments.uniform(*RUNNING_SECONDS))
        hub.kill()
        hub.start(until_ready=False)
    hub.wait_until_ready()
    record_property("killed until", hub.clock().isoformat(timespec="minutes"))
    wait_until(
        lambda: stream.of_type("aurora.alert.cleared"),
        within=STORM_SECONDS,
        what=lambda: f"cleared; now {hub.get('/api/aurora/now').body.decode()}",
    )
    hub.kill()

    hub.start(*STANDING_STILL)
    log = settled_log(hub, stream, sdk)
    record_property("events", len(log))
    record_property("stream connections", len(stream.connections))

    assert_is_whole(log)
    assert not stream.gaps
    assert [(event.id, event.topic, event.data) for event in stream.events] == [
        (event.cursor, event.topic, event.data) for event in log if event.cursor > stream.begin
    ]
    for topic in TOPICS:
        logged = [(event.offset, json.loads(event.data)) for event in log if event.topic == topic]
        told = sdk.publications[topic]
        assert told and told == logged[-len(told) :], f"the SDK has another {topic}"
        assert told[0][0] == sdk.subscribed[topic][0].stream_position.offset + 1
        assert all(context.recovered for context in sdk.subscribed[topic][1:])
    assert_printed(subscriber, log)

    alerts = [json.loads(event.data) for event in log if event.topic == ALERTS]
    assert [alert["type"] for alert in alerts] == ["aurora.alert.raised", "aurora.alert.cleared"]
    wait_until(
        lambda: {each.id for each in receiver.genuine} >= {alert["id"] for alert in alerts},
        within=30,
        what=lambda: f"both webhooks: {receiver.received}",
    )
    assert all(not each.problem for each in receiver.received), receiver.received
    by_id = {alert["id"]: alert for alert in alerts}
    for received in receiver.genuine:
        assert received.event == by_id[received.id], "a webhook-id stands for another event"


def assert_printed(subscriber, log):
    """`varde subscribe` has shown the log from where it began, in the order of each topic."""
    newest = {event.topic: event.data for event in log}.values()
    lines = wait_until(
        lambda: printed(subscriber) if set(newest) <= set(printed(subscriber)) else None,
        within=60,
        what="`varde subscribe` has printed the newest of each topic",
    )
    topics = {event.data: event.topic for event in log}
    for topic in TOPICS:
        shown = [line for line in lines if topics[line] == topic]
        logged = [event.data for event in log if event.topic == topic]
        assert shown == logged[-len(shown) :], f"`varde subscribe` has another {topic}"
    assert "gap" not in subscriber.log


def printed(subscriber):
    """The whole lines of its output."""
    return subscriber.output.split("\n")[:-1]


def settled_log(hub, stream, sdk):
    """The event log, when it no longer grows and both clients have all of it."""
    seen = []

    def is_settled():
        log = event_log(hub.database, TOPICS)
        tops = {event.topic: event.offset for event in log}
        has_all = stream.position == log[-1].cursor and all(
            sdk.offsets(topic)[-1:] == [top] for topic, top in tops.items()
        )
        seen.append(len(log) if has_all else 0)
        # A look takes 20 ms or more; whatever the start has brought has then been committed.
        return log if len(seen) > 50 and len(set(seen[-50:])) == 1 and seen[-1] else None

    return wait_until(
        is_settled,
        within=60,
        what=lambda: (
            f"the clients have everything: {stream.position}, "
            f"{[sdk.offsets(topic)[-1:] for topic in TOPICS]}, "
            f"log {event_log(hub.database, TOPICS)[-3:]}"
        ),
    )


def assert_is_whole(log):
    """Offsets count 1, 2, 3 … in each topic, cursors grow, no event stands twice."""
    for topic in TOPICS:
        offsets = [event.offset for event in log if event.topic == topic]
        assert offsets == list(range(1, len(offsets) + 1)), f"offsets of {topic} have holes"
    cursors = [event.cursor for event in log]
    assert cursors == sorted(set(cursors))
    ids = [json.loads(event.data)["id"] for event in log]
    assert len(ids) == len(set(ids)), "an event stands twice in the log"
    assert {event.topic for event in log} == {CONDITIONS, ALERTS}
