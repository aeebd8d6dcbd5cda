"""The processes of radars.py, and what each of them tells."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from datetime import UTC, datetime

from radars_provider import TOPIC_NUMBER, read_log
from servers import HERE, Launch, Running, free_port

CLOCK_START = datetime(2026, 6, 1, 6, tzinfo=UTC)
# Most of them are slowed by what else the machine does.
CLOCK_LOOKS = 40


class Hub:
    """The hub with one source, and what it tells of itself."""

    def __init__(self, options, provider_port):
        self.secret = secrets.token_urlsafe(32)
        self.port = free_port()
        self.directory, self.database = options.work, options.work / "varde.sqlite"
        if not options.again:
            for file in options.work.glob("varde.sqlite*"):
                file.unlink()
        self.configure(options, provider_port)
        # Secrets are not in the file, and in no command line.
        os.environ["VARDE_TOKEN_SECRET"] = self.secret
        command = [options.varde, "serve", "--config", "varde.yaml"]
        launch = Launch(command, options.work, f"http://127.0.0.1:{self.port}/")
        self.running = Running(launch, f"0-{os.cpu_count() - 1}")

    def configure(self, options, provider_port):
        source = {
            "name": "pace",
            "kind": "openai",
            "url": f"http://127.0.0.1:{provider_port}/v1",
            "model": "pace",
            "concurrency": 64,
            "daily_tokens": 0,
            "daily_requests": 0,
        }
        radar = {
            "interval": "1h",
            "watched_interval": "1h",
            "cache_age": "0s",
            "radars_per_user": 100_000,
            "polls_at_once": 128,
            "creations_per_minute": 1000,
            "user_share_percent": 100,
            "sources": [source],
        }
        start = self.last_poll() if options.again else CLOCK_START
        configuration = {
            "listen": [f"127.0.0.1:{self.port}"],
            "database": self.database.name,
            "log_level": "warning",
            "rates": {"address": {"connects": 0, "commands": 0, "publishes": 0}},
            "clock": {"start": f"{start:%Y-%m-%dT%H:%M:%SZ}", "speed": options.speed},
            "radar": radar,
        }
        lines = [f"{key}: {json.dumps(value)}" for key, value in configuration.items()]
        (self.directory / "varde.yaml").write_text("\n".join(lines) + "\n")

    def token(self, user):
        claims = {"sub": user, "exp": int(time.time()) + 24 * 3600}
        parts = [base64url(json.dumps(each).encode()) for each in ({"alg": "HS256", "typ": "JWT"}, claims)]
        text = ".".join(parts)
        return f"{text}.{base64url(hmac.digest(self.secret.encode(), text.encode(), hashlib.sha256))}"

    # What it answers

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as response:
            return response.read().decode()

    def metrics(self):
        """By name, what the labels tell apart added up; `poll_errors` beside them."""
        values = Counter()
        for line in self.get("/metrics").split("\n"):
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name.split("{")[0]] += float(value)
                if name.startswith("hub_poll_runs_total") and 'result="error"' in name:
                    values["poll_errors"] += float(value)
        return values

    def clock_offset(self, speed):
        """Seconds of the hub's clock when CLOCK_MONOTONIC shows 0, by the look that took least time."""
        looks = []
        for _ in range(CLOCK_LOOKS):
            asked = time.monotonic()
            told = datetime.fromisoformat(json.loads(self.get("/api/health"))["time"]).timestamp()
            answered = time.monotonic()
            looks.append((answered - asked, told - (asked + answered) / 2 * speed))
        return min(looks)[1]

    # What is in its database

    def select(self, statement):
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()

    def last_poll(self):
        ((milliseconds,),) = self.select("SELECT MAX(last_polled_at) FROM radar")
        return datetime.fromtimestamp(milliseconds / 1000, UTC)

    def due_times(self):
        """When each radar is due, by its id, in seconds of the hub's clock."""
        rows = self.select("SELECT id, next_poll_at FROM radar")
        return {radar: milliseconds / 1000 for radar, milliseconds in rows}

    def radars(self):
        """Numbers and ids of the radars that an earlier run has made."""
        rows = self.select("SELECT topic, id FROM radar")
        return [(int(TOPIC_NUMBER.search(topic)[1]), identifier) for topic, identifier in rows]


def base64url(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


class Provider:
    """The process of radars_provider.py, and its log as far as it was read."""

    def __init__(self, options):
        self.path = options.work / "questions.log"
        command = [sys.executable, HERE / "radars_provider.py", "--log", self.path]
        command += ["--latency", str(options.latency / 1000)]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.questions = []
        # Numbers of radars that were asked about.
        self.polled = set()

    def read(self):
        new = read_log(self.path, len(self.questions))
        self.questions += new
        self.polled.update(each.radar for each in new if each.is_stance)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Watchers:
    """The process of radars_watchers.py."""

    def __init__(self, order):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "radars_watchers.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline().strip() != "watching":
            raise RuntimeError("the readers do not get in")
        # By the number of the provider's answer: the ways it came, and when.
        self.received = {}
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            way, answer, received = line.split()
            self.received.setdefault(int(answer), []).append((way, float(received)))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.thread.join()
