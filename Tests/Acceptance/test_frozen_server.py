"""A PostgreSQL server hangs: its processes are stopped, and its connections stay."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cluster import Cluster
from harness.cluster_load import NAMESPACE, Load
from harness.postgres import Postgres, is_missing
from harness.settings import API_KEY, ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

PATIENCE_SECONDS = 60.0
LIMIT_SECONDS = 10.0
# The machine is busy.
ANSWER_SECONDS = 2 * LIMIT_SECONDS
# Without the store: a second for what metrics read from it.
PROMPT_SECONDS = 5.0
SOME = 10


@pytest.fixture
def server(stage):
    return Postgres.of(stage)


@pytest.fixture
def hub(stage, server):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(configuration(namespace("load", history_size=1000)))
    hub.start()
    return hub


def publish(hub, number):
    """The answer, and the seconds that it took."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    try:
        request = {"channel": "load:a", "data": {"number": number}}
        connection.request("POST", "/api/publish", json.dumps(request), {"X-API-Key": API_KEY})
        return json.loads(connection.getresponse().read()), time.monotonic() - began
    finally:
        connection.close()


def test_publisher_receives_an_error_and_the_hub_goes_on(server, hub):
    first, _ = publish(hub, 1)
    server.freeze()
    answer, seconds = publish(hub, 2)
    assert answer["error"]["code"] == 100
    assert seconds < ANSWER_SECONDS
    for path in ("/readyz", "/metrics", "/livez", "/api/health") * 3:
        began = time.monotonic()
        status = hub.get(path).status
        assert time.monotonic() - began < PROMPT_SECONDS, path
        assert status == (503 if path == "/readyz" else 200), path
    again, seconds = publish(hub, 3)
    assert again["error"]["code"] == 100 and seconds < ANSWER_SECONDS
    server.thaw()
    wait_until(
        lambda: hub.get("/readyz").status == 200, within=PATIENCE_SECONDS, what="it is ready again"
    )
    wait_until(
        lambda: "result" in publish(hub, 4)[0], within=PATIENCE_SECONDS, what="it publishes again"
    )
    last, _ = publish(hub, 5)
    assert last["result"]["epoch"] == first["result"]["epoch"]
    assert len(hub.runs) == 1


def test_commit_that_waits_for_a_standby_is_not_given_up(stage, server):
    """A server that works is waited for, however long it takes."""
    standby = Postgres.of(stage, server)
    server.set("synchronous_standby_names", "*")
    wait_until(
        lambda: server.query("SELECT sync_state FROM pg_stat_replication") == "sync",
        within=PATIENCE_SECONDS,
        what="the standby is synchronous",
    )
    hub = stage.hub(environment=ENVIRONMENT)
    hub.database = server.url()
    hub.configure(configuration(namespace("load", history_size=1000)))
    hub.start()
    publish(hub, 1)
    standby.freeze()
    with ThreadPoolExecutor(1) as background:
        publishing = background.submit(publish, hub, 2)
        # Longer than the limit: the time is the point of this test.
        time.sleep(LIMIT_SECONDS + 5)
        assert not publishing.done()
        standby.thaw()
        answer, _ = publishing.result()
    assert answer["result"]["offset"] == 2


def test_nodes_leave_a_primary_that_hangs(stage, record_property):
    primary = Postgres.of(stage)
    standby = Postgres.of(stage, primary)
    primary.set("synchronous_standby_names", "*")
    wait_until(
        lambda: primary.query("SELECT sync_state FROM pg_stat_replication") == "sync",
        within=PATIENCE_SECONDS,
        what="the standby is synchronous",
    )
    cluster = Cluster(stage, NAMESPACE, servers=[primary, standby]).start()
    load = Load(stage, cluster)
    load.wait_for_acknowledgements(SOME)
    primary.freeze()
    standby.promote()
    load.wait_for_acknowledgements(SOME)
    for node in cluster.nodes:
        node.wait_until_ready()
    report = load.report(record_property, standby)
    assert not report.lost and not report.ended_epochs
    assert not load.gaps
