"""The server of a cluster is slow, or its disk is full, under load.

Nothing is lost, repeated or reordered, and no client receives a gap.
"""

import random
import time

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster, fault_seconds, seeds
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import Postgres, can_have_disk, is_missing
from harness.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed"),
    pytest.mark.parametrize("seed", seeds()),
]

BETWEEN_FAULTS_SECONDS = (0.2, 1.0)
FULL_SECONDS = (0.2, min(4.0, fault_seconds() / 2))
# In each direction.
SLOW_SECONDS = 0.1
# The longest that the server offers, before each flush of a commit.
SLOW_FLUSH_MICROSECONDS = "100000"
# Nearly four times as much as an empty server needs.
DISK_MIB = 160
SOME = 5


def test_slow_network_of_all_nodes(stage, seed, record_property):
    cluster = Cluster(stage, NAMESPACE, has_links=True).start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    for node in cluster.nodes:
        node.link.delay(SLOW_SECONDS)
    time.sleep(fault_seconds())
    load.wait_for_acknowledgements(1)
    for node in cluster.nodes:
        node.link.heal()
    load.finish(record_property)


def test_slow_flush(stage, seed, record_property):
    cluster = Cluster(stage, NAMESPACE).start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    # Also when nobody else commits.
    cluster.server.set("commit_siblings", "0")
    cluster.server.set("commit_delay", SLOW_FLUSH_MICROSECONDS)
    time.sleep(fault_seconds())
    load.wait_for_acknowledgements(SOME)
    load.finish(record_property)


@pytest.mark.skipif(not can_have_disk(), reason="needs mounts of its own, which root can have")
@pytest.mark.parametrize("is_log_full", [False, True], ids=["tables", "log"])
def test_full_disk(stage, is_log_full, seed, record_property):
    """Tables cannot grow, which fails transactions; the server's log cannot, which ends it."""
    moments = random.Random(seed)
    server = Postgres.of(stage, disk_mib=DISK_MIB)
    cluster = Cluster(stage, NAMESPACE, servers=[server]).start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    end, crashes = time.monotonic() + fault_seconds(), 0
    while time.monotonic() < end:
        # The moments are the point of this test.
        time.sleep(moments.uniform(*BETWEEN_FAULTS_SECONDS))
        if is_log_full:
            crashes += crash_of_full_log(server)
        else:
            server.fill_disk()
            time.sleep(moments.uniform(*FULL_SECONDS))
        server.empty_disk()
        if not server.is_running:
            server.start()
        load.wait_for_acknowledgements(SOME)
    record_property("crashes", crashes)
    assert crashes or not is_log_full
    load.finish(record_property)


def crash_of_full_log(server):
    """Begins files of the server's log until there is no room for another one."""
    server.fill_disk()

    def has_ended():
        if server.is_running:
            server.query("SELECT pg_switch_wal()", check=False)
        return not server.is_running

    wait_until(has_ended, within=PATIENCE_SECONDS, what="the server has ended")
    return 1
