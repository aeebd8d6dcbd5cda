"""Alerts, webhooks, polls, presence and erasures of a cluster whose nodes and server fail.

Each alert is told once, each webhook arrives in its order, one node polls, presence is right on all
nodes, and no node returns what was erased.
"""

import random
import time

import pytest

from harness.cluster import fault_seconds, seeds
from harness.cluster_duties import Duties, shown
from harness.link import Direction
from harness.postgres import is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

LEASE_SECONDS = 1
BETWEEN_FAULTS_SECONDS = (0.3, 1.5)
AWAY_SECONDS = (0.0, 1.0)
# Shorter and longer than the lease.
FAULT_SECONDS = (0.2, 4.0)
SLOW_SECONDS = 0.05
SOME = 10


def kill(node, moments):
    node.kill()
    time.sleep(moments.uniform(*AWAY_SECONDS))
    node.start(until_ready=False)


def kill_leader(cluster, moments):
    kill(cluster.leader(), moments)


def kill_node(cluster, moments):
    kill(moments.choice(cluster.nodes), moments)


def end_leader(cluster, moments):
    leader = cluster.leader()
    leader.stop(within=30)
    time.sleep(moments.uniform(*AWAY_SECONDS))
    leader.start(until_ready=False)


def kill_server(cluster, moments):
    cluster.server.kill()
    time.sleep(moments.uniform(*AWAY_SECONDS))
    cluster.server.start()


def suspend_leader(cluster, moments):
    leader = cluster.leader()
    leader.suspend()
    time.sleep(moments.uniform(*FAULT_SECONDS))
    leader.resume()


def on_link(fault):
    def fail(cluster, moments):
        link = cluster.leader().link
        fault(link)
        time.sleep(moments.uniform(*FAULT_SECONDS))
        link.heal()

    return fail


FAULTS = {
    "killed leader": kill_leader,
    "killed node": kill_node,
    "ended leader": end_leader,
    "killed server": kill_server,
    "suspended leader": suspend_leader,
    "leader cut off": on_link(lambda link: link.cut()),
    "answers to the leader lost": on_link(
        lambda link: link.swallow(frozenset({Direction.TO_CLIENT}))
    ),
    "answers to the leader held": on_link(
        lambda link: link.hold(frozenset({Direction.TO_CLIENT}))
    ),
    "slow link of the leader": on_link(lambda link: link.delay(SLOW_SECONDS)),
}

# In these, the leader is without its server.
SERVERLESS = [
    FAULTS[each]
    for each in (
        "killed server",
        "suspended leader",
        "leader cut off",
        "answers to the leader lost",
        "answers to the leader held",
    )
]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_duties(stage, fault, seed, record_property):
    moments = random.Random(seed)
    duties = Duties(stage, seed, has_links=True, lease_seconds=LEASE_SECONDS)
    duties.wait_for_acknowledgements(SOME)
    end, faults = time.monotonic() + fault_seconds(), 0
    while time.monotonic() < end:
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        fault(duties.cluster, moments)
        duties.wait_for_acknowledgements(SOME)
        faults += 1
    record_property("faults", faults)
    losses = faults if fault in SERVERLESS else 0
    violations = duties.violations(record_property, losses)
    assert not duties.cluster.own_ends
    assert not violations, shown(violations)
