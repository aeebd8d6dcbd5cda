"""Searches that cost much are charged to who asks for them."""

import json
import random
import urllib.parse

from harness.attackers import attacking
from harness.film_app import FilmApp, film_hub
from harness.others import Others, namespace_of_others
from harness.sizes import size

FILMS = size("FILMS", small=20_000, full=60_000)
ATTACKERS = size("SEARCHERS", small=4, full=40)
# More than the reader needs, which is held to the same rate.
REQUESTS_PER_MINUTE = 6000
WORDS = 3
MISTYPED = 12
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_searches_with_mistyped_words_delay_nobody_else(stage, record_property):
    words = random.Random(1)
    catalogue = stage.directory / "catalogue.json"
    catalogue.write_text(json.dumps({"films": [film(number, words) for number in range(FILMS)]}))
    spaces = f"namespaces: [{json.dumps(namespace_of_others())}]"
    hub = film_hub(stage, spaces, catalogue=str(catalogue), requests_per_minute=REQUESTS_PER_MINUTE)
    app = FilmApp(hub.port)
    reader = app.log_in("reader")
    others = Others(stage, hub, "/movies/search?q=abc", token=reader.token)
    answers = []

    def attack(searcher, is_over):
        seed, person = searcher
        own, mistakes = FilmApp(hub.port), random.Random(seed)
        while not is_over.is_set():
            query = urllib.parse.quote(" ".join(word(mistakes) for _ in range(MISTYPED)))
            answers.append(own.call("GET", f"/movies/search?q={query}", person.token).status)

    people = [app.log_in(f"searcher-{number}") for number in range(ATTACKERS)]
    others.begin()
    with attacking(attack, enumerate(people)):
        others.end(record_property)
    record_property("searches", answers.count(200))
    assert set(answers) <= {200, 429}


def film(number, words):
    return {
        "id": f"film-{number}",
        "title": " ".join(word(words) for _ in range(WORDS)),
        "year": 1950 + number % 70,
        "genres": ["Drama"],
        "runtime_minutes": 90,
        "overview": "",
    }


def word(words):
    return "".join(words.choice(LETTERS) for _ in range(words.randint(5, 12)))
