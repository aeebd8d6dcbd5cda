"""Recorded nights over real HTTP: what the hub says of each, and what it tells its subscribers."""

import json

import pytest

from harness.nights import Night
from harness.stage import ALERTS, CONDITIONS
from harness.waiting import wait_until

# A minute of the data lasts 83 ms; the 20 hours from noon to dawn, 100 s.
SPEED = 720
INTERVALS = (
    "  intervals: {solar_wind: 2m, solar_wind_day: 1h, kp_minutes: 5m, kp: 30m, "
    "kp_forecast: 1h, ovation: 10m, weather: 1h}\n"
)
LEVELS = ["none", "low", "moderate", "good", "excellent"]
PATIENCE_SECONDS = 180.0

# Hours after noon UTC. The shock of 10 May 2024 came at 17:05.
STORM = {
    "wind": [(0, "storm", "2024-05-10T12:00Z")],
    "kp": [(0, "storm", "2024-05-10T12:00Z")],
    "ovation": [(0, "quiet"), (5.5, "active"), (6, "storm")],
}


@pytest.fixture
def play(stage):
    """Plays a night to a hub until an hour of it is over; returns what a subscriber was told, and
    what the explanation said meanwhile."""

    def play(night: Night, until: str, start: str = ""):
        replay = stage.replay(night=night)
        hub = stage.aurora_hub(
            f"http://127.0.0.1:{replay}",
            start=start or night.start,
            speed=SPEED,
            aurora=INTERVALS,
        )
        hub.start()
        stream = stage.event_stream(hub.port, [CONDITIONS, ALERTS])
        explanations = []

        def is_over():
            explained = hub.get("/api/aurora/now?explain=1")
            if explained.status == 200:
                explanations.append(explained.json())
            return explanations and explanations[-1]["time"] >= until

        wait_until(is_over, within=PATIENCE_SECONDS, what=f"{until} has come")
        told = [event.json() for event in stream.events if event.topic == CONDITIONS]
        alerts = [event.json() for event in stream.events if event.topic == ALERTS]
        failed = [name for name, feed in hub.feeds().items() if feed["last_failure"]]
        assert failed == [], hub.feeds()
        return told, alerts, explanations

    return play


def test_storm_of_may_2024_raises_and_clears_one_alert_in_a_dark_night(play, record_property):
    told, alerts, explanations = play(
        Night("2024-12-09", **STORM), until="2024-12-10T10:00", start="2024-12-09T14:00:00Z"
    )
    assert [alert["type"] for alert in alerts] == ["aurora.alert.raised", "aurora.alert.cleared"]
    raised, cleared = alerts
    assert raised["data"]["alert_id"] == cleared["data"]["alert_id"]
    assert "2024-12-09T17" <= raised["time"] < "2024-12-09T19", "within two hours of the shock"
    assert "2024-12-10T05" <= cleared["time"] < "2024-12-10T09", "when the day breaks"

    # Up before the alert, at the top for hours, down at dawn.
    before = [each["data"] for each in told if each["time"] < "2024-12-09T17"]
    storm = [each["data"] for each in told if "2024-12-09T19" < each["time"] < "2024-12-10T05"]
    after = [each["data"] for each in told if each["time"] > "2024-12-10T08:45"]
    assert max(each["score"] for each in before) < 60
    assert {each["level"] for each in storm} == {"excellent"}
    assert min(each["score"] for each in storm) >= 75
    assert after[-1]["level"] == "none" and after[-1]["score"] == 0
    rising = [each["data"]["level"] for each in told if each["time"] < raised["time"]]
    assert "good" in rising, "not from one moment to the next"

    # The extremes of the recording are seen, and none that it does not have.
    winds = [each["data"]["solar_wind"] for each in told]
    speeds = [wind["speed"] for wind in winds if wind["speed"] is not None]
    fields = [wind["bz"] for wind in winds if wind["bz"] is not None]
    assert 380 <= min(speeds) and 750 <= max(speeds) <= 850
    assert -48 <= min(fields) <= -40
    kp = [each["data"]["kp_index"] for each in told if each["time"] > "2024-12-10T00"]
    assert max(kp) == 9.0
    record_property("events of conditions", len(told))

    # The gaps: 39 % of the minutes have no speed, yet the coupling is always there.
    night = [each for each in explanations if "2024-12-09T18" < each["time"] < "2024-12-10T05"]
    assert len(night) > 100
    coupling = [value(each, "coupling") for each in night]
    assert all(each["value"] is not None for each in coupling)
    held = [value(each, "solar_wind.speed")["is_held"] for each in night]
    assert any(held) and not all(held)
    longest_gap = [each for each in night if "2024-12-09T23:41" < each["time"] < "2024-12-09T23:47"]
    assert all(value(each, "coupling")["is_stale"] for each in longest_gap), "33 minutes of none"
    stale = [each for each in coupling if each["is_stale"]]
    assert len(stale) < len(night) / 10, "the others are bridged"


def test_same_storm_is_told_to_nobody_where_the_night_is_bright(play):
    told, alerts, explanations = play(
        Night("2024-05-10", **STORM), until="2024-05-11T03:00", start="2024-05-10T16:00:00Z"
    )
    assert alerts == []
    assert {each["data"]["level"] for each in told} == {"none"}
    assert {each["data"]["score"] for each in told} == {0}
    activity = [each["factors"]["activity"]["value"] or 0 for each in explanations]
    assert max(activity) > 0.95, "the storm itself was seen"
    assert {each["limiting_factor"] for each in explanations[1:]} == {"darkness"}


def test_quiet_night_stays_low(play):
    night = Night(
        "2024-12-09",
        wind=[(0, "april", "2026-04-16T12:00Z")],
        kp=[(0, "quiet", "2026-07-31T00:00Z")],
        ovation=[(0, "quiet")],
    )
    told, alerts, _ = play(night, until="2024-12-10T01:00", start="2024-12-09T17:00:00Z")
    assert alerts == []
    assert {each["data"]["level"] for each in told} <= {"none", "low", "moderate"}
    # Above -6 degrees of the sun it is 0; from 17:00 on it is dark.
    assert max(each["data"]["score"] for each in told) < 40
    assert max(each["data"]["kp_index"] for each in told) < 4


def test_southward_dip_of_april_2026_lifts_the_score_and_lets_it_fall(play):
    # The dip to -14 nT at 05:33 comes at 21:33.
    night = Night(
        "2024-12-09",
        wind=[(0, "april", "2026-04-17T20:00Z"), (18, "april", "2026-04-16T02:00Z")],
        kp=[(0, "february", "2026-02-05T00:00Z")],
        ovation=[(0, "quiet")],
    )
    told, alerts, explanations = play(
        night, until="2024-12-10T02:00", start="2024-12-09T15:30:00Z"
    )
    assert alerts == [], "a moderate disturbance is no storm"
    fields = [each["data"]["solar_wind"]["bz"] for each in told]
    assert -14.5 <= min(bz for bz in fields if bz is not None) <= -9

    def scores(begin, end):
        return [each["score"] for each in explanations if begin < each["time"] < end]

    quiet = scores("2024-12-09T16:00", "2024-12-09T17:00")
    dip = scores("2024-12-09T21:00", "2024-12-09T23:00")
    after = scores("2024-12-10T01:00", "2024-12-10T02:00")
    assert max(quiet) + 5 < max(dip) < 70, (max(quiet), max(dip))
    assert max(after) < max(dip), (max(dip), max(after))
    levels = [each["data"]["level"] for each in told]
    assert "moderate" in levels and "excellent" not in levels
    coupling = [value(each, "coupling")["value"] for each in explanations]
    assert max(each for each in coupling if each) > 8000
    # Levels do not flutter: far fewer changes than events.
    changes = sum(before != after for before, after in zip(levels, levels[1:]))
    assert changes <= 12, json.dumps(levels)


def value(explained, name):
    return next(each for each in explained["inputs"] if each["name"] == name)
