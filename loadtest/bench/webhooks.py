"""How fast does the outbox drain? Many endpoints, paused while events are published, and then all resumed.

It starts receivers (webhooks_receiver.py) and the hub, makes the endpoints by `POST /api/webhooks`, waits until each
is verified, pauses them, pushes opinions to some radars until enough rows wait, resumes them all at once, and waits
until the receivers have everything. Then nothing may be missing or double, and the opinions of one radar have to have
come to each endpoint in their order. It ends with status 1 when something is wrong, or less than `--goal` a second.

  webhooks.py                                        10,000 rows for 100 endpoints
  webhooks.py --opinions 1000 --work /tmp/look       100,000 rows

Needs nothing but Python.
"""

import argparse
import hashlib
import hmac
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from radars_processes import base64url
from radars_usage import machine_seconds, processor_seconds
from servers import HERE, Launch, Running, free_port

RATE_GOAL = 1000
PATIENCE_SECONDS = 120.0
CONNECTIONS = 8


class Receivers:
    """The process of webhooks_receiver.py."""

    def __init__(self):
        command = [sys.executable, str(HERE / "webhooks_receiver.py")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def ask(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as response:
            return json.load(response)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Hub:
    """The hub with radars and no source."""

    def __init__(self, options, receiver_port):
        self.port, self.key, self.secret = free_port(), secrets.token_urlsafe(24), secrets.token_urlsafe(32)
        for file in options.work.glob("varde.sqlite*"):
            file.unlink()
        configuration = {
            "listen": [f"127.0.0.1:{self.port}"],
            "database": "varde.sqlite",
            "log_level": "warning",
            "radar": {"interval": "30d", "watched_interval": "30d"},
            "webhook_limits": {"allow_addresses": ["127.0.0.0/8"], "ports": [receiver_port]},
        }
        lines = [f"{key}: {json.dumps(value)}" for key, value in configuration.items()]
        (options.work / "varde.yaml").write_text("\n".join(lines) + "\n")
        # Secrets are not in the file, and in no command line.
        os.environ["VARDE_API_KEY"], os.environ["VARDE_TOKEN_SECRET"] = self.key, self.secret
        command = [options.varde, "serve", "--config", "varde.yaml"]
        launch = Launch(command, options.work, f"http://127.0.0.1:{self.port}/")
        self.running = Running(launch, f"0-{os.cpu_count() - 1}")

    def ask(self, method, path, body=None, token=""):
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {"X-API-Key": self.key}
        content = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def token(self):
        claims = {"sub": "bench", "exp": int(time.time()) + 3600}
        parts = [base64url(json.dumps(each).encode()) for each in ({"alg": "HS256", "typ": "JWT"}, claims)]
        text = ".".join(parts)
        return f"{text}.{base64url(hmac.digest(self.secret.encode(), text.encode(), hashlib.sha256))}"

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as response:
            lines = response.read().decode().split("\n")
        return next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name} "))


class Run:
    """One run, and what it has found."""

    def __init__(self, options):
        self.options = options
        self.problems = []

    def carry_out(self):
        self.receivers = Receivers()
        try:
            self.hub = Hub(self.options, self.receivers.port)
            with self.hub.running as running:
                self.pid = running.process.pid
                self.make_endpoints()
                self.fill()
                self.drain()
                self.check()
        finally:
            self.receivers.close()

    def make_endpoints(self):
        url = f"http://127.0.0.1:{self.receivers.port}"
        self.ids = [
            self.hub.ask(
                "POST",
                "/api/webhooks",
                {"url": f"{url}/{number}", "types": ["radar.opinion.created"]},
            )["id"]
            for number in range(self.options.endpoints)
        ]
        self.wait_until(
            lambda: all(
                each["status"] == "active"
                for each in self.hub.ask("GET", "/api/webhooks")["webhooks"]
            ),
            "all endpoints are verified",
        )

    def fill(self):
        """Pauses the endpoints, and pushes opinions, each of which is a row for each endpoint."""
        for each in self.ids:
            self.hub.ask("POST", f"/api/webhooks/{each}/pause")
        token = self.hub.token()
        self.radars = [
            self.hub.ask("POST", "/api/radars", {"topic": f"topic {number}"}, token)["id"]
            for number in range(self.options.radars)
        ]
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            # One radar's come one after the other, so that their order is known.
            list(threads.map(self.push, range(self.options.radars)))
        self.rows = self.options.opinions * self.options.endpoints
        self.wait_until(lambda: self.hub.metric("hub_webhook_queue") == self.rows, "all rows wait")

    def push(self, radar):
        for number in range(radar, self.options.opinions, self.options.radars):
            opinion = {"stance": "for", "confidence": 0.5, "content": f"Opinion {number}"}
            path = f"/api/radars/{self.radars[radar]}/opinions"
            self.hub.ask("POST", path, opinion | {"author": "bench", "model": "bench"})

    def drain(self):
        self.load = os.getloadavg()[0]
        pids = {"hub": self.pid, "receivers": self.receivers.process.pid}
        used = {name: processor_seconds(pid) for name, pid in pids.items()}
        machine = machine_seconds()
        start = time.monotonic()
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            list(threads.map(lambda each: self.hub.ask("POST", f"/api/webhooks/{each}/resume"), self.ids))
        self.wait_until(lambda: self.receivers.ask("/count")["count"] >= self.rows, "all has come")
        # From the first resumption to the last message: nothing of it is left out.
        self.seconds = self.receivers.ask("/count")["times"][1] - start
        self.used = {name: processor_seconds(pid) - used[name] for name, pid in pids.items()}
        self.machine = machine_seconds() - machine
        self.wait_until(lambda: self.hub.metric("hub_webhook_queue") == 0, "all is noted")

    def check(self):
        received = self.receivers.ask("/all")
        each_once = {(path, identifier) for path, identifier, _, _ in received}
        if len(each_once) != len(received):
            self.problems.append(f"{len(received) - len(each_once)} came twice")
        lanes = defaultdict(list)
        for path, _, subject, number in received:
            lanes[path, subject].append(number)
        for lane, numbers in lanes.items():
            if numbers != sorted(numbers):
                self.problems.append(f"out of order: {lane}")
        per_path = defaultdict(set)
        for path, _, _, number in received:
            per_path[path].add(number)
        wanted = set(range(self.options.opinions))
        missing = sum(len(wanted - per_path[f"/{number}"]) for number in range(self.options.endpoints))
        if missing:
            self.problems.append(f"{missing} are missing")
        self.rate = self.rows / self.seconds
        if self.rate < self.options.goal:
            self.problems.append(f"less than {self.options.goal:,} a second")

    @staticmethod
    def wait_until(condition, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {PATIENCE_SECONDS:g} s: {what}")
            time.sleep(0.02)

    def report(self):
        others = self.machine - sum(self.used.values())
        print(f"{self.rows:,} deliveries to {self.options.endpoints} endpoints in {self.seconds:.2f} s:")
        print(f"{self.rate:,.0f} a second, {self.used['hub'] / self.rows * 1e6:.0f} µs of processor each")
        print(
            f"processors: {os.cpu_count()}, load before {self.load:.1f}; seconds used by the hub "
            f"{self.used['hub']:.2f}, the receivers {self.used['receivers']:.2f}, others {others:.2f}"
        )
        print("\n".join(self.problems) or "nothing missing, double, or out of order")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--endpoints", type=int, default=100)
    parser.add_argument("--opinions", type=int, default=100, help="each is a row for each endpoint")
    parser.add_argument("--radars", type=int, default=5, help="subjects, each with an order of its own")
    parser.add_argument("--goal", type=int, default=RATE_GOAL, help="deliveries a second")
    parser.add_argument("--varde", type=Path, default=os.environ.get("VARDE", ".build/release/varde"))
    parser.add_argument("--work", type=Path, default=Path(".build/bench/webhooks"), help="for its files")
    options = parser.parse_args()
    options.varde, options.work = Path(options.varde).resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    run.carry_out()
    run.report()
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
