"""PostgreSQL commits a transaction, its answer is lost, and the server is away for longer than
publishers wait. The hub has to find the commit, and continue from it."""

import http.client
import json
from datetime import UTC, datetime, timedelta

import pytest

from harness.evening import EVENING, OVERCAST, Watched, evening
from harness.lost_answer import AnswerThief
from harness.postgres import Postgres, is_missing
from harness.settings import API_KEY, ENVIRONMENT, configuration, namespace
from harness.stage import ALERTS
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

# Publishers wait for 30 s (PostgresSession.fateWaitMax).
SILENCE_SECONDS = 34.0
PATIENCE_SECONDS = 90.0
TOPIC = "chat:a"
# Of a clock with ten seconds in one.
INTERVALS = "  intervals: {solar_wind: 10s, solar_wind_day: 10s, ovation: 30s, weather: 10s}\n"
NEWS = """
development: true
loops: 2
news: {}
namespaces: [{name: news, anonymous_subscribe: true, history_size: 100, history_age: 1h}]
"""
STORED_ALERTS = f"""
    SELECT count(*) FROM varde.publication JOIN varde.topic ON topic.id = topic_id
    WHERE name = '{ALERTS}'
"""
STORIES = "news:category:general"
UNRELATED = [
    "Glacier survey finds record melt in Svalbard",
    "Elvestad bakery reopens its stone oven",
    "Paper mill tests recycled cartons",
    "Chess federation elects new president",
]


@pytest.fixture
def server(stage):
    return Postgres.of(stage)


@pytest.fixture
def thief(stage, server):
    return AnswerThief.of(stage, server)


def url(thief):
    return f"postgresql://varde@127.0.0.1:{thief.port}/postgres"


def test_publication_of_an_unanswered_commit_reaches_its_subscribers(stage, thief):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = url(thief)
    hub.configure(configuration(namespace("chat")))
    hub.start()
    stream = stage.event_stream(hub.port, [TOPIC])
    sdk = stage.sdk(hub.port, [TOPIC])
    wait_until(
        lambda: stream.is_open and sdk.subscribed[TOPIC],
        within=PATIENCE_SECONDS,
        what="the subscribers are there",
    )

    def publish(number):
        body = {"channel": TOPIC, "data": f"text-{number}", "idempotency_key": f"key-{number}"}
        return post(hub, "/api/publish", body)[1]

    publish(1)
    publish(2)
    thief.steal(b"text-3", silence=SILENCE_SECONDS)
    error = publish(3)["error"]
    assert error["code"] == 100 and "may be stored" in error["message"], error
    # The server is still away.
    assert publish(3)["error"]["code"] == 100
    assert publish(4)["error"]["code"] == 100
    wait_until(
        lambda: "result" in publish(4), within=PATIENCE_SECONDS, what="the hub publishes again"
    )
    publish(5)
    assert publish(3)["result"]["offset"] == 3, "its retry is a duplicate"
    texts = [f"text-{number}" for number in range(1, 6)]
    wait_until(
        lambda: len(stream.events) == len(sdk.publications[TOPIC]) == len(texts),
        within=PATIENCE_SECONDS,
        what=lambda: f"everybody has everything: {stream.events} {sdk.publications}",
    )
    assert [each.json() for each in stream.events] == texts
    assert sdk.publications[TOPIC] == list(enumerate(texts, start=1))
    assert stream.gaps == []
    assert len(hub.runs) == 1, "it was never restarted"


def test_alert_of_an_unanswered_commit_is_raised_once(stage, server, thief):
    thief.steal(b"aurora.alert.raised", silence=SILENCE_SECONDS)
    watched = Watched(
        stage, evening(), EVENING, speed=10, aurora=INTERVALS, database=url(thief)
    )
    assert thief.has_stolen.wait(PATIENCE_SECONDS), "the alert is committed"
    wait_until(lambda: watched.alerts, within=PATIENCE_SECONDS, what="the alert")
    watched.upstream.bodies = evening(sky=OVERCAST)
    wait_until(
        lambda: len(watched.alerts) > 1,
        within=PATIENCE_SECONDS,
        what=lambda: f"the end of the alert: {watched.now()}",
    )
    alerts = watched.alerts
    assert [each["type"].rsplit(".")[-1] for each in alerts] == ["raised", "cleared"], alerts
    assert len({each["data"]["alert_id"] for each in alerts}) == 1, alerts
    # An alert that was stored twice would have been announced once.
    assert server.query(STORED_ALERTS) == "2"


def test_story_of_an_unanswered_commit_keeps_its_id(stage, thief):
    hub = stage.hub(name="news", environment=ENVIRONMENT)
    hub.database = url(thief)
    hub.configure(NEWS)
    hub.start()
    stream = stage.event_stream(hub.port, [STORIES])
    thief.steal(b"news.story.created", silence=SILENCE_SECONDS)
    for index in range(len(UNRELATED)):
        wait_until(
            lambda index=index: push(hub, index) == 200,
            within=PATIENCE_SECONDS,
            what="the article is taken",
        )
    created = wait_until(
        lambda: len(found := created_stories(stream)) >= len(UNRELATED) and found,
        within=PATIENCE_SECONDS,
        what=lambda: f"a story for each article: {created_stories(stream)}",
    )
    assert thief.has_stolen.is_set()
    assert sorted(title for _, title in created) == sorted(UNRELATED)
    for story, title in created:
        articles = hub.get(f"/v1/stories/{story}").json()["articles"]
        assert [each["title"] for each in articles] == [title]


def created_stories(stream):
    """The id and the title of each story that was created."""
    events = [each.json() for each in stream.events]
    created = [each["data"] for each in events if each["type"] == "news.story.created"]
    return [(each["id"], each["group_title"]) for each in created]


def push(hub, index):
    published = datetime.now(UTC) - timedelta(minutes=30 - index)
    article = {
        "url": f"https://example.com/{index}",
        "title": UNRELATED[index],
        "category": "general",
        "language": "en",
        "published_at": published.isoformat(timespec="seconds").replace("+00:00", "Z"),
    }
    return post(hub, "/api/news/articles", {"articles": [article]})[0]


def post(hub, target, value):
    """The status and the JSON of the answer, for which publishers of the SDKs do not wait."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    try:
        headers = {"Content-Type": "application/json", "X-API-Key": API_KEY}
        connection.request("POST", target, json.dumps(value), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()
