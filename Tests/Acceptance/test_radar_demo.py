"""The radar's app as it is, against the demo's own configuration.

It logs in, sends nothing but a topic, and opens the socket without credentials.
"""

import hashlib
from itertools import count

import pytest

from harness.film_app import FilmApp
from harness.radar import RadarAPI, RadarSocket
from harness.radar_app import Transcript
from harness.waiting import wait_until

# The sample source has another opinion every five seconds.
PATIENCE_SECONDS = 90.0
START, SPEED = "2024-12-09T16:00:00Z", 360


@pytest.fixture
def demo_hub(stage):
    upstream = f"http://127.0.0.1:{stage.replay()}"
    hub = stage.aurora_hub(upstream, start=START, speed=SPEED, news=upstream)
    hub.start()
    return hub


@pytest.fixture
def transcript():
    return Transcript()


@pytest.fixture
def app(demo_hub, transcript):
    kari = FilmApp(demo_hub.port).log_in("Kari")
    return RadarAPI(demo_hub, transcript, kari.token)


@pytest.fixture
def open_socket(stage, demo_hub, transcript):
    def open_socket(radar_id, query=""):
        socket = RadarSocket(demo_hub, transcript, radar_id, query)
        stage.ends_with(socket.close)
        return socket

    return open_socket


def leaning_topic():
    """A topic that the sample source is for at all times: see SampleSource."""

    def lean(topic):
        digest = hashlib.sha256(f"{topic}\n".encode()).digest()
        return int.from_bytes(digest[:2]) / 65_536

    return next(topic for n in count() if lean(topic := f"four-day working week, part {n}") > 0.95)


def test_app_gets_the_radar_at_once_and_its_updates(app, open_socket, transcript):
    radar = app.create(leaning_topic())
    assert radar["isPublic"] and radar["socketToken"] is None
    assert radar["position"] == "neutral"
    socket = open_socket(radar["id"])
    (opening,) = socket.opening
    assert opening["type"] == "refresh"
    assert opening["data"]["radar"]["_0"]["id"] == radar["id"]
    # The first opinion makes the position. It may have come before the socket was open.
    is_early = opening["data"]["radar"]["_0"]["position"] == "for"
    for kind in ("refresh", "newOpinion", *([] if is_early else ["positionChange"])):
        wait_until(
            lambda kind=kind: socket.of_type(kind),
            within=PATIENCE_SECONDS,
            what=lambda kind=kind: f"{kind} in {socket.messages}",
        )
    changes = [each["data"] for each in socket.of_type("positionChange")]
    assert changes == ([] if is_early else [{"position": {"_0": "for"}}])
    shown = [each["id"] for each in opening["data"]["radar"]["_0"]["opinions"]]
    created = [each["data"]["opinion"]["_0"]["id"] for each in socket.of_type("newOpinion")]
    assert len(created) == len(set(created)) and not set(created) & set(shown)
    assert app.radar(radar["id"])["position"] == "for"
    assert app.list()[0]["id"] == radar["id"]
    transcript.assert_app_decodes_everything()


def test_app_that_comes_back_gets_what_it_has_missed(app, open_socket, transcript):
    radar_id = app.create(leaning_topic())["id"]
    first = open_socket(radar_id)
    wait_until(lambda: first.cursor, within=PATIENCE_SECONDS, what="an opinion")
    first.close()
    known = [each["id"] for each in app.opinions(radar_id)]
    assert first.cursor in known
    missed = wait_until(
        lambda: [each["id"] for each in app.opinions(radar_id) if each["id"] not in known],
        within=PATIENCE_SECONDS,
        what="an opinion that the app has missed",
    )
    second = open_socket(radar_id, f"?since={first.cursor}")
    *updates, refresh = second.opening
    assert refresh["recovered"] is True
    told = [each["data"]["opinion"]["_0"]["id"] for each in updates]
    assert set(missed) <= set(told) and first.cursor not in told
    transcript.assert_app_decodes_everything()
