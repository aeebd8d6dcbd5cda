"""Generates reports of made-up stories, and pushes them to a hub."""

import http.client
import json
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

Article = dict[str, Any]

TICKERS = ["AAPL", "MSFT", "NVDA", "TSLA", "AMZN"]
CATEGORIES = ["business", "technology", "science", "health", "sports", "general"]
PUBLISHERS = 40
SYLLABLES = ["ba", "ko", "du", "fi", "gra", "hem", "jol", "kru", "lim", "mon", "ner", "pos", "sut", "val", "wir", "zed"]
# Most stories have few reports, some have many.
REPORTS = [1, 1, 1, 2, 2, 3, 4, 6, 9, 15]
OPEN_STORIES = 30
COPY_SHARE = 0.1
TICKER_SHARE = 0.4
WORDS_OF_STORY = 14
WORDS_OF_REPORT = 8

BATCH = 25
PATIENCE_SECONDS = 120.0
RETRY_SECONDS = 0.05


def news_hub(stage, **sections):
    """A hub in development, where requests need no credentials."""
    hub = stage.hub(name="news")
    everything = {
        "development": True,
        "loops": 2,
        "news": {"requests_per_minute": 1_000_000},
        **sections,
    }
    hub.configure("".join(f"{key}: {json.dumps(value)}\n" for key, value in everything.items()))
    hub.start()
    return hub


class Wire:
    """Reports in the order in which they are published, `step` seconds apart."""

    def __init__(
        self, dice: random.Random, count: int, *, begin: datetime | None = None, step: float = 1.0
    ) -> None:
        """Without `begin`, the last report is an hour old."""
        self._dice = dice
        self._count = count
        self._step = timedelta(seconds=step)
        self._time = begin or datetime.now(UTC) - timedelta(hours=1) - self._step * count

    def articles(self) -> Iterator[Article]:
        stories = [self._story() for _ in range(OPEN_STORIES)]
        for number in range(self._count):
            place = self._dice.randrange(len(stories))
            story = stories[place]
            yield self._report(story, number)
            story["left"] -= 1
            if story["left"] == 0:
                stories[place] = self._story()

    def _story(self) -> dict[str, Any]:
        dice = self._dice
        return {
            "words": [self._word() for _ in range(WORDS_OF_STORY)],
            "tickers": [dice.choice(TICKERS)] if dice.random() < TICKER_SHARE else [],
            "category": dice.choice(CATEGORIES),
            "left": dice.choice(REPORTS),
            "texts": [],
        }

    def _report(self, story: dict[str, Any], number: int) -> Article:
        dice = self._dice
        if story["texts"] and dice.random() < COPY_SHARE:
            title, text = dice.choice(story["texts"])
        else:
            title = " ".join(dice.sample(story["words"], WORDS_OF_REPORT))
            text = " ".join(
                dice.sample(story["words"], WORDS_OF_REPORT)
                + [self._word() for _ in range(WORDS_OF_REPORT)]
            )
            story["texts"].append((title, text))
        self._time += self._step
        return {
            "url": f"https://wire.example.com/{number}",
            "title": title,
            "description": text,
            "source": f"Publisher {dice.randrange(PUBLISHERS)}",
            "category": story["category"],
            "tickers": story["tickers"],
            "language": "en",
            "country": "us",
            "published_at": self._time.isoformat(timespec="seconds").replace("+00:00", "Z"),
        }

    def _word(self) -> str:
        return "".join(self._dice.choice(SYLLABLES) for _ in range(4))


class Pusher(threading.Thread):
    """Pushes articles in batches, and repeats each batch until the hub answers 200."""

    def __init__(self, port, articles, seconds):
        """Spreads the articles evenly over `seconds`."""
        super().__init__(daemon=True)
        self._port = port
        self._seconds = seconds
        self._articles = articles
        self.done = 0
        self.error = None

    def run(self):
        begin = time.monotonic()
        try:
            while self.done < len(self._articles):
                batch = self._articles[self.done : self.done + BATCH]
                self._push(batch)
                self.done += len(batch)
                due = begin + self._seconds * self.done / len(self._articles)
                time.sleep(max(0.0, due - time.monotonic()))
        except Exception as error:
            self.error = error

    def _push(self, batch):
        body = json.dumps({"articles": batch})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)
            try:
                connection.request(
                    "POST", "/api/news/articles", body, {"Content-Type": "application/json"}
                )
                response = connection.getresponse()
                answer = response.read()
                if response.status == 200:
                    return
                assert response.status == 503, answer
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            assert time.monotonic() < deadline, "the hub takes no articles"
            time.sleep(RETRY_SECONDS)


def rows(hub, statement):
    with closing(sqlite3.connect(f"file:{hub.database}?mode=ro", uri=True)) as database:
        return database.execute(statement).fetchall()


def count(hub, table):
    return rows(hub, f"SELECT count(*) FROM {table}")[0][0]
