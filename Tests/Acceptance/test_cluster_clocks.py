"""The clocks of a cluster's nodes disagree, and the leader is suspended, under load.

Nothing is lost, repeated or reordered, and no client receives a gap. One node leads.
"""

import random
import time

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster, fault_seconds, seeds
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import is_missing
from harness.settings import ENVIRONMENT
from harness.shifted_clock import ShiftedClock
from harness.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed"),
    pytest.mark.parametrize("seed", seeds()),
]

HOUR = 3600
LEASE_SECONDS = 1
# Nothing becomes too old for a history by a clock.
KEPT = NAMESPACE | {"history_age": "48h"}
BETWEEN_FAULTS_SECONDS = (0.3, 1.5)
SUSPENDED_SECONDS = (2.0 * LEASE_SECONDS, 4.0 * LEASE_SECONDS)
SOME = 5


def leading(cluster, *, after=0):
    """The leader and its term, once exactly one node leads, in a later term than `after`."""
    found = []

    def is_one():
        found[:] = [(node, term) for node in cluster.nodes if (term := node.term)]
        return len(found) == 1 and found[0][1] > after

    wait_until(is_one, within=PATIENCE_SECONDS, what=lambda: f"one node leads: {found}")
    return found[0]


def clock_of(stage, node):
    directory = stage.directory / f"clock-{node.name}"
    directory.mkdir()
    clock = ShiftedClock(directory)
    node.hub.environment = ENVIRONMENT | clock.environment
    return clock


def test_clocks_an_hour_ahead_and_behind(stage, seed, record_property):
    """One is ahead, one behind, and one is moved while it runs; each node has its turn to lead."""
    moments = random.Random(seed)
    cluster = Cluster(stage, KEPT, lease_seconds=LEASE_SECONDS)
    clocks = [clock_of(stage, node) for node in cluster.nodes]
    clocks[0].shift(HOUR)
    clocks[1].shift(-HOUR)
    cluster.start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end, faults = time.monotonic() + fault_seconds(), 0
    while time.monotonic() < end:
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        clocks[-1].shift(moments.choice([-HOUR, 0, HOUR]))
        faults += 1
        load.wait_for_acknowledgements(1)
        if faults % 2:
            continue
        leader = cluster.leader()
        leader.kill()
        successor = cluster.leader()
        assert successor is not leader
        leader.start()
        leading(cluster)
    record_property("faults", faults)
    load.finish(record_property)


def test_leader_suspended_for_longer_than_its_lease(stage, seed, record_property):
    moments = random.Random(seed)
    cluster = Cluster(stage, NAMESPACE, lease_seconds=LEASE_SECONDS).start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end, faults = time.monotonic() + fault_seconds(), 0
    while time.monotonic() < end:
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        leader, term = leading(cluster)
        others = [node for node in cluster.nodes if node is not leader]
        leader.suspend()
        try:
            over = time.monotonic() + moments.uniform(*SUSPENDED_SECONDS)
            wait_until(
                lambda others=others: any(node.leads for node in others),
                within=PATIENCE_SECONDS,
                what="another node leads",
            )
            load.wait_for_acknowledgements(SOME, on=others)
            time.sleep(max(0.0, over - time.monotonic()))
        finally:
            leader.resume()
        # It may lead again: suspended with the commit lock, it keeps all others from writing.
        leading(cluster, after=term)
        faults += 1
    record_property("faults", faults)
    load.finish(record_property)
