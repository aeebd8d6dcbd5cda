"""Nodes and the server of a cluster are killed and suspended under load.

Nothing is lost, repeated or reordered, and no client receives a gap.
"""

import random
import time

import pytest

from harness.cluster import STALE_AFTER_SECONDS, Cluster, fault_seconds, seeds
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import is_missing

pytestmark = [
    pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed"),
    pytest.mark.parametrize("seed", seeds()),
]

BETWEEN_FAULTS_SECONDS = (0.3, 1.5)
AWAY_SECONDS = (0.0, 1.0)
# Around the time after which a node is not ready, and others end its hold on the commit lock.
SUSPENDED_SECONDS = (1.0, STALE_AFTER_SECONDS + 3.0)
# Acknowledgements of a publisher that show that a node publishes.
SOME = 5


@pytest.fixture
def cluster(stage):
    return Cluster(stage, NAMESPACE).start()


def under_load(stage, cluster, seed, record_property, fault):
    moments = random.Random(seed)
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end, count = time.monotonic() + fault_seconds(), 0
    while time.monotonic() < end:
        # The moments are the point of these tests.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        fault(moments, load)
        count += 1
    record_property("faults", count)
    load.finish(record_property)


def kill(nodes, moments):
    for node in nodes:
        node.kill()
    time.sleep(moments.uniform(*AWAY_SECONDS))
    for node in nodes:
        node.start(until_ready=False)


def test_killed_node(stage, cluster, seed, record_property):
    under_load(
        stage, cluster, seed, record_property,
        lambda moments, _: kill([moments.choice(cluster.nodes)], moments),
    )


def test_two_nodes_killed_at_once(stage, cluster, seed, record_property):
    under_load(
        stage, cluster, seed, record_property,
        lambda moments, _: kill(moments.sample(cluster.nodes, 2), moments),
    )


def test_killed_server(stage, cluster, seed, record_property):
    def fault(moments, load):
        cluster.server.kill()
        time.sleep(moments.uniform(*AWAY_SECONDS))
        cluster.server.start()
        load.wait_for_acknowledgements(1)

    under_load(stage, cluster, seed, record_property, fault)


def test_suspended_node(stage, cluster, seed, record_property):
    def fault(moments, load):
        node = moments.choice(cluster.nodes)
        end = time.monotonic() + moments.uniform(*SUSPENDED_SECONDS)
        node.suspend()
        # Whatever it held, the others go on.
        others = [each for each in cluster.nodes if each is not node]
        load.wait_for_acknowledgements(SOME, on=others)
        time.sleep(max(0.0, end - time.monotonic()))
        node.resume()

    under_load(stage, cluster, seed, record_property, fault)
