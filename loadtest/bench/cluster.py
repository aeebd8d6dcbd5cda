"""A cluster of three nodes beside one hub, both on PostgreSQL, in turn: publications a second, processor time, the
delay between nodes, and how fast a node catches up.

  Tests/postgres.sh python3 loadtest/bench/cluster.py                      three rounds
  Tests/postgres.sh python3 loadtest/bench/cluster.py --rounds 1 --behind 20000        a look

Tests/postgres.sh starts the server; POSTGRES_BASE is the directory for its files. Prints Markdown tables with the
median of the rounds.
"""

import argparse
import http.client
import json
import os
import secrets
import signal
import statistics
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import postgres
from radars_usage import processor_seconds

NAMES = "abc"
TOPIC = "chat:delay"
# Publications, one after the other, of the delay between nodes.
DELAYS = 500
DELAY_PAUSE_SECONDS = 0.01
PER_REQUEST = 500
# Connections, publications in a request, publications a second if not as many as possible, and whether the nodes of a
# cluster share the connections.
LOADS = {
    "64 × 1": (64, 1, None, False),
    "64 × 1, spread": (64, 1, None, True),
    "8 × 100": (8, 100, None, False),
    "64 × 1, 200 a second": (64, 1, 200, False),
}


class Node(postgres.Hub):
    def __init__(self, work, database, name):
        directory = work / name
        directory.mkdir()
        super().__init__(directory, database)
        text = self.configuration.read_text() + f"cluster: {{node: {name}}}\n"
        self.configuration.write_text(text)

    def publish_one(self, connection, channel, data):
        body = json.dumps({"channel": channel, "data": data})
        connection.request("POST", "/api/publish", body, {"X-API-Key": os.environ["VARDE_API_KEY"]})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200 and b'"error"' not in text, text

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=postgres.PATIENCE_SECONDS)

    def top_offset(self, channel):
        connection = self.connection()
        connection.request(
            "POST", "/api/history", json.dumps({"channel": channel, "limit": 0}),
            {"X-API-Key": os.environ["VARDE_API_KEY"]},
        )
        return json.loads(connection.getresponse().read())["result"]["offset"]


class Reader(threading.Thread):
    """An event stream, and when each of its publications came."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.arrived = {}
        self.is_open = threading.Event()
        self._connection = node.connection()
        self.start()

    def run(self):
        self._connection.request("GET", f"/events?topics={TOPIC}", headers={"Accept": "text/event-stream"})
        answer = self._connection.getresponse()
        assert answer.status == 200, answer.read()
        self.is_open.set()
        while len(self.arrived) < DELAYS:
            line = answer.readline()
            if line.startswith(b"data:") and b'"number"' in line:
                now = time.perf_counter()
                number = int(line.split(b'"number":')[1].split(b"}")[0])
                self.arrived[number] = now


def delays(nodes):
    """From the arrival at a subscriber of the publishing node to that at one of another node."""
    readers = [Reader(node) for node in nodes[:2]]
    for reader in readers:
        assert reader.is_open.wait(postgres.PATIENCE_SECONDS)
    connection = nodes[0].connection()
    for number in range(DELAYS):
        nodes[0].publish_one(connection, TOPIC, {"number": number})
        time.sleep(DELAY_PAUSE_SECONDS)
    for reader in readers:
        reader.join(postgres.PATIENCE_SECONDS)
    here, there = (reader.arrived for reader in readers)
    found = sorted((there[number] - here[number]) * 1000 for number in range(DELAYS))
    return {"p50 ms": found[DELAYS // 2], "p99 ms": found[DELAYS * 99 // 100]}


def caught_up(nodes, count):
    """The publications a second that a node reads that was stopped while `count` were made."""
    node = nodes[2]
    node.process.send_signal(signal.SIGSTOP)
    connection = nodes[0].connection()
    headers = {"X-API-Key": os.environ["VARDE_API_KEY"]}
    command = {"publish": {"channel": "chat:behind", "data": "x" * 128}}
    body = json.dumps({"commands": [command] * PER_REQUEST})
    for _ in range(count // PER_REQUEST):
        connection.request("POST", "/api/batch", body, headers)
        answer = connection.getresponse()
        assert b'"error"' not in answer.read()
    begin = time.perf_counter()
    node.process.send_signal(signal.SIGCONT)
    while node.top_offset("chat:behind") < count:
        time.sleep(0.005)
    return count / (time.perf_counter() - begin)


def measured(nodes, server, load, seconds):
    """Figures for each publication, of the node that publishes, the others, and the server."""
    connections, batch, rate, is_spread = LOADS[load]
    publishing = nodes if is_spread else nodes[:1]

    def publish(seconds):
        share = connections // len(publishing)
        with ThreadPoolExecutor(len(publishing)) as pool:
            reports = list(pool.map(lambda node: node.publish(share, batch, seconds, rate), publishing))
        return [report["figures"] for report in reports], reports[0]["latencies"]["latency"]["p99_ns"]

    publish(1)
    before = [processor_seconds(node.process.pid) for node in nodes]
    server_before = server.seconds()
    figures, p99 = publish(seconds)
    count = sum(each["published"]["value"] for each in figures)
    used = [
        (processor_seconds(node.process.pid) - start) / count * 1e6
        for node, start in zip(nodes, before, strict=True)
    ]
    values = {
        "rate": sum(each["throughput"]["value"] for each in figures),
        "p99 ms": p99 / 1e6,
        "all nodes µs": sum(used),
        "server µs": (server.seconds() - server_before) / count * 1e6,
    }
    if len(nodes) > 1 and not is_spread:
        values |= {"publishing node µs": used[0], "other node µs": statistics.mean(used[1:])}
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--behind", type=int, default=200_000, help="publications that a node has missed")
    parser.add_argument("--work", type=Path, help="a directory for the hubs")
    options = parser.parse_args()
    server = postgres.Server(os.environ["POSTGRES"])
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))
    postgres.CONFIGURATION = postgres.CONFIGURATION.replace(
        "history_size: 100", "history_size: 100, anonymous_subscribe: true"
    )
    found, alone = {}, {}
    for number in range(options.rounds):
        for store in ("one hub", "three nodes"):
            with tempfile.TemporaryDirectory(dir=options.work) as directory:
                work, is_cluster = Path(directory), store == "three nodes"
                url = f"{server.url}&schema=cluster{number}{int(is_cluster)}"
                nodes = (
                    [Node(work, f'"{url}"', name) for name in NAMES]
                    if is_cluster
                    else [postgres.Hub(work, f'"{url}"')]
                )
                try:
                    for node in nodes:
                        node.start()
                    for load in LOADS:
                        for name, value in measured(nodes, server, load, options.seconds).items():
                            found.setdefault((load, name), {}).setdefault(store, []).append(value)
                    if is_cluster:
                        for name, value in delays(nodes).items():
                            alone.setdefault(f"delay to another node, {name}", []).append(value)
                        alone.setdefault("publications a second of a node that catches up", []).append(
                            caught_up(nodes, options.behind)
                        )
                finally:
                    for node in nodes:
                        if node.process:
                            node.kill()
    print("| load | figure | one hub | three nodes | ratio |\n| --- | --- | --- | --- | --- |")
    for (load, name), values in found.items():
        one, other = (statistics.median(values.get(each, [0])) for each in ("one hub", "three nodes"))
        ratio = f"{other / one:.2f}" if one else ""
        print(f"| {load} | {name} | {one:.4g} | {other:.4g} | {ratio} |")
    print("\n| figure | value |\n| --- | --- |")
    for name, values in alone.items():
        print(f"| {name} | {statistics.median(values):.4g} |")


if __name__ == "__main__":
    main()
