"""Attackers on many addresses break rules of the protocol at once, and others notice nothing."""

import itertools
from collections import Counter

from harness.attackers import ACCEPTED, Attacker
from harness.crowd import (
    CLOSE_FRAME,
    PING_FRAME,
    UPGRADE,
    BareSubscriber,
    masked,
    need_descriptors,
    read_head,
)
from harness.others import Others, namespace_of_others
from harness.settings import TOKENS, configuration, started_hub
from harness.sizes import IS_FULL, size
from harness.waiting import wait_until

ADDRESSES = size("ADDRESSES", small=200, full=1000)
ROUNDS = size("ROUNDS", small=2, full=10)
MEMORY_MIB = 256 if IS_FULL else 64
PATIENCE_SECONDS = 60.0
# `limits.control_frames` is the most of one second.
PINGS = 1000
NORMAL, PROTOCOL_ERROR, POLICY_VIOLATION, BAD_REQUEST = 1000, 1002, 1008, 3501

FLOODS = {
    "pings": (masked(b"", PING_FRAME) * PINGS, POLICY_VIOLATION),
    "reserved bits": (masked("{}", 0xF1), PROTOCOL_ERROR),
    "a continuation of nothing": (masked("{}", 0x80), PROTOCOL_ERROR),
    "no JSON": (masked("[" * 20_000), BAD_REQUEST),
}


def test_attackers_on_many_addresses_are_cut_and_others_notice_nothing(stage, record_property):
    need_descriptors(ADDRESSES)
    spaces = [namespace_of_others()]
    limits = f"{{memory: {MEMORY_MIB}MiB, handshake_timeout: 10s}}"
    hub = started_hub(stage, configuration(*spaces, tokens=TOKENS, limits=limits))
    metrics = stage.metrics(hub.port)
    others = Others(stage, hub)
    others.begin()
    for _ in range(ROUNDS):
        crowd = stage.crowd(hub.port, per_address=1)
        clients = crowd.join(ADDRESSES, UPGRADE)
        floods = list(zip(clients, itertools.cycle(FLOODS.values())))
        for client, _ in floods:
            assert read_head(client).startswith(b"HTTP/1.1 101 ")
        for client, (flood, _) in floods:
            client.sendall(flood)
        found = Counter((close_code(client), expected) for client, (_, expected) in floods)
        assert all(code == expected for code, expected in found), found
        crowd.leave()
    others.end(record_property)
    others.assert_memory(MEMORY_MIB, record_property)
    wait_until(
        lambda: metrics.connections("websocket") <= 3,
        within=PATIENCE_SECONDS,
        what="no attacker is left",
    )


def test_what_is_refused_to_one_attacker_is_refused_to_no_other_client(stage, record_property):
    spaces = [namespace_of_others()]
    hub = started_hub(stage, configuration(*spaces, tokens=TOKENS))
    others = Others(stage, hub)
    attackers = [Attacker(hub.port, number) for number in range(10)]
    for each in attackers:
        stage.ends_with(each.close)
    others.begin()
    for each in attackers:
        names = [f"others:{number}" for number in range(ADDRESSES)]
        outcomes = each.ask({"subscribe": {"channel": name}} for name in names)
        outcomes += each.ask({"publish": {"channel": name, "data": 1}} for name in names)
        assert not outcomes[ACCEPTED], outcomes
    others.end(record_property)


def close_code(client):
    """Of the close frame that ends the connection; 0 when it ends without one."""
    for kind, payload in BareSubscriber(client).frames():
        if kind == CLOSE_FRAME:
            return int.from_bytes(payload[:2], "big")
    return 0
