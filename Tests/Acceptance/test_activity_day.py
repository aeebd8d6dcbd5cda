"""A day of friends who act: each hears of each act of his friends once and in order, nobody else does, and the feed
by REST agrees with what was pushed, entry by entry; the hub is killed in the middle.

The size is for every change; this is the whole of it:

    PEOPLE=1000 FRIENDS=50 ACTS=20000 Tests/Acceptance/run.sh -k scripted_day
"""

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor

from harness.film_app import FilmApp, film_hub
from harness.waiting import wait_until

PEOPLE = int(os.environ.get("PEOPLE") or 60)
FRIENDS = int(os.environ.get("FRIENDS") or 10)
ACTS = int(os.environ.get("ACTS") or 900)
# Of the catalogue.
FILMS = range(1, 21)
WORKERS = 8
PATIENCE_SECONDS = 120.0
# Every topic keeps the whole day.
NAMESPACE = {"name": "activity", "subscribe": "owner", "history_size": 100_000, "history_age": "24h"}


def test_scripted_day_reaches_every_friend_once_and_nobody_else(stage, record_property):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    dice = random.Random(seed)
    hub = film_hub(stage, "loops: 2", f"namespaces: [{json.dumps(NAMESPACE)}]")
    app = FilmApp(hub.port)
    with ThreadPoolExecutor(WORKERS) as pool:
        people = list(pool.map(app.log_in, [f"person {n}" for n in range(PEOPLE)]))
        listeners = stage.companion(
            "listeners",
            port=hub.port,
            topics=[person.topic for person in people],
            tokens=[person.token for person in people],
            number=["data", "activity_id"],
        )
        wait_for_listeners(listeners)
        # Everybody listens from the first: a request that was answered leaves a gap in the topic's history.
        friends = befriended(app, pool, people, dice)
        scripts = written_scripts(people, dice)
        acts = [pool.submit(perform, app, people, script) for script in scripts]
        wait_until(
            lambda: sum(listeners.ask("state")["most"].values()) > ACTS * FRIENDS // 3,
            within=PATIENCE_SECONDS,
            what="a part of the day is over",
        )
        hub.kill()
        hub.start()
        for each in acts:
            each.result()
        feeds = list(pool.map(lambda person: feed(app, person), people))

    expected = [sum(len(scripts_of(scripts, each)) for each in friends[n]) for n in range(PEOPLE)]
    wait_until(
        lambda: list(listeners.ask("state")["most"].values()) == expected,
        within=PATIENCE_SECONDS,
        what="everybody has heard of everything",
    )
    told = listeners.ask("all")
    assert told["complaints"] == {}
    for number, person in enumerate(people):
        # Requests to be friends are on the topic, too, and are no acts.
        pushed = [each for each in told["numbers"][person.topic] if each is not None]
        assert pushed == [entry["activity_id"] for entry in feeds[number]], person
        heard = {}
        for entry in feeds[number]:
            heard.setdefault(entry["user_id"], []).append(what(entry))
        acted = {people[each].id: scripts_of(scripts, each) for each in friends[number]}
        assert heard == {actor: done for actor, done in acted.items() if done}, person
    record_property("acts", ACTS)
    record_property("arrivals", told["received"])


def befriended(app, pool, people, dice):
    """Everybody gets as many friends, in a ring with shuffled places; returns them by number."""
    places = list(range(PEOPLE))
    dice.shuffle(places)
    pairs = [
        (places[at], places[(at + step) % PEOPLE])
        for at in range(PEOPLE)
        for step in range(1, FRIENDS // 2 + 1)
    ]
    list(pool.map(lambda pair: app.befriend(people[pair[0]], people[pair[1]]), pairs))
    friends = [set() for _ in people]
    for one, other in pairs:
        friends[one].add(other)
        friends[other].add(one)
    return friends


def wait_for_listeners(listeners):
    wait_until(
        lambda: listeners.ask("state")["open"] == PEOPLE,
        within=PATIENCE_SECONDS,
        what="everybody listens",
    )


def written_scripts(people, dice):
    """What each worker has to do: each person's acts are one worker's, so that they have an order."""
    scripts = [[] for _ in range(WORKERS)]
    seen = set()
    for number in range(ACTS):
        actor = dice.randrange(PEOPLE)
        kinds = ["rating", "review"]
        film = dice.choice(FILMS)
        if (actor, film) not in seen:
            kinds += ["started", "watchlist"]
            seen.add((actor, film))
        scripts[actor % WORKERS].append((actor, film, dice.choice(kinds), number))
    return scripts


def perform(app, people, script):
    for actor, film, kind, number in script:
        token, path = people[actor].token, f"/movies/{film}"
        if kind in ("rating", "review"):
            body = {"rating": number % 5 + 1, "comment": f"act {number}"}
            body["is_review"] = kind == "review"
            app.insist("POST", f"{path}/rate", token, body)
        elif kind == "started":
            body = {"event_type": "started", "progress_percent": 5}
            app.insist("POST", f"{path}/watch", token, body)
        else:
            app.insist("POST", f"{path}/watchlist", token, {"action": "add"})


def scripts_of(scripts, actor):
    """What a person did, as `what` says it."""
    return [
        (film, kind, f"act {number}" if kind in ("rating", "review") else None)
        for who, film, kind, number in scripts[actor % WORKERS]
        if who == actor
    ]


def what(entry):
    return entry["movie_id"], entry["type"], entry["comment"]


def feed(app, person):
    """Everything in the order in which it happened, by the cursor."""
    entries, cursor = [], 0
    while True:
        page = app.ask("GET", f"/feed/activities?since={cursor}&limit=100", person.token)
        entries += page["activities"]
        cursor = page["cursor"]
        if not page["has_more"]:
            newest_first = app.pages("/feed/activities", person.token, "activities")
            assert newest_first == entries[::-1], person
            return entries
