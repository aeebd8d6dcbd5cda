"""Which web pages the hub lets in, as a browser and an SDK would ask."""

import asyncio
import http.client

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

PATIENCE_SECONDS = 10.0
LISTED = "https://app.example.org"
CONFIGURATION = f"""\
http:
  allowed_origins: ["{LISTED}"]
namespaces:
  - {{name: news, anonymous_subscribe: true}}
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def handshake(port, origin):
    """The status that the WebSocket of a page of this origin is answered with."""

    async def attempt():
        url = f"ws://127.0.0.1:{port}/connection/websocket"
        try:
            async with connect(url, origin=origin, proxy=None, open_timeout=PATIENCE_SECONDS):
                return 101
        except InvalidStatus as refusal:
            return refusal.response.status_code

    return asyncio.run(attempt())


def ask(port, method, target, fields):
    """The head of an answer; of a stream, nothing else is waited for."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, target, headers=fields)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}
    finally:
        connection.close()


def test_websocket_is_for_the_hubs_own_pages_listed_ones_and_programs(hub):
    assert handshake(hub.port, None) == 101
    assert handshake(hub.port, f"http://127.0.0.1:{hub.port}") == 101
    assert handshake(hub.port, LISTED) == 101
    for origin in ("https://evil.example", "null", f"http://localhost:{hub.port}"):
        assert handshake(hub.port, origin) == 403, origin
    hub.wait_for_log("origin https://evil.example is not allowed here")


def test_event_stream_is_for_the_same_pages(hub):
    target = "/events?topics=news:a"
    status, fields = ask(hub.port, "GET", target, {"Origin": LISTED})
    assert (status, fields["access-control-allow-origin"]) == (200, LISTED)
    status, fields = ask(hub.port, "GET", target, {"Origin": "https://evil.example"})
    assert status == 403 and "access-control-allow-origin" not in fields
    assert ask(hub.port, "GET", target, {})[0] == 200


def test_browser_is_told_who_may_see_an_answer_and_send_what(hub):
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-api-key"}
    status, fields = ask(hub.port, "OPTIONS", "/api/health", {"Origin": LISTED, **asked})
    assert status == 204
    assert fields["access-control-allow-origin"] == LISTED
    assert fields["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert "X-API-Key" not in fields["access-control-allow-headers"]
    _, fields = ask(hub.port, "OPTIONS", "/api/webhooks", {"Origin": LISTED, **asked})
    assert not [name for name in fields if name.startswith("access-control")]
    status, fields = ask(hub.port, "OPTIONS", "/api/health", {"Origin": LISTED, **asked})
    assert fields["access-control-max-age"] == "7200"
    assert fields["vary"] == "Origin"
    _, fields = ask(hub.port, "OPTIONS", "/api/health", {"Origin": "https://evil.example", **asked})
    assert not [name for name in fields if name.startswith("access-control")]
    status, fields = ask(hub.port, "GET", "/api/health", {"Origin": LISTED})
    assert (status, fields["access-control-allow-origin"]) == (200, LISTED)
    assert "ETag" in fields["access-control-expose-headers"].split(", ")
    assert "access-control-allow-credentials" not in fields
    # A cache must not give this answer to the page.
    _, fields = ask(hub.port, "GET", "/api/health", {})
    assert fields["vary"] == "Origin" and "access-control-allow-origin" not in fields


def test_without_a_list_no_other_page_gets_in(stage):
    hub = stage.hub()
    hub.start()
    assert handshake(hub.port, LISTED) == 403
    assert handshake(hub.port, f"http://127.0.0.1:{hub.port}") == 101
    status, fields = ask(hub.port, "GET", "/livez", {"Origin": LISTED})
    assert status == 200
    assert not [name for name in fields if name.startswith("access-control")]
