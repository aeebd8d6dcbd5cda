"""`varde store copy`: a hub moves from SQLite to PostgreSQL and back, and its clients resume."""

import random
import sqlite3
import time
from contextlib import closing

import pytest

from harness import settings
from harness.commands import begun, refused, run
from harness.hub import Hub
from harness.postgres import Postgres, is_missing
from harness.settings import configuration, namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

TOPICS = ["load:1", "load:2"]
CONFIGURATION = configuration(namespace("load", publish="anyone", history_size=100_000))
PATIENCE_SECONDS = 60.0
# Killed copies, and the rows that each of them has to copy.
KILLS = 6
ROWS = 100_000


@pytest.fixture
def server(stage):
    return Postgres.of(stage)


def started_hub(stage):
    return settings.started_hub(stage, CONFIGURATION)


class Traffic:
    """Publications of rising numbers, and a stream that must receive each of them once."""

    def __init__(self, stage, hub):
        self.published = {topic: 0 for topic in TOPICS}
        self.stream = stage.event_stream(hub.port, TOPICS)
        wait_until(lambda: self.stream.is_open, within=PATIENCE_SECONDS, what="the stream is open")
        self._api = stage.server_api(hub.port)

    def publish(self, count, **options):
        for _ in range(count):
            for topic in TOPICS:
                self.published[topic] += 1
                number = self.published[topic]
                # Offsets go on after every move.
                assert self._api.publish(topic, {"number": number}, **options).offset == number

    def publish_again(self, topic, **options) -> int:
        """A publication that the hub must not publish; its answer's offset."""
        return self._api.publish(topic, {"number": 0}, **options).offset

    def wait_until_all_arrived(self):
        for topic, count in self.published.items():
            wait_until(
                lambda topic=topic, count=count: len(numbers(self.stream, topic)) >= count,
                within=PATIENCE_SECONDS,
                what=f"the stream has everything of {topic}",
            )
            assert numbers(self.stream, topic) == list(range(1, count + 1))
        assert not self.stream.gaps


def numbers(stream, topic):
    return [event.json()["number"] for event in stream.events if event.topic == topic]


def test_clients_resume_after_the_move_and_after_the_way_back(stage, server):
    hub = started_hub(stage)
    file, url = hub.database, server.url()
    traffic = Traffic(stage, hub)
    traffic.publish(30)
    traffic.publish(1, idempotency_key="key")
    traffic.wait_until_all_arrived()
    epochs = {epoch(file)}
    for source, target in [(file, url), (url, file)]:
        hub.interrupt()
        if target == file:
            file.rename(file.with_suffix(".before"))
        said = run(stage, "store", "copy", "--from", str(source), "--to", str(target))
        assert said["publication"] == str(sum(traffic.published.values()))
        assert int(said["rows"]) > int(said["publication"]) and float(said["seconds"]) >= 0
        refusal = refused(stage, "store", "copy", "--from", str(source), "--to", str(target))
        assert "nothing was copied: " in refusal and "a copy replaces none" in refusal
        hub.database = target
        hub.start()
        assert traffic.publish_again("load:1", idempotency_key="key") == 31
        traffic.publish(20)
        traffic.wait_until_all_arrived()
        assert traffic.stream.connections[-1].resumed_after
        epochs.add(server.query("SELECT epoch FROM varde.hub"))
    epochs.add(epoch(file))
    assert len(epochs) == 1, epochs
    # A client that was away during both moves.
    fifth = [event for event in traffic.stream.events if event.topic == "load:1"][4]
    late = stage.event_stream(hub.port, ["load:1"], last_event_id=str(fifth.id))
    last = traffic.published["load:1"]
    wait_until(
        lambda: numbers(late, "load:1") == list(range(6, last + 1)),
        within=PATIENCE_SECONDS,
        what="the late client has everything after its position",
    )
    assert not late.gaps


def test_hub_that_runs_is_not_copied(stage, server):
    hub = started_hub(stage)
    copy = ["store", "copy", "--from", str(hub.database), "--to", server.url()]
    assert "database is in use: another hub runs on it" in refused(stage, *copy)
    hub.interrupt()
    run(stage, *copy)
    hub.database = server.url()
    hub.start()
    back = ["store", "copy", "--from", server.url(), "--to", str(stage.directory / "back.sqlite")]
    assert "schema varde is in use: another hub runs on it" in refused(stage, *back)


def test_killed_copy_leaves_the_source_as_it_was_and_no_target(stage, server):
    hub = started_hub(stage)
    stage.server_api(hub.port).publish("load:1", {"number": 1})
    hub.interrupt()
    fill(hub)
    file, url = hub.database, server.url()
    contents = file.read_bytes()
    kill_copies(stage, server, str(file), url, lambda: server.query(TABLES) == "0")
    assert file.read_bytes() == contents
    run(stage, "store", "copy", "--from", str(file), "--to", url)
    rows = server.query("SELECT count(*) FROM varde.publication")
    assert rows == str(ROWS + 1)
    back = stage.directory / "back.sqlite"
    kill_copies(stage, server, url, str(back), lambda: not back.exists())
    assert server.query("SELECT count(*) FROM varde.publication") == rows
    run(stage, "store", "copy", "--from", url, "--to", str(back))
    left = {path.name for path in stage.directory.glob("back*")}
    assert left == {"back.sqlite", "back.sqlite-lock"}
    hub.database = back
    hub.start()
    assert stage.server_api(hub.port).publish("load:1", {"number": 2}).offset == 2


TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = 'varde'"
CLAIMS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"


def kill_copies(stage, server, source, target, has_nothing):
    moments = random.Random(22)
    for number in range(KILLS):
        copy = begun(stage, "store", "copy", "--from", source, "--to", target)
        # The moments are the point of this test.
        time.sleep(moments.uniform(0.02, 0.3))
        if not copy.is_running:
            raise AssertionError(f"copy {number} has ended before it was killed:\n{copy.log}")
        copy.kill()
        # The server notices a moment later that the connection is closed.
        wait_until(
            lambda: server.query(CLAIMS) == "0", within=PATIENCE_SECONDS, what="the claim has ended"
        )
        assert has_nothing()


def fill(hub: Hub) -> None:
    """So many rows that a copy takes a moment."""
    with closing(sqlite3.connect(hub.database, timeout=10)) as connection:
        connection.execute("INSERT INTO topic (name) VALUES ('load:many')")
        connection.execute(
            f"""
            INSERT INTO publication (cursor, topic_id, topic_offset, time, payload)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
            SELECT (SELECT cursor_base FROM hub) - {ROWS} - 1 + i,
                (SELECT id FROM topic WHERE name = 'load:many'), i, 1800000000000, randomblob(200)
            FROM n
            """
        )
        # Rows of an earlier release have no checksum.
        connection.execute(
            "UPDATE hub SET unchecked_cursor = (SELECT max(cursor) FROM publication)"
        )
        connection.commit()


def epoch(file) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT epoch FROM hub").fetchone()[0]
