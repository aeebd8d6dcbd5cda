"""Each configurable bound of docs/SHARES.md is reached, by an attack here or by the test that is named."""

import json
import re
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness.processes import REPOSITORY
from harness.settings import ENVIRONMENT, TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhooks import WebhookAPI

from test_every_bound import PEER_ATTACKS, SHARED_ATTACKS

PAGE = (REPOSITORY / "docs/SHARES.md").read_text()
PATIENCE_SECONDS = 30.0
RULES = "/api/alerts/rules"
# They decide who may read and how messages are compressed, or name a call.
NO_BOUNDS = {
    "namespaces[].anonymous_subscribe",
    "websocket.compression.*_context_takeover",
    "hub.topics",
    "hub.explain",
}
# Keys, and the test beside this file that reaches each of them.
ELSEWHERE = {
    "activity.friends_max": "ActivityApp/Tables/FriendTests.swift friendsAndRequestsHaveALimit",
    "activity.requests_per_minute": "Acceptance/test_activity_api.py"
    " test_too_many_requests_are_refused_and_headers_tell_how_many_are_left",
    "activity.writes_per_minute": "Acceptance/test_activity_api.py"
    " test_too_many_changes_are_refused_and_reading_goes_on",
    "alert_limits.rules_per_user": "Acceptance/test_alert_rules_api.py"
    " test_number_of_a_users_rules_is_limited",
    "alert_limits.user_waiting_bytes": "Acceptance/abuse/test_alert_rules.py"
    " test_what_waits_for_users_rules_is_bounded_in_bytes",
    "alert_limits.waiting_bytes": "Duties/Alerting/TopicAlertsFollowerTests.swift"
    " oneMoreThanMayWaitCostsTheOldestAndIsTold",
    "history.memory": "Acceptance/abuse/test_little_memory.py"
    " test_start_needs_no_more_memory_than_the_budget",
    "hooks[].concurrency": "Core/Hooks/HookCallsTests.swift callsAndWaitingQuestionsAreBounded",
    "hooks[].queue": "Core/Hooks/HookCallsTests.swift callsAndWaitingQuestionsAreBounded",
    "namespaces[].history_bytes": "Topics/HistoryBytesTests.swift"
    " oldestLeaveBeyondTheLimitAndTheNewestStays",
    "news.interpretations_per_minute": "NewsApp/Interpret/NewsInterpreterTests.swift"
    " interpretationsOfAUserAreLimited",
    "news.requests_per_minute": "NewsApp/Acceptance/test_news_openapi.py"
    " test_answers_are_as_described",
    "news.sources[].daily_requests": "NewsApp/Ingest/NewsAPISourcesTests.swift"
    " budgetOfADayIsSpentBeforeTheRequestAndOutlivesTheProcess",
    "news.writer.daily_requests": "NewsApp/Writing/WriterFailureTests.swift"
    " backgroundPausesAfterTheBudgetIsUsedUp",
    "news.writer.daily_tokens": "NewsApp/Writing/WriterFailureTests.swift"
    " budgetOfTokensIsNotExceeded",
    "news.writer.user_share_percent": "NewsApp/Writing/WriterFailureTests.swift"
    " oneUserCannotUseUpTheBudget",
    "radar.creations_per_minute": "RadarApp/RadarRefusalTests.swift userMayAskSoOftenInAMinute",
    "radar.polls_at_once": "RadarApp/RadarSchedulerTests.swift"
    " placesAreNeverExceededAndAllRadarsHaveTheirTurn",
    "radar.pushes_per_minute": "RadarApp/RadarPushTests.swift keyHasARateForEachRadar",
    "radar.radars_per_user": "Acceptance/test_radar_api.py"
    " test_user_has_as_many_radars_as_allowed",
    "radar.refreshes_per_minute": "Acceptance/test_radar_api.py test_user_refreshes_at_a_rate",
    "radar.sources[].concurrency": "Acceptance/test_radar_sources.py"
    " test_source_is_asked_as_much_at_once_as_allowed",
    "radar.sources[].daily_requests": "Acceptance/test_radar_sources.py"
    " test_day_has_as_many_requests_as_allowed_across_restarts",
    "radar.sources[].daily_tokens": "Acceptance/test_radar_sources.py"
    " test_day_has_as_many_tokens_as_allowed",
    "radar.sources[].timeout": "Acceptance/test_radar_sources.py"
    " test_source_that_never_answers_is_given_up",
    "radar.user_share_percent": "Acceptance/abuse/test_radar_budgets.py"
    " test_radars_of_one_user_leave_the_budget_to_others",
    "webhook_limits.subscriptions": "Acceptance/test_webhooks_api.py"
    " test_number_of_webhooks_is_limited",
    # Their age is that of the machine's clock.
    "webhook_limits.waiting_age": "Duties/Outbox/WebhookBoundsTests.swift"
    " messageThatWaitsForTooLongIsDropped",
    "webhook_limits.waiting": "Acceptance/test_webhook_receivers.py"
    " test_no_more_waits_for_a_paused_webhook_than_allowed",
    "webhooks[].rate": "Acceptance/test_webhook_receivers.py"
    " test_webhook_with_a_rate_is_called_no_more_often",
    "webhooks[].timeout": "Acceptance/test_webhook_receivers.py test_slow_receiver_delays_nobody",
    "namespaces[].forget_after": "Hub/HubServiceForgettingTests.swift"
    " topicThatComesBackHasAnotherEpochOnEveryLoopAndInEveryAnswer",
}
# Those that the tests below reach.
HERE = {
    "alert_limits.rules",
    "alert_limits.topics",
    "alert_limits.topics_per_user",
    "alert_limits.user_rules",
    "alert_limits.user_topics",
    "namespaces[].history_age",
    "namespaces[].history_size",
    "news.articles",
    "news.retention",
    "news.sources[].max_items",
}


def keys_of_the_page() -> set[str]:
    """Names in the tables that are keys of the configuration; `*` stands for part of a name."""
    rows = (line for line in PAGE.split("\n") if line.startswith("|"))
    names = {name for row in rows for name in re.findall(r"`([a-z_.*\[\]]+)`", row)}
    return {name for name in names if "." in name} - NO_BOUNDS


def matches(key: str, names: Iterable[str]) -> bool:
    pattern = re.escape(key).replace(r"\*", "[a-z]+")
    return any(re.fullmatch(pattern, name) for name in names)


def test_every_key_of_the_page_has_an_attack():
    reached = {*PEER_ATTACKS, *SHARED_ATTACKS, *ELSEWHERE, *HERE}
    assert not {key for key in keys_of_the_page() if not matches(key, reached)}


@pytest.mark.parametrize("key", ELSEWHERE)
def test_attack_that_is_named_is_there(key):
    file, name = ELSEWHERE[key].split(" ")
    content = (REPOSITORY / "Tests" / file).read_text()
    assert re.search(rf"^ *(@Test.* )?(func|def) {name}\(", content, re.MULTILINE)
    assert key in PAGE


# Alert rules


def without_a_place(stage, hub, owner):
    """Publications that rules of the owner have not looked at for want of a place."""
    labels = f'reason="topics",owner="{owner}"'
    return stage.metrics(hub.port).sample()[f"hub_alert_passed_over_total{{{labels}}}"]


@pytest.fixture
def alerting(stage):
    limits = {"rules": 2, "user_rules": 5, "rules_per_user": 3}
    places = {"topics": 6, "user_topics": 6, "topics_per_user": 4}
    text = configuration(
        namespace("ops"),
        namespace("chat", subscribe="users"),
        tokens=TOKENS,
        alert_limits=json.dumps(limits | places),
    )
    return started_hub(stage, text)


def make(hub, name, topics, user=""):
    """The status of the answer, and the code of an error."""
    rule = {"name": name, "topics": topics, "when": "number > 10"}
    headers = {"Authorization": f"Bearer {connection_token(user)}"} if user else None
    status, answer = WebhookAPI(hub).send("POST", RULES, rule, headers)
    return status, answer.get("code", "")


def test_rules_of_operators_and_of_all_users_have_a_number(alerting):
    assert [make(alerting, name, "ops:*")[0] for name in ("a", "b")] == [201, 201]
    assert make(alerting, "c", "ops:*") == (409, "TOO_MANY_RULES")
    made = [make(alerting, name, "chat:*", user)[0] for user in ("kari", "ola") for name in "xyz"]
    assert made == [201] * 5 + [409]
    assert make(alerting, "x", "chat:*", "per") == (409, "TOO_MANY_RULES")


def test_topics_without_a_place_are_counted_and_those_with_one_go_on(stage, alerting):
    backend = stage.backend(alerting.port)
    assert make(alerting, "a", "ops:*")[0] == 201
    for user in ("kari", "ola"):
        assert make(alerting, "x", "chat:*", user)[0] == 201
    for number in range(20):
        for name in ("ops", "chat"):
            backend.publish(f"{name}:{number}", {"number": 1})
    # 20 topics for 6 places of the operator's rules, 4 of kari's, and what is left for ola.
    wait_until(
        lambda: without_a_place(stage, alerting, "operator") >= 14
        and without_a_place(stage, alerting, "user") >= 28,
        within=PATIENCE_SECONDS,
        what="publications without a place are counted",
    )
    backend.publish("ops:0", {"number": 11})
    wait_until(
        lambda: backend.history("ops:0:alerts").get("publications"),
        within=PATIENCE_SECONDS,
        what="the alert of a topic that has a place",
    )


# What has an age, and the news


def feed(count: int) -> bytes:
    item = "<item><title>Report {0} of the harbour of {0}</title><link>https://n.example/{0}</link></item>"
    items = "".join(item.format(number) for number in range(count))
    return f'<rss version="2.0"><channel><title>T</title>{items}</channel></rss>'.encode()


@pytest.fixture
def feeds():
    """A server whose feed `/N` has N items."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = feed(int(self.path.strip("/")))
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def articles(hub, words="harbour"):
    """How many have the words, counted up to 1,000."""
    answer = hub.get(f"/v2/everything?q={words}&pageSize=1", {"X-Api-Key": "any"})
    assert answer.status == 200, answer.body
    return answer.json()["totalResults"]


def hub_with_news(stage, *sources, **values):
    hub = stage.hub(environment=ENVIRONMENT)
    section = {"sources": list(sources)} | values
    hub.configure(f"development: true\nnews: {json.dumps(section)}\n")
    hub.start()
    wait_until(
        lambda: (found := hub.feeds()) and all(f["status"] == "healthy" for f in found.values()),
        within=PATIENCE_SECONDS,
        what=lambda: f"the feeds were read: {hub.feeds()}",
    )
    return hub


def source(name, url, **values):
    return {"name": name, "url": url, "interval": "1h", "language": "en"} | values


def test_long_document_of_a_source_is_read_up_to_its_number(stage, feeds):
    hub = hub_with_news(stage, source("long", f"{feeds}/60", max_items=40))
    assert articles(hub) == 40


def test_articles_beyond_their_number_are_deleted(stage, feeds):
    hub = hub_with_news(stage, source("long", f"{feeds}/1050", max_items=2000))
    # The first item of a document is the newest.
    assert [articles(hub, number) for number in (0, 999, 1000, 1049)] == [1, 1, 1, 1]
    hub.interrupt()
    hub.configure(f"development: true\nnews: {json.dumps({'articles': 1000})}\n")
    # The hub trims when it starts, and then every ten minutes.
    hub.start()
    wait_until(
        lambda: articles(hub, 1049) == 0,
        within=PATIENCE_SECONDS,
        what="the oldest article is deleted",
    )
    assert [articles(hub, number) for number in (0, 999, 1000)] == [1, 1, 0]


START, TEN_DAYS_LATER = "2024-12-01T12:00:00Z", "2024-12-11T12:00:00Z"
ARTICLE = {"url": "https://news.example.com/old", "title": "Harbour of Bergen opens a new quay"}


def test_everything_that_has_an_age_is_deleted_after_it(stage):
    hub = stage.hub(environment=ENVIRONMENT)
    kept = {"history_age": "1d", "history_size": 3}
    hub.configure(
        configuration(
            namespace("room", **kept),
            tokens=TOKENS,
            clock=json.dumps({"start": START, "speed": 1}),
            development="true",
            news=json.dumps({"retention": "2d", "requests_per_minute": 100_000}),
        )
    )
    hub.start()
    api, backend = WebhookAPI(hub), stage.backend(hub.port)
    for number in range(5):
        backend.publish("room:a", {"number": number})
    api.ask("POST", "/api/news/articles", {"articles": [ARTICLE]})
    assert len(backend.history("room:a")["publications"]) == kept["history_size"]

    def left():
        return {
            "publications": len(stage.backend(hub.port).history("room:a").get("publications", [])),
            "articles": articles(hub),
        }

    assert left()["articles"] == 1
    api.ask("POST", "/api/clock", {"time": TEN_DAYS_LATER})
    hub.interrupt()
    hub.start()
    wait_until(
        lambda: not any(left().values()),
        within=3 * PATIENCE_SECONDS,
        what=lambda: f"everything is too old: {left()}",
    )
