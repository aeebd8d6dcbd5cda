"""What no SDK does by itself, in the bytes of the protocol."""

import json
import time

import cent
import pytest
from centrifuge.codecs import _JsonCodec, _ProtobufCodec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as websocket

from harness.crowd import (
    CLOSE_FRAME,
    PING_FRAME,
    PONG_FRAME,
    TEXT_FRAME,
    UPGRADE,
    BareSubscriber,
    connect,
    masked,
    read_head,
)
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token

SECONDS = 10.0
NO_PONG, BAD_REQUEST, INAPPROPRIATE_PROTOCOL = 3012, 3501, 3506
# The encoding of each subprotocol, by the SDK's own code.
CODECS = {"centrifuge-json": _JsonCodec, "centrifuge-protobuf": _ProtobufCodec}


@pytest.fixture
def hub(stage):
    text = configuration(
        namespace("chat", publish="subscribers", presence=True),
        tokens=TOKENS,
        websocket=json.dumps({"ping_interval": "1s", "pong_timeout": "300ms"}),
    )
    return started_hub(stage, text)


@pytest.mark.parametrize("subprotocol", CODECS)
def test_commands_of_one_frame_are_answered_each_and_in_order(hub, subprotocol):
    commands = [
        {"id": 1, "connect": {}},
        {"id": 2, "subscribe": {"channel": "chat:room"}},
        {"id": 3, "presence_stats": {"channel": "chat:room"}},
        {"send": {}},
        {"id": 4, "history": {"channel": "chat:room"}},
        {"id": 5, "presence": {"channel": "chat:other"}},
        {"id": 6, "unsubscribe": {"channel": "chat:room"}},
    ]
    codec = CODECS[subprotocol]
    url = f"ws://127.0.0.1:{hub.port}/connection/websocket"
    with websocket(url, subprotocols=[subprotocol], proxy=None) as client:
        assert client.subprotocol == subprotocol
        client.send(codec.encode_commands(commands))
        replies = []
        while len(replies) < 6:
            for reply in codec.decode_replies(client.recv(timeout=SECONDS)):
                if reply.get("id"):
                    replies.append(reply)
    assert [reply["id"] for reply in replies] == [1, 2, 3, 4, 5, 6]
    kinds = [next(key for key in reply if key != "id") for reply in replies]
    expected = ["connect", "subscribe", "presence_stats", "history", "error", "unsubscribe"]
    assert kinds == expected


def test_client_that_wants_ping_frames_gets_no_others(hub):
    with connect(hub.port) as client:
        target = b"/connection/websocket"
        client.sendall(UPGRADE.replace(target, target + b"?cf_ws_frame_ping_pong=true"))
        assert read_head(client).startswith(b"HTTP/1.1 101 ")
        client.sendall(masked('{"id":1,"connect":{}}'))
        frames = BareSubscriber(client).frames()
        kind, payload = next(frames)
        assert kind == TEXT_FRAME
        reply = json.loads(payload)["connect"]
        assert not reply.get("ping") and not reply.get("pong")
        for _ in range(2):
            kind, payload = next(frames)
            assert kind == PING_FRAME
            client.sendall(masked(payload, PONG_FRAME))
        # The next one is not answered.
        assert next(frames)[0] == PING_FRAME
        kind, payload = next(frames)
        assert (kind, int.from_bytes(payload[:2], "big")) == (CLOSE_FRAME, NO_PONG)


def test_backend_that_prolongs_a_connection_tells_its_client(stage, hub):
    api = stage.server_api(hub.port)
    with websocket(f"ws://127.0.0.1:{hub.port}/connection/websocket", proxy=None) as client:
        token = connection_token("ann", ttl=60)
        client.send(json.dumps({"id": 1, "connect": {"token": token}}))
        reply = json.loads(client.recv(timeout=SECONDS))["connect"]
        assert reply["expires"] and 50 < reply["ttl"] <= 60
        api.call(cent.RefreshRequest(user="ann", expire_at=int(time.time()) + 600))
        refresh = next_push(client)["refresh"]
        assert refresh["expires"] and 590 < refresh["ttl"] <= 600


@pytest.mark.parametrize(
    "message",
    [
        b'{"id":1,"connect":{}}',
        "{",
        '{"id":1,"subscribe":{"channel":"chat:room"}}',
        '{"connect":{}}',
        '{"id":1,"connect":{}}\n{"id":2,"connect":{}}',
    ],
    ids=["binary", "no JSON", "not connected", "no id", "connected twice"],
)
def test_what_is_not_the_protocol_ends_the_connection(hub, message):
    with websocket(f"ws://127.0.0.1:{hub.port}/connection/websocket", proxy=None) as client:
        client.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                client.recv(timeout=SECONDS)
        assert closed.value.rcvd.code in (BAD_REQUEST, INAPPROPRIATE_PROTOCOL)
        assert closed.value.rcvd.reason


def next_push(client):
    while True:
        for line in client.recv(timeout=SECONDS).splitlines():
            message = json.loads(line)
            if not message:
                client.send("{}")
            elif "push" in message:
                return message["push"]
