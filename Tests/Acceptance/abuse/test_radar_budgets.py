"""A user who makes radars all the time leaves the sources' budget to others."""

import pytest

from harness.provider import ANTHROPIC
from harness.radar import ai_source
from harness.radar_fixtures import (  # noqa: F401
    hub_namespaces,
    hub_values,
    provider,
    radar_hub,
    transcript,
    user,
)
from harness.sizes import size
from harness.store import spending

REQUESTS_A_DAY = size("REQUESTS_A_DAY", small=40, full=400)
# More than the budget of the day.
CREATIONS = size("CREATIONS", small=80, full=2350)
# The default. It leaves another user enough for what the test asks: an interpretation and two polls.
USER_SHARE_PERCENT = 10


@pytest.fixture
def hub_values():
    return {"user_share_percent": USER_SHARE_PERCENT}


@pytest.fixture
def hub_sources():
    return [lambda provider: ai_source(provider, ANTHROPIC, daily_requests=REQUESTS_A_DAY)]


def test_radars_of_one_user_leave_the_budget_to_others(user, record_property):  # noqa: F811
    mallory, kari = user("mallory"), user("kari")
    made = 0
    for number in range(CREATIONS):
        answer = mallory.send("POST", "/api/radars", {"topic": f"question {number}"})
        assert answer.status in (201, 409, 429), answer
        if answer.status == 201:
            made += 1
            # So that the number of radars bounds nothing.
            if number % 2:
                mallory.delete(answer.value["id"])
    record_property("made", made)
    radar = kari.create("four-day working week")
    assert kari.polled(radar["id"])["refreshCount"] == 1
    kari.refresh(radar["id"])
    assert kari.polled(radar["id"], 2)["refreshCount"] == 2


RESTARTS = size("RESTARTS", small=3, full=12)
# In each life of the hub. Together more than the share pays for.
TOPICS = 25
DAILY_TOKENS, DAILY_REQUESTS = 200_000, 2_000


@pytest.mark.parametrize(
    "hub_sources",
    [
        [
            lambda provider: ai_source(
                provider, ANTHROPIC, daily_tokens=DAILY_TOKENS, daily_requests=DAILY_REQUESTS
            )
        ]
    ],
)
def test_user_who_does_everything_leaves_nine_tenths_to_others(  # noqa: F811
    radar_hub,  # noqa: F811
    user,  # noqa: F811
    record_property,
):
    mallory, kari = user("mallory"), user("kari")
    for life in range(RESTARTS):
        for number in range(TOPICS):
            mallory.send("POST", "/api/interpret", {"topic": f"asked {life} {number}"})
            answer = mallory.send("POST", "/api/radars", {"topic": f"made {life} {number}"})
            if answer.status == 201:
                mallory.send("POST", f"/api/radars/{answer.value['id']}/refresh")
                mallory.delete(answer.value["id"])
        radar_hub.kill()
        radar_hub.start()
    (spent,) = spending(radar_hub.database)
    record_property("tokens", spent.tokens)
    assert spent.tokens <= DAILY_TOKENS * USER_SHARE_PERCENT // 100
    assert spent.requests <= DAILY_REQUESTS * USER_SHARE_PERCENT // 100
    left = mallory.send("GET", "/api/radars/budget").value["sources"][0]
    assert left["questionsLeft"] == 0
    radar = kari.create("four-day working week")
    assert kari.polled(radar["id"])["refreshCount"] == 1
    assert kari.refresh(radar["id"])["pending"] is False
