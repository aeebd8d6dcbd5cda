"""Several nodes with one log: clients of all nodes receive the same, and resume on any of them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.client_stream import ClientStream
from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.cluster_load import NAMESPACE, TOPICS, Load
from harness.history_check import Attempt, History, Outcome, Place, check
from harness.link import Direction
from harness.postgres import is_missing
from harness.settings import namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

CHAT = namespace("chat", publish="anyone")
TOPIC = "load:0"
SOME = 5
MOVING_HOMES = 10
KEYS = 20


@pytest.fixture
def cluster(stage):
    return Cluster(stage, NAMESPACE, CHAT, has_links=True).start()


def values(node, topic=TOPIC):
    return [each["data"]["value"] for each in node.history(topic)]


def wait_until_all_have(cluster, expected, topic=TOPIC):
    for node in cluster.nodes:
        wait_until(
            lambda node=node: values(node, topic) == expected,
            within=PATIENCE_SECONDS,
            what=lambda node=node: f"node {node.name} has {expected}: {values(node, topic)}",
        )


def positions(cluster, topic=TOPIC):
    pages = [node.result("history", channel=topic, limit=0) for node in cluster.nodes]
    return {(page["offset"], page["epoch"]) for page in pages}


def publish(node, value, topic=TOPIC, **options):
    return node.result("publish", channel=topic, data={"value": value}, **options)


def test_subscribers_of_all_nodes_receive_one_order(stage, cluster, record_property):
    """Publications of all nodes, in the order of real time, with the same offsets everywhere."""
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(10 * SOME)
    report = load.report(record_property)
    assert not report.ended_epochs and not load.gaps and not cluster.own_ends


def test_publication_of_a_client_reaches_clients_of_other_nodes(stage, cluster):
    publisher, *others = cluster.nodes
    readers = [stage.sdk(node.port, ["chat:room"]) for node in others]
    for reader in readers:
        wait_until(
            lambda reader=reader: reader.subscribed["chat:room"],
            within=PATIENCE_SECONDS,
            what="it has subscribed",
        )
    stage.sdk(publisher.port, []).publish("chat:room", {"value": "hello"})
    for reader in readers:
        wait_until(
            lambda reader=reader: reader.publications["chat:room"],
            within=PATIENCE_SECONDS,
            what="the publication is there",
        )
        assert reader.publications["chat:room"] == [(1, {"value": "hello"})]


def test_answer_comes_behind_the_publication_on_its_node(cluster):
    """A history that is read after the answer has the publication."""
    for number in range(SOME):
        for node in cluster.nodes:
            publish(node, f"{node.name}{number}")
            assert values(node)[-1] == f"{node.name}{number}"


def test_clients_of_a_killed_node_recover_on_others(stage, cluster, record_property):
    home, *others = cluster.nodes
    load = Load(stage, cluster, homes=[home] * MOVING_HOMES)
    load.wait_for_acknowledgements(SOME)
    home.kill()
    for client in load.clients:
        wait_until(
            lambda client=client: client.node != home.name,
            within=PATIENCE_SECONDS,
            what=f"{client.name} is on another node",
        )
    load.wait_for_acknowledgements(SOME, on=others)
    home.start()
    report = load.report(record_property)
    assert not report.ended_epochs and not load.gaps
    assert all(load.moves(client) >= 1 for client in load.clients)


def test_position_ahead_of_a_node_is_no_gap(stage, cluster):
    """The node answers when it has read the log that far."""
    first, second = cluster.nodes[:2]
    for number in range(SOME):
        position = publish(first, f"{number}")
    wait_until_all_have(cluster, [f"{number}" for number in range(SOME)])
    client = ClientStream(second.port, "http_stream")
    stage.ends_with(client.close)
    second.link.hold(frozenset({Direction.TO_CLIENT}))
    position = publish(first, "ahead")
    subscribe = {"channel": TOPIC, "recover": True, **position}
    # Answered when the command has been taken, which is before the node can have the publication.
    assert client.emulate({"id": 2, "subscribe": subscribe}) == 204
    second.link.heal()
    reply = client.reply(2)["subscribe"]
    assert reply["recovered"] and (reply["offset"], reply["epoch"]) == tuple(position.values())
    publish(first, "next")
    assert client.push()["pub"]["data"] == {"value": "next"}


def test_cursor_ahead_of_a_node_is_no_gap(stage, cluster):
    first, second = cluster.nodes[:2]
    publish(first, "one")
    stream = stage.event_stream(first.port, [TOPIC])
    wait_until(lambda: stream.begin, within=PATIENCE_SECONDS, what="the stream has begun")
    wait_until_all_have(cluster, ["one"])
    second.link.hold(frozenset({Direction.TO_CLIENT}))
    publish(first, "ahead")
    wait_until(lambda: stream.events, within=PATIENCE_SECONDS, what="the publication is there")
    moved = stage.event_stream(second.port, [TOPIC], str(stream.events[0].id))
    wait_until(lambda: moved.connections, within=PATIENCE_SECONDS, what="it has connected")
    second.link.heal()
    wait_until(lambda: moved.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    publish(first, "next")
    wait_until(lambda: moved.events, within=PATIENCE_SECONDS, what="the next one is there")
    assert [event.json()["value"] for event in moved.events] == ["next"]
    assert not moved.gaps


def test_key_sent_to_two_nodes_at_once_is_one_publication(cluster):
    attempts = []
    together = threading.Barrier(2)
    clock = iter(range(1_000_000))

    def send(node, key):
        together.wait(PATIENCE_SECONDS)
        invoked, value = next(clock), f"{key}-{node.name}"
        result = publish(node, value, idempotency_key=key)
        place = Place(result["epoch"], result["offset"])
        attempts.append(
            Attempt(TOPIC, value, node.name, invoked, Outcome.OK, next(clock), place, key)
        )
        return place

    with ThreadPoolExecutor(2) as pool:
        for number in range(KEYS):
            keys = [f"key-{number}"] * 2
            places = list(pool.map(send, cluster.nodes[:2], keys))
            assert places[0] == places[1]
    # Later, and on a node that has not seen them.
    for number in range(KEYS):
        assert publish(cluster.nodes[2], "late", idempotency_key=f"key-{number}")["offset"] <= KEYS
    log = cluster.log([TOPIC])
    assert len(log) == KEYS
    wait_until_all_have(cluster, [entry.value for entry in log])
    node_logs = {node.name: cluster.node_log(node, [TOPIC]) for node in cluster.nodes}
    report = check(History(attempts, [], log, node_logs))
    assert not report.violations, str(report)


def test_version_holds_on_all_nodes(cluster):
    first, second, third = cluster.nodes
    publish(first, "five", version=5)
    publish(second, "four", version=4)
    publish(third, "five again", version=5)
    publish(second, "six", version=6)
    wait_until_all_have(cluster, ["five", "six"])


def test_removed_history_is_gone_on_all_nodes(stage, cluster):
    first, second, third = cluster.nodes
    stream = stage.event_stream(third.port, [TOPIC])
    wait_until(lambda: stream.is_open, within=PATIENCE_SECONDS, what="the stream is open")
    for number in range(SOME):
        publish(first, f"{number}")
    wait_until_all_have(cluster, [f"{number}" for number in range(SOME)])
    second.result("history_remove", channel=TOPIC)
    wait_until_all_have(cluster, [])
    assert len(positions(cluster)) == 1
    assert publish(third, "after")["offset"] == SOME + 1
    wait_until_all_have(cluster, ["after"])
    assert len(positions(cluster)) == 1
    wait_until(
        lambda: len(stream.events) == SOME + 1,
        within=PATIENCE_SECONDS,
        what="the stream has all publications",
    )
    assert not stream.gaps, "a subscriber has missed nothing"


def test_erased_publications_are_recovered_by_no_node(stage, cluster):
    first, second, third = cluster.nodes
    begin = publish(first, "before")
    wait_until_all_have(cluster, ["before"])
    streams = [stage.event_stream(node.port, [TOPIC]) for node in cluster.nodes]
    for stream in streams:
        wait_until(lambda stream=stream: stream.begin, within=PATIENCE_SECONDS, what="it begins")
    beginnings = [stream.begin for stream in streams]
    for number in range(SOME):
        tags = {"author": "17"} if number % 2 else {}
        publish(first, f"{number}", tags=tags)
    wait_until_all_have(cluster, ["before", *(f"{number}" for number in range(SOME))])
    second.result("history_remove", channel=TOPIC, tag={"author": "17"})
    left = [f"{number}" for number in range(0, SOME, 2)]
    wait_until_all_have(cluster, ["before", *left])
    assert len(positions(cluster)) == 1
    for node, cursor in zip(cluster.nodes, beginnings, strict=True):
        client = ClientStream(node.port, "http_stream")
        stage.ends_with(client.close)
        subscribe = {"channel": TOPIC, "recover": True, **begin}
        reply = client.command(subscribe=subscribe)["subscribe"]
        assert reply["recovered"], f"node {node.name}: {reply}"
        assert [each["data"]["value"] for each in reply["publications"]] == left
        resumed = stage.event_stream(node.port, [TOPIC], str(cursor))
        wait_until(
            lambda resumed=resumed: len(resumed.events) >= len(left),
            within=PATIENCE_SECONDS,
            what=f"the stream of node {node.name} has all publications",
        )
        assert [event.json()["value"] for event in resumed.events] == left
        assert not resumed.gaps
    assert publish(third, "after")["offset"] == SOME + 2


def test_node_that_starts_has_the_log(cluster):
    """Also what was published and removed while it was away."""
    first, second = cluster.nodes[:2]
    publish(first, "kept", topic=TOPICS[1])
    publish(first, "removed")
    wait_until_all_have(cluster, ["removed"])
    second.kill()
    first.result("history_remove", channel=TOPIC)
    publish(first, "new")
    second.start()
    assert values(second) == ["new"] and values(second, TOPICS[1]) == ["kept"]
    assert len(positions(cluster)) == 1
    assert publish(second, "newer")["offset"] == 3
    wait_until_all_have(cluster, ["new", "newer"])
