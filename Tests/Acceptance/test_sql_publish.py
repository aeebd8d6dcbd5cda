"""Publications from SQL: an application publishes in its own transaction, whatever becomes of the hub."""

import os
import random
import re
import subprocess
import threading
import time

import pytest

from harness.postgres import INSTALLED, Postgres, is_missing
from harness.settings import ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

TOPIC = "orders:42"
KILL_COUNT = int(os.environ.get("KILLS") or 20)
BETWEEN_KILLS_SECONDS = (0.0, 0.7)
# The hub is slow on a machine with little to spare, and a killed one starts again.
PATIENCE_SECONDS = 60.0


@pytest.fixture
def server(stage):
    return Postgres.of(stage)


@pytest.fixture
def hub(stage, server):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(configuration(namespace("orders", history_size=100_000)))
    hub.start()
    return hub


class Application:
    """A session of psql, which stays open between its statements."""

    def __init__(self, server):
        self._psql = subprocess.Popen(
            [
                str(INSTALLED[-1] / "psql"), "--no-psqlrc", "--quiet", "--tuples-only",
                "--no-align", server.url(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, sql):
        """Returns when the statement has ended, with what psql has printed."""
        self._psql.stdin.write(f"{sql};\n\\echo ended\n")
        self._psql.stdin.flush()
        lines = []
        for line in self._psql.stdout:
            if line == "ended\n":
                return "".join(lines).strip()
            lines.append(line)
        raise AssertionError(f"psql ended: {''.join(lines)}")

    def publish(self, number, channel=TOPIC):
        assert self.run(f"SELECT varde.publish('{channel}', '{number}')") == ""

    def close(self):
        self._psql.stdin.close()
        self._psql.wait(PATIENCE_SECONDS)
        self._psql.stdout.close()


@pytest.fixture
def application(stage, server):
    return new_application(stage, server)


def new_application(stage, server):
    application = Application(server)
    stage.ends_with(application.close)
    return application


@pytest.fixture
def stream(stage, hub):
    stream = stage.event_stream(hub.port, [TOPIC])
    wait_until(lambda: stream.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    return stream


def numbers(stream):
    return [event.json() for event in stream.events if event.topic == TOPIC]


def wait_for(stream, expected):
    wait_until(
        lambda: len(numbers(stream)) >= len(expected),
        within=PATIENCE_SECONDS,
        what=lambda: f"the stream has {expected}, not only {numbers(stream)}",
    )
    assert numbers(stream) == expected
    assert not stream.gaps


def test_commit_is_delivered_to_web_sockets_and_event_streams(stage, hub, application, stream):
    sdk = stage.sdk(hub.port, [TOPIC])
    wait_until(lambda: TOPIC in sdk.subscribed, within=PATIENCE_SECONDS, what="it is subscribed")
    application.run("BEGIN")
    application.publish(1)
    application.publish(2)
    application.run("COMMIT")
    wait_for(stream, [1, 2])
    wait_until(
        lambda: [data for _, data in sdk.publications[TOPIC]] == [1, 2],
        within=PATIENCE_SECONDS,
        what="the client has both",
    )


def test_rollback_is_not_delivered(application, stream):
    application.run("BEGIN")
    application.publish(1)
    application.run("ROLLBACK")
    application.publish(2)
    wait_for(stream, [2])


def test_transaction_is_delivered_in_its_order(application, stream):
    application.run("BEGIN")
    for number in range(250):
        application.publish(number)
    application.run("COMMIT")
    wait_for(stream, list(range(250)))


def test_open_transaction_does_not_delay_another_one(stage, server, application, stream):
    sleeper = new_application(stage, server)
    sleeper.run("BEGIN")
    sleeper.publish(1)
    application.publish(2)
    wait_for(stream, [2])
    sleeper.run("SELECT pg_sleep(3)")
    sleeper.publish(3)
    application.publish(4)
    wait_for(stream, [2, 4])
    sleeper.run("COMMIT")
    wait_for(stream, [2, 4, 1, 3])


def test_role_needs_the_grants(hub, application, stream):
    application.run("CREATE ROLE shop")
    application.run("SET ROLE shop")
    publish = f"SELECT varde.publish('{TOPIC}', '1')"
    assert "permission denied for schema varde" in application.run(publish)
    application.run("RESET ROLE")
    application.run("GRANT USAGE ON SCHEMA varde TO shop")
    application.run("SET ROLE shop")
    assert "permission denied for function publish" in application.run(publish)
    application.run("RESET ROLE")
    application.run("GRANT EXECUTE ON FUNCTION varde.publish TO shop")
    application.run("SET ROLE shop")
    application.publish(2)
    wait_for(stream, [2])
    assert "permission denied for table inbox" in application.run("SELECT * FROM varde.inbox")


def test_refused_publication_is_kept_and_the_next_one_is_delivered(hub, application, stream):
    application.publish(1, channel="nowhere:42")
    application.publish(2)
    wait_for(stream, [2])
    refused = application.run("SELECT channel, reason, data FROM varde.inbox_refused")
    assert re.fullmatch(r"nowhere:42\|unknown channel: namespace nowhere is not configured: .*\|1", refused)
    assert application.run("SELECT count(*) FROM varde.inbox") == "0"
    hub.wait_for_log("publication from SQL refused")
    metrics = hub.get("/metrics").body.decode()
    assert 'hub_inbox_publications_total{result="taken"} 1\n' in metrics
    assert 'hub_inbox_publications_total{result="refused"} 1\n' in metrics
    assert "hub_inbox_waiting 0\n" in metrics


def test_refused_publications_are_published_again(stage, hub, application, stream):
    """The statements of docs/how-to/publish-from-sql.md."""
    for number in (1, 2):
        application.publish(number, channel="parcels:42")
    application.publish(3)
    wait_for(stream, [3])
    hub.interrupt()
    hub.configure(configuration(namespace("orders"), namespace("parcels")))
    hub.start()
    parcels = stage.event_stream(hub.port, ["parcels:42"])
    wait_until(lambda: parcels.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    application.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    application.run(
        """
        SELECT varde.publish(channel, data, idempotency_key, tags, version, version_epoch,
                skip_history, delta)
            FROM varde.inbox_refused WHERE channel LIKE 'parcels:%' ORDER BY id
        """
    )
    application.run("DELETE FROM varde.inbox_refused WHERE channel LIKE 'parcels:%'")
    application.run("COMMIT")
    wait_until(
        lambda: [event.json() for event in parcels.events] == [1, 2],
        within=PATIENCE_SECONDS,
        what="both are delivered in order",
    )
    assert application.run("SELECT count(*) FROM varde.inbox_refused") == "0"


def test_invalid_publication_fails_in_the_transaction(application, stream):
    found = application.run("SELECT varde.publish('a b', '1')")
    assert "ERROR:  channel: expected visible ASCII" in found
    application.publish(2)
    wait_for(stream, [2])


def test_repeated_key_is_published_once(application, stream):
    for number in (1, 2):
        application.run(f"SELECT varde.publish('{TOPIC}', '{number}', 'key')")
    application.publish(3)
    wait_for(stream, [1, 3])


def test_trigger_publishes_the_rows_of_a_table(application, stream):
    """The example of docs/how-to/publish-from-sql.md."""
    application.run("CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL)")
    application.run(
        """
        CREATE FUNCTION publish_order() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM varde.publish('orders:' || NEW.id,
                jsonb_build_object('id', NEW.id, 'status', NEW.status));
            RETURN NULL;
        END $$
        """
    )
    application.run(
        """
        CREATE TRIGGER publish_order AFTER INSERT OR UPDATE ON orders
            FOR EACH ROW EXECUTE FUNCTION publish_order()
        """
    )
    application.run("INSERT INTO orders VALUES (42, 'paid')")
    application.run("UPDATE orders SET status = 'sent' WHERE id = 42")
    wait_for(stream, [{"id": 42, "status": "paid"}, {"id": 42, "status": "sent"}])


def test_stopped_hub_publishes_what_waited(hub, application, stream):
    application.publish(1)
    wait_for(stream, [1])
    hub.interrupt()
    for number in (2, 3):
        application.publish(number)
    hub.start()
    wait_for(stream, [1, 2, 3])


def test_connection_that_is_ended_is_made_again(server, hub, application, stream):
    end = (
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
        " WHERE application_name = 'varde'"
    )
    for number in range(5):
        application.publish(number)
        application.run(end)
    wait_for(stream, list(range(5)))
    assert len(hub.runs) == 1, "it was never restarted"


def test_killed_hub_publishes_each_once_and_in_order(
    stage, hub, application, stream, record_property
):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    ends = threading.Event()
    committed = []

    def publish():
        while not ends.is_set():
            application.run("BEGIN")
            for _ in range(3):
                application.publish(len(committed))
                committed.append(len(committed))
            application.run("COMMIT")

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        for index in range(KILL_COUNT):
            # The moments are the point of this test; every second one may be in the start.
            if index % 2:
                hub.wait_until_ready()
            time.sleep(moments.uniform(*BETWEEN_KILLS_SECONDS))
            hub.kill()
            hub.start(until_ready=False)
        hub.wait_until_ready()
    finally:
        ends.set()
        publisher.join(PATIENCE_SECONDS)
    record_property("published", len(committed))
    # What came twice would come before the last one.
    application.publish(-1)
    wait_for(stream, [*committed, -1])
    assert application.run("SELECT count(*) FROM varde.inbox") == "0"


def test_hub_on_sqlite_has_no_inbox(stage):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(configuration(namespace("orders")))
    hub.start()
    assert "hub_inbox" not in hub.get("/metrics").body.decode()
