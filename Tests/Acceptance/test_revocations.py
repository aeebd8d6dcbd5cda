"""Revoked tokens and blocked users: routes, sockets and streams of all domains refuse them."""

import asyncio
import http.client
import json
import time

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from harness.hub import Response
from harness.settings import API_KEY, AUDIENCE, ENVIRONMENT, ISSUER
from harness.tokens import connection_token, subscription_token

PATIENCE_SECONDS = 10.0
CONFIGURATION = f"""\
tokens: {{audience: {AUDIENCE}, issuer: "{ISSUER}"}}
namespaces:
  - {{name: chat, subscribe: users}}
  - {{name: room, subscribe: token}}
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def send(hub, method, target, content=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    try:
        body = None if content is None else json.dumps(content)
        connection.request(method, target, body=body, headers=headers or {})
        response = connection.getresponse()
        return Response(response.status, {}, response.read())
    finally:
        connection.close()


def call(hub, method, **fields):
    headers = {"X-API-Key": API_KEY, "Content-Type": "application/json"}
    answer = send(hub, "POST", f"/api/{method}", fields, headers).json()
    assert answer == {"result": {}}, answer


def rules(hub, token):
    """The status of a route for users."""
    headers = {"Authorization": f"Bearer {token}"}
    return send(hub, "GET", "/api/alerts/rules", headers=headers).status


class Client:
    """A WebSocket of the client protocol."""

    def __init__(self, hub, token):
        self.url = f"ws://127.0.0.1:{hub.port}/connection/websocket"
        self.token = token

    async def __aenter__(self):
        self.socket = await connect(self.url, proxy=None, open_timeout=PATIENCE_SECONDS)
        await self.socket.send(json.dumps({"id": 1, "connect": {"token": self.token}}))
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def receive(self):
        """The next message that is no ping."""
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE_SECONDS))
            if message:
                return message
            await self.socket.send("{}")

    async def close_code(self):
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                await self.receive()
        return closed.value.rcvd.code


def code_when_connecting(hub, token):
    async def attempt():
        async with Client(hub, token) as client:
            return await client.close_code()

    return asyncio.run(attempt())


def codes_of_open_connections(hub, tokens, action):
    """The close codes after an action; nil for those that stay."""

    async def run():
        clients = [Client(hub, token) for token in tokens]
        for client in clients:
            await client.__aenter__()
            assert "connect" in await client.receive()
        await asyncio.to_thread(action)
        codes = []
        for client in clients:
            try:
                await asyncio.wait_for(client.socket.ping(), PATIENCE_SECONDS)
                await client.socket.send('{"id":2,"subscribe":{"channel":"chat:a"}}')
                assert "subscribe" in await client.receive()
                codes.append(None)
            except ConnectionClosed as closed:
                codes.append(closed.rcvd.code)
            await client.__aexit__()
        return codes

    return asyncio.run(run())


def test_token_is_revoked_by_its_name(hub):
    one, other = connection_token("kari", jti="token-1"), connection_token("kari", jti="token-2")
    assert (rules(hub, one), rules(hub, other)) == (200, 200)
    codes = codes_of_open_connections(
        hub, [one, other], lambda: call(hub, "revoke_token", uid="token-1")
    )
    assert codes == [3500, None]
    assert (rules(hub, one), rules(hub, other)) == (401, 200)
    assert code_when_connecting(hub, one) == 3500
    hub.wait_for_log("code=revoked")


def test_older_tokens_of_a_user_are_invalid(hub):
    now = int(time.time())
    old, fresh = connection_token("kari", iat=now - 100), connection_token("kari", iat=now + 1)
    nora = connection_token("nora", iat=now - 100)
    codes = codes_of_open_connections(
        hub,
        [old, fresh, nora],
        lambda: call(hub, "invalidate_user_tokens", user="kari", issued_before=now),
    )
    assert codes == [3500, None, None]
    assert (rules(hub, old), rules(hub, fresh), rules(hub, nora)) == (401, 200, 200)
    assert rules(hub, connection_token("kari")) == 401, "nothing shows that it is newer"


def test_blocked_user_is_refused_everywhere_and_after_a_restart(hub):
    token, nora = connection_token("kari"), connection_token("nora")
    stream = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    stream.request("GET", "/events?topics=chat:a", headers={"Authorization": f"Bearer {token}"})
    open_stream = stream.getresponse()
    assert open_stream.status == 200
    codes = codes_of_open_connections(
        hub, [token, nora], lambda: call(hub, "block_user", user="kari")
    )
    assert codes == [3500, None]
    while open_stream.readline():
        pass
    for _ in range(2):
        assert (rules(hub, token), rules(hub, nora)) == (401, 200)
        assert code_when_connecting(hub, token) == 3500
        headers = {"Authorization": f"Bearer {token}"}
        assert send(hub, "GET", "/events?topics=chat:a", headers=headers).status == 401
        hub.kill()
        hub.start()
    call(hub, "unblock_user", user="kari")
    assert rules(hub, token) == 200


def test_subscription_token_is_revoked_by_its_name(hub):
    token = subscription_token("kari", "room:a", jti="room-1")
    command = {"id": 2, "subscribe": {"channel": "room:a", "token": token}}

    async def subscribe():
        async with Client(hub, connection_token("kari")) as client:
            assert "connect" in await client.receive()
            await client.socket.send(json.dumps(command))
            return await client.receive()

    assert "subscribe" in asyncio.run(subscribe())
    call(hub, "revoke_token", uid="room-1")
    assert asyncio.run(subscribe())["error"]["code"] == 103


def test_subscription_ends_with_its_token_and_the_connection_stays(hub):
    async def run():
        async with Client(hub, connection_token("kari")) as client:
            assert "connect" in await client.receive()
            for number, topic in enumerate(("room:a", "room:b"), 2):
                token = subscription_token("kari", topic, jti=topic)
                fields = {"channel": topic, "token": token}
                await client.socket.send(json.dumps({"id": number, "subscribe": fields}))
                assert "subscribe" in await client.receive()
            await asyncio.to_thread(call, hub, "revoke_token", uid="room:a")
            push = (await client.receive())["push"]
            assert (push["channel"], push["unsubscribe"]["code"]) == ("room:a", 2000)
            await asyncio.to_thread(call, hub, "block_user", user="kari")
            assert await client.close_code() == 3500

    asyncio.run(run())
    hub.wait_for_log("subscriptions=1")
