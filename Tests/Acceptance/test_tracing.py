"""W3C Trace Context: from a backend's request to webhooks, streams, clients and the log."""

import json
import urllib.request

import cent
import pytest
from websockets.sync.client import connect

from harness.settings import API_KEY, configuration, namespace, started_hub
from harness.waiting import wait_until
from harness.webhook_fixtures import CONFIGURED_SECRET, inbox  # noqa: F401

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
HEADER = f"00-{TRACE}-00f067aa0ba902b7-01"
EVENT = {"specversion": "1.0", "id": "1", "source": "/shop", "type": "shop.paid", "data": 1}
PATIENCE_SECONDS = 20.0


@pytest.fixture
def hub(stage, inbox):  # noqa: F811
    endpoint = {
        "name": "orders",
        "url": inbox.url,
        "secret": CONFIGURED_SECRET,
        "topics": ["orders:*"],
    }
    text = configuration(
        namespace("orders"),
        webhook_limits=json.dumps({"allow_addresses": ["127.0.0.1/32"], "ports": [inbox.port]}),
        webhooks=json.dumps([endpoint]),
        log_format="json",
        log_level="debug",
    )
    return started_hub(stage, text)


def publish(hub, data, header=HEADER):
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}/api/publish",
        json.dumps({"channel": "orders:7", "data": data}).encode(),
        {"X-API-Key": API_KEY, "traceparent": header},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        assert "result" in json.load(answer)


def history(stage, hub):
    request = cent.HistoryRequest(channel="orders:7", limit=10)
    return stage.server_api(hub.port).call(request).publications


def test_trace_reaches_webhooks_over_a_crash_with_a_span_for_each_attempt(stage, hub, inbox):  # noqa: F811
    inbox.answer = lambda _: 500
    publish(hub, {"n": 1})
    (first,) = inbox.wait(1)
    hub.kill()
    hub.process.wait(within=PATIENCE_SECONDS)
    inbox.answer = lambda _: 204
    hub.start()
    second = inbox.wait(2)[1]
    assert first.body == second.body
    assert json.loads(second.body)["traceparent"] == HEADER
    spans = set()
    for each in (first, second):
        version, trace, span, flags = each.headers["traceparent"].split("-")
        assert (version, trace, flags) == ("00", TRACE, "01")
        spans.add(span)
    assert len(spans | {HEADER.split("-")[2]}) == 3, spans
    assert [each.tags["traceparent"] for each in history(stage, hub)] == [HEADER]
    wait_until(
        lambda: delivered(hub) == [TRACE], within=PATIENCE_SECONDS, what="the entry of the log"
    )


def delivered(hub):
    entries = [json.loads(line) for line in hub.log.split("\n")[:-1]]
    return [each.get("trace_id") for each in entries if each["msg"] == "webhook delivered"]


def test_streams_have_the_trace_as_an_attribute(stage, hub):
    stream = stage.event_stream(hub.port, ["orders:7"])
    wait_until(lambda: stream.is_open, within=PATIENCE_SECONDS, what="the stream")
    url = f"ws://127.0.0.1:{hub.port}/events?topics=orders:7"
    with connect(url, subprotocols=["cloudevents.json"]) as events:
        assert json.loads(events.recv(timeout=PATIENCE_SECONDS))["type"] == "hub.opened"
        for data in ({"n": 1}, EVENT, EVENT | {"traceparent": HEADER.replace("-01", "-00")}):
            publish(hub, data)
        found = [json.loads(events.recv(timeout=PATIENCE_SECONDS)) for _ in range(3)]
    flags = [each["traceparent"] for each in found]
    assert flags == [HEADER, HEADER, HEADER.replace("-01", "-00")], "its own is kept"
    wait_until(lambda: len(stream.events) >= 3, within=PATIENCE_SECONDS, what="three events")
    own = [each.json() for each in stream.events]
    assert own[0] == {"n": 1}, "only a CloudEvent has a place for it"
    assert own[1] == EVENT | {"traceparent": HEADER}


@pytest.mark.parametrize("header", ["", HEADER[:-1], HEADER.replace(TRACE, "0" * 32)])
def test_malformed_header_counts_as_missing(stage, hub, inbox, header):  # noqa: F811
    publish(hub, {"n": 1}, header)
    (delivery,) = inbox.wait(1)
    assert "traceparent" not in delivery.headers
    assert "traceparent" not in json.loads(delivery.body)
    assert not history(stage, hub)[0].tags
