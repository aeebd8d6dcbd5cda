"""`info` and `channels` describe all nodes of a cluster, whichever node answers."""

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.postgres import is_missing
from harness.settings import TOKENS, namespace
from harness.tokens import connection_token
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

ROOM = namespace("room", subscribe="users", anonymous_subscribe=False)
SHARED = "room:shared"


@pytest.fixture
def cluster(stage):
    return Cluster(stage, ROOM, tokens=TOKENS).start()


def join(stage, node, *topics):
    client = stage.sdk(node.port, list(topics), token=connection_token(f"user-{node.name}"))
    wait_until(
        lambda: all(client.subscribed[topic] for topic in topics),
        within=PATIENCE_SECONDS,
        what=f"a client of node {node.name} has subscribed",
    )


def channels(node, pattern=None):
    found = node.result("channels", **({"pattern": pattern} if pattern else {}))["channels"]
    return {topic: each["num_clients"] for topic, each in found.items()}


def names(node):
    return [each["name"] for each in node.result("info")["nodes"]]


def test_all_nodes_are_described_by_each(stage, cluster):
    own = {node.name: f"room:{node.name}" for node in cluster.nodes}
    for node in cluster.nodes:
        join(stage, node, SHARED, own[node.name])
    for node in cluster.nodes:
        assert channels(node) == {SHARED: 3} | dict.fromkeys(own.values(), 1)
        assert channels(node, "room:s*") == {SHARED: 3}
        nodes = node.result("info")["nodes"]
        assert nodes[0]["name"] == node.name
        assert sorted(each["name"] for each in nodes) == ["a", "b", "c"]
        for each in nodes:
            assert (each["num_clients"], each["num_users"]) == (1, 1)
            assert (each["num_subs"], each["num_channels"]) == (2, 2)
        assert b"hub_cluster_surveys_incomplete_total 0\n" in node.hub.get("/metrics").body


def test_node_that_is_suspended_is_left_out_and_returns(stage, cluster):
    first, second, third = cluster.nodes
    for node in cluster.nodes:
        join(stage, node, SHARED)
    third.suspend()
    # At the latest after `stale_after`, the answer is that of the others.
    assert names(first) == ["a", "b"]
    assert channels(second) == {SHARED: 2}
    third.resume()
    for node in cluster.nodes:
        wait_until(
            lambda node=node: sorted(names(node)) == ["a", "b", "c"],
            within=PATIENCE_SECONDS,
            what=f"node {node.name} gets the answers of all",
        )


def test_node_without_the_server_describes_itself(stage, cluster):
    first = cluster.nodes[0]
    join(stage, first, SHARED)
    cluster.server.kill()
    assert names(first) == ["a"]
    assert channels(first) == {SHARED: 1}
    assert b"hub_cluster_surveys_incomplete_total 2\n" in first.hub.get("/metrics").body
    cluster.server.start()
    wait_until(
        lambda: sorted(names(first)) == ["a", "b", "c"],
        within=PATIENCE_SECONDS,
        what="the answers of all",
    )
