"""Keys of the server API with names and scopes."""

import http.client
import json

import pytest

from harness.hub import Response
from harness.waiting import wait_until

PATIENCE_SECONDS = 10.0
FULL, READER = "acceptance-full-key-0001", "acceptance-reader-key-02"
CHAT = "acceptance-chat-key-0003"
CONFIGURATION = f"""\
log_format: json
api:
  keys:
    - {FULL}
    - {{key: {READER}, name: dashboard, read_only: true}}
    - key: {{env: CHAT_KEY}}
      name: chat-server
      methods: [publishing, history]
      namespaces: [chat]
namespaces:
  - {{name: chat, anonymous_subscribe: true}}
  - {{name: news, anonymous_subscribe: true}}
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub(environment={"CHAT_KEY": CHAT})
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def send(hub, key, method, target, content=None):
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    try:
        body = None if content is None else json.dumps(content)
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        connection.request(method, target, body=body, headers=headers)
        response = connection.getresponse()
        return Response(response.status, {}, response.read())
    finally:
        connection.close()


def call(hub, key, method, **fields):
    return send(hub, key, "POST", f"/api/{method}", fields)


def refused(response):
    assert response.status == 403, response.body
    return response.json()["error"]["message"]


def entries(hub, message, *, count):
    """The log is written beside the answers."""

    def found():
        return [e for e in map(json.loads, hub.log.splitlines()) if e["msg"] == message]

    return wait_until(
        lambda: len(found()) >= count and found(), within=PATIENCE_SECONDS, what=f"{count} entries"
    )


def test_plain_key_opens_everything(hub):
    assert "result" in call(hub, FULL, "publish", channel="news:a", data=1).json()
    assert "result" in call(hub, FULL, "disconnect", user="u").json()
    used = entries(hub, "API key used", count=1)
    assert [(e["key"], e["method"]) for e in used] == [("api.keys[0]", "disconnect")]


def test_read_only_key_reads(hub):
    assert "result" in call(hub, READER, "history", channel="news:a").json()
    message = refused(call(hub, READER, "publish", channel="news:a", data=1))
    assert message == "the API key dashboard lacks the scope read_only: false"
    assert send(hub, READER, "GET", "/api/webhooks").status == 200
    made = send(hub, READER, "POST", "/api/webhooks", {"url": "https://a.example"})
    assert made.status == 403
    assert "dashboard lacks the scope read_only: false" in made.json()["message"]


def test_key_of_a_namespace_publishes_only_there(hub):
    assert "result" in call(hub, CHAT, "publish", channel="chat:a", data=1).json()
    missing = refused(call(hub, CHAT, "publish", channel="news:a", data=1))
    assert missing == "the API key chat-server lacks the scope namespaces: news"
    missing = refused(call(hub, CHAT, "info"))
    assert missing == "the API key chat-server lacks the scope methods: info"
    assert send(hub, CHAT, "GET", "/api/webhooks").status == 403
    log = entries(hub, "API key refused", count=3)
    assert [e["missing"] for e in log] == ["namespaces: news", "methods: info", "methods: webhooks"]
    assert {e["key"] for e in log} == {"chat-server"}


def test_keys_are_not_shown(hub):
    assert all(key not in hub.log for key in (FULL, READER, CHAT))


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("[{key: acceptance-key-00001, methods: [publsh]}]", "api.keys[0].methods[0]"),
        ("[{key: acceptance-key-00001, namespaces: [none]}]", "api.keys[0].namespaces[0]"),
        (
            "[{key: acceptance-key-00001, name: a}, {key: acceptance-key-00002, name: a}]",
            "api.keys[1].name",
        ),
        ("[{key: {env: NOT_SET}}]", "the environment variable NOT_SET is not set"),
    ],
)
def test_scope_that_opens_nothing_is_refused(stage, keys, problem):
    hub = stage.hub()
    hub.configure(f"api: {{keys: {keys}}}\n")
    process = hub.start(until_ready=False)
    assert process.wait(within=20.0) == 1
    assert problem in process.log
