"""What a cluster has to do once, under load: alerts, webhooks, polls, presence and erasures."""

import http.client
import json
import random
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .cluster import NODE, PATIENCE_SECONDS, Cluster, Node
from .cluster_load import RETRY_SECONDS, ClusterPublisher, MovingSDK
from .duties_check import (
    AlertEvent,
    Erasure,
    Observer,
    Poll,
    Read,
    Received,
    Sight,
    Step,
    Term,
    check_alerts,
    check_erasures,
    check_polls,
    check_presence,
    check_terms,
    check_webhooks,
)
from .history_check import Violation
from .settings import namespace
from .waiting import wait_until
from .webhooks import Inbox, WebhookAPI

ORDERS = ["orders:0", "orders:1"]
ALERTS = [f"{topic}:alerts" for topic in ORDERS]
ROOM, POSTS = "room:all", "posts:all"
NAMESPACES = [
    namespace("orders", history_size=100_000, history_bytes="16MiB"),
    namespace("posts", history_size=100),
    namespace("room", presence=True, join_leave=True),
]
BOUND = 100
LARGE = {"name": "large", "topics": "orders:*", "when": f"total >= {BOUND}"}
POLL_SECONDS = 60.0
SHOWN_VIOLATIONS = 5
FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Wire",
    "items": [{"id": "1", "url": "https://wire.example/1", "title": "One", "content_text": "One."}],
}
SAMPLE_SECONDS = 0.2
VISIT_SECONDS = (0.05, 0.3)
# After the end of a fault.
PRESENCE_SECONDS = 12.0
SECRET = "whsec_" + "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


class Wire:
    """A feed that counts the requests of each node."""

    def __init__(self) -> None:
        self.polls: list[Poll] = []
        wire = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wire.polls.append(Poll(time.monotonic(), self.path.rpartition("=")[2]))
                body = json.dumps(FEED).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/feed+json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Says nothing: `polls` has them all."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/wire?node={NODE}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Task:
    """Repeats a step on a thread of its own, until it is stopped."""

    def __init__(self, step: Callable[[], None]) -> None:
        self.is_over = threading.Event()
        self._step = step
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self.is_over.is_set():
                self._step()
        except Exception as problem:
            self._problem = problem

    def stop(self) -> None:
        self.is_over.set()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        if self._problem:
            raise self._problem


class OrderPublisher(ClusterPublisher):
    """Values of which some are above the bound of the alert rule."""

    topics = ORDERS

    def _data(self, value: str) -> dict[str, Any]:
        is_large = bool(zlib.crc32(value.encode()) & 1)
        return {"value": value, "total": BOUND if is_large else 1}


class Member(MovingSDK):
    """Sees others come and go."""

    def subscribe(self, topic: str, **options: Any) -> None:
        super().subscribe(topic, join_leave=True, **options)


class Duties:
    """The load. `cluster` makes a cluster that has these duties."""

    def __init__(self, stage: Any, seed: int, **options: Any) -> None:
        self.inbox, self.wire = Inbox(), Wire()
        stage.ends_with(self.inbox.close)
        stage.ends_with(self.wire.close)
        self.cluster = Cluster(stage, *NAMESPACES, **options, **self._sections()).start()
        self._wait_for_rules()
        self._moments = random.Random(seed)
        self._terms: list[Term] = []
        self._erasures: list[Erasure] = []
        self._reads: list[Read] = []
        self._author = 0
        self._is_ending = threading.Event()
        nodes = self.cluster.nodes
        self.members = [
            Member(f"member-{number}", nodes[number:] + nodes[:number], [ROOM])
            for number in range(len(nodes))
        ]
        self._visitor = Member("visitor", nodes[::-1], [ROOM])
        for client in [*self.members, self._visitor]:
            stage.ends_with(client.close)
            wait_until(
                lambda client=client: client.has_begun,
                within=PATIENCE_SECONDS,
                what=f"{client.name} has begun",
            )
        self._tasks = [_Task(self._sample), _Task(self._erase), _Task(self._visit)]
        self.publishers = [
            OrderPublisher(f"orders-{index}", nodes[index:] + nodes[:index], has_keys=True)
            for index in range(len(nodes))
        ]
        for each in self.publishers:
            stage.ends_with(each.stop)
        stage.ends_with(self._end)

    def _sections(self) -> dict[str, str]:
        webhook = {
            "name": "orders",
            "url": self.inbox.url,
            "secret": SECRET,
            "types": ["hub.publication"],
            "topics": ["orders:*"],
        }
        limits = {"allow_addresses": ["127.0.0.1/32"], "ports": [self.inbox.port]}
        source = {"name": "wire", "url": self.wire.url, "interval": f"{POLL_SECONDS:.0f}s"}
        return {
            "alerts": json.dumps([LARGE]),
            "webhooks": json.dumps([webhook]),
            "webhook_limits": json.dumps(limits),
            "news": json.dumps({"sources": [source]}),
        }

    def _wait_for_rules(self) -> None:
        """Until the first leader has begun: its rules look at later publications only."""

        def is_leading(node: Node) -> bool:
            return WebhookAPI(node.hub).send("GET", "/api/webhooks")[0] == 200

        wait_until(
            lambda: any(is_leading(node) for node in self.cluster.nodes),
            within=PATIENCE_SECONDS,
            what="a leader has begun",
        )

    def _end(self) -> None:
        self._is_ending.set()
        for task in self._tasks:
            task.is_over.set()

    def wait_for_acknowledgements(self, count: int) -> None:
        """So many more of all publishers together."""
        goal = self._acknowledged_count + count
        wait_until(
            lambda: self._acknowledged_count >= goal,
            within=PATIENCE_SECONDS,
            what=f"{count} more acknowledgements",
        )

    @property
    def _acknowledged_count(self) -> int:
        return sum(each.acknowledged_count for each in self.publishers)

    # Tasks

    def _sample(self) -> None:
        schema = self.cluster.schema
        said = self.cluster.server.query(f"SELECT term, process FROM {schema}.lease", check=False)
        if found := re.fullmatch(r"(\d+)\|(\S+)", said):
            self._terms.append(Term(int(found[1]), found[2]))
        time.sleep(SAMPLE_SECONDS)

    def _erase(self) -> None:
        """Publishes with a tag, erases what has it, and reads before and after a later marker."""
        self._author += 1
        name, tag = f"{self._author}", {"author": f"{self._author}"}
        values = [f"{name}-erased-{number}" for number in range(2)]
        for value in values:
            self._publish(value, tags=tag)
        self._publish(f"{name}-kept")
        if not self._until_answered("history_remove", channel=POSTS, tag=tag):
            return
        marker = f"{name}-marker"
        erasure = Erasure(POSTS, frozenset(values), time.monotonic(), marker)
        self._erasures.append(erasure)
        self._read()
        self._publish(marker)
        self._read()

    def _publish(self, value: str, **fields: Any) -> None:
        data = {"value": value}
        self._until_answered(
            "publish", channel=POSTS, data=data, idempotency_key=value, **fields
        )

    def _until_answered(self, method: str, **fields: Any) -> bool:
        """On one node after the other; false if the load has ended before."""
        while not self._is_ending.is_set():
            node = self._moments.choice(self.cluster.nodes)
            try:
                if "result" in node.call(method, **fields):
                    return True
            except (OSError, http.client.HTTPException, AssertionError):
                pass  # The node is down, or not ready.
            time.sleep(RETRY_SECONDS)
        return False

    def _read(self) -> None:
        for node in self.cluster.nodes:
            requested = time.monotonic()
            try:
                values = tuple(each["data"]["value"] for each in node.history(POSTS))
            except (OSError, http.client.HTTPException, AssertionError):
                continue
            self._reads.append(Read(node.name, POSTS, requested, values))

    def _visit(self) -> None:
        """Comes and goes, on one connection until that ends."""
        subscription = self._visitor.client.get_subscription(ROOM)
        self._visitor.call(subscription.unsubscribe())
        time.sleep(self._moments.uniform(*VISIT_SECONDS))
        self._visitor.call(subscription.subscribe())
        time.sleep(self._moments.uniform(*VISIT_SECONDS))

    # The end

    def violations(self, record: Callable[[str, Any], None], losses: int) -> list[Violation]:
        """Ends the load, waits until all is done, and checks it.

        After `losses` of the server the leader may have polled, and could not store the answer.
        """
        for each in self.publishers:
            each.stop()
        for each in self.publishers:
            each.join()
        for node in self.cluster.nodes:
            node.wait_until_ready()
        # A leader polls within two seconds, unless another fault ends its term before.
        wait_until(
            lambda: self.wire.polls, within=PATIENCE_SECONDS, what="a leader has polled the feed"
        )
        begin = time.monotonic()
        self._is_ending.set()
        for task in self._tasks[1:]:
            task.stop()
        self._visitor.call(self._visitor.client.disconnect())
        violations = _settled(self._check_presence, within=PRESENCE_SECONDS)
        record("presence seconds", round(time.monotonic() - begin, 1))
        violations += _settled(self._check_log, within=PATIENCE_SECONDS)
        self._tasks[0].stop()
        self._read()
        # A node that is cut off reads it later.
        erased = [self._erasures, self._reads]
        violations += check_erasures(*erased, waits_for_all_nodes=False)
        record("late reads", len([*check_erasures(*erased, waits_for_all_nodes=True)]))
        violations += check_terms(self._terms)
        takeovers = self._terms[-1].number - 1
        extra = takeovers + losses
        violations += check_polls(self.wire.polls, interval=POLL_SECONDS, takeovers=extra)
        self._record(record, takeovers)
        complaints = [text for each in self.publishers for text in each.complaints]
        assert not complaints, complaints[:10]
        done = [self._erasures, self._reads, self.inbox.events]
        assert all(done), f"erasures, reads and webhooks: {[len(each) for each in done]}"
        return violations

    def _record(self, record_property: Callable[[str, Any], None], takeovers: int) -> None:
        ids = {each.id for each in self.inbox.events}
        record_property("publications", self._acknowledged_count)
        record_property("alert events", sum(map(len, self.cluster.payloads(ALERTS).values())))
        record_property("webhooks", len(ids))
        record_property("repeated", len(self.inbox.events) - len(ids))
        record_property("takeovers", takeovers)
        record_property("polls", len(self.wire.polls))
        record_property("erasures", len(self._erasures))
        record_property("reads", len(self._reads))
        record_property("joins", sum(len(each.joined[ROOM]) for each in self.members))
        record_property("own ends", len(self.cluster.own_ends))

    def _check_log(self) -> list[Violation]:
        orders = self.cluster.payloads(ORDERS)
        states = {
            topic: [each["total"] >= BOUND for each in found] for topic, found in orders.items()
        }
        events = [
            AlertEvent(
                topic.removesuffix(":alerts"),
                each["data"]["alert_id"],
                each["data"]["state"] == "raised",
            )
            for topic, found in self.cluster.payloads(ALERTS).items()
            for each in found
        ]
        committed = {topic: [each["value"] for each in found] for topic, found in orders.items()}
        received = [
            Received(each.id, each.event["subject"], each.event["data"]["value"])
            for each in self.inbox.events
        ]
        return [*check_alerts(states, events), *check_webhooks(committed, received)]

    def _check_presence(self) -> list[Violation]:
        expected = {member.connected[-1] for member in self.members}
        nodes = {node.name: _clients(node) for node in self.cluster.nodes}
        observers = [Observer(each.name, _sights(each)) for each in self.members]
        return list(check_presence(expected, nodes, observers))


def shown(violations: list[Violation]) -> str:
    """Some of each invariant."""
    counts = Counter(each.invariant for each in violations)
    some = [
        str(each)
        for invariant in counts
        for each in [one for one in violations if one.invariant == invariant][:SHOWN_VIOLATIONS]
    ]
    return "\n".join([f"violations by invariant: {dict(counts)}", *some])


def _clients(node: Node) -> set[str]:
    return set(node.result("presence", channel=ROOM)["presence"])


def _sights(member: Member) -> list[Sight]:
    return [
        Sight(Step(kind), "" if kind == Step.SUBSCRIBED.value else context.client)
        for kind, context in list(member.course[ROOM])
    ]


def _settled(check: Callable[[], list[Violation]], *, within: float) -> list[Violation]:
    """What is still wrong then, if anything is."""
    found: list[Violation] = []

    def is_settled() -> bool:
        found[:] = check()
        return not found

    try:
        wait_until(is_settled, within=within, what="all is as it has to be")
    except AssertionError:
        pass  # The violations say more.
    return found
