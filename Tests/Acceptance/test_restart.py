"""The hub is killed under load, again and again; nobody misses anything and nobody hears it twice.

The size is for every change; this is the whole of it:

    SUBSCRIBERS=2000 KILLS=20 Tests/Acceptance/run.sh -k under_load
"""

import os
import random
import time

import pytest

from harness.settings import API_KEY, configuration, namespace, started_hub
from harness.waiting import wait_until

TOPICS = [f"load:{index}" for index in range(50)]
SUBSCRIBERS = int(os.environ.get("SUBSCRIBERS") or 400)
EVENT_STREAMS = 50
KILLS = int(os.environ.get("KILLS") or 5)
PUBLISHED_PER_SECOND = int(os.environ.get("RATE") or 500)
# Of subscribers for one process: at this rate it has a third of a core to spare.
SUBSCRIBERS_PER_PROCESS = 1000
# After all are back. A start takes a fiftieth of a second.
KILLED_AFTER_SECONDS = (0.05, 2.0)
# Every fourth kill comes at such a moment after the start, whoever is back by then.
KILLS_UNTIL_ONE_IN_THE_STORM = 4
KILLED_IN_THE_STORM_SECONDS = (0.0, 0.3)
PATIENCE_SECONDS = 60.0


@pytest.mark.parametrize("through", ["api", "client"])
def test_killed_hub_under_load_delivers_what_it_acknowledged_once_and_in_order(
    stage, record_property, through
):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    hub = started_hub(stage, configuration(namespace("load", publish="anyone")))
    listeners = seat_everybody(stage, hub)
    publishers = stage.companion(
        "publishers",
        port=hub.port,
        topics=TOPICS,
        rate=PUBLISHED_PER_SECOND,
        through=through,
        key=API_KEY,
    )

    for kill in range(1, KILLS + 1):
        # The moments are the point of this test: the hub has to survive any of them.
        if kill % KILLS_UNTIL_ONE_IN_THE_STORM:
            wait_until_all_are_back(listeners)
            time.sleep(moments.uniform(*KILLED_AFTER_SECONDS))
        else:
            time.sleep(moments.uniform(*KILLED_IN_THE_STORM_SECONDS))
        hub.kill()
        hub.start()
        assert not publishers.ask("state")["complaints"]
    wait_until_all_are_back(listeners)
    published = publishers.ask("stop")
    assert not published["complaints"]
    assert all(published["acknowledged"].values()), "a topic without publications"
    told = everything_told(listeners, published["acknowledged"])

    for topic, acknowledged in published["acknowledged"].items():
        numbers = told[0]["numbers"][topic]
        if through == "api":
            # Each was sent until it was acknowledged, and stands in the log once.
            assert acknowledged == list(range(1, len(acknowledged) + 1))
            assert numbers == acknowledged
        else:
            assert numbers == sorted(set(numbers)), f"{topic}: not once, or not in order"
            assert set(acknowledged) <= set(numbers), f"{topic}: acknowledged, and lost"
    assert all(each["numbers"] == told[0]["numbers"] for each in told)
    record_figures(record_property, published, told)


def seat_everybody(stage, hub):
    """Each has its place before anything is published."""
    listeners = []
    for first in range(0, SUBSCRIBERS, SUBSCRIBERS_PER_PROCESS):
        listeners.append(
            stage.companion(
                "listeners",
                port=hub.port,
                topics=TOPICS,
                websockets=min(SUBSCRIBERS_PER_PROCESS, SUBSCRIBERS - first),
                streams=0 if listeners else EVENT_STREAMS,
                first=first,
            )
        )
    wait_until_all_are_back(listeners)
    return listeners


def wait_until_all_are_back(listeners):
    def missing():
        states = ask_without_complaint(listeners)
        return SUBSCRIBERS + EVENT_STREAMS - sum(state["open"] for state in states)

    wait_until(
        lambda: missing() == 0,
        within=PATIENCE_SECONDS,
        what=lambda: f"everybody has a place; {missing()} have none",
    )


def ask_without_complaint(listeners):
    states = [each.ask("state") for each in listeners]
    assert [text for state in states for text in state["complaints"]] == []
    return states


def everything_told(listeners, acknowledged):
    """What each process was told, when every subscriber has as much as any other."""
    targets = {}

    def is_told():
        states = ask_without_complaint(listeners)
        for topic, numbers in acknowledged.items():
            targets[topic] = max(len(numbers), *(state["most"][topic] for state in states))
        return all(state["least"] == targets for state in states)

    wait_until(is_told, within=PATIENCE_SECONDS, what="everybody has everything")
    return [each.ask("all") for each in listeners]


def record_figures(record_property, published, told):
    record_property("acknowledged", sum(map(len, published["acknowledged"].values())))
    record_property("without an answer", published["unacknowledged"])
    record_property("delivered", sum(each["received"] for each in told))
    for kind in ("websocket", "stream"):
        absences = sorted(t for each in told for t in each[f"{kind} absences"])
        # All were back after each kill that waited for them, and after the last one.
        waits = KILLS - KILLS // KILLS_UNTIL_ONE_IN_THE_STORM
        seats = SUBSCRIBERS if kind == "websocket" else EVENT_STREAMS
        assert len(absences) >= waits * seats
        parts = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
        figures = [
            f"{name} {absences[int((len(absences) - 1) * part)]:.2f}"
            for name, part in parts.items()
        ]
        record_property(f"{kind} back after", " ".join(figures) + " s")
