"""Upstreams that fail and get well again: the last good state stays, nothing is told falsely."""

import re
from datetime import timedelta

import pytest

from harness.evening import ABSURD, EVENING, PATIENCE_SECONDS, Watched, evening
from harness.still import duplicated, shifted
from harness.waiting import wait_until

INTERVALS = (
    "  intervals: {solar_wind: 10s, solar_wind_day: 10s, kp_minutes: 10s, kp: 10s, "
    "kp_forecast: 10s, ovation: 30s, weather: 10s}\n"
)
BACKFILL_INTERVALS = "  intervals: {solar_wind: 1m, solar_wind_day: 5m, ovation: 10m}\n"
# Ten seconds in one; the waits of the test are short, and nothing grows old.
SPEED = 10
RETRY_AFTER_SECONDS = 60
WIND = "swpc.solar_wind"
TROUBLES = {
    "truncated": r"truncated at offset \d+",
    "html": r"HTML|not JSON",
    "429": rf"status 429, retry after {RETRY_AFTER_SECONDS} s",
    "529": r"status 529",
}


@pytest.mark.parametrize("fault", TROUBLES)
def test_last_good_state_stays_while_the_upstream_fails(stage, fault):
    watched = Watched(stage, evening(grid="quiet"), EVENING, speed=SPEED, aurora=INTERVALS)
    given = set(watched.upstream.bodies)
    watched.upstream.fault_headers["429"] = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    before = shown(watched)
    watched.upstream.faults = dict.fromkeys(given, fault)
    failing = wait_until(
        lambda: when(watched, given, lambda feed: feed["consecutive_failures"] >= 1),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds fail: {watched.hub.feeds()}",
    )
    for name in given:
        assert re.search(TROUBLES[fault], failing[name]["last_failure"]), failing[name]
    assert shown(watched) == before
    asked = {name: len(watched.upstream.asked[name]) for name in given}
    watched.upstream.faults = {}
    wait_until(
        lambda: when(watched, given, lambda feed: feed["consecutive_failures"] == 0),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds have recovered: {watched.hub.feeds()}",
    )
    assert shown(watched) == before
    assert watched.alerts == []
    if fault == "429":
        for name in given:
            # The first request after the last refusal.
            moments = watched.upstream.asked[name]
            wait = moments[asked[name]] - moments[asked[name] - 1]
            assert wait >= RETRY_AFTER_SECONDS / SPEED - 0.1, (name, wait)


def test_file_from_the_future_is_refused_whole(stage):
    watched = Watched(stage, evening(grid="quiet"), EVENING, speed=SPEED, aurora=INTERVALS)
    before = shown(watched)
    good = dict(watched.upstream.bodies)
    storm = duplicated(good["swpc.solar_wind"], **ABSURD)
    watched.upstream.bodies["swpc.solar_wind"] = shifted(storm, timedelta(days=1))
    failing = wait_until(
        lambda: when(watched, [WIND], lambda feed: feed["consecutive_failures"] >= 1),
        within=PATIENCE_SECONDS,
        what="the feed fails",
    )
    assert "in the future" in failing[WIND]["last_failure"]
    assert shown(watched) == before
    watched.upstream.bodies = good
    wait_until(
        lambda: when(watched, [WIND], lambda feed: feed["status"] == "healthy"),
        within=PATIENCE_SECONDS,
        what="the feed has recovered",
    )
    assert shown(watched) == before and watched.alerts == []


def test_304_does_not_make_the_data_any_younger(stage):
    aurora = INTERVALS.replace("30s", "1m").replace("10s", "1m")
    watched = Watched(stage, evening(), EVENING, speed=300, aurora=aurora)
    watched.upstream.etag = '"one"'
    watched.wait_for_alert()
    # 20 minutes after the newest minute of the wind, though each poll was a success.
    old = {"coupling", "solar_wind.speed", "solar_wind.bz"}
    wait_until(
        lambda: old <= set(watched.explain()["stale"]),
        within=PATIENCE_SECONDS,
        what=lambda: f"the wind is stale: {watched.explain()['stale']}",
    )
    assert watched.upstream.answers["swpc.solar_wind", "304"] >= 5
    feed = watched.hub.feeds()["swpc.solar_wind"]
    assert feed["status"] == "healthy" and feed["last_failure"] is None
    # Polled well, and still: nothing new.
    wait_until(
        lambda: watched.hub.feeds()["swpc.solar_wind"]["stale"],
        within=PATIENCE_SECONDS,
        what=lambda: f"the feed is stale: {watched.hub.feeds()['swpc.solar_wind']}",
    )
    assert watched.hub.feeds()["swpc.solar_wind"]["data_time"].startswith("2024-12-09T17:03")
    # What came last; the explanation above says that it is stale.
    assert None not in watched.now()["solar_wind"].values()


# The day of minutes at L1 fills what the small product has not


def test_minutes_of_the_whole_day_fill_the_hours_before_the_start(stage):
    night = stage.replay()
    upstream = stage.upstream(night)
    hub = stage.aurora_hub(
        upstream.url, start="2024-12-09T20:00:00Z", speed=60, aurora=BACKFILL_INTERVALS
    )
    upstream.faults = {"swpc.rtsw_mag": "500", "swpc.rtsw_wind": "500"}
    hub.start()

    def coupling():
        response = hub.get("/api/aurora/now?explain=1")
        if response.status != 200:
            return None
        return next(each for each in response.json()["inputs"] if each["name"] == "coupling")

    alone = wait_until(coupling, within=PATIENCE_SECONDS, what="the conditions are known")
    assert alone["is_held"], "55 of 240 minutes"
    upstream.faults = {}
    filled = wait_until(
        lambda: each if (each := coupling()) and not each["is_held"] else None,
        within=PATIENCE_SECONDS,
        what=lambda: f"four hours of minutes: {coupling()}",
    )
    # Three of the four hours were calm.
    assert filled["value"] < alone["value"] * 0.9

    # A gap in the small product: the day of minutes bridges it.
    upstream.faults = {"swpc.solar_wind": "500"}
    begin = hub.clock()
    wait_until(
        lambda: hub.clock() - begin > timedelta(minutes=40),
        within=PATIENCE_SECONDS * 3,
        what="forty minutes without it",
    )
    assert not coupling()["is_stale"]
    assert hub.feeds()["swpc.solar_wind"]["consecutive_failures"] >= 1


def shown(watched):
    """What a reader sees, without what the time alone changes."""
    now = watched.now()
    return {name: now[name] for name in now if name not in ("updated", "confidence")}


def when(watched, names, condition):
    feeds = watched.hub.feeds()
    return feeds if all(condition(feeds[name]) for name in names) else None
