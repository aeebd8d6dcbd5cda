"""Receivers that are slow, want it slower, are gone or away for long: nobody waits for them."""

import threading

import pytest

from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhook_fixtures import (  # noqa: F401
    CONFIGURED_SECRET,
    CREATED,
    api,
    contents,
    inbox,
    kari,
    limits,
    push,
    radar,
    radar_hub,
)
from harness.webhooks import VERIFICATION

OPERATORS = "hub:webhooks"
RATE = 2
CONCURRENT_MAX = 4
SLOW_SECONDS = 2.0


def test_slow_receiver_delays_nobody(api, inbox, kari):
    """It answers after seconds; until then the healthy one has everything."""
    gate = threading.Event()

    def answer(delivery):
        if delivery.path == "/slow" and delivery.type != VERIFICATION:
            gate.wait(SLOW_SECONDS * 20)
        return 204

    inbox.answer = answer
    slow, healthy = (
        api.active(f"{inbox.url}/{path}", types=[CREATED]) for path in ("slow", "healthy")
    )
    radars = [kari.create(f"topic {number}")["id"] for number in range(6)]
    for radar in radars:
        push(kari, radar, f"first of {radar}", f"second of {radar}")
    inbox.wait(12, "/healthy")
    assert len(inbox.at("/slow")) == CONCURRENT_MAX, "and it gets no more of them at a time"
    timer = threading.Timer(SLOW_SECONDS, gate.set)
    timer.start()
    deliveries = inbox.wait(12, "/slow")
    timer.join()
    for radar in radars:
        own = [each for each in deliveries if each.event["subject"] == radar]
        assert contents(own) == [f"first of {radar}", f"second of {radar}"]
    for made, path in ((slow, "/slow"), (healthy, "/healthy")):
        for each in inbox.at(path):
            each.verify(made["secret"])


def test_webhook_with_a_rate_is_called_no_more_often(api, inbox, kari):
    made = api.active(inbox.url, types=[CREATED], rate=RATE)
    for number in range(3 * RATE):
        push(kari, kari.create(f"topic {number}")["id"], f"opinion {number}")
    deliveries = inbox.wait(3 * RATE)
    # So many at once, the others spread over the seconds behind; the verification took one.
    last, first = deliveries[-1].arrived, deliveries[0].arrived
    assert last - first >= (3 * RATE - RATE - 1) / RATE
    # The receiver has the last one a moment before the hub has its answer.
    wait_until(
        lambda: {each["status"] for each in api.log(made["id"])} == {"delivered"},
        within=10,
        what=lambda: f"all are delivered: {api.log(made['id'])}",
    )
    assert {each["attempts"] for each in api.log(made["id"])} == {1}


def test_endpoint_that_is_gone_is_told_of_on_the_operators_topic(stage, radar_hub, api, inbox):
    token = connection_token("operator", channels=[OPERATORS])
    stream = stage.event_stream(radar_hub.port, [OPERATORS], token=token)
    stranger = stage.event_stream(radar_hub.port, [OPERATORS], token=connection_token("kari"))
    wait_until(lambda: stream.is_open, within=10, what="the stream is open")
    made = api.active(f"{inbox.url}/leaves")
    metrics = stage.metrics(radar_hub.port)
    assert metrics.sample()["hub_webhook_endpoints_disabled"] == 0
    inbox.answer = lambda delivery: 410 if delivery.path == "/leaves" else 204
    api.command(made["id"], "test", status=202)
    shown = api.wait_for_status(made["id"], "disabled")
    assert shown["reason"] == "gone"
    assert metrics.sample()["hub_webhook_endpoints_disabled"] == 1
    assert api.log(made["id"])[0]["reason"] == "gone"
    wait_until(lambda: stream.events, within=10, what="the event")
    (event,) = [each.json() for each in stream.events]
    assert event["type"] == "webhook.endpoint.disabled"
    assert event["data"] == {"webhook_id": made["id"], "reason": "gone"}
    # The configured webhook asked for it, and it is the same event.
    (delivery,) = inbox.wait(1, "/pager?credential")
    delivery.verify(CONFIGURED_SECRET)
    assert delivery.event == event
    assert stranger.events == []
    radar_hub.kill()
    radar_hub.start()
    metrics = stage.metrics(radar_hub.port)
    assert metrics.sample()["hub_webhook_endpoints_disabled"] == 1
    inbox.answer = lambda _: 204
    assert api.command(made["id"], "resume")["status"] == "active"
    assert metrics.sample()["hub_webhook_endpoints_disabled"] == 0


@pytest.mark.parametrize("limits", [{"waiting": 100}])
def test_no_more_waits_for_a_paused_webhook_than_allowed(
    stage, radar_hub, api, inbox, kari, radar
):
    made = api.active(inbox.url, types=[CREATED])
    api.command(made["id"], "pause")
    push(kari, radar, *(f"opinion {number}" for number in range(102)))
    metrics = stage.metrics(radar_hub.port)
    wait_until(
        lambda: metrics.sample()['hub_webhook_dropped_total{reason="bounds"}'] == 2, within=10, what="two go"
    )
    # Behind the verification, the first two.
    log = api.log(made["id"]) + api.log(made["id"], f"?before={api.log(made['id'])[-1]['id']}")
    dropped = [each for each in log if each["status"] == "failed"]
    assert [each.get("reason") for each in dropped] == ["dropped", "dropped"]
    token = connection_token("operator", channels=[OPERATORS])
    api.command(made["id"], "resume")
    assert contents(inbox.wait(100)) == [f"opinion {number}" for number in range(2, 102)]
    # It is told once, and who comes later finds it in the topic's history.
    stream = stage.event_stream(radar_hub.port, [OPERATORS], "0", token)
    wait_until(lambda: stream.events, within=10, what="the event")
    (event,) = [each.json() for each in stream.events]
    assert event["type"] == "webhook.messages.dropped"
    assert event["data"]["webhook_id"] == made["id"]
