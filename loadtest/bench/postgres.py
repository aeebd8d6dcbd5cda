"""A store in PostgreSQL beside one in a file, in turn: publications a second, processor time, and starts.

  Tests/postgres.sh python3 loadtest/bench/postgres.py                      three rounds, starts with 100,000 topics
  Tests/postgres.sh python3 loadtest/bench/postgres.py --rounds 1 --topics 2000        a look

Tests/postgres.sh starts the server; POSTGRES_BASE is the directory for its files, on the same disk as `--work`. Both
stores wait for the disk at each commit. Prints a Markdown table with the median of the rounds.
"""

import argparse
import http.client
import json
import os
import secrets
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from radars_usage import processor_seconds
from servers import HERE, free_port

RELEASE = HERE.parent.parent / ".build/release"
VARDE = Path(os.environ.get("VARDE", RELEASE / "varde"))
LOAD = Path(os.environ.get("VARDE_LOAD", RELEASE / "varde-load"))
PATIENCE_SECONDS = 120.0
# Requests of one publication, and of many.
LOADS = {"64 × 1": (64, 1), "8 × 100": (8, 100)}
CONFIGURATION = """
listen: ["127.0.0.1:{port}"]
database: {database}
synchronous: full
log_level: warning
limits: {{memory: 2GiB}}
namespaces: [{{name: chat, history_size: 100}}]
"""


class Server:
    """The processes of the PostgreSQL server that Tests/postgres.sh started."""

    def __init__(self, url):
        self.url = url
        directory = Path(parse_qs(urlsplit(url).query)["host"][0])
        self.main = int((directory / "data/postmaster.pid").read_text().split("\n")[0])

    def seconds(self):
        """Of those that run; read it while the hub's connections are open."""
        children = Path(f"/proc/{self.main}/task/{self.main}/children").read_text().split()
        return sum(processor_seconds(int(pid)) for pid in [self.main, *children])


class Hub:
    def __init__(self, work, database):
        self.port, self.database = free_port(), database
        self.configuration = work / "varde.yaml"
        self.configuration.write_text(CONFIGURATION.format(port=self.port, database=database))
        self.process = None

    def start(self):
        """The seconds until it is ready."""
        begin = time.perf_counter()
        self.process = subprocess.Popen([VARDE, "serve", "--config", self.configuration])
        while time.perf_counter() - begin < PATIENCE_SECONDS:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return time.perf_counter() - begin
            except ConnectionRefusedError:
                pass
            assert self.process.poll() is None, "the hub ended"
            time.sleep(0.005)
        raise AssertionError("the hub is not ready")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def publish(self, connections, batch, seconds, rate=None):
        command = [LOAD, "publish", "--url", f"http://127.0.0.1:{self.port}", "--quiet", "--json", "-"]
        command += ["--connections", str(connections), "--batch", str(batch), "--duration", str(seconds)]
        command += ["--channel", f"chat:load-{secrets.token_hex(4)}", "--warm-up", "0"]
        command += ["--rate", str(rate)] if rate else []
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
        return json.loads(found.stdout)

    def fill(self, topics, publications):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        headers = {"X-API-Key": os.environ["VARDE_API_KEY"]}
        data = "x" * 128
        per_request = 500
        for begin in range(0, topics, per_request):
            channels = [f"chat:start-{number}" for number in range(begin, min(topics, begin + per_request))]
            for _ in range(publications):
                body = json.dumps({"commands": [{"publish": {"channel": each, "data": data}} for each in channels]})
                connection.request("POST", "/api/batch", body, headers)
                answer = connection.getresponse()
                text = answer.read()
                assert answer.status == 200 and b'"error"' not in text, text[:200]


def measured(hub, server, load, seconds):
    connections, batch = LOADS[load]
    hub.publish(connections, batch, 1)
    hub_before, server_before = processor_seconds(hub.process.pid), server.seconds()
    report = hub.publish(connections, batch, seconds)
    count = report["figures"]["published"]["value"]
    return {
        "rate": report["figures"]["throughput"]["value"],
        "p99 ms": report["latencies"]["latency"]["p99_ns"] / 1e6,
        "hub µs": (processor_seconds(hub.process.pid) - hub_before) / count * 1e6,
        "server µs": (server.seconds() - server_before) / count * 1e6,
    }


def started(hub, options):
    """Fills a hub, kills it, and starts it again."""
    hub.fill(options.topics, options.publications)
    hub.kill()
    seconds = hub.start()
    return {"start s": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--publications", type=int, default=10, help="in each topic, for the starts")
    parser.add_argument("--work", type=Path, help="a directory on the disk to measure")
    options = parser.parse_args()
    server = Server(os.environ["POSTGRES"])
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))
    found = {}
    for number in range(options.rounds):
        for store in ("SQLite", "PostgreSQL"):
            with tempfile.TemporaryDirectory(dir=options.work) as directory:
                work = Path(directory)
                url = f"{server.url}&schema=bench{number}"
                hub = Hub(work, url if store == "PostgreSQL" else work / "hub.sqlite")
                hub.start()
                try:
                    values = {}
                    for load in LOADS:
                        found_now = measured(hub, server, load, options.seconds)
                        values |= {(load, name): value for name, value in found_now.items()}
                    values |= {("start", name): value for name, value in started(hub, options).items()}
                finally:
                    hub.kill()
            for key, value in values.items():
                found.setdefault(key, {}).setdefault(store, []).append(value)
    print("| load | figure | SQLite | PostgreSQL | ratio |\n| --- | --- | --- | --- | --- |")
    for (load, name), values in found.items():
        one, other = (statistics.median(values[store]) for store in ("SQLite", "PostgreSQL"))
        ratio = f"{other / one:.2f}" if one else ""
        print(f"| {load} | {name} | {one:.4g} | {other:.4g} | {ratio} |")


if __name__ == "__main__":
    main()
