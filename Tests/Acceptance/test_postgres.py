"""The store in PostgreSQL: hubs and servers are killed under load; every acknowledged publication is
delivered once and in order."""

import os
import random
import time

import pytest

from harness.hub import Hub
from harness.postgres import Postgres, is_missing
from harness.settings import API_KEY, ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

TOPICS = [f"load:{index}" for index in range(20)]
PUBLISHED_PER_SECOND = int(os.environ.get("RATE") or 200)
KILLS = int(os.environ.get("KILLS") or 5)
BETWEEN_KILLS_SECONDS = (0.2, 1.5)
PATIENCE_SECONDS = 60.0


@pytest.fixture
def server(stage):
    return Postgres.of(stage)


@pytest.fixture
def hub(stage, server):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(
        configuration(
            namespace("load", publish="anyone", history_size=100_000),
            namespace("probe", publish="anyone"),
        )
    )
    hub.start()
    return hub


def test_hub_goes_on_where_it_was_killed(stage, server, hub, record_property):
    kill_under_load(stage, hub, record_property, lambda: (hub.kill(), hub.start()))


def test_hub_outlives_its_killed_server(stage, server, hub, record_property):
    kill_under_load(stage, hub, record_property, lambda: (server.kill(), server.start()))
    assert len(hub.runs) == 1, "it was never restarted"


def test_connections_that_are_ended_are_made_again(stage, server, hub, record_property):
    end = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = 'varde'"
    )
    kill_under_load(stage, hub, record_property, lambda: server.query(end))


def kill_under_load(stage, hub, record_property, kill):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    stream = stage.event_stream(hub.port, TOPICS)
    wait_until(lambda: stream.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    publishers = stage.companion(
        "publishers",
        port=hub.port,
        topics=TOPICS,
        rate=PUBLISHED_PER_SECOND,
        through="api",
        key=API_KEY,
    )
    for _ in range(KILLS):
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_KILLS_SECONDS))
        kill()
        wait_until_it_publishes(stage, hub)
    published = publishers.ask("stop")
    assert not published["complaints"]

    def numbers(topic):
        return [event.json()["number"] for event in stream.events if event.topic == topic]

    for topic, acknowledged in published["acknowledged"].items():
        assert acknowledged == list(range(1, len(acknowledged) + 1)) and acknowledged
        wait_until(
            lambda topic=topic, last=acknowledged[-1]: last in numbers(topic),
            within=PATIENCE_SECONDS,
            what=f"the stream has everything of {topic}",
        )
        assert numbers(topic) == acknowledged, f"{topic}: not once, or not in order"
    assert not stream.gaps
    record_property("acknowledged", sum(map(len, published["acknowledged"].values())))


def wait_until_it_publishes(stage, hub):
    def publishes():
        try:
            return stage.server_api(hub.port).publish("probe:topic", {}).offset > 0
        except Exception:
            return False

    wait_until(publishes, within=PATIENCE_SECONDS, what="the hub takes publications")


def test_hub_is_not_ready_while_its_server_is_away(server, hub):
    assert hub.get("/readyz").status == 200
    server.kill()
    wait_until(
        lambda: hub.get("/readyz").status == 503, within=PATIENCE_SECONDS, what="it is not ready"
    )
    assert hub.get("/livez").status == 200
    server.start()
    wait_until(
        lambda: hub.get("/readyz").status == 200, within=PATIENCE_SECONDS, what="it is ready again"
    )


def test_hub_ends_where_another_one_has_used_the_schema(stage, server, hub):
    """So that its service manager starts it with the state of the database."""
    server.query("UPDATE varde.hub SET claims = claims + 1")
    server.query(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = 'varde'"
    )
    assert hub.process.wait(within=PATIENCE_SECONDS) == 1
    assert "another hub has used schema varde" in hub.log
    hub.start()
    assert stage.server_api(hub.port).publish("probe:topic", {}).offset == 1


def test_second_hub_on_one_schema_does_not_start(stage, server, hub):
    second = stage.hub(name="second", environment=ENVIRONMENT)
    second.database = server.url()
    second.configure(configuration(namespace("load", publish="anyone")))
    process = second.start(until_ready=False)
    assert process.wait(within=PATIENCE_SECONDS) != 0
    assert "schema varde is in use: another hub runs on it" in process.log
    third = stage.hub(name="third", environment=ENVIRONMENT)
    third.database = server.url(schema="third")
    third.configure(configuration(namespace("load", publish="anyone")))
    third.start()
    assert third.get("/readyz").status == 200


def test_password_is_in_no_line_of_the_log(stage, server):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url().replace("varde@", "varde:t0psecret@")
    hub.configure(configuration(namespace("load")))
    hub.start()
    server.kill()
    wait_until(
        lambda: hub.get("/readyz").status == 503, within=PATIENCE_SECONDS, what="it is not ready"
    )
    assert "t0psecret" not in hub.log
    assert "t0psecret" not in hub.get("/readyz").body.decode()


SEARCHED_ROWS = """
    INSERT INTO varde.film_prose VALUES (1, 'the general', 'buster keaton', 'a train');
    INSERT INTO varde.news_article (url, source, source_title, owner, weight, title, summary, content,
        category, published_at, is_date_guessed, first_seen_at, tickers, content_hash, revision)
    VALUES ('https://news.example/1', 'a', 'A', 'a', 1, 'Café opens', '', '', 0, 0, 0, 0, '',
        sha256('a'), 1)
"""
SEARCH = """
    SELECT (SELECT count(*) FROM varde.film_prose WHERE words @@ 'general & keaton')
        + (SELECT count(*) FROM varde.news_article WHERE words @@ 'cafe')
"""


def test_dump_that_is_restored_begins_an_epoch(stage, server):
    """On the same server, where only the tables are others. The columns of words are made again."""
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(configuration(namespace("load"), activity="{}", news="{}"))
    hub.start()
    api = stage.server_api(hub.port)
    kept = api.publish("load:a", {"number": 1})
    server.query(SEARCHED_ROWS)
    dump = server.dump("varde")
    assert api.publish("load:a", {"number": 2}).offset == 2
    hub.interrupt()
    server.query("DROP SCHEMA varde CASCADE")
    server.restore(dump)
    assert server.query(SEARCH) == "2"
    hub.start()
    again = stage.server_api(hub.port).publish("load:a", {"number": 3})
    assert again.offset == 2 and again.epoch != kept.epoch


def test_server_that_loses_commits_is_refused(stage, server):
    server.query("ALTER SYSTEM SET synchronous_commit = off")
    server.query("SELECT pg_reload_conf()")
    hub: Hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(configuration(namespace("load")))

    def refusal():
        process = hub.start(until_ready=False)
        status = process.wait(within=PATIENCE_SECONDS)
        return "synchronous_commit is off" in process.log and status != 0

    # The setting takes a moment to reach new connections.
    wait_until(refusal, within=PATIENCE_SECONDS, what="the hub refuses the server")
