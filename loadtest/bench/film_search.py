"""Are mistyped titles found, and what does it cost: the hub's search beside SQLite's trigram index.

It imports films into a hub, asks for each of a number of titles with a typing mistake in one of its words, and counts
how often the film is the first or among the first ten. Then it asks a trigram index of the same titles for the same
texts: any of the text's trigrams, the best hundred by bm25, in the order of Dice's coefficient.

  film_search.py                       60,000 titles made of the words of the demo's films and of words like them
  film_search.py --movielens DIR       the titles of your own copy of MovieLens
  film_search.py --films 5000 --queries 200        a look

The hub's times have a request over HTTP in them, the other ones have not. Seeds make the same titles and mistakes.
"""

import argparse
import collections
import csv
import http.client
import json
import os
import random
import re
import secrets
import sqlite3
import statistics
import subprocess
import tempfile
import time
import unicodedata
import urllib.parse
import urllib.request
from pathlib import Path

from servers import HERE, free_port

REPOSITORY = HERE.parent.parent
PATIENCE_SECONDS = 120.0
FILE_FILMS = 20_000
CONFIGURATION = """
listen: ["127.0.0.1:{port}"]
database: {directory}/varde.sqlite
log_level: warning
development: true
activity:
  requests_per_minute: 1000000
"""


def main():
    options = arguments()
    dice = random.Random(options.seed)
    titles = movielens(options.movielens) if options.movielens else made_up(options.films, dice)
    queries = mistyped(titles, options.queries, dice)
    known = {word for title in titles for word in words(title)}
    print(f"{len(titles)} titles, {len(known)} words, {len(queries)} queries")
    with tempfile.TemporaryDirectory() as directory:
        with Hub(Path(directory), titles) as hub:
            report("the hub's search", *measured(hub.search, titles, queries))
            print(f"  one request without a search: {hub.baseline():.2f} ms")
            exact = [(number, titles[number]) for number, _ in queries]
            report("the same titles without a mistake", *measured(hub.search, titles, exact))
        trigrams = Trigrams(titles)
        report("trigrams", *measured(trigrams.search, titles, queries))
        print(
            f"  index of titles: the hub's {index_bytes(directory):,} bytes, "
            f"trigrams {trigrams.bytes:,} bytes"
        )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--films", type=int, default=60_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--movielens", help="a directory with movies.csv")
    return parser.parse_args()


def words(text):
    """As the hub folds titles, but for letters that are more than an accent away from ASCII."""
    text = unicodedata.normalize("NFKD", text.lower().replace("'", ""))
    return re.findall(r"[a-z0-9]+", "".join(c for c in text if not unicodedata.combining(c)))


# MARK: Titles and mistakes


def movielens(directory):
    with (Path(directory) / "movies.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    titles = [re.sub(r"\s*\(\d{4}\)\s*$", "", row["title"]) for row in rows]
    return [title for title in titles if words(title)]


def made_up(count, dice):
    """Titles of one to five words, half of them of the demo's films."""
    films = json.loads((REPOSITORY / "demo/catalogue.json").read_text())["films"]
    known = [word for film in films for word in words(film["title"] + " " + film["overview"])]
    following = collections.defaultdict(list)
    for word in known:
        text = "^^" + word + "$"
        for at in range(2, len(text)):
            following[text[at - 2 : at]].append(text[at])

    def new_word():
        while True:
            text = "^^"
            while not text.endswith("$"):
                text += dice.choice(following[text[-2:]])
            if 5 < len(text) < 16:
                return text[2:-1]

    # About as many words as 60,000 real titles have.
    vocabulary = sorted({new_word() for _ in range(count)})
    titles = []
    for _ in range(count):
        length = dice.choice([1, 2, 2, 3, 3, 4, 5])
        found = [dice.choice(dice.choice([known, vocabulary])) for _ in range(length)]
        titles.append(" ".join(found))
    return titles


def mistyped(titles, count, dice):
    """Titles with one word of four letters or more mistyped; of eight or more, one in three has two mistakes."""
    queries = []
    while len(queries) < count:
        number = dice.randrange(len(titles))
        found = words(titles[number])
        places = [at for at, word in enumerate(found) if len(word) >= 4]
        if not places:
            continue
        at = dice.choice(places)
        word = found[at]
        for _ in range(2 if len(word) >= 8 and dice.random() < 1 / 3 else 1):
            found[at] = mistake(found[at], dice)
        if found[at] != word:
            queries.append((number, " ".join(found)))
    return queries


def mistake(word, dice):
    at = dice.randrange(len(word))
    letter = dice.choice("abcdefghijklmnopqrstuvwxyz")
    kind = dice.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + letter + word[at:]
    if kind == 2:
        return word[:at] + letter + word[at + 1 :]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


# MARK: Measuring


def measured(search, titles, queries):
    """How many are first, how many among ten, and milliseconds. Titles with the same words count as one."""
    first = among = 0
    times = []
    for number, text in queries:
        start = time.perf_counter()
        found = search(text)[:10]
        times.append((time.perf_counter() - start) * 1000)
        wanted = words(titles[number])
        places = [words(title) == wanted for title in found]
        first += places[:1] == [True]
        among += any(places)
    return first / len(queries), among / len(queries), times


def report(name, first, among, times):
    times = sorted(times)
    p99 = times[int(len(times) * 0.99)]
    print(
        f"{name}: first {first:.3f}, among ten {among:.3f}; ms p50 {statistics.median(times):.1f}, "
        f"p99 {p99:.1f}, mean {statistics.mean(times):.1f}",
        flush=True,
    )


def index_bytes(directory):
    """Of the titles and the words that mistyped ones are compared with."""
    with sqlite3.connect(Path(directory, "varde.sqlite")) as database:
        index = database.execute("SELECT sum(length(block)) FROM film_text_data").fetchone()[0]
        known = database.execute("SELECT sum(length(word) + 8) FROM film_word").fetchone()[0]
    return index + known


class Trigrams:
    def __init__(self, titles):
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE VIRTUAL TABLE film USING fts5 (title, tokenize = 'trigram')")
        rows = [(number, " ".join(words(title))) for number, title in enumerate(titles)]
        self.database.executemany("INSERT INTO film (rowid, title) VALUES (?, ?)", rows)
        self.database.execute("INSERT INTO film (film) VALUES ('optimize')")
        self.titles = titles
        size = "SELECT sum(length(block)) FROM film_data"
        self.bytes = self.database.execute(size).fetchone()[0]

    def search(self, text):
        wanted = self.of(text)
        if not wanted:
            return []
        match = " OR ".join(f'"{each}"' for each in sorted(wanted))
        select = "SELECT rowid, title FROM film WHERE film MATCH ? ORDER BY rank LIMIT 100"
        found = self.database.execute(select, [match]).fetchall()
        found.sort(key=lambda row: -self.likeness(wanted, self.of(row[1])))
        return [self.titles[number] for number, _ in found]

    @staticmethod
    def of(text):
        return {text[at : at + 3] for at in range(len(text) - 2)}

    @staticmethod
    def likeness(one, other):
        return 2 * len(one & other) / (len(one) + len(other))


class Hub:
    """A hub that has the films."""

    def __init__(self, directory, titles):
        self.directory, self.port = directory, free_port()
        self.varde = os.environ.get("VARDE", str(REPOSITORY / ".build/release/varde"))
        self.environment = os.environ | {"VARDE_TOKEN_SECRET": secrets.token_urlsafe(48)}
        self.configuration = directory / "varde.yaml"
        self.configuration.write_text(CONFIGURATION.format(port=self.port, directory=directory))
        for start in range(0, len(titles), FILE_FILMS):
            films = [
                {"id": str(start + at), "title": title}
                for at, title in enumerate(titles[start : start + FILE_FILMS])
            ]
            file = directory / "films.json"
            file.write_text(json.dumps({"films": films}))
            self.run("import", "catalogue", str(file), "--config", str(self.configuration))

    def run(self, *arguments):
        run = subprocess.run(
            [self.varde, *arguments], env=self.environment, capture_output=True, text=True
        )
        if run.returncode:
            raise SystemExit(f"{arguments}: {run.stdout}{run.stderr}")

    def __enter__(self):
        command = [self.varde, "serve", "--config", str(self.configuration)]
        self.process = subprocess.Popen(command, env=self.environment, cwd=REPOSITORY)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).close()
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the hub does not start") from None
                time.sleep(0.1)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = json.dumps({"provider": "development", "token": "Kari"})
        login = self.ask("POST", "/auth/login", body, {"Content-Type": "application/json"})
        self.headers = {"Authorization": f"Bearer {login['access_token']}"}
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)

    def ask(self, method, target, body=None, headers=None):
        self.connection.request(method, target, body, headers or self.headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise SystemExit(f"{target}: {response.status} {answer}")
        return answer

    def search(self, text):
        query = urllib.parse.urlencode({"q": text, "limit": 10})
        return [film["title"] for film in self.ask("GET", f"/movies/search?{query}")["movies"]]

    def baseline(self):
        times = []
        for _ in range(100):
            start = time.perf_counter()
            self.ask("GET", "/users/me")
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times)


if __name__ == "__main__":
    main()
