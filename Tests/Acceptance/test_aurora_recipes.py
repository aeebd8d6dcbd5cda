"""Recorded answers of the upstreams, well formed and out of order, over real HTTP."""

import json
from datetime import timedelta

import pytest

from harness.evening import ABSURD, EVENING, OVERCAST, SPACE, WIND_MOVE, Watched, evening
from harness.still import (
    duplicated,
    out_of_order,
    recorded,
    shifted,
    with_another_craft,
    with_future,
)

# The sky over Tromsø


def test_active_grid_under_a_clear_sky_is_visible_and_raises_one_alert(stage):
    watched = Watched(stage, evening(), EVENING)
    alerts = watched.wait_for_alert()
    now = watched.now()
    assert now["score"] >= 70 and now["level"] == "excellent", now
    assert now["visibility"] == "excellent" and now["cloud_coverage"] < 10
    assert now["solar_wind"] == {"speed": 458, "density": 5.2, "bz": -4.0}
    inputs = watched.inputs()
    assert inputs["ovation"]["value"] == 38
    assert -28.5 < inputs["sun_elevation"]["value"] < -15
    assert [alert["type"] for alert in alerts] == ["aurora.alert.raised"]


def test_same_grid_is_hidden_by_an_overcast_sky(stage):
    watched = Watched(stage, evening(OVERCAST), EVENING)
    explained = watched.explain()
    now = watched.now()
    assert (now["score"], now["level"], now["visibility"]) == (0, "none", "none")
    assert now["confidence"] == "high", "that nothing is seen is certain"
    assert explained["limiting_factor"] == "cloud"
    assert explained["factors"]["activity"]["value"] > 0.7, "it is there all the same"
    assert watched.alerts == []


def test_quiet_grid_of_august_meets_the_midnight_sun(stage):
    bodies = {
        "swpc.ovation": recorded(f"{SPACE}/ovation_aurora_latest.2026-08-01-quiet.json"),
        "swpc.kp": recorded(f"{SPACE}/noaa-planetary-k-index.2026-08-01.objects.json"),
        "swpc.kp_forecast": recorded(
            f"{SPACE}/noaa-planetary-k-index-forecast.2026-08-01.objects.json"
        ),
    }
    watched = Watched(stage, bodies, "2026-08-01T19:52:00Z")
    explained, inputs, now = watched.explain(), watched.inputs(), watched.now()
    assert abs(inputs["sun_elevation"]["value"] - 2.97) < 0.1
    assert inputs["ovation"]["value"] == 9
    assert (now["score"], now["level"]) == (0, "none")
    assert explained["limiting_factor"] == "darkness"
    # The newest interval is too old; the forecast for this one stands in.
    assert inputs["kp"]["source"] == "noaa_planetary_k_index_forecast" and inputs["kp"]["is_held"]
    assert watched.alerts == []


# Shapes


def test_legacy_rows_of_a_severe_storm_are_read(stage):
    bodies = {
        "swpc.kp_forecast": recorded(
            f"{SPACE}/noaa-planetary-k-index-forecast.2025-04-17-g4.legacy-rows.json"
        )
    }
    watched = Watched(stage, bodies, "2025-04-16T20:00:00Z")
    inputs, now = watched.inputs(), watched.now()
    assert now["kp_index"] == 7.7
    assert inputs["kp"]["time"] == "2025-04-16T18:00:00.000Z"
    assert watched.hub.feeds()["swpc.kp_forecast"]["status"] == "healthy"
    assert watched.explain()["factors"]["activity"]["value"] == 1
    # April nights are never dark: what could be seen of a storm is a third.
    assert now["level"] != "excellent" and watched.alerts == []
    days = watched.hub.get("/api/aurora/forecast").json()["days"]
    assert days[0]["kp_forecast"][-2:] == [7.7, 5.3], days


def test_messages_and_scales_of_a_severe_storm_explain_the_morning_after(stage):
    bodies = {
        "swpc.bulletins": recorded(f"{SPACE}/alerts.2025-04-16-g4.json"),
        "swpc.scales": recorded(f"{SPACE}/noaa-scales.2025-04-17-after-g4.json"),
        "swpc.kp_forecast": recorded(
            f"{SPACE}/noaa-planetary-k-index-forecast.2025-04-17-g4.legacy-rows.json"
        ),
    }
    watched = Watched(stage, bodies, "2025-04-17T05:35:00Z")
    explained = watched.explain()
    periods = {each["period"]: each for each in explained["scales"]["periods"]}
    storms = {period: each["geomagnetic_storm"] for period, each in periods.items()}
    assert storms == {"past_day": 4, "now": 0, "today": 2, "tomorrow": 0, "day_after": 0}
    assert not explained["scales"]["is_stale"]
    told = [(each["code"], each["kind"]) for each in explained["bulletins"]]
    # Of two hundred messages, what holds at this moment; the strongest first.
    assert told == [
        ("WATA50", "watch"),
        ("WARK06", "warning"),
        ("WARK05", "warning"),
        ("WARK04", "warning"),
    ]
    feeds = watched.hub.feeds()
    assert feeds["swpc.bulletins"]["status"] == feeds["swpc.scales"]["status"] == "healthy"
    assert feeds["swpc.scales"]["data_time"] == "2025-04-17T05:33:00.000Z"
    assert watched.alerts == [], "what others say raises nothing"

    # Again after a restart, before any upstream has answered.
    before = explained["bulletins"]
    watched.upstream.close()
    watched.hub.interrupt()
    watched.hub.start()
    assert watched.explain()["bulletins"] == before


def test_levels_of_the_configuration_hold_in_every_answer(stage):
    levels = "  levels: {low: 20, moderate: 40, good: 60, excellent: 90, margin: 5}\n"
    watched = Watched(stage, evening(), EVENING, aurora=levels)
    explained, now = watched.explain(), watched.now()
    # By default it would be excellent.
    assert now["score"] >= 75 and now["level"] == "good", now
    assert explained["level"]["value"] == "good"
    assert explained["level"]["bounds"]["excellent"] == 90
    tonight = watched.hub.get("/api/aurora/tonight").json()
    assert (tonight["score"], tonight["level"]) == (now["score"], "good")
    assert tonight["headline"] == "Gode sjanser for nordlys i kveld"
    day = watched.hub.get("/api/aurora/forecast?days=1").json()["days"][0]
    assert (day["probability"], day["rating"]) == (now["score"], "good")
    # The rule without hold wants excellent.
    assert watched.alerts == []


def test_both_shapes_of_one_storm_say_the_same(stage):
    name = f"{SPACE}/noaa-planetary-k-index.2024-05-12-g5"
    said = []
    for shape in ("reformatted", "legacy-rows.reformatted"):
        body = recorded(f"{name}.{shape}.json")
        watched = Watched(stage, {"swpc.kp": body}, "2024-05-11T02:00:00Z", name=shape)
        kp = watched.inputs()["kp"]
        said.append((kp["value"], kp["time"], kp["source"]))
        watched.hub.process.stop()
    assert said[0] == said[1]
    assert said[0][0] == 9 and said[0][2] == "noaa_planetary_k_index"


# Bodies that are well formed and still not what they seem. The hub is to see what it sees without.

OK = {
    "rows out of order": {
        "swpc.solar_wind": out_of_order,
        "swpc.rtsw_mag": out_of_order,
        "swpc.rtsw_wind": out_of_order,
    },
    "duplicate minutes": {
        "swpc.solar_wind": lambda body: duplicated(body, **ABSURD),
        "swpc.rtsw_mag": lambda body: duplicated(body, **ABSURD),
        "swpc.rtsw_wind": lambda body: duplicated(body, **ABSURD),
    },
    "future time_tag": {
        "swpc.solar_wind": lambda body: with_future(body, timedelta(minutes=30), **ABSURD),
        "swpc.rtsw_mag": lambda body: with_future(body, timedelta(days=1), **ABSURD),
        "swpc.rtsw_wind": lambda body: with_future(body, timedelta(minutes=20), **ABSURD),
    },
}
WIND = ["solar_wind.speed", "solar_wind.density", "solar_wind.bz", "solar_wind.bt", "coupling"]


@pytest.mark.parametrize("trouble", OK)
def test_table_in_disorder_says_what_it_says_in_order(stage, trouble):
    plain = Watched(stage, evening(grid="quiet"), EVENING, name="plain")
    expected, score = plain.inputs(), plain.now()["score"]
    plain.hub.process.stop()
    bodies = evening(grid="quiet")
    for feed, spoil in OK[trouble].items():
        bodies[feed] = spoil(bodies[feed])
    watched = Watched(stage, bodies, EVENING)
    inputs = watched.inputs()
    for name in WIND:
        assert inputs[name]["value"] == expected[name]["value"] is not None, name
        assert inputs[name]["time"] == expected[name]["time"], name
    assert watched.now()["score"] == score
    feeds = watched.hub.feeds()
    assert all(feeds[name]["status"] == "healthy" for name in OK[trouble]), feeds
    assert plain.alerts == [] and watched.alerts == []


def test_craft_that_takes_over_in_the_middle_of_the_file_is_believed_from_there(stage):
    bodies = evening(grid="quiet")
    del bodies["swpc.solar_wind"]
    # SOLAR1 takes over; before that minute ACE was active.
    until = shifted(b"2026-09-26T18:43:00", WIND_MOVE).decode()
    for feed in ("swpc.rtsw_mag", "swpc.rtsw_wind"):
        assert b"ACE" in bodies[feed] and b"SOLAR1" in bodies[feed]
        bodies[feed] = _handed_over(bodies[feed], until)
    watched = Watched(stage, bodies, EVENING)
    inputs = watched.inputs()
    assert inputs["solar_wind.speed"]["value"] == 457.7
    assert inputs["solar_wind.bz"]["value"] == -4.07
    assert 7000 < inputs["coupling"]["value"] < 9500, inputs["coupling"]
    assert watched.alerts == []


def _handed_over(body, until):
    rows = [row | {"active": row["source"] == "SOLAR1"} for row in json.loads(body)]
    return with_another_craft(json.dumps(rows).encode(), until, **ABSURD)


def test_bare_nan_costs_its_own_number_and_no_other(stage):
    bodies = evening(grid="quiet")
    name = f"{SPACE}/rtsw_wind_1m.bare-nan.synthetic.json.txt"
    bodies["swpc.rtsw_wind"] = recorded(name, moved=WIND_MOVE)
    with pytest.raises(ValueError):
        json.loads(bodies["swpc.rtsw_wind"], parse_constant=lambda _: int("NaN"))
    del bodies["swpc.solar_wind"]
    watched = Watched(stage, bodies, EVENING)
    assert watched.hub.feeds()["swpc.rtsw_wind"]["last_failure"] is None
    assert 400 < watched.inputs()["solar_wind.speed"]["value"] < 500
    assert watched.alerts == []
