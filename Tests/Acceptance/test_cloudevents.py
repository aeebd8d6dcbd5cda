"""CloudEvents over WebSocket, read by the library of the CloudEvents project."""

import contextlib
import json

import pytest
from cloudevents.core.bindings.common import get_event_factory_for_version
from cloudevents.core.formats.json import JSONFormat
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from harness.settings import configuration, namespace, started_hub

SUBPROTOCOL = "cloudevents.json"
PATIENCE_SECONDS = 15.0
HISTORY_SIZE = 3
UNSUPPORTED_DATA, GOING_AWAY = 1003, 1001


@pytest.fixture
def hub(stage):
    return started_hub(
        stage,
        configuration(
            namespace("news"), namespace("brief", history_size=HISTORY_SIZE), namespace("memo")
        ),
    )


@pytest.fixture
def read(stage, hub):
    """Opens a reader; more of the query may follow the topics."""

    def read(topics, query="", **options):
        options = {"subprotocols": [SUBPROTOCOL], **options}
        url = f"ws://127.0.0.1:{hub.port}/events?topics={topics}{query}"
        ending = contextlib.ExitStack()
        client = ending.enter_context(connect(url, **options))
        stage.ends_with(ending.close)
        assert client.subprotocol == SUBPROTOCOL
        return client

    return read


def event(client):
    """The next event, checked by the library: its constructor raises what is not to the spec."""
    text = client.recv(timeout=PATIENCE_SECONDS)
    assert isinstance(text, str), "an event is a text message"
    found = JSONFormat().read(get_event_factory_for_version("1.0"), text)
    assert found.get_data() == json.loads(text)["data"]
    return found


def test_publications_are_cloudevents_with_their_place(stage, hub, read):
    client = read("news:a,memo:b")
    opened = event(client)
    assert opened.get_type() == "hub.opened"
    assert opened.get_data()["topics"] == ["news:a", "memo:b"]
    api = stage.server_api(hub.port)
    first = api.publish("news:a", {"n": 1})
    api.publish("memo:b", [2, "zwei"])
    found = event(client)
    assert found.get_type() == "hub.publication"
    assert found.get_source() == "/hub"
    assert found.get_subject() == "news:a"
    assert found.get_data() == {"n": 1}
    assert found.get_extension("hubtopic") == "news:a"
    assert found.get_extension("huboffset") == str(first.offset)
    assert found.get_extension("hubepoch") == first.epoch
    assert found.get_id() == f"{first.epoch}:news:a:{first.offset}"
    other = event(client)
    assert other.get_data() == [2, "zwei"]
    assert int(other.get_extension("hubcursor")) > int(found.get_extension("hubcursor"))


def test_event_that_is_one_already_keeps_its_attributes(stage, hub, read):
    client = read("news:a")
    event(client)
    given = {
        "specversion": "1.0",
        "id": "42",
        "source": "/elsewhere",
        "type": "com.example.done",
        "subject": "ø",
        "time": "2024-12-09T17:10:05.250Z",
        "traceparent": "00-1-2-00",
        "data": {"n": 1},
    }
    stage.server_api(hub.port).publish("news:a", given)
    found = event(client)
    assert (found.get_id(), found.get_source()) == ("42", "/elsewhere")
    assert (found.get_type(), found.get_subject()) == ("com.example.done", "ø")
    assert found.get_extension("traceparent") == "00-1-2-00"
    assert found.get_extension("huboffset") == "1"


def test_reader_resumes_across_a_restart_and_is_told_a_gap(stage, hub, read):
    client = read("brief:a")
    cursor = event(client).get_extension("hubcursor")
    api = stage.server_api(hub.port)
    api.publish("brief:a", 1)
    cursor = event(client).get_extension("hubcursor")
    api.publish("brief:a", 2)
    hub.kill()
    hub.process.wait(within=PATIENCE_SECONDS)
    hub.start()

    client = read("brief:a", f"&last_event_id={cursor}")
    assert event(client).get_data() == 2
    api = stage.server_api(hub.port)
    for number in range(3, 8):
        api.publish("brief:a", number)
        assert event(client).get_data() == number

    client = read("brief:a", f"&last_event_id={cursor}")
    gap = event(client)
    assert gap.get_type() == "hub.gap"
    assert gap.get_data()["reason"] == "evicted"
    assert gap.get_data()["topics"] == ["brief:a"]
    assert gap.get_extension("hubcursor") == str(gap.get_data()["through"])
    assert [event(client).get_data() for _ in range(HISTORY_SIZE)] == [5, 6, 7]


def test_reader_that_speaks_is_closed(read):
    client = read("news:a")
    event(client)
    client.send("hello")
    with pytest.raises(ConnectionClosedError) as closed:
        client.recv(timeout=PATIENCE_SECONDS)
    assert closed.value.rcvd.code == UNSUPPORTED_DATA


def test_reader_is_told_that_the_hub_stops(hub, read):
    client = read("news:a")
    event(client)
    hub.interrupt()
    with pytest.raises(ConnectionClosed) as closed:
        client.recv(timeout=PATIENCE_SECONDS)
    assert closed.value.rcvd.code == GOING_AWAY


@pytest.mark.parametrize(
    ("topics", "options", "status"),
    [
        ("news:a", {"subprotocols": None}, 400),
        ("news:a", {"subprotocols": ["cloudevents.avro"]}, 400),
        ("nowhere:a", {}, 404),
        ("news:a&token=nonsense", {}, 401),
        ("news:a", {"origin": "https://elsewhere.example"}, 403),
    ],
)
def test_wrong_request_gets_a_status(read, topics, options, status):
    with pytest.raises(InvalidStatus) as refused:
        read(topics, **options)
    assert refused.value.response.status_code == status
