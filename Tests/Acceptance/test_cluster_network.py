"""The network between nodes and their server fails under load.

Nothing is lost, repeated or reordered, and no client receives a gap.
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster, fault_seconds, seeds
from harness.cluster_load import NAMESPACE, TOPICS, Load
from harness.link import Direction
from harness.postgres import is_missing
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

BETWEEN_FAULTS_SECONDS = (0.2, 1.0)
# In a long run also longer than the silence after which a node is not ready.
FAULT_SECONDS = (0.1, min(8.0, fault_seconds() / 2))
SLOW_SECONDS = 0.2
SOME = 5

TO_SERVER, TO_CLIENT = frozenset({Direction.TO_SERVER}), frozenset({Direction.TO_CLIENT})
FAULTS = {
    "reset": lambda link: link.reset(),
    "cut": lambda link: link.cut(),
    "requests lost": lambda link: link.swallow(TO_SERVER),
    "answers lost": lambda link: link.swallow(TO_CLIENT),
    "answers held": lambda link: link.hold(TO_CLIENT),
    "slow": lambda link: link.delay(SLOW_SECONDS),
}


@pytest.fixture
def cluster(stage):
    return Cluster(stage, NAMESPACE, has_links=True).start()


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_network_between_node_and_server(stage, cluster, fault, seed, record_property):
    moments = random.Random(seed)
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end = time.monotonic() + fault_seconds()
    while time.monotonic() < end:
        link = moments.choice(cluster.nodes).link
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        fault(link)
        time.sleep(moments.uniform(*FAULT_SECONDS))
        link.heal()
    load.finish(record_property)


@pytest.mark.parametrize("fault", ["cut", "requests lost", "answers lost"])
def test_node_without_its_server_is_not_ready_and_others_go_on(
    stage, cluster, fault, record_property
):
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    node, *others = cluster.nodes
    FAULTS[fault](node.link)
    node.wait_until_not_ready()
    load.wait_for_acknowledgements(SOME, on=others)
    wait_until(
        lambda: all(other.readiness == 200 for other in others), within=20, what="others are ready"
    )
    node.link.heal()
    load.finish(record_property)


@pytest.mark.parametrize("is_committed", [True, False], ids=["committed", "not committed"])
def test_commit_without_an_answer(cluster, is_committed):
    """The node finds out whether its commit happened, and commits nothing twice."""
    topic, key = TOPICS[0], "marked-key"
    other, node = cluster.nodes[:2]
    for number in range(SOME):
        node.result("publish", channel=topic, data={"value": f"{number}"})
    trap = node.link.trap(b"marked-value", passes=is_committed)
    with ThreadPoolExecutor(1) as pool:
        request = {"channel": topic, "data": {"value": "marked-value"}, "idempotency_key": key}
        answer = pool.submit(node.call, "publish", **request)
        assert trap.has_sprung.wait(PATIENCE_SECONDS)
        if is_committed:
            wait_until(
                lambda: values(other, topic)[-1:] == ["marked-value"],
                within=PATIENCE_SECONDS,
                what="another node has what the database committed",
            )
        node.link.heal()
        first = answer.result(PATIENCE_SECONDS)
    if is_committed:
        assert first["result"]["offset"] == SOME + 1
    elif "error" in first:
        assert first["error"]["code"] == 100
    assert other.result("publish", **request)["offset"] == SOME + 1
    assert node.result("publish", **request)["offset"] == SOME + 1
    for each in cluster.nodes:
        wait_until(
            lambda each=each: len(values(each, topic)) >= SOME + 1,
            within=PATIENCE_SECONDS,
            what=f"node {each.name} has it",
        )
        assert values(each, topic) == [*map(str, range(SOME)), "marked-value"]
    assert not cluster.own_ends


def test_commit_that_a_crash_has_lost_is_not_taken_for_another_transactions(stage):
    """The number of the lost transaction is assigned again, and the other one is committed."""
    cluster = Cluster(stage, NAMESPACE, has_links=True).start()
    topic = "load:number"
    other, node = cluster.nodes[:2]
    node.result("publish", channel=topic, data={"value": "first"})
    trap = node.link.trap(b"marked-value", passes=False)
    with ThreadPoolExecutor(1) as pool:
        request = {"channel": topic, "data": {"value": "marked-value"}}
        answer = pool.submit(node.call, "publish", **request)
        assert trap.has_sprung.wait(PATIENCE_SECONDS)
        cluster.server.kill()
        cluster.server.start()
        wait_until(
            lambda: "result" in other.call("publish", channel=topic, data={"value": "second"}),
            within=PATIENCE_SECONDS,
            what="another node publishes again",
        )
        node.link.heal()
        assert "error" in answer.result(PATIENCE_SECONDS)
    node.wait_until_ready()
    assert node.result("publish", channel=topic, data={"value": "third"})["offset"] == 3
    for each in cluster.nodes:
        wait_until(
            lambda each=each: len(values(each, topic)) >= 3,
            within=PATIENCE_SECONDS,
            what=f"node {each.name} has it",
        )
        assert values(each, topic) == ["first", "second", "third"]
    assert not cluster.own_ends


def values(node, topic):
    return [each["data"]["value"] for each in node.history(topic)]
