"""The logs of who is there, of several nodes and over the faults of one of them."""

import random
import time

import pytest

from harness.cluster import Cluster, fault_seconds, seeds
from harness.postgres import is_missing
from harness.settings import TOKENS, namespace
from harness.visitors import Visitors, check_logs
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

PATIENCE_SECONDS = 60.0
CHAT = namespace("chat", lifecycle=["topics", "members"])
TOPICS = [f"chat:{index}" for index in range(8)]


@pytest.fixture
def cluster(stage):
    clients = '{"lifecycle": ["clients", "users"], "leave_after": "2s"}'
    return Cluster(stage, CHAT, tokens=TOKENS, clients=clients, lease_seconds=2, has_links=True).start()


@pytest.fixture
def visitors(stage):
    visitors = Visitors()
    stage.ends_with(visitors.close)
    return visitors


def events(node):
    return [each["data"] for topic in ("hub:life", "hub:life:chat") for each in node.history(topic)]


def there(node):
    """By kind: who is there according to the logs, which are checked."""
    found = {}
    for (kind, name, user), is_there in check_logs(events(node)).items():
        if is_there:
            found.setdefault(kind, set()).add((name, user))
    return found


def wait_for_truth(node, present):
    """`present` has the users and topics of the visitors that are there."""
    users = {(user, "") for user, _ in present.values()}
    members = {(topic, user) for user, topics in present.values() for topic in topics}
    occupied = {(topic, "") for topic, _ in members}

    def is_true():
        found = there(node)
        return (
            found.get("user", set()) == users
            and found.get("member", set()) == members
            and found.get("topic", set()) == occupied
            and len(found.get("client", set())) == len(present)
        )

    wait_until(
        is_true,
        within=PATIENCE_SECONDS,
        what=lambda: f"the logs are true: {there(node)} for {present}\n{node.end_of_log}",
    )


def test_a_user_who_changes_the_node_does_not_leave(cluster, visitors):
    first, second, third = cluster.nodes
    visitors.come("one", first.port, "ann", ["chat:0"])
    visitors.wait("one")
    wait_for_truth(third, {"one": ("ann", ["chat:0"])})
    for node in (second, third, first, second):
        visitors.come("two", node.port, "ann", ["chat:0"])
        visitors.wait("two")
        visitors.go("one")
        visitors.come("one", node.port, "ann", ["chat:0"])
        visitors.wait("one")
        visitors.go("two")
    wait_for_truth(first, {"one": ("ann", ["chat:0"])})
    about = [each["type"] for each in events(first) if "client" not in each["type"]]
    assert sorted(about) == ["hub.member.joined", "hub.topic.occupied", "hub.user.online"]
    assert second.result("get_user_status", users=["ann"])["statuses"][0]["online"]
    visitors.go("one")
    wait_for_truth(second, {})


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("fault", ["killed", "stopped", "cut off"])
def test_logs_end_in_the_truth_after_a_fault(cluster, visitors, fault, seed):
    chance = random.Random(seed)
    present = {}
    ports = {}

    def stir(seconds, nodes):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            name = f"visitor-{chance.randrange(40)}"
            if name in present:
                visitors.go(name)
                del present[name]
            else:
                node = chance.choice(nodes)
                present[name] = (f"user-{chance.randrange(15)}", chance.sample(TOPICS, 2))
                ports[name] = node
                visitors.come(name, node.port, *present[name])
            time.sleep(chance.uniform(0, 0.05))

    nodes = cluster.nodes
    stir(fault_seconds(), nodes)
    victim = chance.choice(nodes)
    others = [node for node in nodes if node is not victim]
    match fault:
        case "killed":
            victim.kill()
            stir(fault_seconds(), others)
            victim.start()
        case "stopped":
            victim.suspend()
            stir(fault_seconds() + 8, others)
            victim.resume()
        case "cut off":
            victim.link.cut()
            stir(fault_seconds() + 8, others)
            victim.link.heal()
    stir(fault_seconds(), nodes)
    visitors.wait(*present)
    wait_for_truth(chance.choice(others), present)
