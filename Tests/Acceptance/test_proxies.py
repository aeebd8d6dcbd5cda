"""Clients behind Debian's proxies, with the configurations of docs/PROXIES.md."""

import asyncio
import http.client
import json
import re
import socket
import ssl
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from harness import reverse_proxies
from harness.certificate import Certificate
from harness.settings import API_KEY, ENVIRONMENT

PATIENCE_SECONDS = 10.0
NODES = 3
CLIENT, OTHER = "127.0.0.5", "127.0.0.6"
NAMESPACES = "namespaces:\n  - {name: news, anonymous_subscribe: true}\n"
FORWARDED = "http: {trusted_proxies: [127.0.0.1]}\n"
KINDS = {
    "nginx": reverse_proxies.nginx,
    "haproxy": reverse_proxies.haproxy,
    "haproxy-tcp": reverse_proxies.haproxy_tcp,
    "caddy": reverse_proxies.caddy,
}


class Front:
    """A hub, and a proxy in front of it. Clients choose their address of this machine."""

    def __init__(self, stage, kind):
        certificate = Certificate(stage.directory)
        self.hub = stage.hub(environment=ENVIRONMENT)
        self.passes_tls = kind == "haproxy-tcp"
        keys, flags = FORWARDED, []
        if self.passes_tls:
            keys, flags = "http: {proxy_protocol: [127.0.0.1]}\n", certificate.flags
        self.hub.configure("limits: {connections_per_address: 2}\n" + keys + NAMESPACES)
        self.hub.start(*flags)
        self.port = KINDS[kind](stage, self.hub.port, certificate).port
        self.context = ssl.create_default_context(cafile=str(certificate.path))

    def request(self, method, target, *, source=CLIENT, body=None, headers=None):
        """The response, of which nothing but the head was read."""
        connection = http.client.HTTPSConnection(
            "localhost",
            self.port,
            timeout=PATIENCE_SECONDS,
            source_address=(source, 0),
            context=self.context,
        )
        connection.request(method, target, body=body, headers=headers or {})
        return connection.getresponse()

    def publish(self, data):
        answer = self.request(
            "POST",
            "/api/publish",
            source=OTHER,
            body=json.dumps({"channel": "news:a", "data": data}),
            headers={"X-API-Key": API_KEY, "Content-Type": "application/json"},
        )
        assert (answer.status, b"offset" in answer.read()) == (200, True)

    def websocket(self, source):
        return connect(
            f"wss://localhost:{self.port}/connection/websocket",
            ssl=self.context,
            local_addr=(source, 0),
            proxy=None,
            open_timeout=PATIENCE_SECONDS,
        )


@pytest.fixture(params=KINDS)
def front(request, stage):
    return Front(stage, request.param)


def test_page_shows_the_samples_that_are_tested():
    page = reverse_proxies.PAGE.read_text()
    # The page on clusters links to the sample for one.
    samples = [path for path in reverse_proxies.SAMPLES.iterdir() if "cluster" not in path.name]
    assert len(samples) == 4
    for path in samples:
        assert f"\n{path.read_text()}```\n" in page, path.name


async def message(client):
    """The next message that is no ping; the first ping comes at any time."""
    while (text := await client.recv()) == "{}":
        await client.send("{}")
    return json.loads(text)


def test_websocket_passes_with_the_address_of_its_client(front):
    async def exchange():
        async with front.websocket(CLIENT) as client:
            await client.send('{"id":1,"connect":{}}')
            assert "connect" in await message(client)
            await client.send('{"id":2,"subscribe":{"channel":"news:a"}}')
            assert "subscribe" in await message(client)
            await asyncio.to_thread(front.publish, {"n": 1})
            pushed = await asyncio.wait_for(message(client), PATIENCE_SECONDS)
            assert pushed["push"]["pub"]["data"] == {"n": 1}

    asyncio.run(exchange())
    front.hub.wait_for_log(f"remote={CLIENT}")


def test_events_of_a_stream_are_not_held_back(front):
    stream = front.request("GET", "/events?topics=news:a")
    assert stream.status == 200
    front.publish({"n": 2})
    lines = []
    # Without an end of the stream: a proxy that collects answers would keep it.
    while not any(line.startswith(b"data:") for line in lines):
        lines.append(stream.readline())
        assert lines[-1], "the stream ended"
    assert b'"n":2' in lines[-1].replace(b" ", b"")
    front.hub.wait_for_log(f"remote={CLIENT}")


def test_refusals_reach_the_client_as_they_are(front):
    streams = [front.request("GET", "/events?topics=news:a") for _ in range(2)]
    assert [each.status for each in streams] == [200, 200]
    if front.passes_tls:
        # The hub closes a connection beyond the limit before it sends its certificate.
        with pytest.raises((OSError, EOFError)):
            front.request("GET", "/events?topics=news:a")
        return
    refused = front.request("GET", "/events?topics=news:a")
    assert refused.status == 503
    assert re.fullmatch(r"[1-9]\d*", refused.headers["Retry-After"])
    reader = front.request("GET", "/events?topics=news:a", headers={"Accept": "text/event-stream"})
    assert reader.status == 200
    assert re.fullmatch(rb"retry: [1-9]\d*\n\n", reader.read())


def test_limits_count_each_client_by_its_own_address(front):
    async def attempts():
        async with front.websocket(CLIENT), front.websocket(CLIENT):
            with pytest.raises((InvalidStatus, OSError, EOFError, ssl.SSLError)):
                async with front.websocket(CLIENT):
                    pass
            async with front.websocket(OTHER) as other:
                await other.send('{"id":1,"connect":{}}')
                assert "connect" in await message(other)

    asyncio.run(attempts())


def test_untrusted_peer_cannot_choose_an_address(stage):
    hub = stage.hub()
    keys = "http: {trusted_proxies: [192.0.2.1], proxy_protocol: [192.0.2.2]}\n"
    hub.configure(keys + NAMESPACES)
    hub.start()
    headers = {"X-Forwarded-For": "198.51.100.7", "Origin": "https://evil.example"}
    assert hub.get("/events?topics=news:a", headers).status == 403
    hub.wait_for_log("remote=127.0.0.1")
    with socket.create_connection(("127.0.0.1", hub.port), PATIENCE_SECONDS) as raw:
        raw.sendall(b"PROXY TCP4 198.51.100.7 192.0.2.9 1025 443\r\nGET /livez HTTP/1.1\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 400 ")
    assert "198.51.100.7" not in hub.log


def test_cluster_configuration_takes_no_node_for_dead():
    """An upgrade of one node after the other ends connections of each: by default, nginx sends
    nothing to a node for ten seconds after one failure."""
    text = (reverse_proxies.SAMPLES / "nginx-cluster.conf").read_text()
    servers = re.findall(r"^ *server ([^;{]+);", text, re.MULTILINE)
    assert len(servers) == NODES * len(re.findall(r"^upstream ", text, re.MULTILINE))
    assert all("max_fails=0" in each for each in servers), servers


def test_trusted_peer_without_a_header_is_closed_and_logged(stage):
    hub = stage.hub()
    hub.configure("http: {proxy_protocol: [127.0.0.1]}\n")
    hub.start()
    with socket.create_connection(("127.0.0.1", hub.port), PATIENCE_SECONDS) as raw:
        raw.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        try:
            assert raw.recv(100) == b""
        except ConnectionResetError:
            pass
    hub.wait_for_log("PROXY protocol header refused")


def test_caddy_closes_idle_connections_before_the_hub():
    root = Path(__file__).parents[2]
    caddy = re.search(r"keepalive (\d+)s", (root / "docs/proxies/Caddyfile").read_text())
    reference = (root / "docs/reference/configuration.md").read_text()
    hub = re.search(r"`limits\.idle_timeout` \| [^|]+ \| `(\d+)s`", reference)
    assert int(caddy[1]) < int(hub[1])
