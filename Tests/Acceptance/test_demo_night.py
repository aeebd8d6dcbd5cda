"""The recorded night from its quiet beginning over the storm to its quiet end."""

import json

from harness.processes import IS_RELEASE, MEMORY_MIB_MAX
from harness.stage import ALERTS, CONDITIONS, TOPICS
from harness.waiting import wait_until

# At 360 times the speed of the wall clock the storm is at its height after 35 s and over after 90.
NIGHT_SECONDS = 150.0
LOW_AGAIN_SECONDS = 60.0


def test_night_rises_to_excellent_and_every_channel_tells_one_alert(stage, record_property):
    replay = stage.replay()
    receiver = stage.receiver()
    hub = stage.aurora_hub(
        f"http://127.0.0.1:{replay}", start="2024-12-09T16:00:00Z", speed=360, receiver=receiver
    )
    hub.start()
    stream = stage.event_stream(hub.port, TOPICS)
    subscriber = stage.subscribe("subscriber", f"ws://127.0.0.1:{hub.port}", *TOPICS)

    def has_cleared():
        return stream.of_type("aurora.alert.cleared")

    cleared = wait_until(
        has_cleared, within=NIGHT_SECONDS, what=lambda: f"cleared: {levels(stream)}"
    )
    wait_until(
        lambda: (
            [level for cursor, level in levels(stream) if cursor > cleared[0].id][-1:] == ["low"]
        ),
        within=LOW_AGAIN_SECONDS,
        what=lambda: f"low again: {levels(stream)[-20:]}",
    )
    record_property("memory MiB now", f"{hub.process.memory_mib:.1f}")
    record_property("memory MiB at most", f"{hub.process.peak_memory_mib:.1f}")
    peak_memory = hub.process.peak_memory_mib
    events = stream.events

    firsts = list(dict.fromkeys(level for _, level in levels(stream)))
    assert "good" in firsts and "excellent" in firsts, firsts
    assert firsts.index("good") < firsts.index("excellent"), firsts
    assert len(stream.connections) == 1 and not stream.gaps

    cursors = [event.id for event in events]
    assert cursors == sorted(set(cursors)), "cursors do not strictly increase"

    alerts = [event.json() for event in events if event.topic == ALERTS]
    assert [alert["type"] for alert in alerts] == ["aurora.alert.raised", "aurora.alert.cleared"]
    assert len({alert["data"]["alert_id"] for alert in alerts}) == 1
    assert alerts[1]["data"]["reason"] == "over"

    # The two clients came at different moments, so they share all but the first events.
    lines = wait_until(
        lambda: common(printed(subscriber), events),
        within=10,
        what="`varde subscribe` has printed what the event stream has brought",
    )
    for topic in TOPICS:
        told = [event.data for event in events if event.topic == topic]
        shown = [line for line in lines if line in set(told)]
        assert shown, f"`varde subscribe` printed nothing of {topic}"
        assert told[told.index(shown[0]) :] == shown, f"{topic} differs"

    received = wait_until(
        lambda: receiver.received if len(receiver.received) >= 2 else None,
        within=10,
        what=lambda: f"two webhooks: {receiver.received}",
    )
    assert [each.problem for each in received] == ["", ""]
    assert [each.event for each in received] == alerts
    assert [each.id for each in received] == [alert["id"] for alert in alerts]
    assert received[0].headers["content-type"] == "application/cloudevents+json"

    if IS_RELEASE:
        assert peak_memory < MEMORY_MIB_MAX


def levels(stream):
    """Cursor and level of every publication of conditions so far."""
    return [
        (event.id, event.json()["data"]["level"])
        for event in stream.events
        if event.topic == CONDITIONS
    ]


def printed(subscriber):
    """The whole lines of its output, each of them JSON."""
    lines = subscriber.output.split("\n")[:-1]
    for line in lines:
        json.loads(line)
    return lines


def common(lines, events):
    """The lines once the newest of the events is among them, else nothing."""
    return lines if events[-1].data in lines else None
