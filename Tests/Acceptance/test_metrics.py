"""Metrics as Prometheus' own parser reads them, and the log's lines of clients."""

import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from harness.settings import configuration, namespace, started_hub
from harness.waiting import wait_until

PATIENCE_SECONDS = 15.0
TOPIC = "news:a"


@pytest.fixture
def hub(stage):
    return started_hub(stage, configuration(namespace("news"), log_format="json"))


def families(hub):
    answer = hub.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {each.name: each for each in text_string_to_metric_families(answer.body.decode())}


def value(found, name, **labels):
    family = found[name.removesuffix("_total")]
    values = [
        each.value for each in family.samples if each.name == name and each.labels == labels
    ]
    assert len(values) == 1, f"{name} {labels}: {family.samples}"
    return values[0]


def histogram(found, name):
    """The sum and the count; its buckets have to be in order."""
    samples = found[name].samples
    buckets = [each for each in samples if each.name == f"{name}_bucket"]
    bounds = [float(each.labels["le"]) for each in buckets]
    counts = [each.value for each in buckets]
    assert bounds == sorted(set(bounds)) and bounds[-1] == float("inf")
    assert counts == sorted(counts)
    sums = {each.name: each.value for each in samples if each not in buckets}
    assert sums[f"{name}_count"] == counts[-1]
    return sums[f"{name}_sum"], sums[f"{name}_count"]


def test_metrics_tell_what_happened(stage, hub):
    sdk = stage.sdk(hub.port, [TOPIC])
    wait_until(lambda: sdk.subscribed[TOPIC], within=PATIENCE_SECONDS, what="it is subscribed")
    api = stage.server_api(hub.port)
    for number in range(10):
        api.publish(TOPIC, number)
    wait_until(
        lambda: len(sdk.publications[TOPIC]) == 10, within=PATIENCE_SECONDS, what="all have come"
    )
    found = families(hub)
    assert value(found, "hub_connections", transport="websocket", protocol="json") == 1
    assert value(found, "hub_subscriptions") == 1
    assert value(found, "hub_topics") == 1
    assert value(found, "hub_messages_published_total", namespace="news") == 10
    assert value(found, "hub_messages_delivered_total") == 10
    for each in ("store_commit", "publish_to_write", "broadcast", "loop_lag", "handshake"):
        total, count = histogram(found, f"hub_{each}_seconds")
        assert count > 0 and total >= 0, each
    assert histogram(found, "hub_store_commit_seconds")[1] >= 10
    assert value(found, "hub_store_bytes") > 0

    # Nothing falls that must not.
    later = families(hub)
    for name, family in found.items():
        if family.type == "counter":
            before = {str(sorted(each.labels.items())): each.value for each in family.samples}
            after = {str(sorted(each.labels.items())): each.value for each in later[name].samples}
            assert all(after[labels] >= number for labels, number in before.items()), name


def test_client_has_a_line_when_it_comes_and_one_when_it_goes(stage, hub):
    sdk = stage.sdk(hub.port, [TOPIC])
    wait_until(lambda: sdk.connected, within=PATIENCE_SECONDS, what="it is connected")
    sdk.close()

    def lines():
        entries = [json.loads(line) for line in hub.log.split("\n")[:-1]]
        return [entry for entry in entries if entry.get("event", "").startswith("client.")]

    wait_until(lambda: len(lines()) == 2, within=PATIENCE_SECONDS, what=lambda: f"{lines()}")
    came, went = lines()
    assert came["event"] == "client.connected"
    assert went["event"] == "client.disconnected"
    for field in ("client", "user", "node", "transport", "protocol", "remote"):
        assert came[field] == went[field], field
    assert came["client"] == sdk.connected[0]
    assert isinstance(went["duration_ms"], int) and isinstance(went["code"], int)
    found = families(hub)
    assert value(found, "hub_disconnects_total", code=str(went["code"]), reason=went["reason"]) == 1
