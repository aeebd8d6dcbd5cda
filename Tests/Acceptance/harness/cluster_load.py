"""Publishers and subscribers on all nodes of a cluster, and the history that they record."""

import http.client
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .cluster import PATIENCE_SECONDS, Cluster, Node
from .event_stream import EventStream, StreamConnection, StreamEvent
from .history_check import (
    Attempt,
    Began,
    Client,
    Delivered,
    Entry,
    Gap,
    History,
    Outcome,
    Place,
    Report,
    check,
)
from .sdk import SDKClient
from .settings import API_KEY, namespace
from .waiting import wait_until

TOPICS = [f"load:{index}" for index in range(4)]
NAMESPACE = namespace("load", history_size=100_000, history_bytes="16MiB")
# Of one publisher.
PER_SECOND = 15.0
RETRY_SECONDS = 0.05
ANSWER_SECONDS = 12.0
# Acknowledgements of a publisher that show that a node publishes after the faults.
LAST = 5
# Codes of the server API: a fault of the hub, and a backlog.
INTERNAL, LIMITED = 100, 111
MAY_BE_STORED = "may be stored"


class ClusterPublisher:
    """Publishes numbered values through the server API on a thread of its own.

    Without keys it stays at its node and sends each value once. With keys it repeats a value, each
    time on the next node, until it is acknowledged.
    """

    topics = TOPICS

    def __init__(self, name: str, nodes: list[Node], *, has_keys: bool) -> None:
        self.name = name
        self.attempts: list[Attempt] = []
        # Answers that no fault explains.
        self.complaints: list[str] = []
        self.acknowledged_count = 0
        self._nodes, self._has_keys = nodes, has_keys
        self._turn = 0
        self._connection: http.client.HTTPConnection | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()

    def join(self) -> None:
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), f"{self.name} does not end"

    def _run(self) -> None:
        number, due = 0, time.monotonic()
        while not self._is_over.wait(max(0.0, due - time.monotonic())):
            number += 1
            due = max(due + 1 / PER_SECOND, time.monotonic() - 1)
            topic, value = self.topics[number % len(self.topics)], f"{self.name}-{number}"
            while self._attempt(topic, value) is not Outcome.OK:
                self._disconnect()
                # A value with a key that is given up has the outcome of its attempts.
                if self._is_over.wait(RETRY_SECONDS) or not self._has_keys:
                    break
                self._turn += 1
        self._disconnect()

    def _attempt(self, topic: str, value: str) -> Outcome:
        node = self._nodes[self._turn % len(self._nodes)]
        key = value if self._has_keys else None
        invoked = time.monotonic()
        outcome, place = self._publish(node, topic, value, key)
        ended = time.monotonic()
        self.attempts.append(Attempt(topic, value, node.name, invoked, outcome, ended, place, key))
        self.acknowledged_count += outcome is Outcome.OK
        return outcome

    def _publish(
        self, node: Node, topic: str, value: str, key: str | None
    ) -> tuple[Outcome, Place]:
        request = {"channel": topic, "data": self._data(value), "idempotency_key": key}
        headers = {"Content-Type": "application/json", "X-API-Key": API_KEY}
        try:
            if not self._connection:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", node.port, timeout=ANSWER_SECONDS
                )
                self._connection.connect()
        except OSError:
            return Outcome.FAIL, Place()
        try:
            self._connection.request("POST", "/api/publish", json.dumps(request), headers)
            response = self._connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, http.client.HTTPException):
            return Outcome.UNKNOWN, Place()
        return self._outcome(node, status, body)

    def _data(self, value: str) -> dict[str, Any]:
        return {"value": value}

    def _outcome(self, node: Node, status: int, body: bytes) -> tuple[Outcome, Place]:
        if status in (429, 503):
            return Outcome.FAIL, Place()
        answer = json.loads(body) if status == 200 else {}
        if result := answer.get("result"):
            return Outcome.OK, Place(result["epoch"], result["offset"])
        error = answer.get("error", {})
        if error.get("code") not in (INTERNAL, LIMITED):
            self.complaints.append(f"node {node.name} answered {status} {body[:200]!r}")
            return Outcome.UNKNOWN, Place()
        is_unknown = MAY_BE_STORED in error.get("message", "")
        return Outcome.UNKNOWN if is_unknown else Outcome.FAIL, Place()

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


class MovingStream(EventStream):
    """An event stream that resumes on the next node when its connection ends."""

    def __init__(self, name: str, nodes: list[Node], topics: list[str]) -> None:
        self.name, self.topics = name, topics
        self._nodes = nodes
        self._turn = 0
        # The node of each connection, and the number of events before it.
        self._begins: list[tuple[int, str]] = []
        super().__init__(nodes[0].port, topics)

    def _read(self, connection: StreamConnection) -> None:
        node = self._nodes[self._turn % len(self._nodes)]
        self._turn += 1
        self._port = node.port
        self._begins.append((len(self._events), node.name))
        super()._read(connection)

    @property
    def node(self) -> str:
        return self._begins[-1][1]

    @property
    def has_begun(self) -> bool:
        return self.begin is not None and self.is_open

    def newest(self, topic: str) -> str | None:
        events = (event for event in reversed(self._events) if event.topic == topic)
        newest = next(events, None)
        return newest.json()["value"] if newest else None

    def record(self) -> Client:
        assert self.begin is not None, f"{self.name} has not begun"
        begins, events = list(self._begins), list(self._events)
        after = Place(cursor=self.begin)
        client = Client(self.name, [Began(topic, begins[0][1], after) for topic in self.topics])
        for index, event in enumerate(events):
            while len(begins) > 1 and begins[1][0] <= index:
                begins.pop(0)
            client.events += _records(event, begins[0][1])
        return client


def _records(event: StreamEvent, node: str) -> list[Delivered | Gap]:
    if event.topic != "gap":
        assert event.topic != "unsubscribed", event
        return [Delivered(event.topic, event.json()["value"], node, Place(cursor=event.id))]
    gap = event.json()
    since, through = Place(cursor=gap["since"]), Place(cursor=gap["through"])
    is_new_epoch = gap["reason"] == "unknown_cursor"
    return [Gap(topic, node, through, since, is_new_epoch) for topic in gap["topics"]]


class MovingSDK(SDKClient):
    """A client of the SDK that goes to the next node when its connection ends."""

    def __init__(self, name: str, nodes: list[Node], topics: list[str]) -> None:
        self.name, self.topics = name, topics
        self._nodes = nodes
        self._turn = 0
        self._record = Client(name)
        self._epochs: dict[str, str] = {}
        self._context_counts: dict[str, int] = defaultdict(int)
        self._is_recording = threading.Lock()
        super().__init__(nodes[0].port, topics)
        # The SDK has one address. Before each further attempt it gets the next one.
        open_transport = self.client._open_transport

        async def open_next() -> Any:
            self._turn += 1
            self.client._address = f"ws://127.0.0.1:{self._port}/connection/websocket"
            return await open_transport()

        self.client._open_transport = open_next

    @property
    def node(self) -> str:
        return self._nodes[self._turn % len(self._nodes)].name

    @property
    def _port(self) -> int:
        return self._nodes[self._turn % len(self._nodes)].port

    @property
    def has_begun(self) -> bool:
        return all(self.subscribed[topic] for topic in self.topics)

    def newest(self, topic: str) -> str | None:
        values = self.values(topic)[-1:]
        return values[0]["value"] if values else None

    def record(self) -> Client:
        for topic in self.topics:
            self._take_contexts(topic)
        return self._record

    def _take(self, topic: str, publication: Any) -> None:
        self._take_contexts(topic)
        super()._take(topic, publication)
        place = Place(self._epochs[topic], publication.offset)
        value = self.value(publication.data)["value"]
        self._record.events.append(Delivered(topic, value, self.node, place))

    def _take_contexts(self, topic: str) -> None:
        """The SDK reports a subscription before the publications that it recovers."""
        with self._is_recording:
            contexts = self.subscribed[topic]
            while self._context_counts[topic] < len(contexts):
                context = contexts[self._context_counts[topic]]
                self._context_counts[topic] += 1
                position = context.stream_position
                place = Place(position.epoch, position.offset)
                former, self._epochs[topic] = self._epochs.get(topic), position.epoch
                if former is None:
                    self._record.events.append(Began(topic, self.node, place))
                elif not context.recovered:
                    is_new = position.epoch != former
                    gap = Gap(topic, self.node, place, is_new_epoch=is_new)
                    self._record.events.append(gap)


class Load:
    """Two publishers for each node, and for each home an event stream and a client of the SDK.

    `homes` are the nodes where clients connect first, by default every node once.
    """

    def __init__(self, stage: Any, cluster: Cluster, homes: list[Node] | None = None) -> None:
        self.cluster = cluster
        self._seeded: list[Attempt] = []
        self._seed()
        self.clients: list[MovingStream | MovingSDK] = []
        self.publishers: list[ClusterPublisher] = []
        for number, home in enumerate(homes or cluster.nodes, 1):
            nodes = self._from(home)
            self._add_client(stage, MovingStream(f"stream-{number}", nodes, TOPICS))
            # It leaves for another node than the stream.
            self._add_client(stage, MovingSDK(f"sdk-{number}", [home, *nodes[:0:-1]], TOPICS))
        for client in self.clients:
            wait_until(
                lambda client=client: client.has_begun,
                within=PATIENCE_SECONDS,
                what=f"{client.name} has begun",
            )
        for node in cluster.nodes:
            for kind, has_keys in [("once", False), ("keys", True)]:
                name = f"{kind}-{node.name}"
                publisher = ClusterPublisher(name, self._from(node), has_keys=has_keys)
                self.publishers.append(publisher)
                stage.ends_with(publisher.stop)

    def _add_client(self, stage: Any, client: MovingStream | MovingSDK) -> None:
        self.clients.append(client)
        stage.ends_with(client.close)

    def _from(self, home: Node) -> list[Node]:
        """All nodes, this one first."""
        index = self.cluster.nodes.index(home)
        return self.cluster.nodes[index:] + self.cluster.nodes[:index]

    def _seed(self) -> None:
        """One publication in each topic: a topic without any has no lasting epoch."""
        for topic in TOPICS:
            invoked = time.monotonic()
            node = self.cluster.nodes[0]
            result = node.result("publish", channel=topic, data={"value": "begin"})
            place = Place(result["epoch"], result["offset"])
            self._seeded.append(
                Attempt(topic, "begin", node.name, invoked, Outcome.OK, time.monotonic(), place)
            )

    def wait_for_acknowledgements(self, count: int, *, on: list[Node] | None = None) -> None:
        """So many more of each publisher without keys that is at home at one of these nodes."""
        names = {f"once-{node.name}" for node in (self.cluster.nodes if on is None else on)}
        publishers = [each for each in self.publishers if each.name in names]
        before = {each.name: each.acknowledged_count for each in publishers}
        wait_until(
            lambda: all(e.acknowledged_count >= before[e.name] + count for e in publishers),
            within=PATIENCE_SECONDS,
            what=lambda: f"{count} more acknowledgements than {before} of each: "
            f"{({each.name: each.acknowledged_count for each in publishers})}",
        )

    @property
    def gaps(self) -> list[Gap]:
        return [
            event
            for client in self.clients
            for event in client.record().events
            if isinstance(event, Gap)
        ]

    def stop(self) -> None:
        for each in self.publishers:
            each.stop()
        for each in self.publishers:
            each.join()
        complaints = [text for each in self.publishers for text in each.complaints]
        assert not complaints, complaints[:10]

    def report(self, record_property: Callable[[str, Any], None], server: Any = None) -> Report:
        """Ends the load, waits until every client is at the end of the log, and checks it all."""
        self.stop()
        late = self._wait_until_all_arrived(server)
        cluster = self.cluster
        history = History(
            self._seeded + [attempt for each in self.publishers for attempt in each.attempts],
            [client.record() for client in self.clients],
            cluster.log(TOPICS, server),
            {node.name: cluster.node_log(node, TOPICS) for node in cluster.nodes},
        )
        report = check(history)
        assert not late or report.violations, f"{late}, but nothing is missing"
        for outcome in Outcome:
            count = sum(attempt.outcome is outcome for attempt in history.attempts)
            record_property(outcome.value, count)
        record_property("log", len(history.log))
        record_property("moves", sum(self.moves(client) for client in self.clients))
        record_property("own ends", len(cluster.own_ends))
        assert not report.violations, str(report)
        return report

    def finish(self, record_property: Callable[[str, Any], None]) -> None:
        """Checks a load under faults after which nothing is missing, and no client received a gap."""
        for node in self.cluster.nodes:
            node.wait_until_ready()
        self.wait_for_acknowledgements(LAST)
        report = self.report(record_property)
        assert not report.ended_epochs
        assert not self.gaps
        assert not self.cluster.own_ends

    @staticmethod
    def moves(client: MovingStream | MovingSDK) -> int:
        return len(client.connections if isinstance(client, MovingStream) else client.connected) - 1

    def _wait_until_all_arrived(self, server: Any) -> str | None:
        """Returns which clients have not arrived; the checker then finds what they miss."""
        sizes: list[int] = []

        def has_arrived() -> bool:
            log = self.cluster.log(TOPICS, server)
            sizes.append(len(log))
            newest = {entry.topic: entry for entry in log}.values()
            # A request without an answer may still be committed after the first look.
            return sizes[-2:] == [len(log)] * 2 and all(
                _has_arrived(client, entry) for client in self.clients for entry in newest
            )

        try:
            wait_until(has_arrived, within=PATIENCE_SECONDS, what="every client has arrived")
        except AssertionError as error:
            return str(error)
        return None


def _has_arrived(client: MovingStream | MovingSDK, entry: Entry) -> bool:
    """Whether it has received the newest entry of a topic, or a gap that goes as far."""
    if client.newest(entry.topic) == entry.value:
        return True
    events = client.record().events
    latest = next((event for event in reversed(events) if event.topic == entry.topic), None)
    if not isinstance(latest, Gap):
        return False
    if latest.through.cursor is not None:
        return latest.through.cursor >= entry.cursor
    return latest.through.epoch == entry.epoch and latest.through.offset >= entry.offset
