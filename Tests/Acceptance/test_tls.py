"""TLS as clients see it. What is inside works as in plain text, see test_websocket_echo.py."""

import http.client
import json
import ssl

import pytest

from harness.certificate import Certificate
from harness.stage import CONDITIONS, TOPICS
from harness.waiting import wait_until

START = "2024-12-09T19:00:00Z"
SPEED = 360
PATIENCE_SECONDS = 30.0


@pytest.fixture
def hub(stage, certificate):
    replay = stage.replay()
    hub = stage.aurora_hub(f"http://127.0.0.1:{replay}", start=START, speed=SPEED)
    hub.start(*certificate.flags)
    return hub


def test_sdk_receives_over_tls(stage, hub, certificate):
    sdk = stage.sdk(hub.port, TOPICS, ssl_context=certificate.trusting_context())
    wait_until(
        lambda: len(sdk.offsets(CONDITIONS)) >= 2, within=PATIENCE_SECONDS, what="publications"
    )


def test_subscribe_tells_that_it_does_not_trust_the_certificate(stage, hub):
    url = f"wss://127.0.0.1:{hub.port}"
    trusting = stage.run("trusting", "subscribe", "--insecure", "--url", url, CONDITIONS)
    doubting = stage.run("doubting", "subscribe", "--url", url, CONDITIONS)
    wait_until(lambda: "\n" in trusting.output, within=PATIENCE_SECONDS, what="a publication")
    json.loads(trusting.output.split("\n")[0])
    doubting.wait_for_log("certificate", within=PATIENCE_SECONDS)
    assert not doubting.output


def test_requests_and_event_streams_work_over_tls(hub, certificate):
    context = certificate.trusting_context()
    connection = http.client.HTTPSConnection("127.0.0.1", hub.port, timeout=20, context=context)
    # Two on one connection: it is kept open.
    for target in ("/livez", "/readyz"):
        connection.request("GET", target)
        response = connection.getresponse()
        assert response.status == 200 and json.loads(response.read())
    connection.request("GET", f"/events?topics={CONDITIONS}")
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"
    assert response.readline().startswith(b"retry: ")
    lines = iter(response.readline, b"")
    data = next(line for line in lines if line.startswith(b"data: "))
    assert json.loads(data.removeprefix(b"data: "))["type"] == "aurora.conditions.updated"
    response.close()
    connection.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_of_tls_are_spoken(hub, certificate, version):
    context = certificate.trusting_context()
    context.minimum_version = context.maximum_version = version
    connection = http.client.HTTPSConnection("127.0.0.1", hub.port, timeout=20, context=context)
    connection.request("GET", "/livez")
    assert connection.getresponse().status == 200
    connection.close()


def test_plain_text_on_a_tls_port_harms_nobody(hub, certificate):
    with pytest.raises((OSError, http.client.HTTPException)):
        hub.get("/livez")
    context = certificate.trusting_context()
    connection = http.client.HTTPSConnection("127.0.0.1", hub.port, timeout=20, context=context)
    connection.request("GET", "/livez")
    assert connection.getresponse().status == 200
    connection.close()


def test_key_of_another_certificate_is_refused(stage, certificate):
    other = Certificate(stage.directory, "other")
    process = stage.run(
        "refused",
        *("serve", "--listen", "127.0.0.1:0", "--database", str(stage.directory / "v.sqlite")),
        *("--tls-certificate", str(certificate.path), "--tls-key", str(other.key)),
    )
    assert process.wait(within=PATIENCE_SECONDS) > 0
    assert "key" in process.log and len(process.log.splitlines()) < 10, process.log
