"""Messages that begin and do not end hold little, and not for long."""

import pytest

from harness.attackers import DEFLATE, is_answering, unfinished_message
from harness.crowd import PING_FRAME, masked, need_descriptors, read_head, read_to_end
from harness.others import Others, namespace_of_others
from harness.settings import TOKENS, configuration, started_hub
from harness.sizes import IS_FULL, size
from harness.waiting import wait_until

CONNECTIONS = size("UNFINISHED", small=300, full=3000)
ADDRESSES = size("ADDRESSES", small=100, full=1000)
MEMORY_MIB = 256 if IS_FULL else 64
INFLATED_BYTES = 1_000_000
PING = masked(b"", PING_FRAME)
CONNECT = masked('{"id":1,"connect":{}}')
PATIENCE_SECONDS = 60.0


def hub_with(stage, **limits):
    values = {"memory": f"{MEMORY_MIB}MiB", **limits}
    limits = "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"
    spaces = [namespace_of_others()]
    return started_hub(stage, configuration(*spaces, tokens=TOKENS, limits=limits))


@pytest.mark.parametrize("moment", ["before connect", "after connect"])
def test_unfinished_messages_hold_no_more_than_the_budget(stage, moment, record_property):
    need_descriptors(CONNECTIONS)
    hub = hub_with(stage)
    others = Others(stage, hub)
    crowd = stage.crowd(hub.port, per_address=-(-CONNECTIONS // ADDRESSES))
    clients = crowd.join(CONNECTIONS, DEFLATE)
    for client in clients:
        assert read_head(client).startswith(b"HTTP/1.1 101 ")
    others.begin()
    first = CONNECT if moment == "after connect" else b""
    for client in clients:
        try:
            client.sendall(first + unfinished_message(INFLATED_BYTES))
        except OSError:
            # The hub has ended it for what it has sent.
            continue
    answering = sum(is_answering(client, PING) for client in clients)
    record_property("connections left", answering)
    others.end(record_property)
    others.assert_memory(MEMORY_MIB, record_property)


def test_unfinished_message_has_a_deadline(stage):
    hub = hub_with(stage, message_timeout="1s")
    crowd = stage.crowd(hub.port)
    (client,) = crowd.join(1, DEFLATE)
    assert read_head(client).startswith(b"HTTP/1.1 101 ")
    client.sendall(CONNECT + unfinished_message(1000))
    assert is_answering(client, PING)
    # Whatever else it sends, the message does not end.
    assert b"\x03\xf0" in wait_until(
        lambda: read_to_end(client), within=PATIENCE_SECONDS, what="the close frame, with 1008"
    )
