"""The Centrifuge SDK for Python, unmodified, through every command and push of the protocol.

Each test is run in JSON and in Protobuf. What a backend does meanwhile goes through the server API.
"""

import json

import cent
import pytest
from centrifuge import DeltaType, Filter, ReplyError, StreamPosition

from harness.settings import TOKENS, configuration, namespace, outcome, started_hub
from harness.tokens import connection_token, subscription_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 15.0
# The shortest time that every clock in between can tell from none.
TTL_SECONDS = 2

ROOM = "chat:room"
NEVER_OPEN = {"anonymous_subscribe": False}
CONFIGURATION = configuration(
    namespace("chat", presence=True, join_leave=True, publish="subscribers"),
    namespace("news"),
    namespace("short", history_size=3),
    namespace("memory", durable=False),
    namespace("prices", delta=True),
    namespace("latest", recovery="cache"),
    namespace("secret", subscribe="token", **NEVER_OPEN),
    namespace("activity", subscribe="owner", **NEVER_OPEN),
    tokens=TOKENS,
)

UNKNOWN_CHANNEL, PERMISSION_DENIED, METHOD_NOT_FOUND, NOT_AVAILABLE = 102, 103, 104, 108
TOKEN_EXPIRED, UNRECOVERABLE_POSITION = 109, 112
SERVER_UNSUBSCRIBE, FORCE_DISCONNECT = 2000, 3503
EXPIRED, SUBSCRIPTION_EXPIRED = 3005, 3006


@pytest.fixture(params=["json", "protobuf"])
def encoding(request):
    return {"use_protobuf": request.param == "protobuf"}


@pytest.fixture
def hub(stage):
    return started_hub(stage, CONFIGURATION)


@pytest.fixture
def api(stage, hub):
    return stage.server_api(hub.port)


@pytest.fixture
def join(stage, hub, encoding):
    """A client of that user, subscribed to the topics."""

    def join(user, *topics, port=hub.port, claims=None, **options):
        if user and "token" not in options and "get_token" not in options:
            options["token"] = connection_token(user, **(claims or {}))
        client = stage.sdk(port, list(topics), **encoding, **options)
        for topic in topics:
            until(lambda: client.subscribed[topic], f"{user} is subscribed to {topic}")
        return client

    return join


# Connecting


def test_connection_is_named_and_subscribed_by_its_token(join):
    claims = {"info": {"name": "Ann"}, "channels": [ROOM], "subs": {"news:local": {}}}
    ann = join("ann", claims=claims)
    until(lambda: len(ann.server_subscribed) == 2, "the token's topics")
    assert set(ann.server_subscribed) == {ROOM, "news:local"}

    bob = join("bob", ROOM)
    bob.publish(ROOM, "hello Ann")
    until(lambda: ann.values(ROOM) == ["hello Ann"], "a publication of the hub's subscription")
    present = clients(bob, ROOM)
    assert present[ann.connected[0]] == ("ann", {"name": "Ann"})
    assert present[bob.connected[0]] == ("bob", None)


def test_token_is_refreshed_again_and_again_over_one_connection(join):
    given = []

    async def get_token():
        given.append(connection_token("ann", ttl=TTL_SECONDS))
        return given[-1]

    ann = join("ann", ROOM, get_token=get_token)
    # The third is asked for only because the second was accepted, and for as long.
    until(lambda: len(given) >= 3, lambda: f"tokens: {len(given)}")
    ann.publish(ROOM, "still here")
    until(lambda: ann.values(ROOM) == ["still here"], "the connection still serves")
    assert len(ann.connected) == 1 and not ann.errors


def test_client_with_an_expired_token_gets_another_and_is_let_in(join):
    tokens = [connection_token("ann", ttl=-5), connection_token("ann")]

    async def get_token():
        return tokens.pop(0)

    ann = join("ann", ROOM, get_token=get_token)
    assert not tokens
    assert [error.code for error in ann.errors] == [TOKEN_EXPIRED]


def test_expired_fresh_token_costs_a_reconnection_and_nothing_else(join, api):
    """An application's cache may hand out a token that has expired just now."""
    lifetimes = [TTL_SECONDS, -5, 3600]

    async def get_token():
        return connection_token("ann", ttl=lifetimes.pop(0))

    ann = join("ann", ROOM, get_token=get_token)
    until(lambda: len(ann.subscribed[ROOM]) == 2, lambda: f"back: {ann.disconnected}")
    assert ann.connecting == [(EXPIRED, "connection expired")] and not ann.disconnected
    assert [error.code for error in ann.errors] == [TOKEN_EXPIRED] and not lifetimes
    api.publish(ROOM, 1)
    until(lambda: ann.values(ROOM) == [1], "the connection serves")


# Subscriptions


def test_expired_fresh_token_of_a_subscription_costs_a_reconnection_and_nothing_else(join, api):
    lifetimes = [TTL_SECONDS, -5, 3600]

    async def get_token(topic):
        return subscription_token("ann", topic, ttl=lifetimes.pop(0))

    ann = join("ann", ROOM)
    ann.subscribe("secret:plans", get_token=get_token)
    until(lambda: len(ann.subscribed["secret:plans"]) == 2, lambda: f"back: {ann.unsubscribed}")
    assert ann.connecting == [(SUBSCRIPTION_EXPIRED, "subscription expired")]
    assert not ann.unsubscribed and not ann.disconnected and not lifetimes
    assert all(context.recovered for context in ann.subscribed[ROOM][1:])
    api.publish("secret:plans", 1)
    until(lambda: ann.values("secret:plans") == [1], "the subscription serves")


def test_subscription_token_opens_its_topic_and_is_refreshed(join, api):
    given = []

    async def get_token(topic):
        given.append(subscription_token("ann", topic, ttl=TTL_SECONDS))
        return given[-1]

    ann = join("ann", ROOM)
    ann.subscribe("secret:plans")
    until(lambda: ann.unsubscribed, "a refusal without token")
    assert ann.unsubscribed == {"secret:plans": PERMISSION_DENIED}

    bea = join("ann", ROOM)
    bea.subscribe("secret:plans", get_token=get_token)
    until(lambda: len(given) >= 3, lambda: f"tokens: {len(given)}")
    api.publish("secret:plans", "of the day")
    until(lambda: bea.values("secret:plans") == ["of the day"], "the secret")
    assert len(bea.subscribed["secret:plans"]) == 1 and not bea.errors
    assert not ann.values("secret:plans")


def test_topic_of_a_user_is_for_that_user(join, api):
    ann = join("ann", "activity:ann")
    ann.subscribe("activity:bob")
    until(lambda: ann.unsubscribed, "a refusal")
    assert ann.unsubscribed == {"activity:bob": PERMISSION_DENIED}
    nobody = join(None)
    nobody.subscribe("activity:ann")
    until(lambda: nobody.unsubscribed, "a refusal")
    api.publish("activity:ann", 1)
    until(lambda: ann.values("activity:ann") == [1], "her own")


def test_publication_comes_to_all_with_its_offset_and_publisher(join):
    ann, bob = join("ann", ROOM), join("bob", ROOM, claims={"info": {"name": "Bob"}})
    values = [{"text": "hei på deg \u2603", "number": number} for number in range(20)]
    for value in values:
        bob.publish(ROOM, value)
    for each in (ann, bob):
        until(lambda: len(each.values(ROOM)) == 20, "all publications")
        assert each.publications[ROOM] == list(enumerate(values, 1))
        info = each.details[ROOM][0].info
        assert (info.client, info.user) == (bob.connected[0], "bob")
        assert each.value(info.conn_info) == {"name": "Bob"}


def test_unsubscribed_client_gets_nothing_more_and_may_come_back(join, api):
    ann = join("ann", "news:local")
    api.publish("news:local", 1)
    until(lambda: ann.values("news:local") == [1], "the first")
    ann.unsubscribe("news:local")
    api.publish("news:local", 2)
    subscription = ann.client.get_subscription("news:local")
    ann.call(subscription.subscribe())
    until(lambda: len(ann.values("news:local")) == 2, "what it has missed")
    assert ann.publications["news:local"] == [(1, 1), (2, 2)]
    assert ann.subscribed["news:local"][1].recovered


def test_presence_names_clients_and_counts_users(join):
    ann, other_ann = join("ann", ROOM), join("ann", ROOM)
    bob, away = join("bob", ROOM), join("away", "news:local")
    here = (ann, other_ann, bob)
    assert set(clients(bob, ROOM)) == {each.connected[0] for each in here}
    stats = bob.call(bob.client.presence_stats(ROOM))
    assert (stats.num_clients, stats.num_users) == (3, 2)

    other_ann.close()
    bob.unsubscribe(ROOM)
    until(lambda: set(clients(ann, ROOM)) == {ann.connected[0]}, "the others have left")
    stats = ann.call(ann.client.presence_stats(ROOM))
    assert (stats.num_clients, stats.num_users) == (1, 1)
    for topic, code in {"news:local": NOT_AVAILABLE, ROOM: PERMISSION_DENIED}.items():
        assert refusal(lambda: away.call(away.client.presence(topic))) == code
        assert refusal(lambda: away.call(away.client.presence_stats(topic))) == code


def test_subscribers_that_ask_for_it_are_told_who_comes_and_goes(join):
    ann, unasked = join("ann"), join("una", ROOM)
    ann.subscribe(ROOM, join_leave=True)
    until(lambda: ann.subscribed[ROOM], "subscribed")
    bob, eve = join("bob", ROOM, claims={"info": {"name": "Bob"}}), join("eve", ROOM)

    def came_and_went(others):
        return [
            [info.client for info in infos if info.client in others]
            for infos in (ann.joined[ROOM], ann.left[ROOM])
        ]

    others = [bob.connected[0], eve.connected[0]]
    until(lambda: came_and_went(others) == [others, []], "both have come")
    bob.unsubscribe(ROOM)
    until(lambda: came_and_went(others) == [others, others[:1]], "one has left the topic")
    eve.close()
    until(lambda: came_and_went(others) == [others, others], "one has left the hub")
    infos = [info for info in ann.joined[ROOM] + ann.left[ROOM] if info.client == others[0]]
    assert [(info.user, ann.value(info.conn_info)) for info in infos] == [
        ("bob", {"name": "Bob"})
    ] * 2
    assert not unasked.joined[ROOM] and not unasked.left[ROOM]


# Histories


def test_history_is_read_in_pages_in_both_directions(join, api):
    for number in range(1, 11):
        api.publish("news:local", number)
    ann = join("ann", "news:local")
    epoch = ann.subscribed["news:local"][0].stream_position.epoch

    def page(**options):
        result = ann.call(ann.client.history("news:local", **options))
        assert (result.offset, result.epoch) == (10, epoch)
        return [(each.offset, ann.value(each.data)) for each in result.publications]

    def both(numbers):
        return [(number, number) for number in numbers]

    def since(offset):
        return StreamPosition(offset, epoch)

    assert page() == []
    assert page(limit=3) == both([1, 2, 3])
    assert page(limit=3, reverse=True) == both([10, 9, 8])
    assert page(limit=3, since=since(4)) == both([5, 6, 7])
    assert page(limit=3, since=since(4), reverse=True) == both([3, 2, 1])
    assert page(limit=3, since=since(9)) == both([10])
    assert page(limit=3, since=since(10)) == []
    assert page(limit=-1) == both(range(1, 11))

    for reverse, expected in [(False, range(1, 11)), (True, range(10, 0, -1))]:
        found, new = [], page(limit=4, reverse=reverse)
        while new:
            found += new
            new = page(limit=4, since=since(found[-1][0]), reverse=reverse)
        assert found == both(expected)
    stranger = StreamPosition(4, "another")
    assert refusal(lambda: page(limit=3, since=stranger)) == UNRECOVERABLE_POSITION


def test_subscriber_recovers_over_a_crash_of_the_hub(join, hub, stage):
    proxy = stage.proxy(hub.port)
    ann, api = join("ann", "news:local", "memory:one", port=proxy.port), stage.server_api(hub.port)
    api.publish("news:local", 1)
    api.publish("memory:one", 1)
    until(lambda: ann.values("news:local") == ann.values("memory:one") == [1], "the first")
    proxy.close()
    api.publish("news:local", 2)
    api.publish("memory:one", 2)
    hub.kill()
    hub.start()
    api.publish("news:local", 3)
    stage.proxy(hub.port, port=proxy.port)
    until(lambda: len(ann.subscribed["memory:one"]) == 2, "back")
    until(lambda: ann.publications["news:local"] == [(1, 1), (2, 2), (3, 3)], "what it has missed")
    durable, memory = ann.subscribed["news:local"][1], ann.subscribed["memory:one"][1]
    assert durable.was_recovering and durable.recovered
    assert durable.stream_position.epoch == ann.subscribed["news:local"][0].stream_position.epoch
    # What was kept in memory alone is gone, and the client is told so.
    assert memory.was_recovering and not memory.recovered
    assert memory.stream_position.epoch != ann.subscribed["memory:one"][0].stream_position.epoch


def test_client_that_reads_its_state_elsewhere_is_refused_a_position_with_a_gap(join, api):
    for number in range(1, 11):
        position = api.publish("short:one", number)
    states = [StreamPosition(2, position.epoch), StreamPosition(8, position.epoch)]

    async def get_state(_):
        return states.pop(0)

    ann = join("ann")
    ann.subscribe("short:one", get_state=get_state)
    until(lambda: ann.subscribed["short:one"], "subscribed from its second state")
    until(lambda: len(ann.values("short:one")) == 2, "what came after it")
    assert not states
    assert ann.publications["short:one"] == [(9, 9), (10, 10)]


def test_cache_gives_the_latest_publication_to_whoever_asks_for_what_was_missed(join, api):
    for number in range(1, 6):
        api.publish("latest:one", number)

    async def nothing_yet(_):
        return StreamPosition(0, "")

    ann = join("ann")
    ann.subscribe("latest:one", get_state=nothing_yet)
    until(lambda: ann.publications["latest:one"] == [(5, 5)], "the latest")
    context = ann.subscribed["latest:one"][0]
    assert context.was_recovering and context.recovered
    api.publish("latest:one", 6)
    until(lambda: ann.values("latest:one") == [5, 6], "the next")


# Less than everything


def test_deltas_give_what_was_published(join, hub, stage, api):
    prices = {f"share {index} \u00f8": 100 + index for index in range(100)}
    proxy = stage.proxy(hub.port)
    ann, plain = join("ann", port=proxy.port), join("bob", "prices:oslo")
    ann.subscribe("prices:oslo", delta=DeltaType.FOSSIL)
    until(lambda: ann.subscribed["prices:oslo"], "subscribed")
    published = []

    def publish(count):
        for _ in range(count):
            prices[f"share {len(published)} \u00f8"] -= 1
            published.append(dict(prices))
            api.publish("prices:oslo", prices, delta=True)

    publish(5)
    until(lambda: len(ann.values("prices:oslo")) == 5, "five")
    proxy.cut()
    publish(5)
    until(lambda: len(ann.values("prices:oslo")) == 10, "what it has missed")
    publish(5)
    for each in (ann, plain):
        until(lambda: len(each.values("prices:oslo")) == 15, "all")
        assert each.values("prices:oslo") == published
    deltas = [each.delta for each in ann.details["prices:oslo"]]
    assert deltas[:5] == [False, True, True, True, True] and deltas[11:] == [True] * 4
    assert not any(each.delta for each in plain.details["prices:oslo"])


def test_filter_lets_through_what_its_tags_say(join, api):
    wanted = Filter.all(
        Filter.eq("place", "tromso"),
        Filter.gte("severity", "5"),
        Filter.negate(Filter.exists("test")),
    )
    ann, everyone = join("ann"), join("bob", "news:storms")
    ann.subscribe("news:storms", tags_filter=wanted)
    until(lambda: ann.subscribed["news:storms"], "subscribed")
    tags = [
        {"place": "tromso", "severity": "5"},
        {"place": "oslo", "severity": "9"},
        {"place": "tromso", "severity": "4"},
        {"place": "tromso", "severity": "10", "test": "yes"},
        {"place": "tromso"},
        {"place": "tromso", "severity": "10"},
    ]
    for number, each in enumerate(tags, 1):
        api.publish("news:storms", number, tags=each)
    api.publish("news:storms", 7)
    until(lambda: len(everyone.values("news:storms")) == 7, "all of them")
    until(lambda: len(ann.values("news:storms")) == 2, "hers")
    assert ann.publications["news:storms"] == [(1, 1), (6, 6)]
    assert [each.tags for each in everyone.details["news:storms"]] == [*tags, {}]


# Calls


def test_rpc_explains_and_lists(join, api):
    ann = join("ann", "news:local")
    api.publish("news:local", 1)
    until(lambda: ann.values("news:local") == [1], "delivered")
    assert "news:local" in json.dumps(ann.rpc("hub.topics", {}))
    asked = {"client": ann.connected[0], "topic": "news:local", "offset": 1}
    assert outcome(ann.rpc("hub.explain", asked)) == "delivered"
    assert refusal(lambda: ann.rpc("hub.nothing", {})) == METHOD_NOT_FOUND


def test_message_without_answer_does_no_harm(join):
    ann = join("ann", ROOM)
    ann.send({"typing": True})
    ann.publish(ROOM, 1)
    until(lambda: ann.values(ROOM) == [1], "the connection serves")
    assert len(ann.connected) == 1


def test_refusals_have_their_codes_and_leave_the_connection(join):
    ann = join("ann", ROOM)
    assert refusal(lambda: ann.publish("news:local", "x")) == PERMISSION_DENIED
    assert refusal(lambda: ann.publish("nowhere:1", "x")) == UNKNOWN_CHANNEL
    for topic, code in {"nowhere:1": UNKNOWN_CHANNEL, "secret:plans": PERMISSION_DENIED}.items():
        assert refusal(lambda: ann.call(ann.client.history(topic, limit=1))) == code
    ann.subscribe("nowhere:1")
    until(lambda: ann.unsubscribed == {"nowhere:1": UNKNOWN_CHANNEL}, "a refusal")
    ann.publish(ROOM, 1)
    until(lambda: ann.values(ROOM) == [1], "the connection serves")
    assert len(ann.connected) == 1


# What a backend does to clients


def test_backend_subscribes_and_unsubscribes_a_user(join, api):
    ann, bob = join("ann", ROOM), join("bob", ROOM)
    api.call(cent.SubscribeRequest(user="ann", channel="secret:plans", data={"why": "invited"}))
    until(lambda: ann.server_subscribed, "subscribed by the backend")
    context = ann.server_subscribed["secret:plans"][0]
    assert ann.value(context.data) == {"why": "invited"}
    api.publish("secret:plans", 1)
    until(lambda: ann.values("secret:plans") == [1], "the secret")
    api.call(cent.UnsubscribeRequest(user="ann", channel="secret:plans"))
    until(lambda: ann.server_unsubscribed == ["secret:plans"], "unsubscribed by the backend")

    api.call(cent.UnsubscribeRequest(user="ann", channel=ROOM))
    until(lambda: ann.unsubscribed == {ROOM: SERVER_UNSUBSCRIBE}, "her own subscription, too")
    bob.publish(ROOM, 1)
    until(lambda: bob.values(ROOM) == [1], "the other is as before")
    assert not ann.values(ROOM) and ann.values("secret:plans") == [1]


@pytest.mark.parametrize(
    ("told", "expected", "comes_back"),
    [
        (None, (FORCE_DISCONNECT, "force disconnect"), False),
        ((4001, "moved"), (4001, "moved"), True),
        ((4501, "banned"), (4501, "banned"), False),
        ((3011, "force reconnect"), (3011, "force reconnect"), True),
    ],
    ids=["default", "4001", "4501", "3011"],
)
def test_backend_disconnects_a_user(join, api, told, expected, comes_back):
    ann, bob = join("ann", ROOM), join("bob", ROOM)
    options = {"disconnect": cent.Disconnect(code=told[0], reason=told[1])} if told else {}
    api.call(cent.DisconnectRequest(user="ann", **options))
    until(lambda: ann.connecting or ann.disconnected, "disconnected")
    if comes_back:
        until(lambda: len(ann.subscribed[ROOM]) == 2, "back")
        assert ann.subscribed[ROOM][1].recovered
        assert expected in ann.connecting and not ann.disconnected
    else:
        assert ann.disconnected == [expected]
        assert len(ann.connected) == 1
    assert not bob.connecting and not bob.disconnected


def test_backend_ends_an_expired_connection_and_it_comes_back_with_another_token(join, api):
    given = []

    async def get_token():
        given.append(connection_token("ann"))
        return given[-1]

    ann = join("ann", ROOM, get_token=get_token)
    api.call(cent.RefreshRequest(user="ann", expired=True))
    until(lambda: ann.connecting, "disconnected")
    assert ann.connecting[0][0] == 3005
    until(lambda: len(ann.subscribed[ROOM]) == 2, "back")


def until(condition, what):
    wait_until(condition, within=PATIENCE_SECONDS, what=what)


def refusal(call):
    """The code with which a call is refused."""
    with pytest.raises(ReplyError) as refused:
        call()
    return refused.value.code


def clients(client, topic):
    """User and info of who is there, by client."""
    present = client.call(client.client.presence(topic)).clients
    return {key: (each.user, client.value(each.conn_info)) for key, each in present.items()}
