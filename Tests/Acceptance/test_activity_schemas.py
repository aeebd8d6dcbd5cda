"""The schemas of the film app: they take what the hub's own vectors have, and nothing else."""

import json

import pytest

from harness.processes import REPOSITORY
from harness.schemas import DIRECTORY, assert_fits, names, problems_of
from harness.spoilings import spoilings

VECTORS = json.loads((REPOSITORY / "protocol/vectors/activity.json").read_text())
# The one answer that is made of more than its own values.
EXPLANATION = {
    "movie_id": 1,
    "ai_score": 94,
    "explanation": {
        "primary_reason": "genre_match",
        "confidence": 0.94,
        "factors": [
            {"type": "genre_match", "weight": 1, "value": 94, "description": "You like Sci-Fi."}
        ],
    },
    "social_signals": {
        "friend_ratings_count": 3,
        "friend_ratings_avg": 5,
        "friend_watch_count": 5,
        "mutual_friends_watched": 2,
    },
}
# What every event may have more or less, since it is a CloudEvent.
FREE = {
    ("activity-event", "without datacontenttype"),
    ("activity-event", "with more"),
    # A part of the data has some of the sections.
    ("activity-data", "without ratings"),
    ("activity-data", "without likes"),
    ("activity-data", "without friends"),
}


def values():
    """What is in the vectors, one by one, with the schema for it and the part of that."""
    answers = json.loads((DIRECTORY / "activity-answers.json").read_text())["$defs"]
    for form in VECTORS["forms"]:
        kind, value = form["kind"], json.loads(form["text"])
        if kind in answers:
            yield "activity-answers", f"$defs/{kind}", value
        else:
            yield f"activity-{kind}", "", value
    yield "activity-explanation", "", EXPLANATION
    for error in VECTORS["errors"]:
        yield "activity-error", "", json.loads(error["text"])
    for event in VECTORS["events"]:
        yield "activity-event", "", json.loads(event["text"])


def test_what_the_vectors_have_fits():
    for schema, part, value in values():
        assert_fits(value, schema, part)


def test_every_schema_is_met_by_a_vector():
    own = {name for name in names() if name.startswith("activity-")}
    assert {schema for schema, _, _ in values()} == own - {"activity-values"}
    answers = json.loads((DIRECTORY / "activity-answers.json").read_text())["$defs"]
    assert {f"$defs/{name}" for name in answers} == {part for _, part, _ in values() if part}


def test_value_with_one_key_less_or_more_or_of_another_type_does_not_fit():
    for schema, part, value in values():
        for description, spoiled in spoilings(value):
            if (schema, description) not in FREE:
                problems = problems_of(spoiled, schema, part)
                assert problems, f"{schema} {part} {description}: {spoiled}"


def spoiled_form(name, **changes):
    form = next(form for form in VECTORS["forms"] if form["name"] == name)
    return json.loads(form["text"]) | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"rating": 5.1},
        {"rating": 0},
        {"user_rating": 4.5},
        {"user_rating": 6},
        {"ai_score": 101},
        {"social_score": -1},
        {"watch_status": "watched"},
        {"release_date": "1999"},
        {"release_date": ""},
        {"tmdb_id": None},
        {"poster_url": "/w500/sea.jpg"},
        {"genres": ["Drama", "Drama"]},
    ],
)
def test_film_out_of_bounds_does_not_fit(changes):
    assert problems_of(spoiled_form("film", **changes), "activity-film")


@pytest.mark.parametrize(
    "date",
    ["2026-01-02T10:00:00.000Z", "2026-01-02T10:00:00+00:00", "2026-01-02", 789040800],
)
def test_date_that_is_not_in_whole_seconds_does_not_fit(date):
    assert problems_of(spoiled_form("activity", timestamp=date), "activity-entry")


FILM_IN_LIST = "movie_id title poster_url genres release_date rating ai_score".split()
ACTOR = "user_id user_name user_avatar".split()
# The keys of the documented examples. An answer has them in their order, and may have more.
DOCUMENTED = {
    "film": [
        *"movie_id title genres poster_url overview release_date tmdb_id rating".split(),
        *"rating_count user_rating ai_score social_score in_watchlist watch_status".split(),
    ],
    "recommendations": [
        ("recommendations", [
            *FILM_IN_LIST,
            "social_score",
            ("explanation", ["primary_reason", ("factors", ["type", "value", "description"])]),
            ("friend_ratings", [
                "count", "average", ("friends", ["user_id", "name", "avatar_url", "rating"])]),
        ]),
        "last_updated",
        "total_count",
    ],
    "friends": [
        ("friends", [
            *"user_id name avatar_url favorite_genres mutual_friends status".split(),
            *"watched_count last_active".split(),
        ]),
        ("suggestions", [
            *"user_id name avatar_url mutual_friends shared_genres match_score".split()]),
    ],
    "feed": [
        ("activities", [
            "activity_id", *ACTOR, *"movie_id movie_title movie_poster type rating".split(),
            "comment", "timestamp",
        ]),
        "total_count",
    ],
    "rating": [
        "success", ("rating", ["user_id", "movie_id", "rating", "comment", "timestamp"])],
    "reviews": [
        ("reviews", [
            "review_id", *ACTOR, *"movie_id rating comment timestamp likes user_liked".split()]),
        "total_count",
    ],
    "films": [("movies", FILM_IN_LIST), "total_count"],
    "profile": [
        *"user_id name avatar_url bio favorite_genres watched_count friends_count".split(),
        "ratings_count", "favorites_count",
        ("stats", ["average_rating_given", "most_watched_genre", "total_watch_time"]),
    ],
    "explanation": [
        "movie_id", "ai_score",
        ("explanation", [
            "primary_reason", "confidence",
            ("factors", ["type", "weight", "value", "description"]),
        ]),
        ("social_signals", [
            "friend_ratings_count", "friend_ratings_avg", "friend_watch_count",
            "mutual_friends_watched",
        ]),
    ],
    "login": ["access_token", ("user", ["user_id", "name", "avatar_url", "email"])],
}


@pytest.mark.parametrize("kind", DOCUMENTED)
def test_documented_keys_stand_in_their_order(kind):
    wanted = {f"activity-{kind}", f"$defs/{kind}"}
    found = [value for schema, part, value in values() if wanted & {schema, part}]
    assert found
    for value in found:
        assert_has(value, DOCUMENTED[kind])


def assert_has(value, keys):
    for each in value if isinstance(value, list) else [value]:
        expected = [key if isinstance(key, str) else key[0] for key in keys]
        assert [key for key in each if key in expected] == expected
        for key in keys:
            if not isinstance(key, str):
                assert_has(each[key[0]], key[1])
