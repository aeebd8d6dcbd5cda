"""What the documentation promises to whoever has only curl."""

import json
import re
import subprocess

import pytest

from harness.stage import ALERTS, CONDITIONS
from harness.waiting import wait_until

EXAMPLE_KEY = "tro_app_aurora_watcher_v1"
START = "2024-12-09T19:30:00Z"
SPEED = 360
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# The contract's fields of `now`, in its order, and what stands in them.
NOW = {
    "score": int,
    "level": str,
    "confidence": str,
    "headline": str,
    "location": {"name": str, "lat": float, "lon": float},
    "solar_wind": {"speed": int, "density": (int, float), "bz": (int, float)},
    "kp_index": (int, float),
    "cloud_coverage": int,
    "visibility": str,
    "recommendation": str,
    "updated": str,
}
LEVELS = ["none", "low", "moderate", "good", "excellent"]


@pytest.fixture
def hub(stage):
    """In development, in the middle of the storm."""
    replay = stage.replay()
    upstream = f"http://127.0.0.1:{replay}"
    hub = stage.aurora_hub(upstream, start=START, speed=SPEED, news=upstream)
    hub.start()
    hub.wait_for_conditions()
    return hub


def test_now_has_the_fields_of_the_contract(hub):
    response = curl("-i", f"http://127.0.0.1:{hub.port}/api/aurora/now")
    head, _, body = response.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK\r\n")
    fields = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
    }
    assert fields["content-type"].startswith("application/json")
    assert fields["cache-control"] == "max-age=300"
    assert int(fields["content-length"]) == len(body.encode())
    now = json.loads(body)
    assert_form(now, NOW)
    assert 0 <= now["score"] <= 100
    assert now["level"] in LEVELS
    assert now["confidence"] in ("high", "medium", "low")
    assert (now["location"]["lat"], now["location"]["lon"]) == (69.6492, 18.9553)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now["updated"])


def test_now_speaks_norwegian_and_english(hub):
    norwegian = hub.get("/api/aurora/now")
    english = hub.get("/api/aurora/now", {"Accept-Language": "en-GB,en;q=0.9,nb;q=0.5"})
    assert norwegian.headers["content-language"] == "nb"
    assert english.headers["content-language"] == "en"
    assert norwegian.json()["headline"] != english.json()["headline"]


def test_development_lets_a_missing_key_stand_for_the_example(hub):
    assert hub.get("/api/aurora/now").status == 200
    assert hub.get("/api/aurora/now", {"X-API-Key": EXAMPLE_KEY}).status == 200
    assert hub.get("/api/aurora/now", {"X-API-Key": "another"}).status == 403


def test_without_development_a_key_is_needed_and_the_example_is_none(stage):
    hub = stage.hub()
    hub.configure(
        "aurora:\n"
        "  user_agent: varde-test/1.0 ops@example.org\n"
        "  swpc_url: http://127.0.0.1:1\n"
        "  metno_url: http://127.0.0.1:1\n"
        "  api_keys: [a-key-of-our-own]\n"
    )
    hub.start()
    missing = hub.get("/api/aurora/now")
    assert missing.status == 401
    assert missing.json() == {
        "error": "Unauthorized",
        "message": "API key is required. Please provide X-API-Key header.",
        "documentation": f"http://127.0.0.1:{hub.port}/openapi/#document-aurora",
    }
    for key in (EXAMPLE_KEY, "a-key-of-our-ow", "a-key-of-our-own "[:-1] + "x"):
        unknown = hub.get("/api/aurora/now", {"X-API-Key": key})
        assert unknown.status == 403, key
        assert unknown.json()["error"] == "Forbidden"
    # The right key gets through to the state, of which there is none yet.
    known = hub.get("/api/aurora/now", {"X-API-Key": "a-key-of-our-own"})
    assert known.status == 503
    assert known.json() == {
        "error": "Service Unavailable",
        "message": "Backend service temporarily unavailable",
    }


def test_event_stream_shows_conditions_and_alerts_to_curl(hub):
    topics = f"{CONDITIONS},{ALERTS}"
    # Ends by its time limit, as the stream does not.
    text = curl(
        "-N",
        "--max-time",
        "8",
        f"http://127.0.0.1:{hub.port}/events?topics={topics}",
        statuses=(28,),
    )
    assert re.search(r"^retry: \d+$", text, re.MULTILINE)
    assert re.search(r"^id: \d+$", text, re.MULTILINE)
    assert re.search(rf"^event: {CONDITIONS}$", text, re.MULTILINE)
    data = re.search(r"^data: (.*)$", text, re.MULTILINE)
    assert data, text
    event = json.loads(data[1])
    assert event["specversion"] == "1.0"
    assert event["source"] == "/aurora" and event["subject"] == "tromso"


def test_event_stream_refuses_what_it_does_not_know(hub):
    assert hub.get("/events").status == 400
    assert hub.get("/events?topics=aurora:oslo").status == 404
    assert hub.get("/events?topics=aurora:tromso", {"Last-Event-ID": "yesterday"}).status == 400


def test_probes_tell_life_and_readiness(hub):
    assert hub.get("/livez").json() == {"status": "alive"}
    assert hub.get("/readyz").json() == {"status": "ready"}

    def healthy():
        health = hub.get("/api/health").json()
        return health["status"] == "healthy" and health

    # On a busy machine the fast clock makes polls late, and data old, for a moment.
    health = wait_until(healthy, within=30, what=lambda: hub.get("/api/health").body)
    assert health["replay"] is True
    assert len(health["feeds"]) == 16
    assert hub.get("/nowhere").status == 404


def test_request_id_is_echoed_or_made(hub):
    assert hub.get("/livez", {"X-Request-ID": "abc-123"}).headers["x-request-id"] == "abc-123"
    for refused in ("", "with space", "x" * 129):
        made = hub.get("/livez", {"X-Request-ID": refused}).headers["x-request-id"]
        assert re.fullmatch(UUID, made), (refused, made)
    ids = {hub.get("/livez").headers["x-request-id"] for _ in range(3)}
    assert len(ids) == 3


def curl(*arguments, statuses=(0,)):
    """What curl prints."""
    result = subprocess.run(
        ["curl", "--silent", "--show-error", *arguments], capture_output=True, timeout=30
    )
    assert result.returncode in statuses, result.stderr.decode()
    return result.stdout.decode()


def assert_form(value, form, path="now"):
    """The same keys in the same order, and values of these types."""
    assert list(value) == list(form), path
    for key, expected in form.items():
        if isinstance(expected, dict):
            assert_form(value[key], expected, f"{path}.{key}")
        else:
            # JSON has one kind of number; a whole one reads as int where a fraction may stand.
            assert isinstance(value[key], expected) and not isinstance(value[key], bool), (
                f"{path}.{key}: {value[key]!r}"
            )
