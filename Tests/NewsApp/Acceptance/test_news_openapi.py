"""The answers of the news routes match protocol/openapi/news.json."""

import json
from urllib.parse import quote

import pytest

from harness.described import DescribedHub, described, example_of, headers_for, target_of
from harness.settings import API_KEY, ENVIRONMENT, TOKENS
from harness.tokens import connection_token
from harness.waiting import wait_until


PATIENCE_SECONDS = 90.0
APP_KEY = "the key of an app"
KEY = {"X-API-Key": API_KEY}
ANNA = {"X-User-ID": "anna"}
APP = {"X-Api-Key": APP_KEY}
ARTICLES = [
    {
        "url": "https://news.example.com/chips",
        "title": "AAPL raises its forecast after record chip sales",
        "description": "Sales of chips rose by a fifth. " * 20,
        "content": "The company sold more chips than in any year before. " * 20,
        "tickers": ["AAPL"],
        "country": "us",
        "category": "business",
    },
    {"url": "https://news.example.com/rates", "title": "Fed holds rates at its meeting"},
]


def hub_with(stage, name, **section):
    hub = stage.hub(name=name, environment=ENVIRONMENT)
    sections = {"news": {"app_keys": [APP_KEY], **section}, "tokens": json.loads(TOKENS)}
    hub.configure("".join(f"{key}: {json.dumps(value)}\n" for key, value in sections.items()))
    hub.start()
    return DescribedHub(hub.port, "news")


@pytest.fixture
def hub(stage):
    """A hub outside of development, where requests need credentials."""
    return hub_with(stage, "news", requests_per_minute=100_000)


def test_answers_are_as_described(stage, hub):
    anna = ANNA | KEY
    hub.ask("POST", "/api/news/articles", {"articles": ARTICLES}, headers=KEY)
    bearer = {"Authorization": f"Bearer {connection_token('anna')}"}
    assert hub.ask("GET", "/v1/feed", headers=ANNA | bearer)["items"]
    holdings = {"focus_profile": "focused", "holdings": ["AAPL", {"ticker": "MSFT", "notes": "long"}]}
    hub.ask("PUT", "/v1/preferences", holdings, headers=anna)
    paths = ["/v1/feed", "/v1/personalized-feed", "/v1/feed/story-groups", "/v1/preferences"]
    for path in [*paths, "/v1/brief/latest", "/v1/stories/1"]:
        hub.ask("GET", path, headers=anna)
        hub.ask("GET", path, status=304, headers=anna | {"If-None-Match": "*"})
    assert hub.ask("GET", "/v1/search?q=chips&limit=1", headers=anna)["items"]
    signal = f"/v1/signals/{quote(ARTICLES[0]['url'], safe='')}/feedback"
    hub.ask("POST", signal, {"feedback": "useful", "note": "early"}, headers=anna)
    for text in ("Apple raises its forecast.", ARTICLES[0]["url"]):
        hub.ask("POST", "/v1/interpret", {"textOrUrl": text}, headers=anna)
    hub.ask("DELETE", "/v1/users/me/data", headers=anna)
    for path in (
        "/v2/top-headlines?country=us",
        "/v2/everything?q=rates",
        "/v2/top-headlines/sources",
        f"/v2/articles/summary?url={ARTICLES[0]['url']}",
    ):
        hub.ask("GET", path, headers=APP)
    hub.ask("GET", "/v2/articles/summary?url=https://none.example", status=404, headers=APP)
    address = "/api/news/articles?url="
    hub.ask("DELETE", address + ARTICLES[1]["url"], headers=KEY)
    hub.ask("DELETE", address + ARTICLES[1]["url"], status=404, headers=KEY)

    refuse_callers(hub)
    # These ask for a user first, and refuse a wrong key.
    users = {each.id for each in described("news", "401") if each.path.startswith("/v1/")}
    hub.refuse_everybody("news", but=users)
    for each in described("news", "401"):
        if each.id in users:
            wrong = ANNA | {"X-API-Key": "no key of the hub"}
            hub.ask_operation(each, example_of(each), status=401, headers=wrong)
    hub.refuse_unknown_ids("news", anna)
    hub.refuse_bad_bodies("news", anna)
    hub.ask("DELETE", address, status=400, headers=KEY)
    for each in described("news", "400"):
        if each.path.startswith("/v2/"):
            bad = "/v2/articles/summary?url=" if "summary" in each.path else f"{each.path}?language=x"
            hub.ask("GET", bad, status=400, headers=APP)
    refuse_those_who_ask_too_often(hub_with(stage, "busy", requests_per_minute=1), hub)
    # A 301 needs two stories that the hub has merged.
    assert hub.unmet("news") == {("getNewsStory", "301")}


def refuse_callers(hub):
    """Requests without a valid user are refused, and those whose credentials are not the user's."""
    for status, headers in ((400, KEY), (400, KEY | {"X-User-ID": "a" * 256}), (403, ANNA)):
        for each in described("news", "403"):
            hub.ask_operation(each, example_of(each), status=status, headers=headers)
    other = ANNA | {"Authorization": f"Bearer {connection_token('ola')}"}
    hub.ask("GET", "/v1/preferences", status=403, headers=other)
    hub.ask("GET", "/v1/preferences", status=403, headers=ANNA | {"Authorization": "Bearer x"})


def refuse_those_who_ask_too_often(busy, hub):
    def is_refused_everywhere():
        """False if a new minute begins in between."""
        answers = [
            busy.ask_any(
                each.method.upper(),
                target_of(each),
                example_of(each),
                headers=APP if each.path.startswith("/v2/") else headers_for(each, ANNA | KEY),
            )
            for each in described("news", "429")
        ]
        return answers.count(429) == len(answers)

    wait_until(is_refused_everywhere, within=PATIENCE_SECONDS, what="all have asked too often")
    hub.met |= busy.met
