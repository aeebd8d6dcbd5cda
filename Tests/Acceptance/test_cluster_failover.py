"""The primary server of a cluster is killed and its standby promoted, under load."""

import pytest

from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.cluster_load import NAMESPACE, TOPICS, Load
from harness.postgres import Postgres, is_missing
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

SOME = 10


@pytest.fixture
def servers(stage):
    primary = Postgres.of(stage)
    standby = Postgres.of(stage, primary)
    wait_until(
        lambda: standbys(primary) == 1, within=PATIENCE_SECONDS, what="the standby follows"
    )
    return [primary, standby]


def standbys(primary):
    return int(primary.query("SELECT count(*) FROM pg_stat_replication"))


def fail_over(stage, cluster):
    primary, standby = cluster.servers
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    primary.kill()
    standby.promote()
    for node in cluster.nodes:
        node.wait_until_ready()
    load.wait_for_acknowledgements(SOME)
    return load


@pytest.fixture
def failed_over_synchronously(stage, servers):
    primary, _ = servers
    primary.set("synchronous_standby_names", "*")
    wait_until(
        lambda: primary.query("SELECT sync_state FROM pg_stat_replication") == "sync",
        within=PATIENCE_SECONDS,
        what="the standby is synchronous",
    )
    return fail_over(stage, Cluster(stage, NAMESPACE, servers=servers).start())


def test_synchronous_standby_has_lost_nothing(failed_over_synchronously, servers, record_property):
    report = failed_over_synchronously.report(record_property, servers[1])
    assert not report.lost


def test_synchronous_standby_keeps_the_epoch(failed_over_synchronously, servers, record_property):
    """So clients resume, and receive no gap."""
    report = failed_over_synchronously.report(record_property, servers[1])
    assert not report.ended_epochs
    assert not failed_over_synchronously.gaps


def test_second_promotion_keeps_the_epoch(
    failed_over_synchronously, servers, record_property
):
    """While the former primary was away, commits did not wait for a standby: that is over."""
    former, primary = servers
    load = failed_over_synchronously
    former.rejoin(primary)
    # Of its own commits, once it is promoted.
    former.set("synchronous_standby_names", "")
    primary.set("synchronous_standby_names", "*")
    wait_until(
        lambda: primary.query("SELECT sync_state FROM pg_stat_replication") == "sync",
        within=PATIENCE_SECONDS,
        what="the former primary is a synchronous standby",
    )
    load.wait_for_acknowledgements(SOME)
    primary.kill()
    former.promote()
    for node in load.cluster.nodes:
        node.wait_until_ready()
    load.wait_for_acknowledgements(SOME)
    report = load.report(record_property, former)
    assert not report.lost and not report.ended_epochs
    assert not load.gaps


def test_standby_that_lags_is_promoted(stage, servers, record_property):
    """The control: it has lost publications, and every client receives a gap."""
    primary, standby = servers
    cluster = Cluster(stage, NAMESPACE, servers=servers).start()
    # The standby has the topics, but not what is published from here on.
    cluster.nodes[0].result("publish", channel="load:standby", data={"value": "kept"})
    newest = primary.query("SELECT pg_current_wal_lsn()")
    wait_until(
        lambda: standby.query(f"SELECT pg_last_wal_replay_lsn() >= '{newest}'") == "t",
        within=PATIENCE_SECONDS,
        what="the standby has the schema",
    )
    standby.set("primary_conninfo", "host=127.0.0.1 port=1")
    wait_until(lambda: standbys(primary) == 0, within=PATIENCE_SECONDS, what="the standby is alone")
    load = fail_over(stage, cluster)
    report = load.report(record_property, standby)
    assert set(report.ended_epochs) == set(TOPICS)
    assert len(report.lost) >= len(TOPICS) * SOME / 2
    assert {(gap.topic, gap.is_new_epoch) for gap in load.gaps} >= {
        (topic, True) for topic in TOPICS
    }
