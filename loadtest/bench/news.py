"""What do stored articles cost, and how soon does the feed answer with a million of them?

It starts the hub, pushes made-up reports of made-up stories through `POST /api/news/articles`, and prints after each
part how much processor time an article took, how much memory the hub has, and how long answers take. At the end it
restarts the hub.

  news.py                          1,000,000 articles, about a quarter of an hour
  news.py --articles 20000         a look
  news.py --day-articles 1000      fewer in a day, so fewer stories are open at a time
  news.py --directory DIR          keeps the database there; with one that is there already, it pushes nothing

Reports are dated a fixed time apart, so that `--day-articles` come in a day, the last of them an hour ago.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from radars_usage import processor_seconds
from servers import HERE, free_port

REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(REPOSITORY / "Tests/NewsApp/Acceptance"))
from wire import Wire  # noqa: E402

PATIENCE_SECONDS = 120.0
BATCH = 100
PARTS = 10
REQUESTS = 2000
DAY_SECONDS = 86_400
SEED = 11
CONFIGURATION = """
listen: ["127.0.0.1:{port}"]
database: {directory}/varde.sqlite
log_level: warning
development: true
rates: {{address: {{connects: 0, commands: 0, publishes: 0}}}}
news: {{articles: 100000000, requests_per_minute: 1000000}}
"""
TARGETS = {
    "feed": "/v1/feed",
    "feed of 100": "/v1/feed?limit=100",
    "personal feed": "/v1/personalized-feed",
    "story groups": "/v1/feed/story-groups?date={day}",
    "headlines": "/v2/top-headlines?country=us&category=business",
    "search": "/v1/search?q={word}",
}


def main():
    options = arguments()
    if options.directory:
        measure(options, Path(options.directory))
    else:
        with tempfile.TemporaryDirectory() as directory:
            measure(options, Path(directory))


def measure(options, directory):
    hub = Hub(directory)
    is_filled = hub.database.exists()
    hub.start()
    if not is_filled:
        fill(hub, options)
    hub.request("PUT", "/v1/preferences", json.dumps({"holdings": ["AAPL", "MSFT", "NVDA"]}))
    words = hub.newest()
    for name, target in TARGETS.items():
        print(f"{name}: {hub.latency(target.format(**words), options.requests)}", flush=True)
    hub.stop()
    started = time.monotonic()
    hub.start()
    print(f"restart: {time.monotonic() - started:.1f} s, memory {hub.memory() >> 20} MiB")
    print(f"feed after it: {hub.latency('/v1/feed', options.requests)}")
    hub.stop()


def fill(hub, options):
    step = DAY_SECONDS / options.day_articles
    begin = datetime.now(UTC) - timedelta(hours=1, seconds=step * options.articles)
    wire = Wire(random.Random(SEED), options.articles, begin=begin, step=step).articles()
    done, part = 0, max(BATCH, options.articles // PARTS)
    while done < options.articles:
        used, started = hub.used(), time.monotonic()
        for _ in range(part // BATCH):
            hub.push(list(itertools.islice(wire, BATCH)))
            done += BATCH
        took, cost = time.monotonic() - started, hub.used() - used
        share = 100 * cost / part * 100_000 / DAY_SECONDS
        print(
            f"{done} articles: {part / took:.0f}/s, {1e6 * cost / part:.0f} µs of processor time each "
            f"({share:.2f} % of a core for 100,000 a day), "
            f"memory {hub.memory() >> 20} MiB, database {hub.size() >> 20} MiB",
            flush=True,
        )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--day-articles", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--directory")
    return parser.parse_args()


class Hub:
    def __init__(self, directory):
        self.directory, self.port = directory, free_port()
        self.database = directory / "varde.sqlite"
        self.varde = os.environ.get("VARDE", str(REPOSITORY / ".build/release/varde"))
        text = CONFIGURATION.format(port=self.port, directory=directory)
        (directory / "varde.yaml").write_text(text)
        self.process = self.connection = None

    def start(self):
        command = [self.varde, "serve", "--config", str(self.directory / "varde.yaml")]
        self.process = subprocess.Popen(command, cwd=REPOSITORY)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).close()
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the hub does not start") from None
                time.sleep(0.02)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)

    def request(self, method, target, body=None):
        self.connection.request(method, target, body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise SystemExit(f"{method} {target}: {response.status} {answer}")
        return answer

    def push(self, articles):
        self.request("POST", "/api/news/articles", json.dumps({"articles": articles}))

    def latency(self, target, count):
        """Of requests one after the other, on one connection."""
        times, used = [], self.used()
        for _ in range(count):
            started = time.perf_counter()
            answer = self.request("GET", target)
            times.append(1e3 * (time.perf_counter() - started))
        cost = 1e3 * (self.used() - used) / count
        times.sort()
        p50, p99 = times[count // 2], times[count * 99 // 100]
        return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, {cost:.2f} ms of processor time, {len(answer)} bytes"

    def newest(self):
        """The day of the article that was stored last, and a word of it."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            title, milliseconds = database.execute(
                "SELECT title, published_at FROM news_article ORDER BY id DESC LIMIT 1"
            ).fetchone()
        day = datetime.fromtimestamp(milliseconds / 1000, UTC).date()
        return {"day": day, "word": title.split()[0]}

    def used(self):
        return processor_seconds(self.process.pid)

    def memory(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    def size(self):
        return sum(path.stat().st_size for path in self.directory.glob("varde.sqlite*"))


if __name__ == "__main__":
    main()
