"""The server API through `cent`, both of its clients, unmodified; and through plain HTTP."""

import base64
import json

import cent
import pytest
import requests

from harness.settings import API_KEY, TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 15.0

ROOM = "chat:room"
CONFIGURATION = configuration(
    namespace("chat", presence=True, publish="subscribers"),
    namespace("news"),
    namespace("blank", history_size=0),
    namespace("memory", durable=False),
    tokens=TOKENS,
)

UNKNOWN_CHANNEL, METHOD_NOT_FOUND, BAD_REQUEST, NOT_AVAILABLE = 102, 104, 107, 108
LIMIT_EXCEEDED, UNRECOVERABLE_POSITION = 106, 112

JSON = "application/json"


@pytest.fixture
def hub(stage):
    return started_hub(stage, CONFIGURATION)


@pytest.fixture(params=["sync", "async"])
def api(stage, hub, request):
    return stage.server_api(hub.port, is_async=request.param == "async")


@pytest.fixture
def post(hub):
    """Plain HTTP: the status, and the JSON of the answer if it is some."""

    def post(method, content, **headers):
        fields = {"X-API-Key": API_KEY, "Content-Type": JSON, **headers}
        kept = {name: value for name, value in fields.items() if value is not None}
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        answer = requests.post(
            f"http://127.0.0.1:{hub.port}/api/{method}",
            data=text,
            headers=kept,
            timeout=PATIENCE_SECONDS,
        )
        is_json = answer.headers.get("content-type", "").startswith(JSON)
        return answer.status_code, answer.json() if is_json else None

    return post


@pytest.fixture
def join(stage, hub):
    def join(user, *topics, **claims):
        client = stage.sdk(hub.port, list(topics), token=connection_token(user, **claims))
        for topic in topics:
            until(lambda: client.subscribed[topic], f"{user} is subscribed to {topic}")
        return client

    return join


# Publishing


def test_publication_gets_a_position_and_reaches_subscribers_with_its_tags(api, join):
    ann = join("ann", "news:local")
    first = api.publish("news:local", {"text": "én"}, tags={"severity": "5"})
    second = api.publish("news:local", [1, 2.5, None, "\u2028"])
    assert (first.offset, second.offset) == (1, 2)
    assert first.epoch == second.epoch == ann.subscribed["news:local"][0].stream_position.epoch
    until(lambda: len(ann.values("news:local")) == 2, "both")
    assert ann.publications["news:local"] == [(1, {"text": "én"}), (2, [1, 2.5, None, "\u2028"])]
    assert [each.tags for each in ann.details["news:local"]] == [{"severity": "5"}, {}]
    assert all(each.info is None for each in ann.details["news:local"])


def test_data_may_come_in_base64(api, post, join):
    ann = join("ann", "news:local")
    data = base64.b64encode(b'{"number":1}').decode()
    api.publish("news:local", None, b64data=data)
    until(lambda: ann.values("news:local") == [{"number": 1}], "what was encoded")
    binary = {"channel": "news:local", "b64data": base64.b64encode(b"\xff\x00").decode()}
    assert error_of(post("publish", binary)) == BAD_REQUEST
    assert error_of(post("publish", {"channel": "news:local", "b64data": "%"})) == BAD_REQUEST


@pytest.mark.parametrize("topic", ["news:local", "memory:one"])
def test_repetition_with_its_key_publishes_nothing_and_has_the_first_position(api, topic):
    positions = [api.publish(topic, number, idempotency_key="k1") for number in range(3)]
    assert {(each.offset, each.epoch) for each in positions} == {(1, positions[0].epoch)}
    assert api.publish(topic, 3, idempotency_key="k2").offset == 2
    # Each topic has keys of its own.
    assert api.publish(f"{topic}2", 4, idempotency_key="k1").offset == 1
    assert values(history(api, topic)) == [0, 3]


def test_key_is_remembered_over_a_crash(api, hub):
    position = api.publish("news:local", 1, idempotency_key="k")
    hub.kill()
    hub.start()
    again = api.publish("news:local", 1, idempotency_key="k")
    assert (again.offset, again.epoch) == (position.offset, position.epoch)
    assert values(history(api, "news:local")) == [1]


@pytest.mark.parametrize("topic", ["news:local", "memory:one"])
def test_version_that_is_not_newer_is_left_out(api, topic):
    for number, version in [(1, 5), (2, 5), (3, 4), (4, 6)]:
        api.publish(topic, number, version=version)
    assert values(history(api, topic)) == [1, 4]
    # Versions of another epoch have nothing to do with these.
    api.publish(topic, 5, version=1, version_epoch="b")
    api.publish(topic, 6, version=1, version_epoch="b")
    assert values(history(api, topic)) == [1, 4, 5]


def test_publication_outside_the_history_reaches_only_who_is_there(api, join):
    ann = join("ann", "news:local")
    api.publish("news:local", "kept")
    api.publish("news:local", "typing …", skip_history=True)
    api.publish("news:local", "kept, too")
    until(lambda: len(ann.values("news:local")) == 3, "all")
    assert ann.publications["news:local"] == [(1, "kept"), (0, "typing …"), (2, "kept, too")]
    assert values(history(api, "news:local")) == ["kept", "kept, too"]


def test_broadcast_answers_for_each_topic(api, join):
    ann, bob = join("ann", "news:a"), join("bob", "news:b")
    api.publish("news:a", 0)
    request = cent.BroadcastRequest(
        channels=["news:a", "nowhere:1", "news:b"], data=1, tags={"k": "v"}, idempotency_key="once"
    )
    for _ in range(2):
        responses = api.call(request).responses
        assert [each.result and each.result.offset for each in responses] == [2, None, 1]
        assert responses[1].error.code == UNKNOWN_CHANNEL
    until(lambda: ann.values("news:a") == [0, 1] and bob.values("news:b") == [1], "both")
    assert bob.details["news:b"][0].tags == {"k": "v"}


def test_batch_is_carried_out_in_order(api, join):
    ann = join("ann", "news:local")
    requests = [cent.PublishRequest(channel="news:local", data=number) for number in range(100)]
    requests.append(cent.HistoryRequest(channel="news:local", limit=-1))
    requests.append(cent.PresenceStatsRequest(channel=ROOM))
    for parallel in (False, True):
        replies = api.call(cent.BatchRequest(requests=requests, parallel=parallel)).replies
        assert len(replies) == len(requests)
    # Those of one batch, whatever a parallel one makes of their order.
    assert sorted(each.offset for each in replies[:100]) == list(range(101, 201))
    assert replies[101].num_clients == 0
    until(lambda: len(ann.values("news:local")) == 200, "all of both")
    assert ann.values("news:local")[:100] == list(range(100))


def test_command_that_fails_in_a_batch_leaves_the_others(post):
    commands = [
        {"publish": {"channel": "news:local", "data": 1}},
        {"publish": {"channel": "nowhere:1", "data": 2}},
        {"publish": {"data": 3}},
        {"publish": {"channel": "news:local", "data": 4}},
    ]
    status, answer = post("batch", {"commands": commands})
    assert status == 200
    replies = answer["replies"]
    assert replies[0]["publish"]["offset"] == 1 and replies[3]["publish"]["offset"] == 2
    assert [each["error"]["code"] for each in replies[1:3]] == [UNKNOWN_CHANNEL, BAD_REQUEST]


# Histories


def test_history_has_pages_positions_and_ends(api):
    for number in range(1, 6):
        api.publish("news:local", number, tags={"n": str(number)})
    nothing = history(api, "news:local", limit=None)
    assert nothing.publications == [] and nothing.offset == 5

    def page(**options):
        return values(history(api, "news:local", **options))

    def since(offset):
        return cent.StreamPosition(offset=offset, epoch=nothing.epoch)

    assert page(limit=2) == [1, 2]
    assert page(limit=2, reverse=True) == [5, 4]
    assert page(limit=2, since=since(2)) == [3, 4]
    assert page(limit=2, since=since(2), reverse=True) == [1]
    assert page(limit=2, since=since(5)) == []
    newest = history(api, "news:local", limit=1, reverse=True).publications[0]
    assert (newest.offset, newest.tags) == (5, {"n": "5"})
    stranger = cent.StreamPosition(offset=2, epoch="another")
    assert error(lambda: page(limit=2, since=stranger)) == UNRECOVERABLE_POSITION


@pytest.mark.parametrize("topic", ["news:local", "memory:one"])
def test_removed_history_is_gone_and_offsets_go_on(api, join, topic):
    ann = join("ann", topic)
    api.publish(topic, 1)
    epoch = api.publish(topic, 2).epoch
    api.call(cent.HistoryRemoveRequest(channel=topic))
    assert values(history(api, topic)) == []
    assert history(api, topic).offset == 2
    position = api.publish(topic, 3)
    assert (position.offset, position.epoch) == (3, epoch)
    assert values(history(api, topic)) == [3]
    until(lambda: ann.publications[topic] == [(1, 1), (2, 2), (3, 3)], "she has missed nothing")


def test_topic_without_history_has_none(api):
    assert error(lambda: history(api, "blank:one")) == NOT_AVAILABLE


# Who is there


def test_presence_channels_and_info_tell_who_is_there(api, join):
    ann, other_ann = join("ann", ROOM, info={"name": "Ann"}), join("ann", ROOM, "news:local")
    present = api.call(cent.PresenceRequest(channel=ROOM)).presence
    assert set(present) == {ann.connected[0], other_ann.connected[0]}
    info = present[ann.connected[0]]
    assert (info.client, info.user, info.conn_info) == (ann.connected[0], "ann", {"name": "Ann"})
    stats = api.call(cent.PresenceStatsRequest(channel=ROOM))
    assert (stats.num_clients, stats.num_users) == (2, 1)
    assert error(lambda: api.call(cent.PresenceRequest(channel="news:local"))) == NOT_AVAILABLE

    channels = api.call(cent.ChannelsRequest()).channels
    assert {name: each.num_clients for name, each in channels.items()} == {ROOM: 2, "news:local": 1}
    assert set(api.call(cent.ChannelsRequest(pattern="news:*")).channels) == {"news:local"}

    (node,) = api.call(cent.InfoRequest()).nodes
    assert (node.num_clients, node.num_users, node.num_subs, node.num_channels) == (2, 1, 3, 2)
    assert node.uid and node.version


def test_subscribe_and_unsubscribe_reach_the_clients_that_are_meant(api, join):
    ann, other_ann, bob = join("ann"), join("ann"), join("bob")
    one = {"user": "ann", "client": ann.connected[0]}
    api.call(cent.SubscribeRequest(channel="news:local", data={"from": "backend"}, **one))
    until(lambda: ann.server_subscribed, "subscribed")
    assert ann.server_subscribed["news:local"][0].data == {"from": "backend"}
    api.call(cent.SubscribeRequest(user="ann", channel="news:all"))
    until(lambda: other_ann.server_subscribed, "the user's other client")
    # Somebody else's client is not hers.
    api.call(cent.SubscribeRequest(user="ann", channel="news:x", client=bob.connected[0]))
    api.publish("news:local", 1)
    until(lambda: ann.values("news:local") == [1], "published")
    api.call(cent.UnsubscribeRequest(channel="news:local", **one))
    until(lambda: ann.server_unsubscribed == ["news:local"], "unsubscribed")
    assert set(other_ann.server_subscribed) == {"news:all"}
    assert not bob.server_subscribed


def test_disconnect_spares_the_listed_and_refresh_ends_the_expired(api, join):
    ann, spared = join("ann", ROOM), join("ann", ROOM)
    api.call(cent.DisconnectRequest(user="ann", whitelist=[spared.connected[0]]))
    until(lambda: ann.disconnected, "disconnected")
    assert not spared.disconnected and not spared.connecting
    api.call(cent.RefreshRequest(user="ann", client=spared.connected[0], expired=True))
    until(lambda: spared.connecting, "expired")
    assert spared.connecting[0][0] == 3005


def test_calls_for_users_that_are_not_there_are_done(api):
    for request in (
        cent.SubscribeRequest(user="nobody", channel=ROOM),
        cent.UnsubscribeRequest(user="nobody", channel=ROOM),
        cent.DisconnectRequest(user="nobody"),
        cent.RefreshRequest(user="nobody", expired=True),
    ):
        api.call(request)


# Refusals


def test_errors_of_methods_have_their_codes(api):
    assert error(lambda: api.publish("nowhere:1", 1)) == UNKNOWN_CHANNEL
    assert error(lambda: api.publish("not a topic", 1)) == BAD_REQUEST
    assert error(lambda: api.publish("", 1)) == BAD_REQUEST
    many = cent.BroadcastRequest(channels=["news:local"] * 1001, data=1)
    assert error(lambda: api.call(many)) == LIMIT_EXCEEDED
    assert error(lambda: api.publish("news:local", 1, tags={"k": "v" * 300})) == LIMIT_EXCEEDED
    assert error(lambda: api.publish("news:local", 1, idempotency_key="k" * 129)) == LIMIT_EXCEEDED
    status = cent.GetUserStatusRequest(users=["ann"])
    assert error(lambda: api.call(status)) == NOT_AVAILABLE
    of_a_channel = cent.InvalidateUserTokensRequest(user="ann", channel="news:local")
    assert error(lambda: api.call(of_a_channel)) == NOT_AVAILABLE
    api.call(cent.InvalidateUserTokensRequest(user="ann"))
    api.call(cent.RevokeTokenRequest(uid="token-1"))
    api.call(cent.BlockUserRequest(user="ann"))
    api.call(cent.UnblockUserRequest(user="ann"))
    assert values(history(api, "news:local")) == []


def test_wrong_key_opens_nothing(stage, hub, post):
    for is_async in (False, True):
        stranger = stage.server_api(hub.port, key=f"{API_KEY}x", is_async=is_async)
        with pytest.raises(cent.CentUnauthorizedError):
            stranger.publish("news:local", 1)
    publish = {"channel": "news:local", "data": 1}
    assert post("publish", publish, **{"X-API-Key": None})[0] == 401
    assert post("publish", publish, **{"X-API-Key": ""})[0] == 401
    assert post("publish", publish, **{"X-API-Key": API_KEY[:-1]})[0] == 401
    bearer = {"X-API-Key": None, "Authorization": f"apikey {API_KEY}"}
    assert post("publish", publish, **bearer)[1]["result"]["offset"] == 1
    assert API_KEY not in hub.log


def test_request_has_to_be_json_whatever_its_content_type(post):
    publish = {"channel": "news:local", "data": 1}
    for kind in (JSON, "application/x-www-form-urlencoded", None):
        assert post("publish", publish, **{"Content-Type": kind})[0] == 200, kind
    for text in (b"", b"{", b"[]", b'"x"', b'{"channel":"news:local","data":1}x', b"\xff"):
        status, answer = post("publish", text)
        assert status == 400 or error_of((status, answer)) == BAD_REQUEST, text
    assert error_of(post("publish", {"channel": 7, "data": 1})) == BAD_REQUEST
    assert error_of(post("publish", {"channel": "news:local"})) == BAD_REQUEST
    assert post("info", b"")[0] == 200
    assert post("history", {"channel": "news:local"})[1]["result"]["offset"] == 3


def test_unknown_method_and_wrong_verb_are_told(hub, post):
    status, answer = post("fly", {})
    assert status == 404 or error_of((status, answer)) == METHOD_NOT_FOUND
    got = hub.get("/api/publish", {"X-API-Key": API_KEY})
    assert got.status == 405 and "POST" in got.headers["allow"]


def test_api_without_configured_key_is_off(stage):
    hub = stage.hub()
    hub.configure(configuration(namespace("news")))
    hub.start()
    for key in ("", API_KEY):
        with pytest.raises(cent.CentError):
            stage.server_api(hub.port, key=key).publish("news:local", 1)


def until(condition, what):
    wait_until(condition, within=PATIENCE_SECONDS, what=what)


def history(api, topic, limit=-1, **options):
    return api.call(cent.HistoryRequest(channel=topic, limit=limit, **options))


def values(page):
    return [each.data for each in page.publications]


def error(call):
    """The code that `cent` raises."""
    with pytest.raises(cent.CentApiResponseError) as raised:
        call()
    return raised.value.code


def error_of(answer):
    status, content = answer
    assert status == 200, answer
    return content["error"]["code"]
