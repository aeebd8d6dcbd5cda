"""A primary PostgreSQL server is killed and its standby promoted, under a hub with publishers."""

import threading

import cent
import pytest

from harness.postgres import Postgres, is_missing
from harness.settings import ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

PATIENCE_SECONDS = 60.0
TOPICS = [f"load:{index}" for index in range(4)]
ENOUGH = 50


class Publisher:
    """Publishes numbers in one topic, each once, and never tries one again."""

    def __init__(self, api, topic):
        self.acknowledged: list[int] = []
        self.unknown: list[int] = []
        self._api, self._topic = api, topic
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        number = 0
        while not self._is_over.is_set():
            number += 1
            try:
                self._api.publish(self._topic, {"number": number})
            except Exception:
                self.unknown.append(number)
                self._is_over.wait(0.02)
            else:
                self.acknowledged.append(number)

    def stop(self):
        self._is_over.set()
        self._thread.join()


@pytest.fixture
def primary(stage):
    return Postgres.of(stage)


@pytest.fixture
def standby(stage, primary):
    server = Postgres.of(stage, primary)
    wait_until(
        lambda: primary.query("SELECT count(*) FROM pg_stat_replication") == "1",
        within=PATIENCE_SECONDS,
        what="the standby follows",
    )
    return server


@pytest.fixture
def hub(stage, primary, standby):
    hub = stage.hub(environment=ENVIRONMENT)
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    hub.database = f"postgresql://varde@{hosts}/postgres?target_session_attrs=read-write"
    hub.configure(configuration(namespace("load", history_size=100_000)))
    return hub


def fail_over(stage, hub, primary, standby):
    """Kills the primary server under publishers, promotes the standby, and starts the hub again.

    Returns the publishers, and the numbers of each topic that the hub has afterwards.
    """
    epochs = {epoch_of(stage, hub, topic) for topic in TOPICS}
    stream = stage.event_stream(hub.port, TOPICS)
    wait_until(lambda: stream.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    publishers = [Publisher(stage.server_api(hub.port), topic) for topic in TOPICS]
    wait_until(
        lambda: all(len(each.acknowledged) >= ENOUGH for each in publishers),
        within=PATIENCE_SECONDS,
        what="there are publications",
    )
    wait_until(
        lambda: len(stream.events) >= ENOUGH, within=PATIENCE_SECONDS, what="the stream has some"
    )
    primary.kill()
    for each in publishers:
        each.stop()
    standby.promote()
    assert hub.process.wait(within=PATIENCE_SECONDS) == 1, "it ends to be started again"
    assert "timeline 2 instead of" in hub.log
    hub.start()
    assert not epochs & {epoch_of(stage, hub, topic) for topic in TOPICS}
    wait_until(
        lambda: {topic for gap in stream.gaps for topic in gap.json()["topics"]} == set(TOPICS),
        within=PATIENCE_SECONDS,
        what=lambda: f"the gap is told: {stream.gaps}",
    )
    return publishers, [stored_numbers(stage, hub, topic) for topic in TOPICS]


def epoch_of(stage, hub, topic):
    return stage.server_api(hub.port).publish(topic, {"number": 0}).epoch


def stored_numbers(stage, hub, topic):
    api, numbers, since = stage.server_api(hub.port), [], None
    while True:
        request = cent.HistoryRequest(channel=topic, limit=1000, since=since)
        page = api.call(request)
        if not page.publications:
            return [number for number in numbers if number > 0]
        numbers += [each.data["number"] for each in page.publications]
        since = cent.StreamPosition(offset=page.publications[-1].offset, epoch=page.epoch)


def test_synchronous_standby_has_every_acknowledged_publication(stage, hub, primary, standby):
    primary.set("synchronous_standby_names", "*")
    hub.start()
    publishers, stored = fail_over(stage, hub, primary, standby)
    for publisher, numbers in zip(publishers, stored, strict=True):
        assert numbers == sorted(set(numbers)), "each once, and in order"
        assert set(publisher.acknowledged) <= set(numbers)
        assert set(numbers) <= set(publisher.acknowledged + publisher.unknown)


def test_standby_that_lags_loses_publications_and_the_epoch_ends(stage, hub, primary, standby):
    """The control: without the rule about epochs, clients would resume on other publications."""
    hub.start()
    standby.set("primary_conninfo", "host=127.0.0.1 port=1")
    wait_until(
        lambda: primary.query("SELECT count(*) FROM pg_stat_replication") == "0",
        within=PATIENCE_SECONDS,
        what="the standby follows no more",
    )
    publishers, stored = fail_over(stage, hub, primary, standby)
    for publisher, numbers in zip(publishers, stored, strict=True):
        assert publisher.acknowledged and not numbers, "it lacks them all"
