"""A back end with the bodies of Centrifugo's HTTP proxy, asked by a hub about clients of the SDK for Python."""

import json
import os
import random
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from centrifuge import CentrifugeError
from standardwebhooks import Webhook
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as websocket

from harness.cluster import Cluster
from harness.postgres import is_missing
from harness.processes import REPOSITORY
from harness.sdk import SDKClient
from harness.settings import API_KEY, configuration, namespace, started_hub
from harness.waiting import wait_until

SECRET = "whsec_" + "YSBrZXkgb2YgdHdlbnR5LWZvdXIgYnl0ZQ=="
PATIENCE_SECONDS = 20.0
# What examples/sdks/run.sh makes.
JS_SDK = Path(os.environ.get("CENTRIFUGE_CJS") or REPOSITORY / ".build/sdks/js/centrifuge.cjs")
JS_CALLS = REPOSITORY / "Tests/Acceptance/harness/centrifuge_js_calls.js"
Answer = Callable[[str, dict[str, Any]], dict[str, Any] | int]


class BackEnd:
    """Answers as `answer` says, given the event and the body; a number is a status without a body."""

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        backend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                # Raises unless the hub has signed it.
                question = Webhook(SECRET).verify(body, headers)
                event = self.path.rsplit("/", 1)[1]
                backend.asked.append((event, question))
                backend.headers.append(headers)
                answer = backend.answer(event, question)
                content = b"" if isinstance(answer, int) else json.dumps(answer).encode()
                self.send_response(answer if isinstance(answer, int) else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Silent: the test reads what was asked."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def events(self) -> list[str]:
        return [event for event, _ in self.asked]


def hub_with(stage: Any, port: int, **hook: Any) -> Any:
    app = {"name": "app", "url": f"http://127.0.0.1:{port}/centrifugo/{{event}}", "secret": SECRET, **hook}
    chat = namespace(
        "chat", anonymous_subscribe=False, presence=True, subscribe_hook="app", sub_refresh_hook="app",
        publish_hook="app",
    )
    clients = {"connect_hook": "app", "refresh_hook": "app", "rpc_hooks": {"*": "app"}}
    text = configuration(chat, hooks=json.dumps([app]), clients=json.dumps(clients))
    return started_hub(stage, text)


def friendly(event: str, question: dict[str, Any]) -> dict[str, Any]:
    match event:
        case "connect":
            name = question.get("data", {}).get("name", "")
            return {"result": {"user": name, "info": {"name": name}, "meta": {"plan": "pro"}}}
        case "publish":
            return {"result": {"data": {**question["data"], "by": question["user"]}, "tags": {"seen": "yes"}}}
        case "rpc":
            return {"result": {"data": {"sum": sum(question["data"]["of"])}}}
        case _:
            return {"result": {}}


def data(value: Any, protobuf: bool) -> Any:
    return json.dumps(value).encode() if protobuf else value


@pytest.mark.parametrize("protobuf", [False, True])
def test_back_end_of_centrifugo_decides_about_sdk_clients(stage, protobuf):
    backend = BackEnd(friendly)
    hub = hub_with(stage, backend.port)
    ann = SDKClient(hub.port, ["chat:1"], use_protobuf=protobuf, data=data({"name": "ann"}, protobuf))
    wait_until(lambda: ann.subscribed["chat:1"], within=PATIENCE_SECONDS, what="a subscription")
    ann.publish("chat:1", {"text": "hello"})
    wait_until(lambda: ann.publications["chat:1"], within=PATIENCE_SECONDS, what="a publication")
    assert ann.publications["chat:1"][0][1] == {"text": "hello", "by": "ann"}
    assert ann.details["chat:1"][0].tags == {"seen": "yes"}
    assert ann.rpc("sum", {"of": [1, 2, 3]}) == {"sum": 6}
    assert backend.events() == ["connect", "subscribe", "publish", "rpc"]
    connect, *others = [question for _, question in backend.asked]
    assert connect["protocol"] == ("protobuf" if protobuf else "json")
    assert connect["transport"] == "websocket" and connect["encoding"] == "json"
    assert all(each["user"] == "ann" and each["meta"] == {"plan": "pro"} for each in others)
    assert all(each["client"] == connect["client"] for each in others)
    assert all("traceparent" in each for each in backend.headers)


class JSClient:
    """A client of centrifuge-js, by harness/centrifuge_js_calls.js."""

    def __init__(self, stage: Any, port: int, transport: str, data: dict[str, Any]) -> None:
        command = ["node", str(JS_CALLS), str(JS_SDK), transport, f"http://127.0.0.1:{port}", json.dumps(data)]
        environment = {"NODE_PATH": "/usr/share/nodejs", **os.environ}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        stage.ends_with(self.close)
        self.told: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or []:
            self.told.append(json.loads(line))

    def call(self, *call: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()

    def wait(self, name: str) -> Any:
        """The next thing of this name that the application is told."""
        wait_until(
            lambda: any(name in each for each in self.told),
            within=PATIENCE_SECONDS,
            what=lambda: f"{name} in {self.told}",
        )
        index = next(index for index, each in enumerate(self.told) if name in each)
        return self.told.pop(index)[name]

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_SECONDS)


@pytest.mark.skipif(not JS_SDK.exists(), reason=f"no centrifuge-js at {JS_SDK}: examples/sdks/run.sh")
@pytest.mark.parametrize("transport", ["websocket", "http_stream", "sse"])
def test_back_end_of_centrifugo_decides_about_centrifuge_js(stage, transport):
    def answer(event: str, question: dict[str, Any]) -> dict[str, Any]:
        match event, question:
            case "connect", _:
                info = {"info": {"name": "ann"}, "data": {"hello": 1}, "channels": ["chat:own"]}
                return {"result": {"user": "ann", "meta": {"plan": "pro"}, **info}}
            case "subscribe", {"channel": "chat:secret"}:
                return {"error": {"code": 1403, "message": "members only"}}
            case "subscribe", _:
                return {"result": {"info": {"role": "owner"}, "data": {"topic": "yours"}}}
            case "publish", {"data": {"text": "bad"}}:
                return {"error": {"code": 1400, "message": "not that", "temporary": True}}
            case "rpc", {"method": "ban"}:
                return {"disconnect": {"code": 4501, "reason": "banned"}}
        return friendly(event, question)

    backend = BackEnd(answer)
    hub = hub_with(stage, backend.port)
    ann = JSClient(stage, hub.port, transport, {"name": "ann"})
    assert ann.wait("connected") == {"hello": 1}
    assert ann.wait("subscribedByHub") == "chat:own"
    ann.call("subscribe", "chat:1")
    assert ann.wait("subscribed") == {"topic": "yours"}
    ann.call("publish", "chat:1", {"text": "hello"})
    assert ann.wait("published") is True
    assert ann.wait("publication") == {
        "data": {"text": "hello", "by": "ann"},
        "tags": {"seen": "yes"},
        "user": "ann",
        "info": {"name": "ann"},
        "topicInfo": {"role": "owner"},
    }
    ann.call("publish", "chat:1", {"text": "bad"})
    assert ann.wait("published") == {"code": 1400, "message": "not that", "temporary": True}
    ann.call("subscribe", "chat:secret")
    assert ann.wait("unsubscribed") == {"code": 1403, "reason": "members only"}
    ann.call("rpc", "sum", {"of": [1, 2, 3]})
    assert ann.wait("answered") == {"sum": 6}
    ann.call("rpc", "ban", {})
    assert ann.wait("disconnected") == {"code": 4501, "reason": "banned"}
    questions = [question for event, question in backend.asked if event != "connect"]
    assert all(each["transport"] == transport for each in questions)
    assert all(each["meta"] == {"plan": "pro"} for each in questions)


def test_refusals_reach_the_application_of_the_sdk(stage):
    def strict(event: str, question: dict[str, Any]) -> dict[str, Any]:
        if event == "subscribe":
            return {"error": {"code": 1403, "message": "members only"}}
        if event == "rpc":
            return {"disconnect": {"code": 4501, "reason": "banned"}}
        return friendly(event, question)

    backend = BackEnd(strict)
    hub = hub_with(stage, backend.port)
    ann = SDKClient(hub.port, ["chat:1"], data={"name": "ann"})
    wait_until(lambda: "chat:1" in ann.unsubscribed, within=PATIENCE_SECONDS, what="a refusal")
    assert ann.unsubscribed["chat:1"] == 1403
    post(hub, "publish", {"channel": "chat:1", "data": {}})
    why = explanation(hub, backend.asked[0][1]["client"], "chat:1", 1)
    assert (why["outcome"], why["hook"], why["answer"]) == ("not_authorized", "app", "error 1403: members only")
    with pytest.raises(CentrifugeError):
        ann.rpc("ban", {})
    wait_until(lambda: ann.disconnected, within=PATIENCE_SECONDS, what="the end")
    assert ann.disconnected == [(4501, "banned")]


def test_clients_come_in_when_the_back_end_is_back(stage):
    backend = BackEnd(lambda *_: 500)
    hub = hub_with(stage, backend.port, timeout="500ms")
    ann = SDKClient(hub.port, ["chat:1"], until_connected=False, data={"name": "ann"})
    wait_until(lambda: "hook no longer asked" in hub.process.log, within=PATIENCE_SECONDS, what="an open breaker")
    assert len(backend.asked) >= 5
    backend.answer = friendly
    wait_until(lambda: ann.subscribed["chat:1"], within=PATIENCE_SECONDS, what="a subscription")
    assert not ann.disconnected
    assert "hook asked again" in hub.process.log
    faults = [line for line in hub.process.log.splitlines() if "hook not answered" in line]
    traces = [each["traceparent"].split("-")[1] for each in backend.headers]
    assert len(set(traces)) == len(traces)
    assert any(trace in line for trace in traces for line in faults)


def test_connection_lasts_as_long_as_the_back_end_says(stage):
    def short(event: str, question: dict[str, Any]) -> dict[str, Any]:
        soon = int(time.time()) + 2
        match event, backend.events().count("refresh"):
            case "connect", _:
                return {"result": {"user": "ann", "expire_at": soon}}
            case "refresh", 1:
                return {"result": {"expire_at": soon}}
            case "refresh", _:
                return {"result": {"expired": True}}
        return {"result": {}}

    backend = BackEnd(short)
    hub = hub_with(stage, backend.port)
    ann = SDKClient(hub.port, [])
    wait_until(lambda: ann.connecting, within=PATIENCE_SECONDS, what="an expired connection")
    assert ann.connecting[0][0] == 3005
    assert backend.events()[:3] == ["connect", "refresh", "refresh"]
    wait_until(lambda: len(ann.connected) == 2, within=PATIENCE_SECONDS, what="a new connection")


def test_connection_outlives_an_absence_of_the_back_end(stage):
    def short(event: str, _: dict[str, Any]) -> dict[str, Any] | int:
        if event == "connect":
            return {"result": {"user": "ann", "expire_at": int(time.time()) + 1}}
        return 503 if backend.events().count("refresh") == 1 else {"result": {}}

    backend = BackEnd(short)
    hub = hub_with(stage, backend.port, grace="1m")
    ann = SDKClient(hub.port, [])
    wait_until(
        lambda: backend.events().count("refresh") == 2, within=PATIENCE_SECONDS, what="a second question"
    )
    ann.subscribe("chat:1")
    wait_until(lambda: ann.subscribed["chat:1"], within=PATIENCE_SECONDS, what="a subscription")
    assert not ann.connecting and not ann.disconnected


# Streams


def get_events(hub: Any, topics: str, **headers: str) -> tuple[int, str]:
    """The status of an event stream's request, and the text or the first event of its answer."""
    url = f"http://127.0.0.1:{hub.port}/events?topics={topics}&since=beginning"
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=PATIENCE_SECONDS
        ) as response:
            lines: list[str] = []
            while not lines or not lines[-1].startswith("data:"):
                lines.append(response.readline().decode())
            return response.status, "".join(lines)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def by_cookie(backend: BackEnd) -> Answer:
    """Lets in who has a session; and only to its own topic."""

    def answer(event: str, question: dict[str, Any]) -> dict[str, Any]:
        if event == "connect":
            cookie = backend.headers[-1].get("cookie", "")
            if not cookie.startswith("session="):
                return {"disconnect": {"code": 4501, "reason": "sign in first"}}
            return {"result": {"user": cookie.removeprefix("session=")}}
        if event == "subscribe" and question["channel"] != f"chat:{question['user']}":
            return {"error": {"code": 1403, "message": "members only"}}
        return {"result": {}}

    return answer


def test_back_end_decides_about_event_streams(stage):
    backend = BackEnd(friendly)
    backend.answer = by_cookie(backend)
    hub = hub_with(stage, backend.port, headers=["Cookie"])
    published = post(hub, "publish", {"channel": "chat:ann", "data": {"n": 1}})
    assert "error" not in published
    status, text = get_events(hub, "chat:ann", Cookie="session=ann")
    assert status == 200 and json.loads(text.rsplit("data:", 1)[1]) == {"n": 1}
    assert get_events(hub, "chat:ann")[0] == 401
    status, text = get_events(hub, "chat:ann,chat:bob", Cookie="session=ann")
    assert status == 403 and "members only" in text
    backend.answer = lambda event, question: 500
    assert get_events(hub, "chat:ann", Cookie="session=ann")[0] == 503


def explanation(hub: Any, client: str, topic: str, offset: int) -> dict[str, Any]:
    url = f"http://127.0.0.1:{hub.port}/debug/why?client={client}&topic={topic}&offset={offset}"
    request = urllib.request.Request(url, headers={"X-API-Key": API_KEY})
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def post(hub: Any, method: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}/api/{method}", json.dumps(body).encode(), {"X-API-Key": API_KEY}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


# Several nodes


@pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")
def test_each_node_asks_the_back_end(stage):
    backend = BackEnd(friendly)
    app = {"name": "app", "url": f"http://127.0.0.1:{backend.port}/{{event}}", "secret": SECRET}
    chat = namespace("chat", anonymous_subscribe=False, subscribe_hook="app", publish_hook="app")
    clients = json.dumps({"connect_hook": "app"})
    cluster = Cluster(stage, chat, nodes=2, hooks=json.dumps([app]), clients=clients).start()
    ann, bob = (
        SDKClient(node.port, ["chat:1"], data={"name": name})
        for node, name in zip(cluster.nodes, ["ann", "bob"], strict=True)
    )
    for client in (ann, bob):
        wait_until(lambda client=client: client.subscribed["chat:1"], within=PATIENCE_SECONDS, what="subscribed")
    ann.publish("chat:1", {"text": "hello"})
    wait_until(lambda: bob.publications["chat:1"], within=PATIENCE_SECONDS, what="a publication")
    assert bob.publications["chat:1"][0][1] == {"text": "hello", "by": "ann"}
    backend.answer = lambda event, _: {"error": {"code": 1400, "message": f"no {event}"}}
    for client in (ann, bob):
        with pytest.raises(CentrifugeError, match="no publish"):
            client.publish("chat:1", {"text": "again"})
    assert backend.events().count("connect") == 2
    assert backend.events().count("publish") == 3


# Kills


class Publisher:
    """Publishes its numbers in pieces, several at a time, and notes what became of each."""

    def __init__(self, hub: Any, name: str, count: int) -> None:
        self.hub = hub
        self.name = name
        self.left = list(range(count))
        self.stored: list[int] = []
        self.refused: list[int] = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while self.left:
            # A hub that was killed: what is not answered is not sent again.
            try:
                self._connection()
            except (ConnectionClosed, OSError, EOFError, TimeoutError):
                time.sleep(0.05)

    def _connection(self) -> None:
        with websocket(f"ws://127.0.0.1:{self.hub.port}/connection/websocket", open_timeout=5) as client:
            client.send(json.dumps({"id": 1, "connect": {"data": {"name": self.name}}}))
            while "connect" not in client.recv(timeout=PATIENCE_SECONDS):
                pass
            while self.left:
                piece, self.left = self.left[:10], self.left[10:]
                for number in piece:
                    data = {"name": self.name, "n": number}
                    command = {"id": number + 2, "publish": {"channel": "chat:1", "data": data}}
                    client.send(json.dumps(command))
                self._take_answers(client, len(piece))

    def _take_answers(self, client: Any, count: int) -> None:
        while count > 0:
            for line in str(client.recv(timeout=PATIENCE_SECONDS)).split("\n"):
                answer = json.loads(line)
                if not answer:
                    client.send("{}")
                elif "id" in answer:
                    count -= 1
                    (self.refused if "error" in answer else self.stored).append(answer["id"] - 2)


def test_killed_hub_has_what_was_acknowledged_in_order_and_nothing_refused(stage, record_property):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)

    def slow(event: str, question: dict[str, Any]) -> dict[str, Any]:
        if event == "publish":
            time.sleep(random.random() * 0.05)
            if question["data"]["n"] % 10 == 3:
                return {"error": {"code": 1000, "message": "no"}}
            return {"result": {}}
        return friendly(event, question)

    backend = BackEnd(slow)
    hub = hub_with(stage, backend.port)
    publishers = [Publisher(hub, f"p{index}", 100) for index in range(10)]
    for _ in range(3):
        # The moments are the point of this test.
        time.sleep(moments.uniform(0.3, 1.5))
        hub.kill()
        hub.start()
    for publisher in publishers:
        publisher.thread.join(timeout=120)
        assert not publisher.thread.is_alive()
    history = post(hub, "history", {"channel": "chat:1", "limit": 10_000})["result"]["publications"]
    published = [(each["data"]["name"], each["data"]["n"]) for each in history]
    for publisher in publishers:
        own = [number for name, number in published if name == publisher.name]
        assert own == sorted(set(own)), publisher.name
        assert set(publisher.stored) <= set(own)
        assert not set(publisher.refused) & set(own)
        assert all(number % 10 != 3 for number in own)
    record_property("stored", sum(len(each.stored) for each in publishers))
    record_property("refused", sum(len(each.refused) for each in publishers))
