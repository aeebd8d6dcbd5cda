"""A user sees and changes only what is theirs: every route with an id of somebody else's, by a stranger and by a
friend who was blocked."""

import pytest

from harness.film_app import FilmApp, film_hub

FILM = 1


@pytest.fixture
def app(stage):
    return FilmApp(film_hub(stage).port)


@pytest.fixture
def kari(app):
    """Somebody with a friend who is blocked, a friend, a review, and requests in both directions."""
    return app.log_in("Kari")


@pytest.fixture
def blocked(app, kari):
    person = app.log_in("Ola")
    app.befriend(kari, person)
    return person


def review(app, person, comment):
    body = {"rating": 5, "comment": comment, "is_review": True}
    app.ask("POST", f"/movies/{FILM}/rate", person.token, body)
    reviews = app.ask("GET", f"/movies/{FILM}/reviews", person.token)["reviews"]
    return next(each["review_id"] for each in reviews if each["user_id"] == person.id)


def code(answer):
    return answer.status, answer.json()["error"]["code"]


def test_requests_of_others_are_nobody_elses_to_answer(app, kari):
    ola, per = app.log_in("Ola"), app.log_in("Per")
    sent = app.ask("POST", "/friends/requests", kari.token, {"user_id": ola.id})["request_id"]
    for person in (kari, per):
        for verb in ("accept", "decline"):
            answer = app.call("POST", f"/friends/requests/{sent}/{verb}", person.token)
            assert code(answer) == (404, "FRIEND_REQUEST_NOT_FOUND"), (person.name, verb)
    assert app.ask("GET", "/friends/requests", per.token)["requests"] == []
    assert app.ask("GET", "/friends", per.token)["friends"] == []
    answer = app.call("DELETE", f"/friends/{kari.id}", per.token)
    assert code(answer) == (404, "USER_NOT_FOUND")
    app.ask("POST", f"/friends/requests/{sent}/accept", ola.token)


def test_what_is_a_users_own_is_shown_to_that_user_alone(app, kari):
    per = app.log_in("Per")
    app.ask("POST", f"/movies/{FILM}/rate", kari.token, {"rating": 2, "comment": "Between us."})
    app.ask("POST", f"/movies/{FILM}/watchlist", kari.token, {"action": "add"})
    app.ask("POST", f"/movies/{FILM}/watch", kari.token, {"event_type": "completed"})
    film = app.ask("GET", f"/movies/{FILM}", per.token)
    assert (film["user_rating"], film["in_watchlist"], film["watch_status"]) == (None, False, None)
    assert app.ask("GET", "/watchlist", per.token)["movies"] == []
    assert app.ask("GET", f"/movies/{FILM}/reviews", per.token)["reviews"] == []
    assert app.ask("GET", "/feed/activities", per.token)["activities"] == []
    profile = app.ask("GET", f"/users/{kari.id}", per.token)
    assert "email" not in profile and "created_at" not in profile
    answer = app.call("DELETE", f"/movies/{FILM}/rate", per.token)
    assert code(answer) == (404, "RATING_NOT_FOUND")
    assert app.ask("GET", f"/movies/{FILM}", kari.token)["user_rating"] == 2


def test_friend_who_was_blocked_finds_nothing_by_any_route(app, kari, blocked):
    per = app.log_in("Per")
    app.befriend(kari, per)
    app.befriend(blocked, per)
    hers, his = review(app, kari, "Hers."), review(app, blocked, "His.")
    app.ask("POST", f"/movies/{FILM}/watch", kari.token, {"event_type": "completed"})
    app.ask("POST", f"/friends/{blocked.id}/block", kari.token)
    for person, other, others_review in ((blocked, kari, hers), (kari, blocked, his)):
        token = person.token
        answer = app.call("GET", f"/users/{other.id}", token)
        assert code(answer) == (404, "USER_NOT_FOUND"), person.name
        answer = app.call("DELETE", f"/friends/{other.id}", token)
        assert code(answer) == (404, "USER_NOT_FOUND"), person.name
        answer = app.call("POST", "/friends/requests", token, {"user_id": other.id})
        assert code(answer) == (404, "USER_NOT_FOUND"), person.name
        for method in ("POST", "DELETE"):
            path = f"/movies/{FILM}/reviews/{others_review}/like"
            assert code(app.call(method, path, token)) == (404, "REVIEW_NOT_FOUND"), person.name
        friends = app.ask("GET", "/friends", token)
        assert [each["user_id"] for each in friends["friends"]] == [per.id]
        assert friends["suggestions"] == []
        shown = app.ask("GET", f"/movies/{FILM}/reviews", token)["reviews"]
        assert [each["user_id"] for each in shown] == [person.id]
        signals = app.ask("GET", f"/movies/{FILM}/explanation", token)["social_signals"]
        assert set(signals.values()) <= {0, None}, (person.name, signals)
        feed = app.ask("GET", "/feed/activities", token)["activities"]
        assert other.id not in [entry["user_id"] for entry in feed]
        for direction in ("incoming", "outgoing"):
            listed = app.ask("GET", f"/friends/requests?direction={direction}", token)
            assert listed["requests"] == []
    # Who is blocked cannot find that out by blocking or unblocking either.
    assert app.call("POST", f"/friends/{kari.id}/block", blocked.token).status == 200
    assert app.call("DELETE", f"/friends/{kari.id}/block", blocked.token).status == 200
    assert app.call("GET", f"/users/{blocked.id}", kari.token).status == 404
