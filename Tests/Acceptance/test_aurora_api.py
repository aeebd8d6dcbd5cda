"""The endpoints of the aurora app, over the replayed night, against their schemas."""

import re
from datetime import datetime, timedelta

import pytest

from harness.schemas import assert_fits, problems_of
from harness.stage import CONDITIONS
from harness.waiting import wait_until

# In the middle of the storm. A minute of the data is a second.
START = "2024-12-09T19:30:00Z"
SPEED = 60
ENDPOINTS = {"now": 300, "tonight": 900, "hourly": 900, "forecast": 1800, "oval": 300}
KEYS = (
    "  api_keys: [an-app, {key: a-guest, tier: guest}]\n"
    "  tiers: [{name: app}, {name: guest, requests_per_hour: 3}]\n"
)


@pytest.fixture
def hub(stage):
    """In development: a missing key is as good as one."""
    replay = stage.replay()
    hub = stage.aurora_hub(f"http://127.0.0.1:{replay}", start=START, speed=SPEED, aurora=KEYS)
    hub.start()
    hub.wait_for_conditions()
    return hub


def get(hub, target, **headers):
    return hub.get(f"/api/aurora/{target}", {"X-API-Key": "an-app", **headers})


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_answer_fits_its_schema_and_says_how_long_it_keeps(hub, endpoint):
    response = get(hub, endpoint)
    assert response.status == 200
    assert response.headers["cache-control"] == f"max-age={ENDPOINTS[endpoint]}"
    assert re.fullmatch(r'"[0-9a-f]+"', response.headers["etag"])
    assert_fits(response.json(), f"aurora-{endpoint}")
    assert_fits(get(hub, f"{endpoint}?place=tromso").json(), f"aurora-{endpoint}")


def test_schema_does_not_take_one_key_less_or_more(hub):
    for endpoint in ENDPOINTS:
        value = get(hub, endpoint).json()
        for key in value:
            less = {each: value[each] for each in value if each != key}
            assert problems_of(less, f"aurora-{endpoint}"), f"{endpoint} without {key}"
        assert problems_of(value | {"more": 1}, f"aurora-{endpoint}")


def test_days_are_one_to_seven_and_three_by_default(hub):
    assert get(hub, "forecast").json()["days_count"] == 3
    for days in range(1, 8):
        value = get(hub, f"forecast?days={days}").json()
        assert_fits(value, "aurora-forecast")
        assert value["days_count"] == len(value["days"]) == days
        dates = [datetime.fromisoformat(day["date"]) for day in value["days"]]
        assert all(after - before == timedelta(days=1) for before, after in zip(dates, dates[1:]))
    for days in ("0", "8", "-1", "three", "", "1.5"):
        response = get(hub, f"forecast?days={days}")
        assert response.status == 400, days
        assert_fits(response.json(), "aurora-error")


def test_hours_are_the_24_whole_ones_after_now(hub):
    value = get(hub, "hourly").json()
    generated = datetime.fromisoformat(value["generated_at"])
    times = [datetime.fromisoformat(hour["time"]) for hour in value["hourly_forecast"]]
    assert timedelta() < times[0] - generated <= timedelta(hours=1)
    assert all(after - before == timedelta(hours=1) for before, after in zip(times, times[1:]))
    assert [hour["hour"] for hour in value["hourly_forecast"]] == [time.hour for time in times]
    # Noon of a polar night is too bright.
    noon = next(hour for hour in value["hourly_forecast"] if hour["hour"] == 11)
    assert (noon["probability"], noon["visibility"]) == (0, "none")


def test_tonight_is_at_least_as_good_as_now(hub):
    # Between the two requests the conditions may change.
    def pair():
        before, tonight, after = (get(hub, each).json() for each in ("now", "tonight", "now"))
        return (before, tonight) if before["updated"] == after["updated"] else None

    now, tonight = wait_until(pair, within=10, what="three answers of one moment")
    assert tonight["score"] >= now["score"]
    assert tonight["updated"] == now["updated"]


def test_texts_are_norwegian_and_english(hub):
    for endpoint in ("now", "tonight"):
        norwegian = get(hub, endpoint)
        english = get(hub, endpoint, **{"Accept-Language": "en"})
        assert norwegian.headers["content-language"] == "nb"
        assert english.headers["content-language"] == "en"
        assert norwegian.headers["vary"] == "Accept-Language, Origin"
        assert norwegian.json()["headline"] != english.json()["headline"]


def test_oval_is_about_a_hundred_points_and_its_key_is_spelled_in_utf_8(hub):
    response = get(hub, "oval")
    value = response.json()
    assert 70 <= len(value["coordinates"]) <= 108
    assert len({point["lon"] for point in value["coordinates"]}) >= 30
    assert '"tromsø_visibility":'.encode() in response.body
    assert value["tromsø_visibility"] is True, "the storm under a clear sky"


def test_whole_answer_is_sent_only_to_whom_it_is_new(hub):
    for endpoint in ENDPOINTS:

        def is_known(endpoint=endpoint):
            etag = get(hub, endpoint).headers["etag"]
            again = get(hub, endpoint, **{"If-None-Match": f'"other", W/{etag}'})
            return again if again.status == 304 else None

        # The conditions change every second; between most requests they do not.
        again = wait_until(is_known, within=10, what=f"304 of {endpoint}")
        assert again.body == b""
        assert again.headers["cache-control"] == f"max-age={ENDPOINTS[endpoint]}"
        assert "etag" in again.headers and "x-ratelimit-remaining" in again.headers
        other = get(hub, endpoint, **{"If-None-Match": '"other"'})
        assert other.status == 200


def test_explanation_has_the_factors_of_each_hour(hub):
    for endpoint in ("tonight", "hourly", "forecast"):
        response = get(hub, f"{endpoint}?explain=1")
        assert response.headers["cache-control"] == "no-store"
        value = response.json()
        assert value["place"] == "tromso" and value["hours"]
        for hour in value["hours"]:
            assert {"score", "activity", "darkness", "clear_sky", "missing"} <= hour.keys()


def test_key_has_the_requests_of_its_tier_and_hears_when_there_are_more(hub):
    def hour_of(response):
        return response.headers["x-ratelimit-reset"]

    first = get(hub, "now", **{"X-API-Key": "a-guest"})
    assert first.headers["x-ratelimit-limit"] == "3"
    assert first.headers["x-ratelimit-remaining"] == "2"
    answers = [get(hub, "oval", **{"X-API-Key": "a-guest"}) for _ in range(4)]
    if any(hour_of(answer) != hour_of(first) for answer in answers):
        pytest.skip("a full hour of the wall clock came in between")
    assert [answer.status for answer in answers] == [200, 200, 429, 429]
    refused = answers[-1]
    assert_fits(refused.json(), "aurora-error")
    assert refused.json()["limit"] == 3
    reset = datetime.fromisoformat(refused.json()["reset"])
    assert int(reset.timestamp() * 1000) == int(hour_of(refused))
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert get(hub, "now").headers["x-ratelimit-limit"] == "10000"


def test_errors_have_the_form_of_the_contract(hub):
    for target, key, status in (
        ("now?place=nowhere", "an-app", 404),
        ("oval", "unknown", 403),
        ("forecast?days=9", "an-app", 400),
    ):
        response = get(hub, target, **{"X-API-Key": key})
        assert response.status == status
        assert_fits(response.json(), "aurora-error")


def test_conditions_are_pushed_with_their_texts_in_every_language(stage, hub):
    stream = stage.event_stream(hub.port, [CONDITIONS])
    events = wait_until(lambda: stream.events, within=60, what="the conditions")
    for event in (each.json() for each in events):
        data = event["data"]
        assert_fits(data, "aurora-conditions")
        assert data["headline"] == data["headlines"]["nb"] != data["headlines"]["en"]
        assert data["recommendation"] == data["recommendations"]["nb"]


def test_map_is_pushed_when_it_changes(stage, hub):
    stream = stage.event_stream(hub.port, [CONDITIONS, "aurora:oval"])

    def maps():
        events = [event.json() for event in stream.events if event.topic == "aurora:oval"]
        return events if len({event["data"]["timestamp"] for event in events}) >= 2 else None

    # A file of OVATION every ten minutes of the data.
    events = wait_until(maps, within=60, what="two maps")
    for event in events:
        assert event["type"] == "aurora.oval.updated"
        assert event["subject"] == "oval"
        assert_fits(event["data"], "aurora-oval")
    data = [event["data"] for event in events]
    assert all(before != after for before, after in zip(data, data[1:]))
