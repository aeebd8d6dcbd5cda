"""The events of an article reach subscribers, webhooks and alert rules; users read only their own topic."""

import json

from harness.configuration import SECRET
from harness.described import DescribedHub
from harness.schemas import assert_fits
from harness.settings import API_KEY, ENVIRONMENT, TOKENS
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
KEY = {"X-API-Key": API_KEY}
TICKER = "news:ticker:AAPL"
ALERTS = f"{TICKER}:alerts"
CATEGORY = "news:category:business"
ARTICLE = {
    "url": "https://news.example.com/chips",
    "title": "Apple raises its forecast after record chip sales",
    "tickers": ["AAPL"],
    "category": "business",
}
RULE = {"name": "big", "topics": "news:ticker:*", "when": "importance_score >= 1"}


def started(stage, receiver):
    hub = stage.hub(name="news", environment=ENVIRONMENT)
    sections = {
        "tokens": json.loads(TOKENS),
        "news": {},
        "alerts": [RULE],
        "webhooks": [
            {"name": "desk", "url": receiver.url, "secret": SECRET, "types": ["news.signal.*"]}
        ],
        "webhook_limits": {"allow_addresses": ["127.0.0.1/32"]},
    }
    hub.configure("".join(f"{key}: {json.dumps(value)}\n" for key, value in sections.items()))
    hub.start()
    return hub


def types(stream, topic):
    return [event.json()["type"] for event in stream.events if event.topic == topic]


def test_article_reaches_subscribers_webhooks_and_rules(stage):
    receiver = stage.receiver()
    hub = started(stage, receiver)
    asked = DescribedHub(hub.port, "news")
    stream = stage.event_stream(hub.port, [TICKER, ALERTS, CATEGORY])
    token = connection_token("anna")
    own = stage.event_stream(hub.port, ["news:user:anna"], token=token)
    wait_until(lambda: stream.is_open and own.is_open, within=PATIENCE_SECONDS, what="both streams")

    asked.ask("POST", "/api/news/articles", {"articles": [ARTICLE]}, headers=KEY)
    published = ["news.signal.published", "news.story.created"]
    wait_until(
        lambda: types(stream, TICKER) == published and types(stream, CATEGORY) == published,
        within=PATIENCE_SECONDS,
        what=lambda: f"the signal and the story are in both topics: {stream.events}",
    )
    wait_until(
        lambda: any(kind.endswith("raised") for kind in types(stream, ALERTS)),
        within=PATIENCE_SECONDS,
        what="the alert",
    )
    wait_until(lambda: receiver.genuine, within=PATIENCE_SECONDS, what="the webhook")
    # The event is in two topics, but the webhook receives it once.
    signal = next(event.json() for event in stream.events if event.topic == TICKER)
    assert [each.event for each in receiver.received] == [signal]
    feed = asked.ask("GET", "/v1/feed", headers=KEY | {"X-User-ID": "anna"})
    assert feed["items"] == [signal["data"]]

    anna = {"X-User-ID": "anna", "Authorization": f"Bearer {token}"}
    asked.ask("PUT", "/v1/preferences", {"holdings": ["AAPL"]}, headers=anna)
    wait_until(lambda: own.events, within=PATIENCE_SECONDS, what="the preferences on the own topic")
    assert own.events[0].json()["data"]["topics"] == [TICKER]

    asked.ask("DELETE", f"/api/news/articles?url={ARTICLE['url']}", headers=KEY)
    wait_until(
        lambda: "news.signal.removed" in types(stream, TICKER),
        within=PATIENCE_SECONDS,
        what="the removal",
    )
    later = stage.event_stream(hub.port, [TICKER], last_event_id="0")
    wait_until(
        lambda: "news.signal.removed" in types(later, TICKER),
        within=PATIENCE_SECONDS,
        what="the history",
    )
    assert ARTICLE["title"] not in "".join(event.data for event in later.events)
    for event in [*stream.events, *own.events]:
        if event.topic != ALERTS:
            assert_fits(event.json(), "news-event")


def test_topic_of_a_user_is_for_that_user(stage):
    hub = started(stage, stage.receiver())
    topic = "/events?topics=news:user:anna"
    own = stage.event_stream(hub.port, ["news:user:anna"], token=connection_token("anna"))
    wait_until(lambda: own.is_open, within=PATIENCE_SECONDS, what="the user's own stream")
    # The answer must not reveal whether the user exists.
    for other in ("", f"&token={connection_token('ola')}"):
        assert hub.get(topic + other).status in (403, 404)
    for unknown in ("news:ticker:TOOLONG", "news:category:none"):
        assert hub.get(f"/events?topics={unknown}").status == 404
