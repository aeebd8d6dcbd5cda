"""Each bound of docs/SHARES.md that the hub counts is reached by an attack of a few seconds.

Others notice nothing of an attack on the bound of one peer.
"""

import contextlib
import http.client
import json
import socket
from collections.abc import Callable, Iterable

import pytest

from harness.attackers import DEFLATE, Attacker, address, unfinished_message
from harness.crowd import CLOSE_FRAME, PING_FRAME, UPGRADE, connect, masked, read_head
from harness.others import Others, namespace_of_others
from harness.settings import API_KEY, TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 60.0
# Not reached from outside: the bound of the process, which test_overload.py sets.
ELSEWHERE = {"descriptors"}
PREFIX = 'hub_limits_reached_total{limit="'


def flow(values: dict[str, object]) -> str:
    """A mapping of the configuration in one line."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


PEER_LIMITS = {
    "connections_per_address": 80,
    "connections_per_user": 12,
    "subscriptions_per_user": 60,
    "subscriptions": 40,
    "header_bytes": "9KiB",
    "body_bytes": "64KiB",
    "message_bytes": "64KiB",
    "connect_bytes": "4KiB",
    "frame_bytes": "32KiB",
    "fragments": 16,
    "control_frames": 20,
    "queue_bytes": "64KiB",
    "message_timeout": "1s",
    "handshake_timeout": "2s",
    "idle_timeout": "2s",
    "close_timeout": "1s",
    "stall_timeout": "1s",
    "user_timeout": "1s",
    "turn_writes": 16,
    "turn_accepts": 4,
    "turn_work": "2KiB",
}
PEER_RATES = flow(
    {
        "connection": "{commands: 100, publishes: 100}",
        "user": "{connects: 40, commands: 150, publishes: 120}",
        "address": "{connects: 50, commands: 150, publishes: 150, logins: 5}",
    }
)
ROOM = "room:a"
COMMAND = {"unsubscribe": {"channel": "room:none"}}
PUBLISH = {"publish": {"channel": ROOM, "data": 1}}


class Attack:
    """What attackers need: the hub, and addresses that nobody else has."""

    def __init__(self, stage, hub) -> None:
        self.stage, self.hub, self._number = stage, hub, 0

    @property
    def number(self) -> int:
        """A number whose address no other attacker has."""
        self._number += 1
        return self._number

    def open(self, first: bytes = b"", number: int | None = None, **options) -> socket.socket:
        client = connect(self.hub.port, address(number or self.number), **options)
        self.stage.ends_with(client.close)
        if first:
            client.sendall(first)
        return client

    def websocket(self, upgrade: bytes = UPGRADE, **options) -> socket.socket:
        client = self.open(upgrade, **options)
        assert read_head(client).startswith(b"HTTP/1.1 101 ")
        return client

    def connected(self, **options) -> socket.socket:
        client = self.websocket(**options)
        client.sendall(masked('{"id":1,"connect":{}}'))
        return client

    def attacker(self, number: int | None = None, user: str = "") -> Attacker:
        token = connection_token(user) if user else ""
        attacker = Attacker(self.hub.port, number or self.number, token)
        self.stage.ends_with(attacker.close)
        return attacker

    def post(self, target: str, content: bytes, number: int | None = None, **headers: str) -> int:
        connection = http.client.HTTPConnection(
            "127.0.0.1",
            self.hub.port,
            timeout=PATIENCE_SECONDS,
            source_address=(address(number or self.number), 0),
        )
        try:
            connection.request("POST", target, content, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def not_reached(self, bounds: Iterable[str]) -> list[str]:
        answer = self.hub.get("/metrics")
        if answer.status == 503:
            # A bound that all share also refuses this request, until the attackers are gone.
            return list(bounds)
        text = answer.body.decode()
        return [bound for bound in bounds if f'{PREFIX}{bound}"}} 0\n' in text]

    def publish(self, channel: str, data: object) -> int:
        body = json.dumps({"channel": channel, "data": data}).encode()
        return self.post("/api/publish", body, **{"X-API-Key": API_KEY})


def send_until_it_ends(client: socket.socket, piece: bytes, count: int) -> None:
    with contextlib.suppress(OSError):
        for _ in range(count):
            client.sendall(piece)


# Attacks on the bounds of one peer. Each returns when it has sent what reaches the bound.


def connections_per_address(attack: Attack) -> None:
    number = attack.number
    for _ in range(PEER_LIMITS["connections_per_address"] + 1):
        attack.open(number=number)


def connections_per_user(attack: Attack) -> None:
    for _ in range(PEER_LIMITS["connections_per_user"] + 1):
        attack.attacker(user="many-connections")


def subscriptions(attack: Attack) -> None:
    count = PEER_LIMITS["subscriptions"] + 1
    attack.attacker().ask({"subscribe": {"channel": f"room:{n}"}} for n in range(count))


def subscriptions_per_user(attack: Attack) -> None:
    for each in range(2):
        attacker = attack.attacker(user="many-subscriptions")
        attacker.ask({"subscribe": {"channel": f"room:{each}-{n}"}} for n in range(35))


def header_bytes(attack: Attack) -> None:
    attack.open(b"GET / HTTP/1.1\r\nHost: a\r\nX-A: " + b"a" * 10_000)


def body_bytes(attack: Attack) -> None:
    attack.post("/api/publish", b" " * 70_000, **{"X-API-Key": API_KEY})


def message_bytes(attack: Attack) -> None:
    client = attack.connected()
    piece = "x" * 30_000
    client.sendall(masked(piece, 0x01) + masked(piece, 0x00))
    send_until_it_ends(client, masked(piece, 0x00), 1)


def connect_bytes(attack: Attack) -> None:
    attack.websocket().sendall(masked(json.dumps({"id": 1, "connect": {"data": "x" * 5000}})))


def frame_bytes(attack: Attack) -> None:
    send_until_it_ends(attack.connected(), masked("x" * 40_000), 1)


def fragments(attack: Attack) -> None:
    client = attack.connected()
    send_until_it_ends(client, masked("x", 0x01) + masked("x", 0x00) * 20, 1)


def control_frames(attack: Attack) -> None:
    send_until_it_ends(attack.connected(), masked(b"", PING_FRAME) * 40, 1)


def queue_bytes(attack: Attack) -> None:
    client = attack.connected(receive_bytes=4096)
    client.sendall(masked('{"id":2,"subscribe":{"channel":"room:queue"}}'))
    for _ in range(400):
        assert attack.publish("room:queue", "x" * 20_000) == 200
        if not attack.not_reached(["limits.queue_bytes"]):
            return


def message_timeout(attack: Attack) -> None:
    attack.connected().sendall(masked("x", 0x01))


def handshake_timeout(attack: Attack) -> None:
    attack.open(b"GET / HTTP/1.1\r\n")


def idle_timeout(attack: Attack) -> None:
    attack.open(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")


def close_timeout(attack: Attack) -> None:
    # Breaks the protocol, and does not answer the close frame.
    attack.websocket().sendall(b"\xff\xff")


def stall_timeout(attack: Attack) -> None:
    # Asks for an answer that is longer than its buffers, and reads nothing.
    for _ in range(3):
        attack.publish("room:long", "x" * 60_000)
    request = b"POST /api/history HTTP/1.1\r\nHost: a\r\nX-API-Key: " + API_KEY.encode()
    body = b'{"channel":"room:long","limit":100}'
    head = request + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n"
    client = attack.open(receive_bytes=2048)
    send_until_it_ends(client, (head + body) * 60, 1)


def connection_commands(attack: Attack) -> None:
    attack.attacker().ask(COMMAND for _ in range(420))


def connection_publishes(attack: Attack) -> None:
    attacker = attack.attacker()
    attacker.ask(PUBLISH for _ in range(220))


def spread(
    attack: Attack, command: dict, count: int, *, user: str = "", number: int | None = None
) -> None:
    """Sends the command on several connections at once, on each as often as one may."""
    connect_command = {"connect": {"token": connection_token(user)} if user else {}}
    lines = [json.dumps({"id": n + 1, **each}) for n, each in enumerate([command] * count)]
    clients = [attack.websocket(number=number) for _ in range(6)]
    for client in clients:
        client.sendall(masked(json.dumps({"id": 1000, **connect_command})))
        client.sendall(masked("\n".join(lines)))


def user_connects(attack: Attack) -> None:
    connect_command = json.dumps({"id": 1, "connect": {"token": connection_token("comes-often")}})
    clients = [attack.websocket() for _ in range(90)]
    for client in clients:
        # One user may have few connections, so each ends at once.
        client.sendall(masked(connect_command) + masked(b"", CLOSE_FRAME))


def user_commands(attack: Attack) -> None:
    spread(attack, COMMAND, 95, user="asks-often")


def user_publishes(attack: Attack) -> None:
    spread(attack, PUBLISH, 95, user="publishes-often")


def address_connects(attack: Attack) -> None:
    number = attack.number
    clients = [attack.open(number=number) for _ in range(75)]
    for client in clients:
        client.sendall(UPGRADE)


def address_commands(attack: Attack) -> None:
    spread(attack, COMMAND, 95, number=attack.number)


def address_publishes(attack: Attack) -> None:
    spread(attack, PUBLISH, 95, number=attack.number)


def address_logins(attack: Attack) -> None:
    number = attack.number
    for _ in range(20):
        attack.post("/auth/login", b"{}", number)


def turn_writes(attack: Attack) -> None:
    for _ in range(PEER_LIMITS["turn_writes"] * 3):
        attack.connected().sendall(masked('{"id":2,"subscribe":{"channel":"room:fan"}}'))
    assert attack.publish("room:fan", 1) == 200


def turn_accepts(attack: Attack) -> None:
    attack.hub.process.suspend()
    clients = [attack.open() for _ in range(PEER_LIMITS["turn_accepts"] * 8)]
    attack.hub.process.resume()
    for client in clients:
        client.close()


def turn_work(attack: Attack) -> None:
    attack.attacker().ask(COMMAND for _ in range(90))


def topics_per_publisher(attack: Attack) -> None:
    attacker = attack.attacker()
    attacker.ask({"publish": {"channel": f"few:{n}", "data": 1}} for n in range(12))


def pong_timeout(attack: Attack) -> None:
    attack.connected()


def user_timeout(attack: Attack) -> None:
    # Subscribes, and its window is soon full.
    client = attack.connected(receive_bytes=2048)
    client.sendall(masked('{"id":2,"subscribe":{"channel":"room:window"}}'))
    for _ in range(3):
        assert attack.publish("room:window", "x" * 20_000) == 200


PEER_ATTACKS: dict[str, Callable[[Attack], None]] = {
    "limits.connections_per_address": connections_per_address,
    "limits.connections_per_user": connections_per_user,
    "limits.subscriptions_per_user": subscriptions_per_user,
    "limits.subscriptions": subscriptions,
    "limits.header_bytes": header_bytes,
    "limits.body_bytes": body_bytes,
    "limits.message_bytes": message_bytes,
    "limits.connect_bytes": connect_bytes,
    "limits.message_timeout": message_timeout,
    "limits.frame_bytes": frame_bytes,
    "limits.fragments": fragments,
    "limits.control_frames": control_frames,
    "limits.queue_bytes": queue_bytes,
    "limits.handshake_timeout": handshake_timeout,
    "limits.idle_timeout": idle_timeout,
    "limits.close_timeout": close_timeout,
    "limits.stall_timeout": stall_timeout,
    "limits.user_timeout": user_timeout,
    "limits.turn_writes": turn_writes,
    "limits.turn_work": turn_work,
    "rates.connection.commands": connection_commands,
    "rates.connection.publishes": connection_publishes,
    "rates.user.connects": user_connects,
    "rates.user.commands": user_commands,
    "rates.user.publishes": user_publishes,
    "rates.address.connects": address_connects,
    "rates.address.commands": address_commands,
    "rates.address.publishes": address_publishes,
    "rates.address.logins": address_logins,
    "namespaces[].max_topics_per_publisher": topics_per_publisher,
    "websocket.pong_timeout": pong_timeout,
}


# Attacks on bounds that all peers share: whoever comes then is refused, too.


def connections(attack: Attack) -> None:
    for _ in range(150):
        attack.open()


def handshakes(attack: Attack) -> None:
    for _ in range(40):
        client = attack.open(UPGRADE)
        read_head(client)


def memory(attack: Attack) -> None:
    for _ in range(60):
        client = attack.websocket(DEFLATE)
        send_until_it_ends(
            client, masked('{"id":1,"connect":{}}') + unfinished_message(1_000_000), 1
        )


def max_topics(attack: Attack) -> None:
    for _ in range(4):
        attacker = attack.attacker()
        attacker.ask({"publish": {"channel": f"all:{attack.number}", "data": 1}} for _ in range(8))


def unpublished_topics(attack: Attack) -> None:
    for _ in range(6):
        start = attack.number * 1000
        attack.attacker().ask({"subscribe": {"channel": f"room:{start + n}"}} for n in range(30))


SHARED_ATTACKS: dict[str, tuple[dict[str, object], Callable[[Attack], None]]] = {
    "limits.connections": ({"connections": 100, "handshake_timeout": "1s"}, connections),
    "limits.handshakes": ({"handshakes": 10}, handshakes),
    "limits.memory": ({"memory": "32MiB"}, memory),
    "limits.unpublished_topics": ({"unpublished_topics": 50}, unpublished_topics),
    "limits.turn_accepts": ({"turn_accepts": 4}, turn_accepts),
    "namespaces[].max_topics": ({}, max_topics),
}


def text(limits: dict[str, object], **values: str) -> str:
    return configuration(
        namespace_of_others(),
        namespace("room", publish="anyone", history_size=100),
        namespace("few", publish="anyone", durable=False, max_topics_per_publisher=8),
        namespace("all", publish="anyone", durable=False, max_topics=16),
        tokens=TOKENS,
        limits=flow(limits),
        **values,
    )


def test_bounds_of_a_peer_are_reached_and_others_notice_nothing(stage, record_property):
    websocket = "{ping_interval: 1s, pong_timeout: 900ms}"
    hub = started_hub(stage, text(PEER_LIMITS, accounts="{}", rates=PEER_RATES, websocket=websocket))
    others = Others(stage, hub)
    attack = Attack(stage, hub)
    others.begin()
    for each in PEER_ATTACKS.values():
        each(attack)
    wait_until(
        lambda: not attack.not_reached(PEER_ATTACKS),
        within=PATIENCE_SECONDS,
        what=lambda: f"every bound is reached: {attack.not_reached(PEER_ATTACKS)}",
    )
    others.end(record_property)


@pytest.mark.parametrize("bound", SHARED_ATTACKS)
def test_bound_that_all_share_is_reached_and_the_hub_goes_on(stage, bound):
    limits, run = SHARED_ATTACKS[bound]
    hub = started_hub(stage, text(limits))
    attack = Attack(stage, hub)
    run(attack)
    wait_until(
        lambda: not attack.not_reached([bound]),
        within=PATIENCE_SECONDS,
        what=lambda: f"{bound} is reached",
    )
    assert hub.process.is_running


def test_every_bound_that_the_hub_counts_has_an_attack(stage):
    hub = started_hub(stage, text({}))
    names = {
        sample.removeprefix(PREFIX).removesuffix('"}')
        for sample in stage.metrics(hub.port).sample()
        if sample.startswith(PREFIX)
    }
    assert names == PEER_ATTACKS.keys() | SHARED_ATTACKS.keys() | ELSEWHERE

