"""The presence of a cluster holds the clients of all nodes."""

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.postgres import is_missing
from harness.settings import TOKENS, namespace
from harness.tokens import connection_token
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

ROOM = namespace(
    "room", subscribe="users", anonymous_subscribe=False, presence=True, join_leave=True
)
TOPIC = "room:a"
LEASE_SECONDS = 2


@pytest.fixture
def cluster(stage):
    return Cluster(stage, ROOM, tokens=TOKENS, lease_seconds=LEASE_SECONDS).start()


def users(node):
    presence = node.result("presence", channel=TOPIC)["presence"]
    return sorted(client["user"] for client in presence.values())


def wait_for_users(nodes, expected):
    for node in nodes:
        wait_until(
            lambda node=node: users(node) == expected,
            within=PATIENCE_SECONDS,
            what=lambda node=node: f"node {node.name} has {expected}, with {users(node)}",
        )


def join(stage, node, user):
    client = stage.sdk(node.port, [TOPIC], token=connection_token(user))
    wait_until(
        lambda: client.subscribed[TOPIC], within=PATIENCE_SECONDS, what=f"{user} has joined"
    )
    return client


def test_presence_of_all_nodes_on_each(stage, cluster):
    for node in cluster.nodes:
        join(stage, node, f"user-{node.name}")
    wait_for_users(cluster.nodes, ["user-a", "user-b", "user-c"])
    stats = cluster.nodes[0].result("presence_stats", channel=TOPIC)
    assert stats == {"num_clients": 3, "num_users": 3}


def test_clients_of_a_killed_node_leave_and_a_new_node_has_all(stage, cluster):
    first, second, third = cluster.nodes
    join(stage, first, "one")
    join(stage, second, "two")
    wait_for_users(cluster.nodes, ["one", "two"])
    third.kill()
    first.suspend()
    third.start()
    # The suspended one counts as ended when its lease would have ended.
    wait_for_users([second, third], ["two"])
    first.resume()
    wait_for_users(cluster.nodes, ["one", "two"])
    second.kill()
    wait_for_users([first, third], ["one"])
