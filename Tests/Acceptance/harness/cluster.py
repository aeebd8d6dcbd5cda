"""Several hubs that share a schema of one PostgreSQL server, and the faults of their processes."""

import http.client
import json
import os
import re
import signal
import threading
from dataclasses import dataclass
from typing import Any

from .history_check import Entry
from .hub import REQUEST_SECONDS, Hub
from .link import Link
from .postgres import Postgres
from .processes import Process
from .settings import API_KEY, ENVIRONMENT, configuration
from .waiting import wait_until

# A debug binary on a busy machine takes its time.
PATIENCE_SECONDS = 60.0
STALE_AFTER_SECONDS = 5
SUPERVISOR_SECONDS = 0.05
# A node that always ends is not started for ever.
OWN_ENDS_MAX = 30
LOG_CHARACTERS = 2000
PAGE = 1000
# In the configuration, the name of each node.
NODE = "$node"

LOG = """
    SELECT coalesce(json_agg(json_build_array(cursor, name, topic_offset,
        convert_from(payload, 'UTF8')) ORDER BY cursor), '[]')
    FROM {schema}.publication JOIN {schema}.topic ON topic.id = topic_id
"""


def seeds() -> list[int]:
    """One for each run of a test with chance in it.

    `CLUSTER_SEEDS=20` runs a test twenty times, `SEED=7` repeats the run of one seed.
    """
    if os.environ.get("SEED"):
        return [int(os.environ["SEED"])]
    return list(range(1, int(os.environ.get("CLUSTER_SEEDS") or 1) + 1))


def fault_seconds() -> float:
    """How long faults happen in a test: `CLUSTER_SECONDS=60`."""
    return float(os.environ.get("CLUSTER_SECONDS") or 5)


@dataclass(frozen=True)
class OwnEnd:
    """A node's process that ended although nothing had ended it."""

    node: str
    status: int
    log: str


class Node:
    """A hub of the cluster, behind links to the servers if it has some."""

    def __init__(self, name: str, hub: Hub, links: list[Link]) -> None:
        self.name = name
        self.hub = hub
        self.links = links
        # Like a service manager's: whether an ended process is started again.
        self.is_wanted = False
        self.is_supervised = False

    @property
    def port(self) -> int:
        return self.hub.port

    @property
    def link(self) -> Link:
        """To the first server."""
        return self.links[0]

    def start(self, *, until_ready: bool = True) -> None:
        self.hub.start(until_ready=False)
        self.is_wanted = True
        if until_ready:
            self.wait_until_ready()

    def kill(self) -> None:
        self.is_wanted = False
        self.hub.kill()

    def stop(self, *, within: float) -> None:
        """As a service manager ends it; it has to end properly."""
        self.is_wanted = False
        self.hub.process.signal(signal.SIGTERM)
        status = self.hub.process.wait(within=within)
        assert status == 0, f"node {self.name} ended with status {status}:\n{self.end_of_log}"

    def suspend(self) -> None:
        self.hub.process.suspend()

    def resume(self) -> None:
        self.hub.process.resume()

    @property
    def readiness(self) -> int | None:
        """The status of `/readyz`; nil while it does not answer."""
        try:
            return self.hub.get("/readyz").status
        except (OSError, http.client.HTTPException):
            return None

    @property
    def leads(self) -> bool:
        return self.term is not None

    @property
    def term(self) -> int | None:
        """That in which it leads."""
        try:
            text = self.hub.get("/metrics").body
        except (OSError, http.client.HTTPException):
            return None
        found = re.search(rb"^hub_cluster_term (\d+)$", text, re.MULTILINE)
        return int(found[1]) if found and b"hub_cluster_leads 1\n" in text else None

    def wait_until_ready(self) -> None:
        wait_until(
            lambda: self.readiness == 200 or self.has_given_up,
            within=PATIENCE_SECONDS,
            what=lambda: f"node {self.name} is ready, with {self.readiness}:\n{self.end_of_log}",
        )
        assert not self.has_given_up, f"node {self.name} ended:\n{self.end_of_log}"

    @property
    def has_given_up(self) -> bool:
        """Its process has ended, and is not started again."""
        return not self.hub.process.is_running and not self.is_supervised

    @property
    def end_of_log(self) -> str:
        return self.hub.process.log[-LOG_CHARACTERS:]

    def wait_until_not_ready(self) -> None:
        wait_until(
            lambda: self.readiness not in (200, None),
            within=PATIENCE_SECONDS,
            what=f"node {self.name} is not ready",
        )

    def call(self, method: str, **fields: Any) -> dict[str, Any]:
        """The answer of the server API, a result or an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            headers = {"Content-Type": "application/json", "X-API-Key": API_KEY}
            connection.request("POST", f"/api/{method}", json.dumps(fields), headers)
            response = connection.getresponse()
            body = response.read()
            assert response.status == 200, f"{response.status} {body!r}"
            return json.loads(body)
        finally:
            connection.close()

    def result(self, method: str, **fields: Any) -> dict[str, Any]:
        answer = self.call(method, **fields)
        assert "result" in answer, f"node {self.name}, {method}: {answer}"
        return answer["result"]

    def history(self, topic: str) -> list[dict[str, Any]]:
        """The publications that it returns of a topic, each with the epoch beside it."""
        found: list[dict[str, Any]] = []
        since = None
        while True:
            page = self.result("history", channel=topic, limit=PAGE, since=since)
            found += [each | {"epoch": page["epoch"]} for each in page["publications"]]
            if len(page["publications"]) < PAGE:
                return found
            since = {"offset": found[-1]["offset"], "epoch": page["epoch"]}


class Cluster:
    """Nodes a, b, c …, each restarted when its process ends by itself, as service managers do."""

    def __init__(
        self,
        stage: Any,
        *namespaces: dict[str, Any],
        nodes: int | None = None,
        servers: list[Postgres] | None = None,
        has_links: bool = False,
        schema: str = "varde",
        lease_seconds: int = 10,
        **values: str,
    ) -> None:
        self.servers = servers or [Postgres.of(stage)]
        self.schema = schema
        self._lease_seconds = lease_seconds
        self.own_ends: list[OwnEnd] = []
        # A hub without a cluster: the control, with which the harness itself is tested.
        count = nodes or int(os.environ.get("CLUSTER_NODES") or 3)
        self.is_single = count == 1
        self.nodes = [
            self._node(stage, chr(ord("a") + index), has_links, namespaces, values)
            for index in range(count)
        ]
        self._is_over = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        stage.ends_with(self._end)

    def _node(
        self,
        stage: Any,
        name: str,
        has_links: bool,
        namespaces: tuple[dict[str, Any], ...],
        values: dict[str, str],
    ) -> Node:
        hub = stage.hub(name=f"node-{name}", environment=ENVIRONMENT)
        links = [Link(server.port) for server in self.servers] if has_links else []
        for link in links:
            stage.ends_with(link.close)
        ports = [link.port for link in links] or [server.port for server in self.servers]
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        several = "&target_session_attrs=read-write" if len(ports) > 1 else ""
        hub.database = f"postgresql://varde@{hosts}/postgres?schema={self.schema}{several}"
        # Nothing that was missed in a fault is too long to be recovered.
        values = {"limits": json.dumps({"queue_bytes": "16MiB"}), **values}
        if not self.is_single:
            cluster = {
                "node": name,
                "stale_after": f"{STALE_AFTER_SECONDS}s",
                "lease": f"{self._lease_seconds}s",
            }
            values["cluster"] = json.dumps(cluster)
        hub.configure(configuration(*namespaces, **values).replace(NODE, name))
        return Node(name, hub, links)

    def start(self) -> "Cluster":
        """Starts all nodes at once. The first one makes the schema."""
        for node in self.nodes:
            node.start(until_ready=False)
        for node in self.nodes:
            node.wait_until_ready()
        for node in self.nodes:
            node.is_supervised = True
        self._supervisor.start()
        return self

    @property
    def server(self) -> Postgres:
        """The server that has the log: the first, until another one is promoted."""
        return self.servers[0]

    def leader(self) -> Node:
        """The node that leads, once there is one."""
        wait_until(lambda: self._leaders(), within=PATIENCE_SECONDS, what="a node leads")
        return self._leaders()[0]

    def _leaders(self) -> list[Node]:
        return [node for node in self.nodes if node.is_wanted and node.leads]

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def log(self, topics: list[str], server: Postgres | None = None) -> list[Entry]:
        """The publications of the database, in the order of cursors."""
        rows = self._rows(server)
        epochs = {topic: self._epoch(topic) for topic in topics}
        return [
            Entry(topic, json.loads(payload)["value"], epochs[topic], offset, cursor)
            for cursor, topic, offset, payload in rows
            if topic in epochs
        ]

    def payloads(self, topics: list[str], server: Postgres | None = None) -> dict[str, list[Any]]:
        """Of each topic in the database, in the order of the log."""
        found: dict[str, list[Any]] = {topic: [] for topic in topics}
        for _, topic, _, payload in self._rows(server):
            if topic in found:
                found[topic].append(json.loads(payload))
        return found

    def _rows(self, server: Postgres | None) -> list[Any]:
        return json.loads((server or self.server).query(LOG.format(schema=self.schema)))

    def node_log(self, node: Node, topics: list[str]) -> list[Entry]:
        return [
            Entry(topic, each["data"]["value"], each["epoch"], each["offset"])
            for topic in topics
            for each in node.history(topic)
        ]

    def _epoch(self, topic: str) -> str:
        """That of the first node; other nodes' logs are compared with it."""
        return self.nodes[0].result("history", channel=topic, limit=0)["epoch"]

    # The service manager

    def _supervise(self) -> None:
        while not self._is_over.wait(SUPERVISOR_SECONDS):
            for node in self.nodes:
                process: Process = node.hub.process
                if not node.is_wanted or process.is_running:
                    continue
                self.own_ends.append(OwnEnd(node.name, process.wait(), node.end_of_log))
                if len(self.own_ends) > OWN_ENDS_MAX:
                    node.is_wanted = node.is_supervised = False
                else:
                    node.hub.start(until_ready=False)

    def _end(self) -> None:
        self._is_over.set()
        if self._supervisor.is_alive():
            self._supervisor.join()
        for node in self.nodes:
            node.is_wanted = False
            if node.hub.runs and node.hub.process.is_running:
                node.resume()
