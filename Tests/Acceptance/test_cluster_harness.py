"""The harness of the cluster tests with a single hub, whose histories the checker accepts."""

import pytest

from harness.cluster import Cluster
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

SOME = 5
DELETION = """
    DELETE FROM varde.publication
    WHERE cursor = (SELECT cursor FROM varde.publication ORDER BY cursor OFFSET 8 LIMIT 1)
"""


@pytest.fixture
def cluster(stage):
    return Cluster(stage, NAMESPACE, nodes=1, has_links=True).start()


def test_load_of_a_hub_that_is_killed(stage, cluster, record_property):
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    node = cluster.nodes[0]
    for _ in range(3):
        node.kill()
        node.start()
        load.wait_for_acknowledgements(SOME)
    load.report(record_property)
    assert not load.gaps


def test_load_of_a_hub_whose_server_is_killed_and_cut_off(stage, cluster, record_property):
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    cluster.server.kill()
    cluster.server.start()
    load.wait_for_acknowledgements(SOME)
    cluster.nodes[0].link.cut()
    cluster.nodes[0].link.heal()
    load.wait_for_acknowledgements(SOME)
    load.report(record_property)
    assert not load.gaps and not cluster.own_ends


def test_loss_behind_the_hub_is_found(stage, cluster, record_property):
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    load.stop()
    cluster.server.query(DELETION)
    with pytest.raises(AssertionError, match="invariant 1: acknowledged, and not in the log"):
        load.report(record_property)
