"""The nodes of a cluster are replaced one after the other, as in an upgrade, under load.

    VARDE_BEFORE=/path/to/varde Tests/Acceptance/run.sh -k test_cluster_upgrade

Without `VARDE_BEFORE` the nodes are of the same version before and after.
"""

import os
import time
from pathlib import Path

import pytest

from harness.cluster import Cluster, fault_seconds, seeds
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import is_missing
from harness.processes import BINARY

BEFORE = Path(os.environ.get("VARDE_BEFORE") or BINARY)
END_SECONDS = 30.0
LEASE_SECONDS = 2
SOME = 5

pytestmark = [
    pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed"),
    pytest.mark.parametrize("seed", seeds()),
]


@pytest.fixture
def cluster(stage):
    cluster = Cluster(stage, NAMESPACE, lease_seconds=LEASE_SECONDS)
    for node in cluster.nodes:
        node.hub.binary = BEFORE
    return cluster.start()


def replace(node, binary):
    """Ends it as a service manager does, and starts it again."""
    node.stop(within=END_SECONDS)
    node.hub.binary = binary
    node.start()


def test_rolling_restart(stage, cluster, seed, record_property):
    """Every node is replaced, then again for as long as faults happen; nobody misses anything."""
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end, rounds = time.monotonic() + fault_seconds(), 0
    while rounds == 0 or time.monotonic() < end:
        for node in cluster.nodes:
            replace(node, BINARY)
            load.wait_for_acknowledgements(SOME)
        rounds += 1
    record_property("rounds", rounds)
    record_property("before", str(BEFORE))
    load.finish(record_property)
    assert all(load.moves(client) for client in load.clients)
