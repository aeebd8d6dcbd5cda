"""Who comes and goes: in topics, in webhooks, and in the state of users."""

import http.client
import json
import os
import random
import time
from typing import Any

import pytest
from websockets.sync.client import connect as websocket

from harness.configuration import SECRET as WEBHOOK_SECRET
from harness.event_stream import EventStream
from harness.receiver import Receiver
from harness.settings import API_KEY, ENVIRONMENT, TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.visitors import Visitors, check_logs, logs
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
LEAVE_AFTER_SECONDS = 1.0
CHAT = namespace("chat", lifecycle=["topics", "members"])
QUIET = namespace("quiet")
CLIENTS = {"lifecycle": ["clients", "users"], "leave_after": f"{LEAVE_AFTER_SECONDS:.0f}s"}


def text_of(**values: Any) -> str:
    values = {"clients": CLIENTS, "tokens": json.loads(TOKENS)} | values
    return configuration(CHAT, QUIET, **{key: json.dumps(value) for key, value in values.items()})


@pytest.fixture
def visitors(stage):
    visitors = Visitors()
    stage.ends_with(visitors.close)
    return visitors


def call(hub: Any, method: str, **fields: Any) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=10)
    headers = {"Content-Type": "application/json", "X-API-Key": API_KEY}
    connection.request("POST", f"/api/{method}", json.dumps(fields), headers)
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()
    return body


def events(hub: Any, topic: str = "hub:life") -> list[dict[str, Any]]:
    answer = call(hub, "history", channel=topic, limit=-1)
    return [each["data"] for each in answer["result"]["publications"]]


def told(hub: Any, kind: str, topic: str = "hub:life") -> list[str]:
    return [event["type"] for event in events(hub, topic) if event["type"].startswith(f"hub.{kind}.")]


def status(hub: Any, *users: str) -> list[dict[str, Any]]:
    return call(hub, "get_user_status", users=list(users))["result"]["statuses"]


def wait_for(condition: Any, text: Any) -> None:
    wait_until(condition, within=PATIENCE_SECONDS, what=text)


def test_arrivals_and_departures_are_events(stage, visitors):
    receiver = Receiver()
    stage.ends_with(receiver.close)
    webhook = {
        "name": "app", "url": receiver.url, "secret": WEBHOOK_SECRET,
        "types": ["hub.client.*", "hub.user.*", "hub.topic.*", "hub.member.*"],
    }
    hub = started_hub(stage, text_of(webhooks=[webhook], development=True))
    visitors.come("one", hub.port, "ann", ["chat:1", "quiet:1"])
    visitors.come("two", hub.port, "ann", ["chat:1"])
    visitors.come("three", hub.port, "", ["chat:1"])
    visitors.wait("one", "two", "three")
    wait_for(lambda: len(told(hub, "client")) == 3, "three connections")
    wait_for(lambda: told(hub, "member", "hub:life:chat"), "a member")
    assert told(hub, "user") == ["hub.user.online"]
    assert told(hub, "topic", "hub:life:chat") == ["hub.topic.occupied"]
    assert told(hub, "member", "hub:life:chat") == ["hub.member.joined"]
    assert status(hub, "ann")[0]["online"] and abs(status(hub, "ann")[0]["last_seen"] - time.time()) < 5
    for name in ("one", "two", "three"):
        visitors.go(name)
    wait_for(lambda: told(hub, "user")[-1] == "hub.user.offline", "the departure")
    wait_for(lambda: len(told(hub, "member", "hub:life:chat")) == 2, "the departure of a member")
    wait_for(lambda: len(told(hub, "topic", "hub:life:chat")) == 2, "an empty topic")
    user = [event for event in events(hub) if event["type"] == "hub.user.offline"][0]
    assert user["subject"] == "ann" and user["source"] == "/hub"
    assert user["data"]["user"] == "ann" and user["data"]["sequence"] == 2
    member = logs(events(hub, "hub:life:chat"))[("member", "chat:1", "ann")]
    assert [event["data"]["topic"] for event in member] == ["chat:1"] * 2
    ended = [event for event in events(hub) if event["type"] == "hub.client.disconnected"]
    assert [event["data"]["reason"] for event in ended] == ["left"] * 3
    assert sorted(event["data"]["user"] for event in ended) == ["", "ann", "ann"]
    seen, unknown = status(hub, "ann", "bob")
    assert not seen["online"] and abs(seen["last_seen"] - time.time()) < 10
    assert unknown == {"user": "bob", "online": False}
    everything = events(hub) + events(hub, "hub:life:chat")
    check_logs(everything)
    wait_for(lambda: len(receiver.genuine) == len(everything), "all webhooks")
    received = [each.event for each in receiver.genuine]
    assert sorted(each["id"] for each in received) == sorted(each["id"] for each in everything)
    check_logs(received)


def test_a_short_absence_is_no_event(stage, visitors):
    hub = started_hub(stage, text_of(clients={"lifecycle": ["users"], "leave_after": "30s"}))
    for _ in range(3):
        visitors.come("one", hub.port, "ann", ["chat:1"])
        visitors.wait("one")
        visitors.go("one")
    visitors.come("two", hub.port, "bob", [])
    visitors.wait("two")
    wait_for(lambda: len(told(hub, "user")) == 2, "two users")
    assert told(hub, "user") == ["hub.user.online"] * 2
    assert told(hub, "member", "hub:life:chat") == ["hub.member.joined"]
    assert status(hub, "ann")[0]["online"]


def reasons(hub: Any) -> list[str]:
    return [
        event["data"]["reason"] for event in events(hub) if event["type"] == "hub.client.disconnected"
    ]


def test_the_reason_of_an_end(stage):
    hub = started_hub(stage, text_of())

    def client(user: str) -> Any:
        socket = websocket(f"ws://127.0.0.1:{hub.port}/connection/websocket", proxy=None)
        socket.send(json.dumps({"id": 1, "connect": {"token": connection_token(user)}}))
        assert "connect" in json.loads(socket.recv())
        return socket

    client("left").close()
    wait_for(lambda: reasons(hub) == ["left"], "a client that left")
    socket = client("closed")
    call(hub, "disconnect", user="closed")
    wait_for(lambda: reasons(hub)[1:] == ["closed"], "a client that was disconnected")
    socket.close()
    client("blocked")
    call(hub, "block_user", user="blocked")
    wait_for(lambda: reasons(hub)[2:] == ["refused"], "a client that was blocked")
    client("silent")
    wait_for(lambda: reasons(hub)[3:] == ["timeout"], "a client that does not answer pings")
    staying = client("staying")
    wait_for(lambda: len(told(hub, "client")) == 9, "the last client")
    hub.interrupt(within=30)
    hub.start()
    wait_for(lambda: reasons(hub)[4:] == ["drain"], "a client of a hub that has stopped")
    staying.close()
    check_logs(events(hub))


def test_streams_are_there_as_well(stage):
    hub = started_hub(stage, text_of())
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=10)
    connection.request("GET", f"/events?topics=chat:1&token={connection_token('ann')}")
    ann = connection.getresponse()
    assert ann.status == 200
    bob = websocket(
        f"ws://127.0.0.1:{hub.port}/events?topics=chat:2", proxy=None, subprotocols=["cloudevents.json"],
        additional_headers={"Authorization": f"Bearer {connection_token('bob')}"},
    )
    life = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=10)
    life.request("GET", "/events?topics=hub:life,hub:life:chat", headers={"X-API-Key": API_KEY})
    reader = life.getresponse()
    assert reader.status == 200
    wait_for(lambda: len(told(hub, "user")) == 2, "two users")
    wait_for(lambda: len(told(hub, "member", "hub:life:chat")) == 2, "two members")
    assert len(told(hub, "client")) == 2, "the reader with a key is the application"
    ann.close()
    connection.close()
    bob.close()
    wait_for(lambda: len(told(hub, "user")) == 4, "both have left")
    wait_for(lambda: len(told(hub, "member", "hub:life:chat")) == 4, "no members")
    assert check_logs(events(hub) + events(hub, "hub:life:chat"))
    left = 0
    while left < 2:
        left += b'"hub.member.left"' in reader.readline()
    reader.close()
    life.close()


def test_a_rule_looks_at_the_events(stage, visitors):
    rule = {"name": "again", "topics": "hub:life", "when": "sequence >= 2"}
    hub = started_hub(stage, text_of(alerts=[rule], clients={"lifecycle": ["users"], "leave_after": "0s"}))
    visitors.come("one", hub.port, "ann", [])
    visitors.wait("one")
    wait_for(lambda: told(hub, "user") == ["hub.user.online"], "a user")
    visitors.go("one")
    wait_for(lambda: events(hub, "hub:life:alerts"), "an alert")
    alert = events(hub, "hub:life:alerts")[0]
    assert alert["type"].endswith(".alert.raised") and alert["data"]["rule"] == "again"


def test_only_keys_read_the_topics(stage):
    hub = started_hub(stage, text_of())
    token = connection_token("ann")
    for topic in ("hub:life", "hub:life:chat"):
        assert hub.get(f"/events?topics={topic}&token={token}").status == 404
        answer = call(hub, "publish", channel=topic, data={})
        assert answer["error"]["code"] == 102
    headers = {"X-API-Key": API_KEY}
    assert hub.get("/events?topics=hub:life:quiet", headers).status == 404
    answer = call(hub, "get_user_status")
    assert answer["error"]["code"] == 107
    other = stage.hub(name="other", environment=ENVIRONMENT)
    other.configure(configuration(QUIET))
    other.start()
    assert call(other, "get_user_status", users=["ann"])["error"]["code"] == 108
    assert other.get("/events?topics=hub:life", headers).status == 404


def test_nobody_is_missed_by_a_restart(stage, visitors):
    hub = started_hub(stage, text_of(clients={"lifecycle": ["users"], "leave_after": "3s"}))
    for name in ("ann", "bob"):
        visitors.come(name, hub.port, name, ["chat:1"])
    visitors.wait("ann", "bob")
    wait_for(lambda: len(told(hub, "member", "hub:life:chat")) == 2, "two members")
    before = events(hub) + events(hub, "hub:life:chat")
    hub.kill()
    visitors.go("bob")
    hub.start()
    visitors.wait("ann")
    wait_for(lambda: told(hub, "user")[2:] == ["hub.user.offline"], "one has not come back")
    assert events(hub)[2]["subject"] == "bob"
    assert len(told(hub, "topic", "hub:life:chat")) == 1
    wait_for(lambda: len(told(hub, "member", "hub:life:chat")) == 3, "one member has not come back")
    after = events(hub) + events(hub, "hub:life:chat")
    assert [event for event in after if event in before] == before
    assert status(hub, "ann", "bob")[0]["online"] and not status(hub, "ann", "bob")[1]["online"]


# LIFECYCLE_SEEDS=20 VISITORS=200 TOPICS=50 KILLS=20 is the full size.
SEEDS = range(1, int(os.environ.get("LIFECYCLE_SEEDS") or 1) + 1)
VISITORS = int(os.environ.get("VISITORS") or 40)
TOPIC_COUNT = int(os.environ.get("TOPICS") or 10)
KILLS = int(os.environ.get("KILLS") or 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_logs_over_kills_end_in_the_truth(stage, visitors, seed, record_property):
    chance = random.Random(seed)
    receiver = Receiver()
    stage.ends_with(receiver.close)
    webhook = {
        "name": "app", "url": receiver.url, "secret": WEBHOOK_SECRET,
        "types": ["hub.client.*", "hub.user.*", "hub.topic.*", "hub.member.*"],
    }
    limits = {"connections_per_address": 1000}
    rates = {"address": {"connects": 0, "commands": 0}}
    hub = started_hub(stage, text_of(webhooks=[webhook], development=True, limits=limits, rates=rates))
    reader = EventStream(hub.port, ["hub:life", "hub:life:chat"], key=API_KEY)
    stage.ends_with(reader.close)
    wait_for(lambda: reader.begin is not None, "the reader has begun")
    topics = [f"chat:{index}" for index in range(TOPIC_COUNT)]
    names = [f"visitor-{index}" for index in range(VISITORS)]
    present: dict[str, tuple[str, list[str]]] = {}
    for _ in range(KILLS):
        deadline = time.monotonic() + chance.uniform(0.5, 2.5)
        while time.monotonic() < deadline:
            name = chance.choice(names)
            if name in present:
                visitors.go(name)
                del present[name]
            else:
                present[name] = (f"user-{chance.randrange(VISITORS // 2)}", chance.sample(topics, 2))
                visitors.come(name, hub.port, *present[name])
            time.sleep(chance.uniform(0, 0.03))
        hub.kill()
        hub.start()
    visitors.wait(*present)
    back = time.monotonic()
    users = {user for user, _ in present.values()}
    members = {(topic, user) for user, both in present.values() for topic in both}
    occupied = {topic for topic, _ in members}

    def is_true(everything: list[dict[str, Any]]) -> bool:
        ends = check_logs(everything)
        found = {subject for subject, is_there in ends.items() if is_there}
        return (
            {name for kind, name, _ in found if kind == "user"} == users
            and {name for kind, name, _ in found if kind == "topic"} == occupied
            and {(name, user) for kind, name, user in found if kind == "member"} == members
            and len([kind for kind, _, _ in found if kind == "client"]) == len(present)
        )

    wait_for(lambda: is_true([each.json() for each in reader.events]), "the logs end in the truth")
    record_property("seconds", round(time.monotonic() - back, 1))
    read = [each.json() for each in reader.events]
    record_property("events", len(read))
    assert not reader.gaps
    assert read_of(events(hub), read) and read_of(events(hub, "hub:life:chat"), read)

    def missing() -> list[dict[str, Any]]:
        received = {each["id"] for each in once(receiver)}
        return [each.json() for each in reader.events if each.json()["id"] not in received]

    wait_for(lambda: not missing(), lambda: f"webhooks: {missing()[:5]} and others are missing")
    # Each may arrive twice after a kill.
    assert is_true(once(receiver))
    assert {each["id"] for each in once(receiver)} <= {each.json()["id"] for each in reader.events}


def read_of(history: list[dict[str, Any]], read: list[dict[str, Any]]) -> bool:
    """Whether a reader has all of a history, in its order."""
    ids = {each["id"] for each in history}
    return [each for each in read if each["id"] in ids] == history


def once(receiver: Receiver) -> list[dict[str, Any]]:
    return list({each.event["id"]: each.event for each in list(receiver.genuine) if each.event}.values())
