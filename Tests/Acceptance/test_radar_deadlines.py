"""Refreshes and interpretations are answered while every provider hangs; the rest is pushed."""

import threading

import pytest

from harness.deadlines import late, timed
from harness.provider import INTERPRETATION, OPENAI
from harness.provider_answers import held, interpretation, stance
from harness.radar import ai_source
from harness.tokens import connection_token
from harness.waiting import wait_until

pytestmark = pytest.mark.alone

COUNT = 100
# Some of the radars; their sockets have everything that the others have.
WATCHED = 5
PATIENCE_SECONDS = 60.0


def hanging(kind):
    """A source that may be asked for hours."""
    return lambda provider: ai_source(
        provider, kind, timeout="300s", concurrency=64, daily_tokens=0, daily_requests=0
    )


SOURCES = [hanging("anthropic"), hanging(OPENAI)]


@pytest.fixture
def hub_sources():
    return SOURCES


@pytest.fixture
def gate(stage):
    """Opens at the end, so that no request hangs longer than its test."""
    gate = threading.Event()
    stage.ends_with(gate.set)
    return gate


def test_every_refresh_is_answered_in_time_and_the_late_answers_are_pushed(
    user, provider, app_socket, transcript, gate, record_property
):
    provider.stance = held(stance(), gate)
    ann = user("ann")
    ids = [ann.create(f"topic {number}")["id"] for number in range(COUNT)]
    token = connection_token("ann")
    sockets = [app_socket(radar_id, token=token) for radar_id in ids[:WATCHED]]
    answers = timed(ann.refresh, ids)
    record_property("longest", f"{max(seconds for seconds, _ in answers):.2f} s")
    assert late(answers) == []
    assert all(radar["pending"] and radar["opinions"] == [] for _, radar in answers)
    gate.set()
    for socket in sockets:
        wait_until(
            lambda socket=socket: socket.of_type("refresh"),
            within=PATIENCE_SECONDS,
            what="the rest is pushed",
        )
        assert len(socket.of_type("newOpinion")) == len(SOURCES)
    for radar_id in ids:
        assert len(ann.polled(radar_id)["opinions"]) == len(SOURCES)
    transcript.assert_app_decodes_everything()


def test_every_interpretation_is_answered_in_time_and_late_ones_reach_the_radar(
    user, provider, app_socket, transcript, gate, record_property
):
    provider.stance = held(stance(), gate)
    provider.interpretation = held(interpretation, gate)
    users = [user(f"user {number}") for number in range(COUNT)]
    answers = timed(
        lambda number: users[number].interpret(f"topic {number}"), list(range(len(users)))
    )
    record_property("longest", f"{max(seconds for seconds, _ in answers):.2f} s")
    assert late(answers) == []
    assert all(each["pending"] and each["source"] == "lexical" for _, each in answers)
    # As the app does next.
    radar = users[0].create("topic 0")
    assert radar["interpretation"]["source"] == "lexical"
    socket = app_socket(radar["id"], token=connection_token("user 0"))
    gate.set()
    pushed = wait_until(
        lambda: [
            each["data"]["radar"]["_0"]["interpretation"]
            for each in socket.of_type("refresh")
            if each["data"]["radar"]["_0"]["interpretation"]["source"] != "lexical"
        ],
        within=PATIENCE_SECONDS,
        what="the interpretation is pushed",
    )
    assert pushed[0]["category"] == "work"
    # It is asked once for each source, and later requests have it at once.
    assert len(provider.questions(INTERPRETATION, '\\"topic 0\\"')) == len(SOURCES)
    again = users[1].interpret("topic 0")
    assert (again["pending"], again["category"]) == (False, "work")
    transcript.assert_app_decodes_everything()
