"""The routes of radars: whose they are, what they refuse, and how they say so."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import InvalidStatus

from harness.provider_answers import late, stance
from harness.settings import API_KEY
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 15.0

TOPIC = "four-day working week"
OPINION = {
    "author": "ada",
    "model": "none",
    "content": "So I say.",
    "stance": "for",
    "confidence": 0.8,
}
CONTENT_BYTES_MAX = 8192
NAME_LENGTH_MAX = 200
TOPIC_LENGTH_MAX = 300
UNAUTHORIZED = {"status": 401, "code": "UNAUTHORIZED"}
FORBIDDEN = {"status": 403, "code": "FORBIDDEN"}
NOT_FOUND = {"status": 404, "code": "RADAR_NOT_FOUND"}
INVALID = {"status": 400, "code": "INVALID_REQUEST"}


# Whose it is


@pytest.fixture
def anns(user):
    """The id of a radar of Ann's."""
    return user("ann").create(TOPIC)["id"]


def routes(radar_id):
    base = f"/api/radars/{radar_id}"
    reading = [("GET", f"{base}{path}", None) for path in ("", "/opinions", "/trends")]
    writing = [
        ("PATCH", base, {"isPublic": True}),
        ("POST", f"{base}/refresh", None),
        ("DELETE", base, None),
    ]
    return reading, writing


def test_private_radar_is_nobody_elses_to_know_of(user, anns, transcript):
    bob, nobody = user("bob"), user()
    for method, target, body in sum(routes(anns), []):
        bob.refused(method, target, body, **NOT_FOUND)
        nobody.refused(method, target, body, **UNAUTHORIZED)
        user("bob", "no-token").refused(method, target, body, **UNAUTHORIZED)
    assert bob.list() == []
    # One that is not there looks the same.
    for method, target, body in sum(routes("no-such-radar"), []):
        bob.refused(method, target, body, **NOT_FOUND)
        nobody.refused(method, target, body, **UNAUTHORIZED)
    transcript.assert_app_decodes_everything()


def test_public_radar_is_read_by_anyone_and_changed_by_its_owner(user, anns, transcript):
    ann, bob, nobody = user("ann"), user("bob"), user()
    assert ann.change(anns, isPublic=True)["isPublic"]
    reading, writing = routes(anns)
    for reader in (bob, nobody):
        assert reader.radar(anns) == ann.radar(anns)
        assert reader.opinions(anns) == ann.opinions(anns)
        assert reader.trend(anns) == ann.trend(anns)
    for method, target, body in writing:
        bob.refused(method, target, body, **FORBIDDEN)
        nobody.refused(method, target, body, **UNAUTHORIZED)
    # A token that is none is told so even where none is needed.
    for method, target, body in reading:
        user("bob", "no-token").refused(method, target, body, **UNAUTHORIZED)
    assert bob.list() == []
    assert not ann.change(anns, isPublic=False)["isPublic"]
    bob.refused("GET", f"/api/radars/{anns}", **NOT_FOUND)
    transcript.assert_app_decodes_everything()


def test_socket_of_the_app_opens_for_whom_the_radar_is(user, app_socket, anns):
    def status(*arguments, **credentials):
        with pytest.raises(InvalidStatus) as refused:
            app_socket(*arguments, **credentials)
        return refused.value.response.status_code

    ann, bob = connection_token("ann"), connection_token("bob")
    app_socket(anns, token=ann)
    app_socket(anns, f"?token={ann}")
    # The radar's own token is for its socket, and for nothing else.
    token = user("ann").radar(anns)["socketToken"]
    other = user("ann").create("another")["id"]
    app_socket(anns, f"?token={token}")
    assert status(other, f"?token={token}") == status(anns, token=token) == 401
    user("ann", token).refused("GET", f"/api/radars/{anns}", **UNAUTHORIZED)
    assert status(anns) == status("no-such-radar") == 401
    assert status(anns, token="no-token") == status(anns, "?token=no-token") == 401
    assert status(anns, token=bob) == status("no-such-radar", token=bob) == 404
    assert status(anns, "?since=none", token=ann) == 400
    user("ann").change(anns, isPublic=True)
    app_socket(anns)
    app_socket(anns, token=bob)
    assert user("ann").radar(anns)["socketToken"] is None


def test_topic_of_a_radar_is_for_whom_the_radar_is(stage, radar_hub, user, anns):
    def subscribed(name, topic):
        """Whether a client of the SDK may have the topic, and a reader of event streams."""
        token = connection_token(name) if name else ""
        sdk = stage.sdk(radar_hub.port, [topic], token=token)
        stream = stage.event_stream(radar_hub.port, [topic], token=token)
        wait_until(
            lambda: sdk.subscribed[topic] or topic in sdk.unsubscribed,
            within=PATIENCE_SECONDS,
            what=f"an answer for {name}",
        )
        wait_until(
            lambda: stream.connections and stream.connections[0].status,
            within=PATIENCE_SECONDS,
            what=f"a status for {name}",
        )
        statuses = {True: {200}, False: {401, 403, 404}}[bool(sdk.subscribed[topic])]
        assert stream.connections[0].status in statuses, name
        return bool(sdk.subscribed[topic])

    topic = f"radar:{anns}"
    assert [subscribed(name, topic) for name in ("ann", "bob", "")] == [True, False, False]
    assert not subscribed("ann", "radar:no-such-radar")
    user("ann").change(anns, isPublic=True)
    assert [subscribed(name, topic) for name in ("ann", "bob", "")] == [True, True, True]
    # What goes to the app's sockets is for nobody else.
    assert not subscribed("ann", f"radar-app:{anns}")


# Lists


def test_list_has_the_newest_first_and_pages(user, transcript):
    ann = user("ann")
    ids = [ann.create(f"topic {number}")["id"] for number in range(25)]
    newest_first = ids[::-1]
    assert [each["id"] for each in ann.list()] == newest_first[:20]
    assert [each["id"] for each in ann.list("?limit=2")] == newest_first[:2]
    assert [each["id"] for each in ann.list("?limit=100&offset=20")] == newest_first[20:]
    assert ann.list("?offset=25") == []
    user("bob").create("another's")
    assert len(ann.list("?limit=100")) == 25
    for query in ["limit=0", "limit=101", "limit=x", "limit=-1", "offset=-1", "offset=x", "limit="]:
        name, _, value = query.partition("=")
        message = ann.refused("GET", f"/api/radars?{query}", **INVALID).value["message"]
        assert name in message and value in message, message
    transcript.assert_app_decodes_everything()


def test_opinions_have_the_newest_first_and_page(user, anns, transcript):
    ann = user("ann")
    # The first poll is over before others speak.
    ann.polled(anns)
    ids = [each["id"] for each in ann.opinions(anns)]
    for number in range(60):
        ids.insert(0, ann.push(anns, **OPINION | {"content": f"Opinion {number}."})["id"])
    assert len(ids) == 61
    listed = [each["id"] for each in ann.opinions(anns, "?limit=100")]
    assert listed == ids
    assert [each["id"] for each in ann.opinions(anns)] == ids[:50]
    assert [each["id"] for each in ann.opinions(anns, "?limit=20&offset=50")] == ids[50:]
    assert ann.opinions(anns, "?offset=61") == []
    assert [each["id"] for each in ann.radar(anns)["opinions"]] == ids[:20]
    assert [each["id"] for each in ann.list()[0]["opinions"]] == ids[:20]
    for query in ["limit=0", "limit=201", "offset=-1", "cursor=none"]:
        ann.refused("GET", f"/api/radars/{anns}/opinions?{query}", **INVALID)
    transcript.assert_app_decodes_everything()


def test_walk_by_cursor_finds_each_opinion_once_while_others_come(user, anns, transcript):
    ann = user("ann")
    ann.polled(anns)
    ids = {each["id"] for each in ann.opinions(anns)}
    for number in range(12):
        ids.add(ann.push(anns, **OPINION | {"content": f"Opinion {number}."})["id"])
    target, walked = f"/api/radars/{anns}/opinions?limit=5", []
    while target:
        page = ann.ask("GET", target, None, "opinions")
        walked += [each["id"] for each in page.value]
        link = page.headers.get("link", "")
        target = link.removeprefix("<").removesuffix('>; rel="next"')
        assert not link or link == f'<{target}>; rel="next"'
        ann.push(anns, **OPINION | {"content": f"After page {len(walked)}."})
    assert len(walked) == len(ids) and set(walked) == ids


def test_answer_that_a_client_has_is_not_sent_again(user, anns):
    ann = user("ann")
    ann.polled(anns)
    base = f"/api/radars/{anns}"
    for target in ["/api/radars", base, f"{base}/opinions", f"{base}/trends"]:
        first = ann.send("GET", target)
        known = {"If-None-Match": first.headers["etag"]}
        again = ann.send("GET", target, headers=known)
        assert (again.status, again.text) == (304, "")
        assert again.headers["etag"] == first.headers["etag"]
        assert again.headers["cache-control"] == "no-store", "the app's cache must not keep it"
        ann.push(anns, **OPINION)
        assert ann.send("GET", target, headers=known).status == 200


# Bodies

# By what is wrong: the body, and what the message has to name.
BAD_RADARS = {
    "no JSON": (b"{", []),
    "no object": (b'["topic"]', []),
    "no topic": ({}, ["topic"]),
    "another type": ({"topic": 5}, ["topic", "5"]),
    "null": ({"topic": None}, ["topic"]),
    "empty": ({"topic": ""}, ["topic"]),
    "blank": ({"topic": " \n"}, ["topic"]),
    "too long": ({"topic": "ø" * (TOPIC_LENGTH_MAX + 1)}, ["topic", "301", "300"]),
    "a control character": ({"topic": "a\u0007b"}, ["topic"]),
    "no Boolean": ({"topic": "a", "isPublic": "yes"}, ["isPublic", "yes"]),
    "no UTF-8": (b'{"topic":"\xff"}', []),
}


@pytest.mark.parametrize("wrong", BAD_RADARS)
def test_body_that_makes_no_radar_is_refused_by_name(user, wrong):
    body, named = BAD_RADARS[wrong]
    ann = user("ann")
    message = ann.refused("POST", "/api/radars", body, **INVALID).value["message"]
    assert all(each in message for each in named), message
    assert ann.list() == []


def test_topic_may_be_as_long_as_the_limit_and_of_any_script(user):
    ann = user("ann")
    for topic in ["ø" * TOPIC_LENGTH_MAX, "週休三日", "👩‍👩‍👧 at work"]:
        assert ann.create(topic)["topic"] == topic
    assert ann.create("  trimmed \n")["topic"] == "trimmed"


BAD_OPINIONS = {
    "another stance": ({"stance": "maybe"}, ["stance", "maybe"]),
    "confidence over one": ({"confidence": 1.01}, ["confidence", "1.01"]),
    "confidence below zero": ({"confidence": -0.01}, ["confidence", "-0.01"]),
    "confidence in words": ({"confidence": "high"}, ["confidence", "high"]),
    "no content": ({"content": ""}, ["content"]),
    "content over its limit": ({"content": "a" * (CONTENT_BYTES_MAX + 1)}, ["content", "8192"]),
    "author over its limit": ({"author": "a" * (NAME_LENGTH_MAX + 1)}, ["author", "200"]),
    "no author": ({"author": None}, ["author"]),
    "reasoning of another type": ({"reasoning": []}, ["reasoning"]),
}


@pytest.mark.parametrize("wrong", BAD_OPINIONS)
def test_body_that_is_no_opinion_is_refused_by_name(user, anns, wrong):
    values, named = BAD_OPINIONS[wrong]
    ann = user("ann")
    opinions_before = len(ann.polled(anns)["opinions"])
    target, key = f"/api/radars/{anns}/opinions", {"X-API-Key": API_KEY}
    message = ann.refused("POST", target, OPINION | values, headers=key, **INVALID).value["message"]
    assert all(each in message for each in named), message
    assert len(ann.opinions(anns)) == opinions_before


def test_opinion_at_every_limit_is_taken_and_told_as_it_is(user, anns, transcript):
    ann = user("ann")
    for values in [
        {"confidence": 0},
        {"confidence": 1},
        {"content": "a" * CONTENT_BYTES_MAX},
        {"author": "ø" * NAME_LENGTH_MAX},
        {"reasoning": 'Within \u2028, and "quotes", \\ and 🙂'},
        {"stance": "neutral"},
    ]:
        pushed = ann.push(anns, **OPINION | values)
        assert values.items() <= pushed.items()
        assert pushed in ann.opinions(anns)
    transcript.assert_app_decodes_everything()


def test_opinion_is_pushed_with_the_key_and_nothing_else(user, anns):
    ann = user("ann")
    target = f"/api/radars/{anns}/opinions"
    ann.refused("POST", target, OPINION, **UNAUTHORIZED)
    ann.refused("POST", target, OPINION, headers={"X-API-Key": "another"}, **UNAUTHORIZED)
    user().push(anns, **OPINION)
    absent = "/api/radars/no-such-radar/opinions"
    ann.refused("POST", absent, OPINION, headers={"X-API-Key": API_KEY}, **NOT_FOUND)


def test_get_with_a_body_is_a_plain_get(user):
    ann = user("ann")
    assert ann.ask("GET", "/api/radars", {"topic": TOPIC}, "radars").value == []
    assert ann.list() == []


@pytest.mark.parametrize(
    ("method", "target", "allowed"),
    [
        ("PUT", "/api/radars", {"GET", "POST"}),
        ("POST", "/api/radars/r1", {"GET", "PATCH", "DELETE"}),
        ("GET", "/api/radars/r1/refresh", {"POST"}),
        ("GET", "/api/interpret", {"POST"}),
    ],
)
def test_method_that_a_route_does_not_have_is_refused(user, method, target, allowed):
    answer = user("ann").send(method, target)
    assert answer.status == 405
    assert allowed <= {each.strip() for each in answer.headers["allow"].split(",")}


# Limits


@pytest.mark.parametrize("hub_values", [{"radars_per_user": 3}])
def test_user_has_as_many_radars_as_allowed(user, transcript):
    ann = user("ann")
    first, *_ = [ann.create(f"topic {number}")["id"] for number in range(3)]
    too_many = {"status": 409, "code": "TOO_MANY_RADARS"}
    refused = ann.refused("POST", "/api/radars", {"topic": TOPIC}, **too_many)
    assert "3" in refused.value["message"]
    user("bob").create(TOPIC)
    ann.delete(first)
    ann.create(TOPIC)
    transcript.assert_app_decodes_everything()


@pytest.mark.parametrize("hub_values", [{"refresh_interval": "1h"}])
def test_radar_is_refreshed_at_its_rate(user, anns, provider):
    ann = user("ann")
    ann.polled(anns)
    target = f"/api/radars/{anns}/refresh"
    first = ann.ask("POST", target, None, "radar")
    assert_rate(first)
    asked = len(provider.questions(about=TOPIC))
    early = ann.ask("POST", target, None, "radar")
    assert_rate(early)
    assert early.value["pending"] is False
    assert early.value["refreshCount"] == first.value["refreshCount"]
    assert len(provider.questions(about=TOPIC)) == asked


@pytest.mark.parametrize("hub_values", [{"refreshes_per_minute": 2}])
def test_user_refreshes_at_a_rate(user):
    ann = user("ann")
    ids = [ann.create(f"topic {number}")["id"] for number in range(3)]
    remaining = []
    for radar_id in ids[:2]:
        answer = ann.ask("POST", f"/api/radars/{radar_id}/refresh", None, "radar")
        assert int(answer.headers["x-ratelimit-limit"]) == 2
        remaining.append(int(answer.headers["x-ratelimit-remaining"]))
    assert remaining == [1, 0]
    refused = ann.refused("POST", f"/api/radars/{ids[2]}/refresh", status=429, code="RATE_LIMITED")
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert 0 < int(refused.headers["retry-after"]) <= 60
    bob = user("bob")
    bob.refresh(bob.create(TOPIC)["id"])


def test_refreshes_at_once_are_one_poll(user, anns, provider):
    ann = user("ann")
    ann.polled(anns)
    provider.stance = late(stance(), 1)
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(lambda _: ann.send("POST", f"/api/radars/{anns}/refresh"), range(8))
        )
    assert {each.status for each in answers} <= {200, 429}
    refreshed = [each.value for each in answers if each.status == 200]
    assert refreshed and all(each["refreshCount"] == 2 for each in refreshed)
    assert all(len(each["opinions"]) == 2 for each in refreshed)
    assert len(provider.questions(about=TOPIC)) == 2


def assert_rate(answer):
    for name in ("limit", "remaining", "reset"):
        assert int(answer.headers[f"x-ratelimit-{name}"]) >= 0
