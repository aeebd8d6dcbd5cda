"""The routes of the film app: every answer against its schema, every error code by some request."""

import json
import time

import pytest

from harness import tokens
from harness.film_app import FilmApp, film_hub
from harness.schemas import assert_fits
from harness.settings import SECRET
from harness.waiting import wait_until

MISSING = 987_654_321
FILM = 1


@pytest.fixture
def hub(stage):
    return film_hub(stage)


@pytest.fixture
def app(hub):
    return FilmApp(hub.port)


@pytest.fixture
def kari(app):
    return app.log_in("Kari")


@pytest.fixture
def ola(app):
    return app.log_in("Ola")


def refused(answer, status, code):
    assert answer.status == status, answer
    assert_fits(answer.json(), "activity-error")
    assert answer.json()["error"]["code"] == code
    return answer.json()["error"]


# Logging in


def test_login_answers_tokens_and_the_user_and_is_the_same_user_again(app):
    body = {"provider": "development", "token": "Kari", "user_identifier": "kari-1"}
    first = app.ask("POST", "/auth/login", body=body)
    assert_fits(first, "activity-login")
    assert first["user"]["name"] == "Kari"
    second = app.ask("POST", "/auth/login", body=body)
    assert second["user"] == first["user"]
    other = app.ask("POST", "/auth/login", body=body | {"user_identifier": "kari-2"})
    assert other["user"]["user_id"] != first["user"]["user_id"]


def test_refresh_token_is_good_once_and_ends_its_login_when_it_is_shown_again(app):
    body = {"provider": "development", "token": "Kari"}
    first = app.ask("POST", "/auth/login", body=body)["refresh_token"]
    answer = app.ask("POST", "/auth/refresh", body={"refresh_token": first})
    assert_fits(answer, "activity-login")
    second = answer["refresh_token"]
    third = app.ask("POST", "/auth/refresh", body={"refresh_token": second})["refresh_token"]
    used = app.call("POST", "/auth/refresh", body={"refresh_token": first})
    refused(used, 401, "AUTHENTICATION_REQUIRED")
    family = app.call("POST", "/auth/refresh", body={"refresh_token": third})
    refused(family, 401, "AUTHENTICATION_REQUIRED")


def test_logout_ends_the_login_with_its_connections_for_good_and_no_other(stage, hub, app):
    body = {"provider": "development", "token": "Kari"}
    phone, tablet = (app.ask("POST", "/auth/login", body=body) for _ in range(2))
    topic = f"activity:{phone['user']['user_id']}"
    lost, kept = (
        stage.sdk(hub.port, [topic], token=login["access_token"]) for login in (phone, tablet)
    )
    wait_until(lambda: lost.subscribed[topic], within=10, what="the phone is subscribed")
    token = {"refresh_token": phone["refresh_token"]}
    app.ask("POST", "/auth/logout", body=token)
    refused(app.call("POST", "/auth/refresh", body=token), 401, "AUTHENTICATION_REQUIRED")
    wait_until(lambda: lost.disconnected, within=10, what="the phone is disconnected")
    assert lost.disconnected == [(3500, "invalid token")]

    def look():
        gone = app.call("GET", "/users/me", phone["access_token"])
        error = refused(gone, 401, "AUTHENTICATION_REQUIRED")
        assert error["details"] == {"reason": "invalid"}
        assert app.call("GET", "/users/me", tablet["access_token"]).status == 200

    look()
    assert not kept.disconnected
    hub.kill()
    hub.start()
    look()


def test_address_that_logs_in_too_often_is_told_when_to_come_again(stage):
    hub = film_hub(stage, logins=2)
    app = FilmApp(hub.port)
    body = {"provider": "development", "token": "Kari"}
    answers = [app.call("POST", "/auth/login", body=body) for _ in range(20)]
    late = [answer for answer in answers if answer.status == 429]
    assert late
    assert [answer.status for answer in answers[:2]] == [200, 200]
    for answer in late:
        error = refused(answer, 429, "RATE_LIMIT_EXCEEDED")
        assert answer.headers["retry-after"] == "1"
        assert error["details"] == {"retry_after": 1}
    reached = f'hub_limits_reached_total{{limit="rates.address.logins"}} {len(late)}'
    assert reached in hub.get("/metrics").body.decode()


def test_login_that_says_too_little_is_refused(app):
    for body in (
        b"",
        b"[]",
        {"provider": "development"},
        {"provider": "apple", "token": "x"},
        {"provider": "nobody", "token": "x"},
        {"provider": "development", "token": "x" * 101},
        {"provider": 1, "token": "x"},
    ):
        refused(app.call("POST", "/auth/login", body=body), 400, "INVALID_REQUEST")


def test_access_token_opens_the_routes_and_the_socket(stage, hub, app, kari):
    assert_fits(app.ask("GET", "/users/me", kari.token), "activity-own-profile")
    client = stage.sdk(hub.port, [kari.topic], token=kari.token)
    wait_until(lambda: client.subscribed[kari.topic], within=10, what="Kari is subscribed")


def bad_tokens(kari):
    return {
        "missing": "",
        "invalid": "nonsense",
        "expired": tokens.signed({"sub": str(kari.id), "exp": int(time.time()) - 60}),
        "another secret": tokens.signed(
            {"sub": str(kari.id), "exp": int(time.time()) + 60}, SECRET + "x"
        ),
        "of nobody": tokens.signed({"sub": str(MISSING), "exp": int(time.time()) + 60}),
        "not a number": tokens.signed({"sub": "kari", "exp": int(time.time()) + 60}),
        "another spelling": tokens.signed({"sub": f"0{kari.id}", "exp": int(time.time()) + 60}),
    }


ROUTES = [
    ("GET", "/movies/1"),
    ("GET", "/movies/1/explanation"),
    ("GET", "/movies/1/reviews"),
    ("GET", "/movies/search?q=metropolis"),
    ("POST", "/movies/1/rate"),
    ("DELETE", "/movies/1/rate"),
    ("POST", "/movies/1/watch"),
    ("POST", "/movies/1/watchlist"),
    ("POST", "/movies/1/reviews/1/like"),
    ("DELETE", "/movies/1/reviews/1/like"),
    ("GET", "/watchlist"),
    ("GET", "/feed/recommendations"),
    ("GET", "/feed/activities"),
    ("GET", "/friends"),
    ("GET", "/friends/requests"),
    ("POST", "/friends/requests"),
    ("POST", "/friends/requests/1/accept"),
    ("POST", "/friends/requests/1/decline"),
    ("DELETE", "/friends/1"),
    ("POST", "/friends/1/block"),
    ("DELETE", "/friends/1/block"),
    ("GET", "/users/1"),
    ("GET", "/users/me"),
    ("PATCH", "/users/me"),
    ("DELETE", "/users/me"),
]


def test_routes_are_nobodys_without_a_token_that_holds(app, kari):
    for method, path in ROUTES:
        for name, token in bad_tokens(kari).items():
            body = {} if method in ("POST", "PATCH") else None
            answer = app.call(method, path, token, body)
            error = refused(answer, 401, "AUTHENTICATION_REQUIRED")
            assert answer.headers["www-authenticate"] == "Bearer", (method, path, name)
            expected = name if name in ("missing", "expired") else "invalid"
            assert error["details"]["reason"] == expected, (method, path, name)
            assert not token or token not in answer.body.decode()


# Films


def test_film_has_every_field_of_the_contract(app, kari):
    film = app.ask("GET", f"/movies/{FILM}", kari.token)
    assert_fits(film, "activity-film")
    assert film["user_rating"] is None
    assert film["in_watchlist"] is False
    app.ask("POST", f"/movies/{FILM}/rate", kari.token, {"rating": 4})
    app.ask("POST", f"/movies/{FILM}/watchlist", kari.token, {"action": "add"})
    app.ask(
        "POST",
        f"/movies/{FILM}/watch",
        kari.token,
        {"event_type": "started", "progress_percent": 25},
    )
    film = app.ask("GET", f"/movies/{FILM}", kari.token)
    assert_fits(film, "activity-film")
    assert (film["user_rating"], film["rating"], film["rating_count"]) == (4, 4, 1)
    assert film["in_watchlist"] is True
    assert film["watch_status"] == "started"


def test_acts_answer_what_they_have_done(app, kari):
    rating = {"rating": 5, "comment": "Shadows that stay.", "is_review": True}
    answer = app.ask("POST", f"/movies/{FILM}/rate", kari.token, rating)
    assert_fits(answer, "activity-answers", "$defs/rating")
    assert answer["rating"]["user_id"] == kari.id
    answer = app.ask("POST", f"/movies/{FILM}/watch", kari.token, {"event_type": "completed"})
    assert_fits(answer, "activity-answers", "$defs/watch")
    answer = app.ask("POST", f"/movies/{FILM}/watchlist", kari.token, {"action": "add"})
    assert_fits(answer, "activity-answers", "$defs/watchlisted")
    answer = app.ask("DELETE", f"/movies/{FILM}/rate", kari.token)
    assert_fits(answer, "activity-answers", "$defs/success")


def test_film_that_is_not_there_is_not_found(app, kari):
    for film in (MISSING, 0, "none", "1e3", "-1"):
        for path in ("/movies/{}", "/movies/{}/explanation", "/movies/{}/reviews"):
            refused(app.call("GET", path.format(film), kari.token), 404, "MOVIE_NOT_FOUND")


def test_act_on_a_film_that_is_not_there_is_refused(app, kari):
    for path, body in (
        ("rate", {"rating": 5}),
        ("watch", {"event_type": "started"}),
        ("watchlist", {"action": "add"}),
        ("watchlist", {"action": "remove"}),
    ):
        answer = app.call("POST", f"/movies/{MISSING}/{path}", kari.token, body)
        refused(answer, 404, "MOVIE_NOT_FOUND")


def test_act_that_makes_no_sense_is_refused(app, kari):
    for rating in (0, 6, 4.5, "5", None, True, -1):
        answer = app.call("POST", f"/movies/{FILM}/rate", kari.token, {"rating": rating})
        error = refused(answer, 400, "RATING_INVALID")
        assert error["details"]["field"] == "rating"
    for path, body in (
        ("rate", b"{"),
        ("rate", {"rating": 5, "comment": "x" * 4001}),
        ("watch", {"event_type": "rewound"}),
        ("watch", {"event_type": "started", "progress_percent": 101}),
        ("watchlist", {"action": "burn"}),
        ("watchlist", {}),
    ):
        answer = app.call("POST", f"/movies/{FILM}/{path}", kari.token, body)
        refused(answer, 400, "INVALID_REQUEST")


def test_rating_that_is_not_there_cannot_be_taken_back(app, kari):
    refused(app.call("DELETE", f"/movies/{FILM}/rate", kari.token), 404, "RATING_NOT_FOUND")
    refused(app.call("DELETE", f"/movies/{MISSING}/rate", kari.token), 404, "MOVIE_NOT_FOUND")


def test_reviews_have_likes(app, kari, ola):
    review = {"rating": 5, "comment": "Every frame a painting.", "is_review": True}
    app.ask("POST", f"/movies/{FILM}/rate", kari.token, review)
    reviews = app.ask("GET", f"/movies/{FILM}/reviews", ola.token)
    assert_fits(reviews, "activity-reviews")
    only = reviews["reviews"][0]
    assert (only["user_id"], only["likes"], only["user_liked"]) == (kari.id, 0, False)
    path = f"/movies/{FILM}/reviews/{only['review_id']}/like"
    for _ in range(2):
        answer = app.ask("POST", path, ola.token)
        assert_fits(answer, "activity-answers", "$defs/review-likes")
        assert (answer["likes"], answer["user_liked"]) == (1, True)
    answer = app.ask("DELETE", path, ola.token)
    assert (answer["likes"], answer["user_liked"]) == (0, False)
    missing = app.call("POST", f"/movies/{FILM}/reviews/{MISSING}/like", ola.token)
    refused(missing, 404, "REVIEW_NOT_FOUND")


def test_search_finds_films_in_spite_of_case_accents_and_a_typo(app, kari):
    title = app.ask("GET", f"/movies/{FILM}", kari.token)["title"]
    word = max(title.split(), key=len)
    for query in (word, word.upper(), word.lower(), word[:2] + word[3:]):
        found = app.ask("GET", f"/movies/search?q={query}", kari.token)
        assert_fits(found, "activity-films")
        assert title in [film["title"] for film in found["movies"]], query
    genre = app.ask("GET", f"/movies/{FILM}", kari.token)["genres"][0]
    narrowed = app.ask("GET", f"/movies/search?q={word}&genres={genre}", kari.token)
    assert title in [film["title"] for film in narrowed["movies"]]
    none = app.ask("GET", f"/movies/search?q={word}&genres=No-Such-Genre", kari.token)
    assert none["total_count"] == 0
    browsed = app.ask("GET", "/movies/search", kari.token)
    assert_fits(browsed, "activity-films")
    assert browsed["total_count"] > 1
    for query in (f"?q={'x' * 201}", "?q=x&limit=0", "?q=x&limit=101", "?q=x&offset=-1"):
        answer = app.call("GET", f"/movies/search{query}", kari.token)
        refused(answer, 400, "INVALID_REQUEST")


def test_pages_of_a_list_are_the_list(app, kari):
    for film in range(1, 8):
        app.ask("POST", f"/movies/{film}/watchlist", kari.token, {"action": "add"})
    whole = app.ask("GET", "/watchlist", kari.token)
    assert_fits(whole, "activity-watchlist")
    assert whole["total_count"] == 7
    pages = app.pages("/watchlist", kari.token, "movies", limit=3)
    assert pages == whole["movies"]
    assert [film["movie_id"] for film in pages] == [7, 6, 5, 4, 3, 2, 1]


def test_recommendations_and_their_explanation(app, kari, ola):
    app.befriend(kari, ola)
    for film in range(1, 6):
        app.ask("POST", f"/movies/{film}/rate", kari.token, {"rating": 5})
    app.ask("POST", "/movies/9/rate", ola.token, {"rating": 5})
    feed = app.ask("GET", "/feed/recommendations?limit=100", kari.token)
    assert_fits(feed, "activity-recommendations")
    films = {film["movie_id"]: film for film in feed["recommendations"]}
    assert not set(range(1, 6)) & set(films), "what she has rated is recommended"
    assert films[9]["friend_ratings"]["friends"][0]["user_id"] == ola.id
    assert films[9]["social_score"] is not None
    scores = [film["ai_score"] for film in feed["recommendations"]]
    assert scores == sorted(scores, reverse=True)
    for film in (1, 9, 20):
        answer = app.ask("GET", f"/movies/{film}/explanation", kari.token)
        assert_fits(answer, "activity-explanation")
        factors = answer["explanation"]["factors"]
        assert sum(factor["weight"] for factor in factors) == pytest.approx(1)
        shown = sum(factor["weight"] * factor["value"] for factor in factors)
        assert abs(shown - answer["ai_score"]) <= 0.5 + 1e-9
    assert app.ask("GET", "/movies/9/explanation", kari.token)["social_signals"] == {
        "friend_ratings_count": 1,
        "friend_ratings_avg": 5,
        "friend_watch_count": 0,
        "mutual_friends_watched": 0,
    }


# People


def test_friends_suggestions_and_requests_fit_their_schemas(app, kari, ola):
    per = app.log_in("Per")
    app.befriend(kari, ola)
    app.befriend(ola, per)
    friends = app.ask("GET", "/friends", kari.token)
    assert_fits(friends, "activity-friends")
    assert [friend["user_id"] for friend in friends["friends"]] == [ola.id]
    assert [each["user_id"] for each in friends["suggestions"]] == [per.id]
    assert friends["suggestions"][0]["mutual_friends"] == 1
    app.ask("POST", "/friends/requests", kari.token, {"user_id": per.id})
    for person, direction in ((kari, "outgoing"), (per, "incoming")):
        path = f"/friends/requests?direction={direction}"
        requests = app.ask("GET", path, person.token)
        assert_fits(requests, "activity-friend-requests")
        assert requests["total_count"] == 1
    assert app.ask("GET", "/friends", kari.token)["suggestions"] == []


def test_request_is_answered_once(app, kari, ola):
    body = {"user_id": ola.id}
    request = app.ask("POST", "/friends/requests", kari.token, body)
    assert_fits(request, "activity-answers", "$defs/friendship")
    again = app.call("POST", "/friends/requests", kari.token, body)
    refused(again, 409, "FRIEND_REQUEST_EXISTS")
    path = f"/friends/requests/{request['request_id']}"
    refused(app.call("POST", f"{path}/accept", kari.token), 404, "FRIEND_REQUEST_NOT_FOUND")
    app.ask("POST", f"{path}/accept", ola.token)
    refused(app.call("POST", f"{path}/accept", ola.token), 404, "FRIEND_REQUEST_NOT_FOUND")
    refused(app.call("POST", f"{path}/decline", ola.token), 404, "FRIEND_REQUEST_NOT_FOUND")
    refused(app.call("POST", "/friends/requests", kari.token, body), 409, "ALREADY_FRIENDS")
    for user in (MISSING, "ola", 0, None):
        answer = app.call("POST", "/friends/requests", kari.token, {"user_id": user})
        assert answer.status in (400, 404), answer
        assert_fits(answer.json(), "activity-error")
    oneself = app.call("POST", "/friends/requests", kari.token, {"user_id": kari.id})
    refused(oneself, 400, "INVALID_REQUEST")


def test_who_asks_somebody_that_has_asked_is_a_friend(app, kari, ola):
    app.ask("POST", "/friends/requests", kari.token, {"user_id": ola.id})
    answer = app.ask("POST", "/friends/requests", ola.token, {"user_id": kari.id})
    assert answer["status"] == "accepted"


def test_profile_is_what_its_owner_says_and_does(app, kari, ola):
    patch = {"bio": "Silent films.", "avatar_url": "https://images.example/kari.png"}
    own = app.ask("PATCH", "/users/me", kari.token, patch)
    assert_fits(own, "activity-own-profile")
    app.ask("POST", f"/movies/{FILM}/rate", kari.token, {"rating": 5})
    app.ask("POST", f"/movies/{FILM}/watch", kari.token, {"event_type": "completed"})
    profile = app.ask("GET", f"/users/{kari.id}", ola.token)
    assert_fits(profile, "activity-profile")
    assert profile["bio"] == "Silent films."
    assert (profile["ratings_count"], profile["watched_count"]) == (1, 1)
    assert profile["stats"]["average_rating_given"] == 5
    assert app.ask("PATCH", "/users/me", kari.token, {"bio": None})["bio"] is None
    for bad in ({"avatar_url": "ftp://x"}, {"name": ""}, {"name": "x" * 101}, {"bio": 1}):
        answer = app.call("PATCH", "/users/me", kari.token, bad)
        refused(answer, 400, "INVALID_REQUEST")
    refused(app.call("GET", f"/users/{MISSING}", kari.token), 404, "USER_NOT_FOUND")


# Limits


def test_too_many_requests_are_refused_and_headers_tell_how_many_are_left(stage):
    hub = film_hub(stage, requests_per_minute=5, writes_per_minute=3)
    app = FilmApp(hub.port)
    kari, ola = app.log_in("Kari"), app.log_in("Ola")

    def answers(method, path, body=None):
        return [app.call(method, path, kari.token, body) for _ in range(8)]

    # A window may end in between: then a second one begins, and no third.
    found = answers("GET", "/users/me")
    statuses = [answer.status for answer in found]
    assert 429 in statuses
    assert statuses.count(200) >= 5
    for answer in found:
        assert answer.headers["x-ratelimit-limit"] == "5"
        assert int(answer.headers["x-ratelimit-reset"]) >= time.time() - 60
    last = next(answer for answer in found if answer.status == 429)
    refused(last, 429, "RATE_LIMIT_EXCEEDED")
    assert 1 <= int(last.headers["retry-after"]) <= 60
    assert last.headers["x-ratelimit-remaining"] == "0"
    # Somebody else has limits of his own.
    assert app.call("GET", "/users/me", ola.token).status == 200


def test_too_many_changes_are_refused_and_reading_goes_on(stage):
    app = FilmApp(film_hub(stage, writes_per_minute=3).port)
    kari = app.log_in("Kari")
    answers = [app.call("PATCH", "/users/me", kari.token, {"bio": str(n)}) for n in range(8)]
    assert 429 in [answer.status for answer in answers]
    refused(next(a for a in answers if a.status == 429), 429, "RATE_LIMIT_EXCEEDED")
    assert app.call("GET", "/users/me", kari.token).status == 200


def test_body_that_is_too_long_is_refused(app, kari):
    body = json.dumps({"rating": 5, "comment": "x" * 200_000}).encode()
    answer = app.call("POST", f"/movies/{FILM}/rate", kari.token, body)
    assert answer.status == 413
    assert_fits(answer.json(), "activity-error")


def test_method_that_a_route_does_not_have_is_told_which_it_has(app, kari):
    answer = app.call("PUT", f"/movies/{FILM}", kari.token, {})
    assert answer.status == 405
    assert "GET" in answer.headers["allow"]
    refused(answer, 405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("path", ["/movies/1/none", "/movies", "/friends/1/2/3", "/users", "/auth"])
def test_path_that_is_not_there_is_refused_in_the_apps_form(app, kari, path):
    refused(app.call("GET", path, kari.token), 404, "NOT_FOUND")
    refused(app.call("POST", path, body={}), 404, "NOT_FOUND")
