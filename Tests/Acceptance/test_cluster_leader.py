"""The leader of a cluster does what must be done once, and another node takes over from it."""

import http.client
import json
import ssl

import pytest

from harness import reverse_proxies
from harness.certificate import Certificate
from harness.cluster import PATIENCE_SECONDS, Cluster
from harness.postgres import is_missing
from harness.settings import API_KEY, namespace
from harness.webhook_fixtures import inbox  # noqa: F401
from harness.waiting import wait_until
from harness.webhooks import WebhookAPI

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

LEASE_SECONDS = 1
TOPIC = "orders:1"


@pytest.fixture
def cluster(stage, inbox):  # noqa: F811
    limits = {"allow_addresses": ["127.0.0.1/32"], "ports": [inbox.port]}
    return Cluster(
        stage,
        namespace("orders"),
        lease_seconds=LEASE_SECONDS,
        webhook_limits=json.dumps(limits),
    ).start()


def others(cluster, leader):
    return [node for node in cluster.nodes if node is not leader]


def test_other_nodes_refuse_the_leaders_routes_for_a_moment(cluster):
    leader = cluster.leader()
    assert WebhookAPI(leader.hub).ask("GET", "/api/webhooks")["webhooks"] == []
    for node in others(cluster, leader):
        status, error = WebhookAPI(node.hub).send("GET", "/api/webhooks")
        assert status == 503
        assert "does not lead" in json.dumps(error)


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_webhooks_of_all_nodes_are_sent_before_and_after_a_takeover(
    cluster, inbox, end  # noqa: F811
):
    """Each publication is sent once, whichever node it is published on, and in its order."""
    leader = cluster.leader()
    WebhookAPI(leader.hub).active(inbox.url, types=["hub.publication"])
    expected = []

    def publish_on(nodes):
        for node in nodes:
            expected.append(len(expected))
            node.result("publish", channel=TOPIC, data={"number": expected[-1]})

    publish_on(cluster.nodes)
    wait_for_numbers(inbox, expected)
    if end == "kill":
        leader.kill()
    else:
        leader.is_wanted = False
        leader.hub.process.stop()
    publish_on(others(cluster, leader))
    successor = cluster.leader()
    assert successor is not leader
    wait_for_numbers(inbox, expected)
    leader.start()
    publish_on(cluster.nodes)
    wait_for_numbers(inbox, expected)
    assert cluster.leader() is successor


class Front:
    """The nodes behind nginx, with the configuration that the page for operators shows."""

    def __init__(self, stage, cluster):
        certificate = Certificate(stage.directory)
        ports = [node.port for node in cluster.nodes]
        self.port = reverse_proxies.nginx_cluster(stage, ports, certificate).port
        self.context = ssl.create_default_context(cafile=str(certificate.path))

    def ask(self, method, target, body=None):
        connection = http.client.HTTPSConnection(
            "localhost", self.port, timeout=PATIENCE_SECONDS, context=self.context
        )
        headers = {"X-API-Key": API_KEY, "Content-Type": "application/json"}
        connection.request(method, target, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        return response.status, response.read()


def test_nginx_finds_the_leader(stage, cluster, inbox):  # noqa: F811
    """Often enough that each node has its turn, and that one refusal would take a node away."""
    leader = cluster.leader()
    front = Front(stage, cluster)
    for number in range(3 * len(cluster.nodes)):
        assert front.ask("GET", "/api/webhooks")[0] == 200
        # Refused by the nodes that do not lead, and not repeated where it was carried out.
        status, body = front.ask("POST", "/api/webhooks", {"url": f"{inbox.url}/{number}"})
        assert status == 201, body
        publication = {"channel": TOPIC, "data": {"number": number}}
        assert b'"offset"' in front.ask("POST", "/api/publish", publication)[1]
    assert len(WebhookAPI(leader.hub).ask("GET", "/api/webhooks")["webhooks"]) == number + 1
    others(cluster, leader)[0].kill()
    for _ in cluster.nodes:
        wait_until(
            lambda: front.ask("GET", "/api/webhooks")[0] == 200,
            within=PATIENCE_SECONDS,
            what="the leader answers",
        )


def wait_for_numbers(inbox, expected):  # noqa: F811
    wait_until(
        lambda: len(numbers(inbox)) >= len(expected),
        within=PATIENCE_SECONDS,
        what=lambda: f"{expected} have arrived, with {numbers(inbox)}",
    )
    assert numbers(inbox) == expected


def numbers(inbox):  # noqa: F811
    """In the order of their first arrival: one that a killed leader has sent may come again."""
    found = {delivery.id: delivery.event["data"]["number"] for delivery in inbox.events}
    return list(found.values())
