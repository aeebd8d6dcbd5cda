"""The recorded night from its quiet beginning over the storm to its quiet end, and its news."""

import json
from collections import defaultdict

from harness.processes import IS_RELEASE, MEMORY_MIB_MAX
from harness.stage import ALERTS, CONDITIONS, TOPICS
from harness.waiting import wait_until

# At 360 times the speed of the wall clock the storm is at its height after 35 s and over after 90.
NIGHT_SECONDS = 150.0
LOW_AGAIN_SECONDS = 60.0

STORIES = ("news.story.created", "news.story.updated")
# Stories without a ticker are in the first one, those of the sample companies in theirs.
NEWS_TOPICS = ["news:global", "news:ticker:NVDA", "news:ticker:AAPL", "news:ticker:TSLA"]


def test_night_rises_to_excellent_and_every_channel_tells_one_alert(stage, record_property):
    upstream = f"http://127.0.0.1:{stage.replay()}"
    receiver = stage.receiver()
    hub = stage.aurora_hub(
        upstream, start="2024-12-09T16:00:00Z", speed=360, receiver=receiver, news=upstream
    )
    hub.start()
    stream = stage.event_stream(hub.port, TOPICS)
    news = stage.event_stream(hub.port, NEWS_TOPICS)
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
        lambda: two_of(receiver, "aurora."),
        within=10,
        what=lambda: f"two webhooks: {receiver.received}",
    )
    assert [each.problem for each in received] == ["", ""]
    assert [each.event for each in received] == alerts
    assert [each.id for each in received] == [alert["id"] for alert in alerts]
    assert received[0].headers["content-type"] == "application/cloudevents+json"

    check_stories(hub, news, receiver)

    if IS_RELEASE:
        assert peak_memory < MEMORY_MIB_MAX


def check_stories(hub, stream, receiver):
    """Stories were created and have grown, and each event went to the endpoint once."""
    # The last article of the night but one is of 01:45.
    wait_until(
        lambda: hub.clock().isoformat() >= "2024-12-10T02:00",
        within=NIGHT_SECONDS,
        what=lambda: f"the night is over: {hub.clock()}",
    )
    assert len(stream.connections) == 1 and not stream.gaps
    stories = growth(stream)
    assert len(stories) >= 12, stories
    # What is published of four articles is the third, of six the fifth.
    assert len([counts for counts in stories.values() if counts[-1] >= 3]) >= 10, stories
    assert all(counts == sorted(counts) for counts in stories.values()), stories
    aurora = max(stories, key=lambda story: stories[story][-1])
    assert stories[aurora][-1] >= 13 and len(stories[aurora]) >= 5, stories

    latest = {event.json()["subject"]: event.json()["data"] for event in story_events(stream)}
    assert "Tromsø" in latest[aurora]["group_title"]
    tickers = {data["primary_ticker"] for data in latest.values()}
    assert tickers >= {None, "NVDA", "AAPL", "TSLA"}

    ids = {event.json()["id"] for event in story_events(stream)}
    sent = wait_until(
        lambda: complete(receiver, ids), within=10, what=f"webhooks of {len(ids)} stories"
    )
    assert len(sent) == len({each.id for each in sent})

    feeds = {name: feed for name, feed in hub.feeds().items() if name.startswith("news.")}
    assert len(feeds) == 5
    assert {feed["status"] for feed in feeds.values()} == {"healthy"}, feeds


def story_events(stream):
    """Publications of stories so far, each event once, although it is in several topics."""
    found = {e.json()["id"]: e for e in stream.events if e.json()["type"] in STORIES}
    return list(found.values())


def growth(stream):
    """The numbers of articles of each story, one for each number that was published."""
    counts = defaultdict(list)
    for event in story_events(stream):
        count = event.json()["data"]["article_count"]
        if count not in counts[event.json()["subject"]]:
            counts[event.json()["subject"]].append(count)
    return counts


def complete(receiver, ids):
    """What was sent of stories, once it has all those events."""
    sent = [each for each in receiver.genuine if each.event["type"] in STORIES]
    return sent if ids <= {each.event["id"] for each in sent} else None


def two_of(receiver, prefix):
    """What was sent of a domain, once it is two events."""
    sent = [each for each in receiver.genuine if each.event["type"].startswith(prefix)]
    return sent if len(sent) >= 2 else None


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
