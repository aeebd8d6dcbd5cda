"""Commands of the server API reach the connections of all nodes before they are answered."""

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.postgres import is_missing
from harness.sdk import SDKClient
from harness.settings import TOKENS, namespace
from harness.tokens import connection_token
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

ROOM = namespace("room", subscribe="users", anonymous_subscribe=False)
TOPIC = "room:a"
USER = "kari"
TERMINAL = 4501
INVALID_TOKEN = 3500
UNSUBSCRIBED = 2000
# Of a request to the server, and of its answer.
LATE_SECONDS = 0.2


@pytest.fixture
def cluster(stage):
    return Cluster(stage, ROOM, tokens=TOKENS).start()


@pytest.fixture
def clients(stage, cluster):
    """A client of one user on each node."""
    clients = [
        stage.sdk(node.port, [TOPIC], token=connection_token(USER)) for node in cluster.nodes
    ]
    for client in clients:
        wait_for(lambda client=client: client.subscribed[TOPIC], "it has subscribed")
    return clients


def wait_for(condition, what):
    wait_until(condition, within=PATIENCE_SECONDS, what=what)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_user_is_disconnected_from_all_nodes(cluster, clients, index):
    """Publications after the answer reach no connection of the user."""
    node = cluster.nodes[index]
    disconnect = {"code": TERMINAL, "reason": "banned"}
    node.result("disconnect", user=USER, disconnect=disconnect)
    for each in cluster.nodes:
        each.result("publish", channel=TOPIC, data={"value": each.name})
    for client in clients:
        wait_for(lambda client=client: client.disconnected, "it is disconnected")
        assert client.disconnected == [(TERMINAL, "banned")]
        assert not client.publications[TOPIC]


def test_user_is_unsubscribed_on_all_nodes(cluster, clients):
    cluster.nodes[0].result("unsubscribe", user=USER, channel=TOPIC)
    cluster.nodes[1].result("publish", channel=TOPIC, data={"value": "after"})
    for client in clients:
        wait_for(lambda client=client: client.unsubscribed, "it is unsubscribed")
        assert client.unsubscribed == {TOPIC: UNSUBSCRIBED}
        assert not client.publications[TOPIC]


def test_blocked_user_is_refused_by_all_nodes(stage, cluster, clients):
    cluster.nodes[1].result("block_user", user=USER)
    later = [refused(stage, node) for node in cluster.nodes]
    for client in [*clients, *later]:
        wait_for(lambda client=client: client.disconnected, "it is disconnected")
        assert [code for code, _ in client.disconnected] == [INVALID_TOKEN]
    assert not any(client.connected for client in later)
    cluster.nodes[2].result("unblock_user", user=USER)
    for node in cluster.nodes:
        # Other nodes than the one that has answered may admit the user a little later.
        wait_for(lambda node=node: is_admitted(stage, node), f"node {node.name} admits the user")


def is_admitted(stage, node):
    client = stage.sdk(node.port, [], token=connection_token(USER), until_connected=False)
    wait_for(lambda: client.connected or client.disconnected, "an answer")
    return bool(client.connected)


def refused(stage, node) -> SDKClient:
    return stage.sdk(node.port, [], token=connection_token(USER), until_connected=False)


def test_block_holds_after_the_start_of_a_node(stage, cluster):
    first, second = cluster.nodes[:2]
    second.kill()
    first.result("block_user", user=USER)
    second.start()
    client = refused(stage, second)
    wait_for(lambda: client.disconnected, "it is disconnected")
    assert not client.connected


def test_removed_publication_is_on_no_node_after_the_answer(stage):
    """Also not on a node that reads the log late."""
    cluster = Cluster(stage, namespace("kept", history_size=100), has_links=True).start()
    topic, tags = "kept:a", {"author": "17"}
    first, late, _ = cluster.nodes
    late.link.delay(LATE_SECONDS)
    for tag in [tags, None]:
        first.result("publish", channel=topic, data={"value": "gone"}, tags=tags)
        for node in cluster.nodes:
            wait_for(lambda node=node: values(node, topic), "it has the publication")
        first.result("history_remove", channel=topic, **({"tag": tag} if tag else {}))
        assert [values(node, topic) for node in cluster.nodes] == [[], [], []]


def values(node, topic):
    return [each["data"]["value"] for each in node.history(topic)]
