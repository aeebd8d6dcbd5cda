"""Who hears of what: friends at once, and nobody else; who parts takes his acts along."""

import time
from urllib.parse import quote

import cent
import pytest

from harness import tokens
from harness.film_app import FilmApp, film_hub
from harness.schemas import assert_fits
from harness.server_api import ServerAPI
from harness.waiting import wait_until

PATIENCE_SECONDS = 10
PERMISSION_DENIED = 103


@pytest.fixture
def hub(stage):
    # So few that the tests have somebody with more friends.
    return film_hub(stage, fanout_in_act=3)


@pytest.fixture
def app(hub):
    return FilmApp(hub.port)


def listener(stage, hub, person):
    client = stage.sdk(hub.port, [person.topic], token=person.token)
    wait_until(
        lambda: client.subscribed[person.topic],
        within=PATIENCE_SECONDS,
        what=f"{person.name} is subscribed",
    )
    return client


# Requests and likes are told on the same topic.
ACTS = ("activity.created", "activity.deleted")


def heard(client, person):
    told = [data for _, data in client.publications[person.topic]]
    return [data["data"] for data in told if data["type"] in ACTS]


def history(hub, person):
    """What somebody gets who comes now and wants all that there is."""
    api = ServerAPI(hub.port)
    try:
        result = api.call(cent.HistoryRequest(channel=person.topic, limit=-1))
    finally:
        api.close()
    told = [publication.data for publication in result.publications]
    return [data["data"] for data in told if data["type"] in ACTS]


def rate(app, person, film=1, stars=5, **more):
    app.ask("POST", f"/movies/{film}/rate", person.token, {"rating": stars, **more})


def test_act_reaches_friends_and_nobody_else_and_agrees_with_the_feed(stage, hub, app):
    kari, ola, per = (app.log_in(name) for name in ("Kari", "Ola", "Per"))
    app.befriend(kari, ola)
    clients = {person: listener(stage, hub, person) for person in (kari, ola, per)}
    rate(app, kari, comment="Go and see it.", is_review=True)
    rate(app, kari, comment="Go and see it.", is_review=True)
    app.ask("POST", "/movies/2/watch", kari.token, {"event_type": "started"})
    app.ask("POST", "/movies/2/watch", kari.token, {"event_type": "completed"})
    app.ask("POST", "/movies/3/watchlist", kari.token, {"action": "add"})
    wait_until(
        lambda: len(heard(clients[ola], ola)) == 4,
        within=PATIENCE_SECONDS,
        what="Ola has heard of all four",
    )
    feed = app.ask("GET", "/feed/activities", ola.token)
    assert_fits(feed, "activity-feed")
    assert heard(clients[ola], ola) == feed["activities"][::-1]
    types = [entry["type"] for entry in feed["activities"]]
    assert types == ["watchlist", "watched", "started", "review"]
    for detail in clients[ola].details[ola.topic]:
        assert detail.tags["actor"] == str(kari.id)
    assert heard(clients[kari], kari) == []
    assert heard(clients[per], per) == []
    assert app.ask("GET", "/feed/activities", per.token)["total_count"] == 0
    only = app.ask("GET", "/feed/activities?type=review", ola.token)
    assert [entry["comment"] for entry in only["activities"]] == ["Go and see it."]


def test_feed_goes_on_behind_a_cursor(app):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    for film in range(1, 6):
        rate(app, kari, film)
    first = app.ask("GET", "/feed/activities?since=0&limit=2", ola.token)
    assert_fits(first, "activity-feed")
    assert [entry["movie_id"] for entry in first["activities"]] == [1, 2]
    assert first["has_more"]
    rest = app.ask("GET", f"/feed/activities?since={first['cursor']}", ola.token)
    assert [entry["movie_id"] for entry in rest["activities"]] == [3, 4, 5]
    nothing = app.ask("GET", f"/feed/activities?since={rest['cursor']}", ola.token)
    assert (nothing["activities"], nothing["cursor"]) == ([], rest["cursor"])


def test_topic_is_its_owners_alone(stage, hub, app):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    client = stage.sdk(hub.port, [kari.topic], token=ola.token)
    wait_until(
        lambda: kari.topic in client.unsubscribed or client.errors,
        within=PATIENCE_SECONDS,
        what="Ola is refused",
    )
    assert not client.subscribed[kari.topic]
    stream = hub.get(f"/events?topics={kari.topic}", {"Authorization": f"Bearer {ola.token}"})
    assert stream.status in (401, 403, 404)
    nobody = hub.get(f"/events?topics={kari.topic}")
    assert nobody.status in (401, 403, 404)


def watching(person):
    return f"watching:{person.id}"


def is_refused(client, topic):
    return topic in client.unsubscribed or bool(client.errors)


def test_friends_see_who_is_watching_and_others_do_not(stage, hub, app):
    kari, ola, per = (app.log_in(name) for name in ("Kari", "Ola", "Per"))
    app.befriend(kari, ola)
    topic = watching(kari)
    friend = stage.sdk(hub.port, [], token=ola.token)
    friend.subscribe(topic, join_leave=True)
    wait_until(lambda: friend.subscribed[topic], within=PATIENCE_SECONDS, what="Ola looks")
    own = stage.sdk(hub.port, [topic], token=kari.token)
    wait_until(lambda: friend.joined[topic], within=PATIENCE_SECONDS, what="Ola sees Kari watch")
    expired = tokens.signed({"sub": str(ola.id), "exp": int(time.time()) - 60})
    for name, token in (("a stranger", per.token), ("nobody", ""), ("an expired token", expired)):
        options = {"token": token} if token else {}
        other = stage.sdk(hub.port, [topic], until_connected=False, **options)
        wait_until(
            lambda other=other: is_refused(other, topic) or other.disconnected,
            within=PATIENCE_SECONDS,
            what=f"{name} is refused",
        )
        assert not other.subscribed[topic], name
    app.ask("POST", f"/friends/{ola.id}/block", kari.token)
    wait_until(
        lambda: topic in friend.unsubscribed, within=PATIENCE_SECONDS, what="Ola sees nothing more"
    )
    again = stage.sdk(hub.port, [topic], token=ola.token)
    wait_until(
        lambda: is_refused(again, topic), within=PATIENCE_SECONDS, what="a blocked friend is refused"
    )
    assert own.subscribed[topic]


@pytest.mark.parametrize("topic", ["activity", "watching"])
def test_topics_are_nobodys_over_event_streams_either(hub, app, topic):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    expired = tokens.signed({"sub": str(kari.id), "exp": int(time.time()) - 60})
    for token in (ola.token, expired, ""):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = hub.get(f"/events?topics={topic}:{kari.id}", headers)
        assert answer.status in (401, 403, 404), (token, answer)
    for spelling in (f"0{kari.id}", f"+{kari.id}", f" {kari.id}", "kari"):
        headers = {"Authorization": f"Bearer {kari.token}"}
        answer = hub.get(f"/events?topics={topic}:{quote(spelling)}", headers)
        assert answer.status in (400, 403, 404), (spelling, answer)


@pytest.mark.parametrize("parting", ["block", "is blocked", "unfriend"])
def test_parting_ends_it_in_both_directions_history_included(stage, hub, app, parting):
    kari, ola, per = (app.log_in(name) for name in ("Kari", "Ola", "Per"))
    app.befriend(kari, ola)
    app.befriend(kari, per)
    app.befriend(ola, per)
    clients = {person: listener(stage, hub, person) for person in (kari, ola, per)}
    for person in (kari, ola, per):
        rate(app, person)
    for person in (kari, ola, per):
        wait_until(
            lambda person=person: len(heard(clients[person], person)) == 2,
            within=PATIENCE_SECONDS,
            what=f"{person.name} has heard of two acts",
        )
    who, whom = (ola, kari) if parting == "is blocked" else (kari, ola)
    if parting == "unfriend":
        app.ask("DELETE", f"/friends/{whom.id}", who.token)
    else:
        app.ask("POST", f"/friends/{whom.id}/block", who.token)
    for person in (kari, ola):
        rate(app, person, film=2)
    rate(app, per, film=2)
    for person in (kari, ola):
        wait_until(
            lambda person=person: len(heard(clients[person], person)) == 3,
            within=PATIENCE_SECONDS,
            what=f"{person.name} has heard of Per's second act",
        )
        kept = history(hub, person)
        assert [entry["user_id"] for entry in kept] == [per.id, per.id], person.name
        feed = app.ask("GET", "/feed/activities", person.token)["activities"]
        assert [entry["user_id"] for entry in feed] == [per.id, per.id], person.name
    hub.kill()
    hub.start()
    for person in (kari, ola):
        kept = history(hub, person)
        assert [entry["user_id"] for entry in kept] == [per.id, per.id], person.name


def test_blocked_people_do_not_find_each_other(app):
    kari, ola, per = (app.log_in(name) for name in ("Kari", "Ola", "Per"))
    app.befriend(kari, per)
    app.befriend(ola, per)
    rate(app, kari, comment="Mine.", is_review=True)
    app.ask("POST", f"/friends/{kari.id}/block", ola.token)
    for one, other in ((kari, ola), (ola, kari)):
        answer = app.call("GET", f"/users/{other.id}", one.token)
        assert (answer.status, answer.json()["error"]["code"]) == (404, "USER_NOT_FOUND")
        body = {"user_id": other.id}
        answer = app.call("POST", "/friends/requests", one.token, body)
        assert (answer.status, answer.json()["error"]["code"]) == (404, "USER_NOT_FOUND")
        assert app.ask("GET", "/friends", one.token)["suggestions"] == []
    assert app.ask("GET", "/movies/1/reviews", ola.token)["reviews"] == []
    assert app.ask("GET", "/movies/1/reviews", per.token)["total_count"] == 1
    app.ask("DELETE", f"/friends/{kari.id}/block", ola.token)
    assert app.ask("GET", f"/users/{kari.id}", ola.token)["name"] == "Kari"
    assert [each["user_id"] for each in app.ask("GET", "/friends", ola.token)["friends"]] == [per.id]


def test_rating_that_is_taken_back_leaves_feeds_and_histories(stage, hub, app):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    client = listener(stage, hub, ola)
    rate(app, kari, comment="A secret.")
    rate(app, kari, film=2)
    app.ask("DELETE", "/movies/1/rate", kari.token)
    wait_until(
        lambda: len(heard(client, ola)) == 3, within=PATIENCE_SECONDS, what="Ola heard of it"
    )
    told = heard(client, ola)
    assert told[2] == {"activity_id": told[0]["activity_id"]}
    kept = history(hub, ola)
    assert kept == told[1:]
    feed = app.ask("GET", "/feed/activities", ola.token)["activities"]
    assert feed == [told[1]]
    hub.kill()
    hub.start()
    assert history(hub, ola) == told[1:]
    hub.process.stop()
    assert b"A secret." not in hub.database.read_bytes()


def test_account_that_is_deleted_leaves_nothing(stage, hub, app):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    rate(app, kari, comment="A secret.", is_review=True)
    rate(app, ola)
    app.ask("DELETE", "/users/me", kari.token)
    assert app.call("GET", "/users/me", kari.token).status == 401
    assert app.call("GET", f"/users/{kari.id}", ola.token).status == 404
    assert app.ask("GET", "/feed/activities", ola.token)["activities"] == []
    assert app.ask("GET", "/movies/1/reviews", ola.token)["reviews"] == []
    wait_until(
        lambda: history(hub, ola) == [],
        within=PATIENCE_SECONDS,
        what="her acts have left Ola's history",
    )
    again = app.log_in("Kari")
    assert again.id != kari.id


def test_many_friends_hear_once_and_in_order_over_a_crash(stage, hub, app):
    """More friends than an act tells in its own transaction."""
    kari = app.log_in("Kari")
    friends = [app.log_in(f"friend {number}") for number in range(12)]
    for friend in friends:
        app.befriend(kari, friend)
    clients = {friend: listener(stage, hub, friend) for friend in friends}
    for film in range(1, 11):
        rate(app, kari, film)
    hub.kill()
    hub.start()
    for friend in friends:
        wait_until(
            lambda friend=friend: len(heard(clients[friend], friend)) >= 10,
            within=PATIENCE_SECONDS,
            what=f"{friend.name} has heard of everything",
        )
        assert [entry["movie_id"] for entry in heard(clients[friend], friend)] == list(range(1, 11))
