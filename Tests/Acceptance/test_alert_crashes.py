"""The hub is killed while publications trigger alert rules, again and again: every alert is raised and
cleared exactly once, whether its rule is evaluated in the transaction that publishes or after it.

    SEED=7 KILLS=20 Tests/Acceptance/run.sh -k alert_crashes
"""

import http.client
import json
import os
import random
import threading
import time

import pytest

from harness.backend import Backend
from harness.metrics import Metrics
from harness.radar import radar_section
from harness.settings import KEPT, TOKENS, configuration, namespace, started_hub
from harness.store import event_log
from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhook_fixtures import api, inbox, kari, radar  # noqa: F401

RULES = "/api/alerts/rules"
KILLS = int(os.environ.get("KILLS") or 6)
KILLED_AFTER_SECONDS = (0.0, 2.0)
# Of these the hub is killed while it takes up what the last run has not evaluated.
KILLED_IN_THE_START_SECONDS = (0.0, 0.2)
KILLS_UNTIL_ONE_IN_THE_START = 3
# All histories keep everything at this rate.
PAUSE_SECONDS = 0.002
RETRY_SECONDS = 0.02
PATIENCE_SECONDS = 60.0

TOPICS = [f"orders:{number}" for number in range(3)]
BOUND = 100
LARGE = {"name": "large", "topics": "orders:*", "when": f"total >= {BOUND}"}
# Of the opinion that came last.
SURE = 0.9
LOUD = {"name": "loud", "topics": "radar:*", "when": f"opinion.confidence >= {SURE}"}


@pytest.fixture
def radar_hub(stage):
    return started_hub(
        stage,
        configuration(
            namespace("orders"),
            namespace("radar"),
            {"name": "alerts", "subscribe": "owner", **KEPT},
            tokens=TOKENS,
            radar=radar_section(),
            alerts="[]",
        ),
    )


class Publisher:
    """Publishes one value after the other on a thread of its own; what the hub did not confirm is sent
    again, whatever became of it: the event log says what was committed."""

    def __init__(self, publish):
        self._publish = publish
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.problem = None
        self._thread.start()

    def stop(self):
        self._ends.set()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        assert not self.problem, self.problem

    def _run(self):
        number = 0
        while not self._ends.is_set():
            try:
                self._publish(number)
            except (OSError, http.client.HTTPException):
                time.sleep(RETRY_SECONDS)
                continue
            except Exception as problem:  # noqa: BLE001
                self.problem = problem
                return
            number += 1
            time.sleep(PAUSE_SECONDS)


def test_alert_crashes_raise_and_clear_every_alert_once(
    radar_hub, api, kari, radar, record_property
):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    for rule in (LARGE, LOUD):
        api.ask("POST", RULES, rule, status=201)
        bearer = {"Authorization": f"Bearer {connection_token('kari')}"}
        made, answer = api.send("POST", RULES, rule, bearer)
        assert made == 201, answer
    publishers = started_publishers(radar_hub, kari, radar, seed)

    for kill in range(1, KILLS + 1):
        # The moments are the point of this test: the hub has to survive any of them.
        if kill % KILLS_UNTIL_ONE_IN_THE_START:
            radar_hub.wait_until_ready()
            time.sleep(moments.uniform(*KILLED_AFTER_SECONDS))
        else:
            time.sleep(moments.uniform(*KILLED_IN_THE_START_SECONDS))
        radar_hub.kill()
        radar_hub.start(until_ready=False)
    radar_hub.wait_until_ready()
    for publisher in publishers:
        publisher.stop()

    def problem():
        return first_difference(event_log(radar_hub.database), f"radar:{radar}")

    wait_until(lambda: not problem(), within=PATIENCE_SECONDS, what=problem)
    log = event_log(radar_hub.database)
    alerts = [json.loads(each.data) for each in log if is_of_alert(each)]
    assert len(alerts) > KILLS, "hardly anything was published"
    ids = [each["id"] for each in alerts]
    assert len(ids) == len(set(ids)), "an event of an alert is there twice"
    assert_nothing_was_passed_over(radar_hub)
    record_property("publications", len(log) - len(alerts))
    record_property("events of alerts", len(alerts))


def started_publishers(hub, kari, radar, seed):
    def orders(topic):
        backend = Backend(hub.port)
        totals = random.Random(f"{seed} {topic}")
        values = []

        def publish(number):
            if number == len(values):
                values.append(totals.choice([1, BOUND - 1, BOUND, 5 * BOUND]))
            data = {"total": values[number]}
            backend.publish(topic, data, idempotency_key=f"{topic} {number}")

        return publish

    def opinions(number):
        confidence = SURE if number % 3 == 0 else 0.1
        opinion = {"author": "ada", "model": "none", "content": "So I say.", "stance": "for"}
        kari.push(radar, **opinion, confidence=confidence)

    return [Publisher(orders(topic)) for topic in TOPICS] + [Publisher(opinions)]


def first_difference(log, radar_topic):
    """What is not as the publications say; an empty text when every alert is."""
    values = {topic: [] for topic in [*TOPICS, radar_topic]}
    told = {}
    for logged in log:
        event = json.loads(logged.data)
        if is_of_alert(logged):
            subject = event["subject"]
            topic = subject if ":" in subject else f"radar:{subject}"
            told.setdefault((logged.topic, topic), []).append(event)
        elif logged.topic == radar_topic:
            opinion = event["data"].get("opinion")
            if opinion:
                values[radar_topic].append(opinion["confidence"] >= SURE)
        elif logged.topic in values:
            values[logged.topic].append(event["total"] >= BOUND)
    for topic in values:
        expected = crossings(values[topic])
        for place in (f"{topic}:alerts", "alerts:kari"):
            events = told.pop((place, topic), [])
            types = [event["type"].rpartition(".")[2] for event in events]
            if types != expected:
                return f"{place} has {len(types)} events of {topic}, expected {len(expected)}"
            ids = [event["data"]["alert_id"] for event in events]
            raised, cleared = ids[::2], ids[1::2]
            if cleared != raised[: len(cleared)] or len(raised) != len(set(raised)):
                return f"{place}: alerts of {topic} are not raised and cleared once each"
    return f"alerts that no publication raised: {list(told)}" if told else ""


def crossings(values):
    """One event for each change between met and not met, which comes first."""
    states = [False, *values]
    return [
        "raised" if now else "cleared"
        for before, now in zip(states, states[1:], strict=False)
        if now != before
    ]


def is_of_alert(logged):
    return logged.topic.endswith(":alerts") or logged.topic.startswith("alerts:")


def assert_nothing_was_passed_over(hub):
    metrics = Metrics(hub.port)
    samples = metrics.sample()
    metrics.close()
    passed_over = {
        name: value
        for name, value in samples.items()
        if name.startswith("hub_alert_passed_over_total")
    }
    assert passed_over and not any(passed_over.values()), passed_over
    assert "publications not looked at by alert rules" not in hub.log
