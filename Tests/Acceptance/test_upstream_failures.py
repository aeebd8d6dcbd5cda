"""Upstreams that misbehave in every way they are known to; the hub serves on meanwhile."""

import json
import re
from datetime import datetime, timedelta

import pytest

from harness.processes import GROWTH_MIB_MAX, IS_RELEASE
from harness.stage import CONDITIONS
from harness.upstream import PATHS, RETRY_AFTER_SECONDS
from harness.waiting import wait_until

START = "2024-12-09T19:40:00Z"
# Ten minutes in a second: what is polled every ten minutes is polled every second.
SPEED = 600
INTERVALS = (
    "  intervals: {solar_wind: 10m, solar_wind_day: 10m, kp_minutes: 10m, kp: 10m, "
    "kp_forecast: 10m, outlook: 10m, ovation: 10m, weather: 10m, scales: 10m, bulletins: 10m}\n"
)
PATIENCE_SECONDS = 40.0
# The hub gives up on a request after 20 s of the wall clock.
TIMEOUT_SECONDS = 60.0

# By fault: what the hub says about it, in the log and in /api/health.
REASONS = {
    "html": r"HTML|not JSON|not a table",
    "truncated": r"truncated at offset \d+",
    "500": r"status 500",
    "429": rf"status 429, retry after {RETRY_AFTER_SECONDS} s",
    "cut": r"broke off",
    "zeros": r"over limit|not JSON|not a table",
    "gzip bomb": r"over limit|not JSON",
}


@pytest.fixture
def upstream(stage):
    return stage.upstream(stage.replay())


@pytest.fixture
def hub(stage, upstream):
    """A hub that has heard from all its upstreams."""
    hub = stage.aurora_hub(upstream.url, start=START, speed=SPEED, aurora=INTERVALS)
    hub.start()
    assert set(hub.wait_for_feeds()) == set(PATHS)
    return hub


@pytest.mark.parametrize("fault", REASONS)
def test_hub_names_the_failure_serves_on_and_recovers(hub, upstream, record_property, fault):
    before = hub.get("/api/aurora/now").json()
    upstream.faults = dict.fromkeys(PATHS, fault)
    failing = wait_until(
        lambda: all_feeds(hub, lambda feed: feed["consecutive_failures"] >= 1),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds fail: {hub.feeds()}",
    )
    assert set(failing) == set(PATHS)
    for name, feed in failing.items():
        assert re.search(REASONS[fault], feed["last_failure"]), (name, feed)
        assert feed["status"] in ("failing", "open"), (name, feed)
        assert time_of(feed["next_attempt"]) > time_of(feed["last_success"]), (name, feed)

    during = hub.get("/api/aurora/now")
    assert during.status == 200
    assert list(during.json()) == list(before)
    assert hub.get("/livez").status == 200 and hub.get("/readyz").status == 200

    upstream.faults = {}
    wait_until(
        lambda: all_feeds(hub, lambda feed: feed["consecutive_failures"] == 0),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds have recovered: {hub.feeds()}",
    )
    lines = failures(hub)
    for name in PATHS:
        told = [line for line in lines if line["feed"] == name]
        assert told and re.search(REASONS[fault], told[0]["reason"]), (name, told)
        # A line for an attempt, not two, and none that is not there.
        assert len(told) == upstream.answers[name, fault], (name, told, upstream.answers)
        if fault == "429":
            wait = time_of(told[0]["next"]) - time_of(failing[name]["last_success"])
            assert wait >= timedelta(seconds=RETRY_AFTER_SECONDS), (name, told)
    record_property("memory MiB at most", f"{hub.process.peak_memory_mib:.1f}")


@pytest.mark.parametrize("fault", ["zeros", "gzip bomb"])
def test_hub_does_not_grow_with_a_body_of_fifty_megabytes(hub, upstream, record_property, fault):
    before = hub.process.peak_memory_mib
    upstream.faults = {"swpc.ovation": fault}
    wait_until(
        lambda: len(failures(hub)) >= 3, within=PATIENCE_SECONDS, what="three such bodies refused"
    )
    growth = hub.process.peak_memory_mib - before
    record_property("MiB more", f"{growth:.1f}")
    if IS_RELEASE:
        assert growth < GROWTH_MIB_MAX


def test_hub_takes_a_bare_nan_for_a_missing_number(hub, upstream):
    upstream.faults = {"swpc.rtsw_wind": "nan"}
    wait_until(
        lambda: upstream.answers["swpc.rtsw_wind", "nan"] >= 3,
        within=PATIENCE_SECONDS,
        what="three polls of a body with NaN",
    )
    assert hub.feeds()["swpc.rtsw_wind"]["last_failure"] is None
    assert not failures(hub)


def test_hub_asks_with_conditions_and_takes_304_for_a_success(hub, upstream):
    wait_until(
        lambda: all(upstream.answers[name, "304"] >= 1 for name in ("swpc.kp", "swpc.kp_forecast")),
        within=PATIENCE_SECONDS,
        what=lambda: f"304 for what changes every few hours: {upstream.answers}",
    )
    asked = hub.feeds()["swpc.kp"]["last_success"]
    wait_until(
        lambda: hub.feeds()["swpc.kp"]["last_success"] > asked,
        within=PATIENCE_SECONDS,
        what="another success",
    )
    assert not failures(hub)


def test_hub_gives_up_on_an_upstream_that_never_answers(hub, upstream):
    upstream.faults = {"swpc.ovation": "never"}
    wait_until(
        lambda: upstream.answers["swpc.ovation", "never"] == 1,
        within=PATIENCE_SECONDS,
        what="the request that is never answered",
    )
    answered = upstream.answers["swpc.solar_wind", "200"]
    hub.process.wait_for_log(
        r"feed failed .*feed=swpc\.ovation next_attempt=\d{4}-.* reason=\"no complete response within ",
        within=TIMEOUT_SECONDS,
    )
    assert upstream.answers["swpc.ovation", "never"] <= 2, "asked again while it waited"
    assert upstream.answers["swpc.solar_wind", "200"] >= answered + 5, "others had to wait"
    assert hub.get("/api/aurora/now").status == 200
    assert hub.feeds()["swpc.solar_wind"]["consecutive_failures"] == 0


def test_hub_shows_how_old_its_state_is_when_all_upstreams_are_gone(stage, hub, upstream):
    stream = stage.event_stream(hub.port, [CONDITIONS])
    # A poll that is a second late is ten minutes late here: inputs can be stale for a moment.
    fresh = wait_until(
        lambda: explanation_without_gaps(hub),
        within=PATIENCE_SECONDS,
        what=lambda: f"nothing is stale or missing: {explain(hub)}",
    )
    upstream.faults = dict.fromkeys(PATHS, "500")
    # Kp goes on from its forecast, the cloud from its own, and the sun needs nobody.
    stale = {"ovation", "coupling", "solar_wind.speed", "solar_wind.bz"}
    # Each at its own time: hours pass in seconds, and what is very old is missing.
    ages: dict[str, int] = {}

    def note_stale() -> bool:
        inputs = [each for each in explain(hub)["inputs"] if each["is_stale"]]
        ages.update({each["name"]: each["age_seconds"] for each in inputs})
        return stale <= set(ages)

    wait_until(note_stale, within=PATIENCE_SECONDS, what=lambda: f"{stale} are stale: {ages}")
    before = {each["name"]: each["age_seconds"] for each in fresh["inputs"]}
    for name in stale:
        assert ages[name] > before[name], name
    health = wait_until(
        lambda: (
            hub.get("/api/health").json()
            if all(feed["stale"] for feed in hub.feeds().values())
            else None
        ),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds are stale: {hub.feeds()}",
    )
    assert health["status"] == "degraded"
    for feed in health["feeds"]:
        assert feed["age_seconds"] > 0 and feed["next_attempt"], feed
    now = hub.get("/api/aurora/now")
    assert now.status == 200
    assert now.json()["confidence"] == "low", now.json()
    # Whoever only listens is told as well.
    wait_until(
        lambda: stream.events and json.loads(stream.events[-1].data)["data"]["confidence"] == "low",
        within=PATIENCE_SECONDS,
        what="the event with low confidence",
    )


@pytest.mark.parametrize(
    "failing, degrading",
    [
        (["swpc.scales", "swpc.bulletins"], []),
        (["swpc.solar_wind"], ["input swpc.solar_wind"]),
        (["swpc.kp_minutes"], ["input swpc.kp"]),
        (["swpc.rtsw_mag", "swpc.rtsw_wind", "swpc.kp"], []),
        (["swpc.solar_wind", "swpc.rtsw_mag"], ["feed swpc.rtsw_mag", "feed swpc.solar_wind"]),
        (["swpc.scales", "swpc.ovation"], ["feed swpc.ovation"]),
        (["metno.weather:tromso"], ["feed metno.weather:tromso"]),
    ],
)
def test_hub_is_degraded_while_an_input_is_not_fresh_or_has_lost_its_first_source(hub, upstream, failing, degrading):
    assert hub.get("/api/health").json()["status"] == "healthy"
    upstream.faults = dict.fromkeys(failing, "500")
    health = wait_until(
        lambda: (
            hub.get("/api/health").json()
            if all(hub.feeds()[name]["stale"] for name in failing)
            else None
        ),
        within=PATIENCE_SECONDS,
        what=lambda: f"{failing} are stale: {hub.feeds()}",
    )
    assert [each["part"] for each in health["problems"]] == degrading
    assert health["status"] == ("degraded" if degrading else "healthy")


def all_feeds(hub, condition):
    """What is said of all feeds, if all meet the condition."""
    feeds = hub.feeds()
    return feeds if all(condition(feed) for feed in feeds.values()) else None


def explain(hub):
    return hub.get("/api/aurora/now?explain=1").json()


def explanation_without_gaps(hub):
    """The explanation if no input is stale or missing; nil otherwise."""
    found = explain(hub)
    return found if found["stale"] == found["missing"] == [] else None


def failures(hub):
    """The log's lines about attempts that failed, taken apart."""
    pattern = (
        r"^\S+ warning feed failed failures=\d+ feed=(?P<feed>\S+) next_attempt=(?P<next>\S+Z) "
        r"reason=(?P<reason>\".*?\"|\S+) status=\w+"
    )
    found = [found.groupdict() for found in re.finditer(pattern, hub.log, re.MULTILINE)]
    return [each | {"reason": each["reason"].strip('"')} for each in found]


def time_of(text):
    return datetime.fromisoformat(text)
