"""What a hub answers is as protocol/openapi describes it: status, headers and body, of every route.

Each test goes through one description and ends with the statuses that it has not met; faults of the
hub are not among them.
"""

import json
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from harness.described import DescribedHub, described, target_of
from harness.film_app import DEVELOPMENT
from harness.ports import free_port
from harness.provider_answers import interpretation, stance
from harness.settings import API_KEY, ENVIRONMENT
from harness.stage import Stage
from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhooks import Inbox
from harness.whole_hub import (
    AURORA_KEY,
    AURORA_KEY_OF_A_GUEST,
    RADARS_MAX,
    WEBHOOKS_MAX,
    whole_hub,
)

PATIENCE_SECONDS = 30.0
KEY = {"X-API-Key": API_KEY}
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
OTHER_PAGE = {"Origin": "https://other.example"}


@pytest.fixture(scope="module")
def stage_of_all(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("openapi"))
    yield stage
    stage.close()


@pytest.fixture(scope="module")
def inbox(stage_of_all):
    inbox = Inbox()
    stage_of_all.ends_with(inbox.close)
    return inbox


@pytest.fixture(scope="module")
def running(stage_of_all, inbox):
    replay = stage_of_all.replay()
    provider = stage_of_all.provider(stance(), interpretation)
    return whole_hub(stage_of_all, f"http://127.0.0.1:{replay}", provider, inbox.port)


@pytest.fixture
def hub(running):
    return DescribedHub(running.port)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def user(name):
    return bearer(connection_token(name))


def test_hub_itself(hub):
    for path in ("/livez", "/readyz", "/api/health", "/metrics"):
        hub.ask("GET", path)
    hub.ask("GET", "/openapi", status=308)
    files = {"openapi": ["hub.json", "index.json", "page.js", "page.css"], "schemas": ["radar.json"]}
    for folder, names in files.items():
        for name in names:
            hub.ask("GET", f"/{folder}/{name}")
        hub.ask("GET", f"/{folder}/{name}", status=304, headers={"If-None-Match": "*"})
        hub.ask("GET", f"/{folder}/none.json", status=404)
    hub.ask("GET", "/asyncapi.json")
    hub.ask("GET", "/asyncapi.json", status=304, headers={"If-None-Match": "*"})
    for span in ("", "?span=hour", "?span=day"):
        hub.ask("GET", f"/api/stats{span}", headers=KEY)
    hub.ask("GET", "/api/stats?span=week", status=400, headers=KEY)
    hub.ask("GET", "/api/stats", status=401)
    for limit in ("", "?limit=1", "?limit=1000"):
        hub.ask("GET", f"/api/topics{limit}", headers=KEY)
    hub.ask("GET", "/api/topics?limit=0", status=400, headers=KEY)
    hub.ask("GET", "/api/topics", status=401)
    why = "/debug/why?client=nobody&topic=chat:room&offset="
    hub.ask("POST", "/api/publish", {"channel": "chat:room", "data": 1}, headers=KEY)
    assert hub.ask("GET", why + "1", headers=KEY)["outcome"] == "not_subscribed"
    hub.ask("GET", why + "0", status=400, headers=KEY)
    hub.ask("GET", why + "1", status=401)
    hub.ask("GET", "/api/feeds?polls=10", headers=KEY)
    hub.ask("GET", "/api/feeds?polls=121", status=400, headers=KEY)
    hub.ask("GET", "/api/feeds", status=401)
    hub.ask("GET", "/api/doors", headers=KEY)
    hub.ask("GET", "/api/doors", status=401)
    ask_for_the_clock(hub)
    hub.ask("GET", "/events?topics=chat:room")
    hub.ask("GET", "/events?topics=chat:room,chat:lobby&last_event_id=0")
    cloud_events = UPGRADE | {"Sec-WebSocket-Protocol": "cloudevents.json"}
    hub.ask("GET", "/events?topics=chat:room", status=101, headers=cloud_events)
    hub.ask("GET", "/events?topics=none:a", status=204, headers={"Last-Event-ID": "1"})
    hub.ask("GET", "/events", status=400)
    hub.ask("GET", "/events?topics=chat:room&token=x", status=401)
    hub.ask("GET", "/events?topics=members:a", status=403)
    hub.ask("GET", "/events?topics=chat:room", status=403, headers=OTHER_PAGE)
    hub.ask("GET", "/events?topics=none:a", status=404)
    client = "/connection/websocket"
    hub.ask("GET", client, status=101, headers=UPGRADE)
    hub.ask("GET", client, status=400, headers=UPGRADE | {"Sec-WebSocket-Key": "short"})
    hub.ask("GET", client, status=403, headers=UPGRADE | OTHER_PAGE)
    hub.ask("GET", client, status=426)
    connect = {"id": 1, "connect": {}}
    query = f"/connection/sse?cf_connect={quote(json.dumps(connect))}"
    hub.ask("GET", query)
    hub.ask("GET", "/connection/sse", status=400)
    hub.ask("GET", query, status=403, headers=OTHER_PAGE)
    lines = "/connection/http_stream"
    hub.ask("POST", lines, connect)
    hub.ask("POST", lines, b"", status=400)
    hub.ask("POST", lines, connect, status=403, headers=OTHER_PAGE)
    hub.ask("POST", lines, b" " * (32 * 1024 + 1), status=413)
    protobuf = {"Content-Type": "application/octet-stream"}
    hub.ask("POST", lines, b"x", status=415, headers=protobuf)
    ask_as_client_without_web_socket(hub, connect)
    assert hub.unmet("hub") == set()


def ask_for_the_clock(hub):
    start = hub.ask("GET", "/api/clock", headers=KEY)["recording"]["start"]
    hub.ask("GET", "/api/clock", status=401)
    for change in ({"speed": 60}, {"paused": False}):
        hub.ask("POST", "/api/clock", change, headers=KEY)
    hub.ask("POST", "/api/clock", {"speed": 0}, status=400, headers=KEY)
    hub.ask("POST", "/api/clock", {"paused": True}, status=401)
    hub.ask("POST", "/api/clock", {"time": start}, status=409, headers=KEY)
    hub.ask("POST", "/api/clock", b" " * 4097, status=413, headers=KEY)


def ask_as_client_without_web_socket(hub, connect):
    with hub.stream("POST", "/connection/http_stream", connect) as lines:
        session = json.loads(lines.readline())["connect"]["session"]
        command = {"session": session, "data": '{"id":2,"rpc":{"method":"none"}}'}
        hub.ask("POST", "/emulation", command, status=204)
        assert json.loads(lines.readline())["error"]["code"] == 104
        long = command | {"data": " " * (1 << 20)}
        hub.ask("POST", "/emulation", long, status=413)
    hub.ask("POST", "/emulation", command | {"session": "0-0-0-0"}, status=404)
    hub.ask("POST", "/emulation", {}, status=400)
    hub.ask("POST", "/emulation", command, status=403, headers=OTHER_PAGE)


def test_server_api(hub):
    def call(method, **body):
        return hub.ask("POST", f"/api/{method}", body, headers=KEY)

    room = {"channel": "chat:room"}
    assert "result" in call("publish", **room, data={"text": "hello"}, tags={"lang": "nb"})
    assert call("publish", channel="none:room", data=1)["error"]["code"] == 102
    assert call("publish")["error"]["code"] == 107
    broadcast = call("broadcast", channels=["chat:room", "none:room"], data=1)
    assert len(broadcast["result"]["responses"]) == 2
    assert call("history", **room, limit=1)["result"]["publications"]
    for method in ("presence", "presence_stats", "history_remove"):
        assert "result" in call(method, **room)
    for method in ("channels", "connections", "info"):
        assert "result" in call(method)
    assert len(call("get_user_status", users=["kari", "nora"])["result"]["statuses"]) == 2
    for method in ("subscribe", "unsubscribe"):
        assert call(method, user="kari", **room) == {"result": {}}
    assert call("revoke_token", uid="token-7", expire_at=1900000000)
    assert call("invalidate_user_tokens", user="nora", issued_before=1800000000)
    assert call("block_user", user="nora")
    assert call("unblock_user", user="nora")
    assert call("disconnect", user="kari", disconnect={"code": 4501, "reason": "banned"})
    assert call("refresh", user="kari", expired=True) == {"result": {}}
    commands = [{"publish": {**room, "data": 1}}, {"info": {}}, {"presence": {}}]
    assert len(call("batch", commands=commands)["replies"]) == 3
    hub.ask("POST", "/api/batch", {}, status=400, headers=KEY)
    hub.refuse_everybody("server-api")
    hub.refuse_bad_bodies("server-api", KEY)
    for each in described("server-api", "415"):
        wrong = {"Content-Encoding": "gzip"}
        hub.ask("POST", each.path, {}, status=415, headers=KEY | wrong)
    assert hub.unmet("server-api") == set()


def test_aurora(hub, running, stage_of_all):
    running.wait_for_conditions()
    key = {"X-API-Key": AURORA_KEY}
    paths = [each.path for each in described("aurora", "200")]
    for path in paths:
        wait_until(
            lambda path=path: running.get(path).status == 200,
            within=PATIENCE_SECONDS,
            what=f"{path} is known",
        )
        hub.ask("GET", path, headers=key)
        hub.ask("GET", f"{path}?place=tromso", headers=key | {"Accept-Language": "en"})
        hub.ask("GET", f"{path}?explain=1", headers=key)
        hub.ask("GET", f"{path}?place=none", status=404, headers=key)
        hub.ask("GET", path, status=304, headers=key | {"If-None-Match": "*"})
        hub.ask("GET", path, status=403, headers={"X-API-Key": "of nobody"})
    hub.ask("GET", "/api/aurora/forecast?days=8", status=400, headers=key)
    guest = {"X-API-Key": AURORA_KEY_OF_A_GUEST}
    # Two are let through before; and two more, when an hour begins in between.
    wait_until(
        lambda: all(hub.ask_any("GET", path, headers=guest) == 429 for path in paths),
        within=PATIENCE_SECONDS,
        what="the guest has had all requests",
    )
    # In development nobody is refused for want of a key; and there is something to tell.
    strict = stage_of_all.hub(name="strict")
    place = {"id": "tromso", "name": "Tromsø", "latitude": 69.6, "longitude": 19.0}
    nowhere = f"http://127.0.0.1:{free_port()}"
    section = {
        "places": [place],
        "swpc_url": nowhere,
        "metno_url": nowhere,
        "user_agent": "varde-acceptance/1 ops@example.org",
        "api_keys": [AURORA_KEY],
    }
    strict.configure(f"aurora: {json.dumps(section)}\n")
    strict.start()
    silent = DescribedHub(strict.port)
    for path in paths:
        silent.ask("GET", path, status=401)
        silent.ask("GET", path, status=503, headers=key)
    hub.met |= silent.met
    assert hub.unmet("aurora") == set()


def test_radars(hub):
    kari, ola, nils = user("kari"), user("ola"), user("nils")
    topic = {"topic": "four-day working week", "isPublic": True}
    radar = hub.ask("POST", "/api/radars", topic, status=201, headers=kari)
    public = f"/api/radars/{radar['id']}"
    opinion = {"author": "ada", "model": "none", "stance": "for", "confidence": 0.8}
    opinion["content"] = "It has worked for us."
    hub.ask("POST", f"{public}/opinions", opinion, status=201, headers=KEY)
    hub.ask("POST", f"{public}/refresh", headers=kari)
    for target in ("", "?explain=1", "/opinions?limit=1", "/trends?days=2"):
        hub.ask("GET", public + target)
        hub.ask("GET", public + target, status=304, headers={"If-None-Match": "*"})
    hub.ask("GET", "/api/radars", status=304, headers=kari | {"If-None-Match": "*"})
    hub.ask("GET", "/api/radars?limit=1", headers=kari)
    hub.ask("GET", "/api/radars/budget", headers=kari)
    hub.ask("PATCH", public, {"isPublic": True}, headers=kari)
    hub.ask("POST", "/api/interpret", {"topic": "trams"}, headers=kari)
    hub.ask("PATCH", public, {"isPublic": False}, status=403, headers=ola)
    hub.ask("DELETE", public, status=403, headers=ola)
    hub.ask("POST", f"{public}/refresh", status=403, headers=ola)
    for target in ("?limit=0", "?offset=-1"):
        hub.ask("GET", f"/api/radars{target}", status=400, headers=kari)
    hub.ask("GET", f"{public}/opinions?limit=201", status=400)
    hub.ask("GET", f"{public}/trends?days=366", status=400)
    for _ in range(RADARS_MAX - 1):
        hub.ask("POST", "/api/radars", {"topic": "more"}, status=201, headers=kari)
    hub.ask("POST", "/api/radars", {"topic": "one too many"}, status=409, headers=kari)
    # Those with a body about a radar want one that is there.
    hub.ask("PATCH", public, b"{", status=400, headers=kari)
    hub.ask("POST", f"{public}/opinions", b"{", status=400, headers=KEY)
    long = b'{"topic":"' + b"a" * (200 << 10) + b'"}'
    hub.ask("PATCH", public, long, status=413, headers=kari)
    hub.ask("POST", f"{public}/opinions", long, status=413, headers=KEY)
    for path in ("/api/radars", "/api/interpret"):
        hub.ask("POST", path, b"{", status=400, headers=kari)
        hub.ask("POST", path, long, status=413, headers=kari)
    own = hub.ask("POST", "/api/radars", {"topic": "own"}, status=201, headers=nils)
    too_often = [
        (f"/api/radars/{own['id']}/refresh", None),
        ("/api/interpret", {"topic": "trams"}),
    ]
    for path, body in too_often:
        while hub.ask_any("POST", path, body, headers=nils) != 429:
            continue
    while hub.ask_any("POST", f"{public}/opinions", opinion, headers=KEY) != 429:
        continue
    socket = f"/api/ws/radar/{radar['id']}"
    hub.ask("GET", socket, status=101, headers=UPGRADE)
    hub.ask("GET", socket, status=400, headers=UPGRADE | {"Sec-WebSocket-Key": "short"})
    hub.ask("GET", socket, status=403, headers=UPGRADE | OTHER_PAGE)
    hub.ask("GET", socket, status=426)
    private = f"/api/ws/radar/{own['id']}"
    hub.ask("GET", private, status=401, headers=UPGRADE)
    hub.ask("GET", private, status=404, headers=UPGRADE | kari)
    hub.ask("DELETE", public, headers=kari)
    hub.refuse_everybody("radar", but={"followRadar"})
    hub.refuse_unknown_ids("radar", kari | KEY, but={"followRadar"})
    busy = {"createRadar", "listOpinions", "getRadar", "getTrend", "listRadars"}
    assert hub.unmet("radar", busy=busy) == set()


def test_film_app(hub):
    def log_in(name):
        body = {"provider": DEVELOPMENT, "token": name}
        answer = hub.ask("POST", "/auth/login", body)
        return answer, bearer(answer["access_token"]), answer["user"]["user_id"]

    login, ended, kari_id = log_in("Kari")
    (_, kari, _), (_, ola, ola_id), (_, anne, anne_id) = (
        log_in(name) for name in ["Kari", "Ola", "Anne"]
    )
    renewed = hub.ask("POST", "/auth/refresh", {"refresh_token": login["refresh_token"]})
    hub.ask("POST", "/auth/logout", {"refresh_token": renewed["refresh_token"]})
    hub.ask("POST", "/movies/2/rate", {"rating": 4}, status=401, headers=ended)
    hub.ask("POST", "/auth/refresh", {"refresh_token": "nobody's"}, status=401)
    hub.ask("POST", "/auth/login", {"provider": "apple", "token": "x"}, status=400)

    review = {"rating": 5, "comment": "See it on a large screen.", "is_review": True}
    hub.ask("POST", "/movies/1/rate", review, headers=ola)
    hub.ask("POST", "/movies/2/rate", {"rating": 4}, headers=kari)
    asked = hub.ask("POST", "/friends/requests", {"user_id": ola_id}, headers=kari)
    hub.ask("POST", "/friends/requests", {"user_id": ola_id}, status=409, headers=kari)
    for direction in ("incoming", "outgoing"):
        hub.ask("GET", f"/friends/requests?direction={direction}", headers=ola)
    second = hub.ask("POST", "/friends/requests", {"user_id": kari_id}, headers=anne)
    hub.ask("POST", f"/friends/requests/{asked['request_id']}/accept", headers=ola)
    hub.ask("POST", "/friends/requests", {"user_id": ola_id}, status=409, headers=kari)
    # Kari has as many friends as there may be.
    hub.ask("POST", f"/friends/requests/{second['request_id']}/accept", status=409, headers=kari)
    hub.ask("POST", f"/friends/requests/{second['request_id']}/decline", headers=kari)
    hub.ask("POST", "/friends/requests", {"user_id": kari_id}, status=409, headers=anne)
    found = hub.ask("GET", "/movies/1/reviews", headers=kari)["reviews"][0]
    for method in ("POST", "DELETE"):
        hub.ask(method, f"/movies/1/reviews/{found['review_id']}/like", headers=kari)
    hub.ask("POST", "/movies/3/watchlist", {"action": "add"}, headers=ola)
    for method in ("POST", "DELETE"):
        hub.ask(method, "/movies/5/not_interested", headers=ola)
    for event in ("started", "progress", "paused", "completed"):
        body = {"event_type": event, "progress_percent": 42}
        hub.ask("POST", "/movies/4/watch", body, headers=ola)
    hub.ask("PATCH", "/users/me", {"bio": "Films from the north."}, headers=ola)
    for target in (
        "/movies/1",
        "/movies/1/explanation",
        "/movies/search?q=a",
        "/watchlist",
        "/feed/recommendations",
        "/feed/activities",
        "/feed/activities?since=0&type=review",
        "/feed/unread",
        "/feed/unread?since=0.0.0",
        # A parameter without a value counts as left out.
        "/movies/search?q=a&genres=&year=&year_from=&sort=&limit=&offset=",
        "/movies/search?q=",
        "/feed/activities?type=&since=&limit=",
        "/feed/unread?since=",
        "/friends?status=&limit=",
        "/friends/requests?direction=",
        "/users/me/data?after=",
        "/movies/search?genres=Comedy&year_from=1900&sort=rating",
        "/friends",
        f"/users/{ola_id}",
        "/users/me",
        "/users/me/data",
        "/users/me/data?after=logins:0",
    ):
        hub.ask("GET", target, headers=kari)
    hub.ask("POST", f"/friends/{anne_id}/block", headers=kari)
    blocked = hub.ask("GET", "/friends?status=blocked", headers=kari)
    assert [person["name"] for person in blocked["friends"]] == ["Anne"]
    # Who is blocked can block back, and must not see who has blocked.
    assert hub.ask("GET", "/friends?status=blocked", headers=anne)["friends"] == []
    hub.ask("POST", f"/friends/{kari_id}/block", headers=anne)
    hub.ask("DELETE", f"/friends/{kari_id}/block", headers=anne)
    hub.ask("DELETE", f"/friends/{anne_id}/block", headers=kari)
    hub.ask("DELETE", f"/friends/{ola_id}", headers=kari)
    third = hub.ask("POST", "/friends/requests", {"user_id": ola_id}, headers=kari)
    hub.ask("DELETE", f"/friends/requests/{third['request_id']}", headers=kari)
    hub.ask("GET", "/feed/unread?since=x", status=400, headers=kari)
    hub.ask("GET", "/users/me/data?after=none:0", status=400, headers=kari)
    hub.ask("DELETE", "/movies/2/rate", headers=kari)
    hub.ask("DELETE", "/movies/2/rate", status=404, headers=kari)
    # About oneself.
    for method in ("POST", "DELETE"):
        hub.ask_any(method, f"/friends/{kari_id}/block", headers=kari)
    hub.ask("POST", "/friends/requests", {"user_id": 999_999}, status=404, headers=kari)
    for each in described("activity", "400"):
        if any(node.value["name"] == "limit" for node in each.parameters):
            target = each.path.replace("{id}", "1") + "?q=a&limit=101"
            hub.ask("GET", target, status=400, headers=kari)
    hub.refuse_everybody("activity")
    hub.refuse_unknown_ids("activity", kari)
    hub.refuse_bad_bodies("activity", kari)
    hub.ask("DELETE", "/users/me", headers=anne)
    hub.ask("GET", "/users/me", status=401, headers=anne)

    def is_refused_everywhere():
        """Unless a minute begins in between."""
        hub.ask_until_refused("/movies/1", headers=ola)
        return all(
            hub.ask_any(each.method.upper(), target_of(each), {}, headers=ola) == 429
            for each in described("activity", "429")
        )

    wait_until(is_refused_everywhere, within=3 * PATIENCE_SECONDS, what="Ola has asked too often")
    # It takes very many films to fill these lists, and a token of Apple's to be refused one.
    assert hub.unmet("activity") == {
        ("setWatchlist", "409"),
        ("setNotInterested", "409"),
        ("logIn", "401"),
    }


def test_accounts(stage_of_all):
    """Of hubs without the film app."""

    def started(name, logins):
        server = stage_of_all.hub(name=name, environment=ENVIRONMENT)
        rates = f"rates: {{address: {{logins: {logins}}}}}"
        server.configure("\n".join(["development: true", "accounts: {}", rates, ""]))
        server.start()
        return DescribedHub(server.port, "accounts")

    hub = started("accounts", 0)
    login = hub.ask("POST", "/auth/login", {"provider": DEVELOPMENT, "token": "Kari"})
    renewed = hub.ask("POST", "/auth/refresh", {"refresh_token": login["refresh_token"]})
    assert renewed["user"] == login["user"]
    token = bearer(renewed["access_token"])
    assert hub.ask("GET", "/users/me", headers=token) == login["user"]
    assert hub.ask("GET", "/users/me/data", headers=token)["next"] is None
    hub.ask("GET", "/users/me/data?after=moon:1", status=400, headers=token)
    hub.ask("POST", "/auth/logout", {"refresh_token": renewed["refresh_token"]})
    hub.ask("POST", "/auth/refresh", {"refresh_token": "nobody's"}, status=401)
    hub.refuse_everybody("accounts")
    for each in described("accounts", "429"):
        if each.security and each.id != "deleteAccount":
            other = hub.ask("POST", "/auth/login", {"provider": DEVELOPMENT, "token": each.id})
            hub.ask_until_refused(each.path, headers=bearer(other["access_token"]))
            hub.ask(each.method.upper(), each.path, status=429, headers=bearer(other["access_token"]))
    # The requests of a user count together, whatever they ask for.
    hub.ask("DELETE", "/users/me", status=429, headers=bearer(other["access_token"]))
    leaving = hub.ask("POST", "/auth/login", {"provider": DEVELOPMENT, "token": "Ola"})
    assert hub.ask("DELETE", "/users/me", headers=bearer(leaving["access_token"])) == {}
    hub.ask("POST", "/auth/login", {"provider": "apple", "token": "x"}, status=400)
    hub.refuse_bad_bodies("accounts", {})
    limited = started("limited", 1)
    for each in described("accounts", "429"):
        if each.security:
            continue
        wait_until(
            lambda path=each.path: limited.ask_any("POST", path, {}, headers={}) == 429,
            within=PATIENCE_SECONDS,
            what=f"{each.path} is asked too often",
        )
    hub.met |= limited.met
    # It takes a token of Apple's to be refused one.
    assert hub.unmet("accounts") == {("logInToAccount", "401")}


def list_acknowledge_and_silence(hub):
    rule = {"name": "shouted", "topics": "chat:loud", "when": "volume > 10"}
    hub.ask("POST", "/api/alerts/rules", rule, status=201, headers=KEY)
    silences = "/api/alerts/silences"
    silence = {"rule": "shouted", "until": hours_from_now(1), "note": "a concert"}
    made = hub.ask("POST", silences, silence, status=201, headers=KEY)
    assert hub.ask("GET", silences, headers=KEY)["silences"] == [made]
    hub.ask("POST", "/api/publish", {"channel": "chat:loud", "data": {"volume": 11}}, headers=KEY)
    active = "/api/alerts?state=active&limit=1000"

    def shouted():
        alerts = hub.ask("GET", active, headers=KEY)["alerts"]
        return [each for each in alerts if each["rule"] == "shouted"]

    wait_until(shouted, within=PATIENCE_SECONDS, what="the alert is listed")
    (alert,) = shouted()
    assert (alert["values"], alert["silenced"]) == ({"volume": 11}, True)
    seen = hub.ask(
        "POST", f"/api/alerts/{alert['id']}/acknowledge", {"note": "heard"}, headers=KEY
    )
    assert seen["acknowledged"]["note"] == "heard"
    for _ in range(99):
        hub.ask("POST", silences, silence, status=201, headers=KEY)
    hub.ask("POST", silences, silence, status=409, headers=KEY)
    for each in hub.ask("GET", silences, headers=KEY)["silences"]:
        hub.ask("DELETE", f"{silences}/{each['id']}", headers=KEY)
    hub.ask("DELETE", "/api/alerts/rules/shouted", headers=KEY)


def hours_from_now(hours):
    time = datetime.now(timezone.utc) + timedelta(hours=hours)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_alert_rules(hub):
    kari = user("kari")
    rules = "/api/alerts/rules"
    rule = {"name": "loud", "topics": "radar:*", "when": "opinion.confidence >= 0.9"}
    hub.ask("POST", rules, rule, status=201, headers=KEY)
    hub.ask("POST", rules, rule, status=409, headers=KEY)
    full = rule | {
        "until": "opinion.confidence < 0.5",
        "hold": "5m",
        "cooldown": "1h",
        "severity": "warning",
        "escalate": [{"severity": "critical", "when": "opinion.confidence >= 0.99"}],
        "quiet": {"from": "22:00", "to": "07:00", "zone": "+01:00"},
    }
    hub.ask("PUT", f"{rules}/loud", full, headers=KEY)
    hub.ask("PUT", f"{rules}/loud", full | {"name": "other"}, status=400, headers=KEY)
    hub.ask("GET", f"{rules}/loud", headers=KEY)
    hub.ask("GET", rules, headers=KEY)
    hub.ask("POST", rules, rule, status=201, headers=kari)
    hub.ask("GET", f"{rules}/loud?owner=kari", headers=KEY)
    forbidden = rule | {"topics": "hub:webhooks"}
    hub.ask("POST", rules, forbidden | {"name": "other"}, status=403, headers=kari)
    hub.ask("PUT", f"{rules}/loud", forbidden, status=403, headers=kari)
    fixed = rule | {"name": "fixed"}
    hub.ask("PUT", f"{rules}/fixed", fixed, status=409, headers=KEY)
    hub.ask("DELETE", f"{rules}/fixed", status=409, headers=KEY)
    hub.ask("DELETE", f"{rules}/loud", headers=KEY)
    list_acknowledge_and_silence(hub)
    rehearsed = {"rule": rule, "topic": "radar:1", "hours": 2}
    assert hub.ask("POST", "/api/alerts/rehearsal", rehearsed, headers=KEY)["publications"] == 0
    hub.refuse_everybody("alerts")
    hub.refuse_bad_bodies("alerts", KEY)
    for method in ("GET", "DELETE"):
        hub.ask(method, f"{rules}/none", status=404, headers=KEY)
    hub.ask("POST", "/api/alerts/none/acknowledge", status=404, headers=KEY)
    hub.ask("DELETE", "/api/alerts/silences/none", status=404, headers=KEY)
    hub.ask("GET", "/api/alerts?limit=0", status=400, headers=KEY)
    hub.ask("PUT", f"{rules}/none", rule | {"name": "none"}, status=404, headers=KEY)
    for method, target in (("POST", rules), ("PUT", f"{rules}/loud"), ("DELETE", f"{rules}/x")):
        body = None if method == "DELETE" else rule
        wait_until(
            lambda: hub.ask_any(method, target, body, headers=user("ola")) == 429,
            within=PATIENCE_SECONDS,
            what="ola has changed rules too often",
        )
    assert hub.unmet("alerts") == set()


def test_webhooks(hub, inbox):
    def ask(method, target, body=None, status=200):
        return hub.ask(method, f"/api/webhooks{target}", body, status=status, headers=KEY)

    idle = ask("POST", "", {"url": "https://hooks.example.org/in", "rate": 10}, 201)
    made = ask("POST", "", {"url": f"{inbox.url}/in", "types": ["radar.*"]}, 201)
    one = f"/{made['id']}"
    wait_until(
        lambda: ask("GET", one)["status"] == "active",
        within=PATIENCE_SECONDS,
        what="the webhook is active",
    )
    ask("GET", "")
    ask("PATCH", one, {"severities": ["critical"]})
    ask("POST", f"{one}/test", status=202)

    def delivered():
        deliveries = ask("GET", f"{one}/deliveries")["deliveries"]
        return [each for each in deliveries if each["status"] == "delivered"]

    wait_until(lambda: len(delivered()) == 2, within=PATIENCE_SECONDS, what="both are delivered")
    assert ask("GET", f"{one}/attempts")["attempts"][0]["outcome"] == "delivered"
    ask("GET", f"{one}/attempts?limit=201", status=400)
    ask("POST", f"{one}/deliveries/{delivered()[0]['id']}/retry", status=202)
    half_a_day = {"from": "2026-01-31T00:00:00Z", "to": "2026-01-31T12:00:00Z"}
    ask("POST", f"{one}/replay", half_a_day, 202)
    ask("POST", f"{one}/rotate")
    ask("POST", f"{one}/pause")
    ask("POST", f"{one}/test", status=409)
    ask("POST", f"{one}/resume")
    ask("POST", f"/{idle['id']}/pause", status=409)
    ask("POST", "", {"url": "http://127.0.0.2/"}, 400)
    ask("GET", f"{one}/deliveries?limit=101", status=400)
    for _ in range(WEBHOOKS_MAX - 2):
        ask("POST", "", {"url": "https://hooks.example.org/more"}, 201)
    ask("POST", "", {"url": "https://hooks.example.org/more"}, 409)
    ask("PATCH", "/pager", {"rate": 1}, 409)
    ask("DELETE", "/pager", status=409)
    ask("POST", "/pager/rotate", status=409)
    ask("GET", "/pager")
    ask("DELETE", f"/{idle['id']}")
    hub.refuse_everybody("webhooks")
    hub.refuse_unknown_ids("webhooks", KEY)
    hub.refuse_bad_bodies("webhooks", KEY)
    assert hub.unmet("webhooks") == set()
