"""How fast is a hub ready whose store is much larger than its memory, and how fast are topics that are not in memory?

It fills a store by SQL: a million topics with ten publications of 220 bytes each, unless told otherwise. For each number
of loops it starts the hub, kills it with SIGKILL, and measures the time until it is ready again and its memory; then one
client after the other recovers a random topic; then all clients come back at once, each to a topic of its own, and
recover what they have missed. After it, one topic gets publications of 1 MiB; then those that are kept are
read by the server API, and a client is told that it has missed some.

  .venv/bin/python loadtest/bench/stored_histories.py
  .venv/bin/python loadtest/bench/stored_histories.py --topics 100000 --loops 2       a look
  Tests/postgres.sh .venv/bin/python loadtest/bench/stored_histories.py --postgres    in PostgreSQL
  Tests/postgres.sh .venv/bin/python loadtest/bench/stored_histories.py --cluster     a node of a cluster

After 'make build'. Tests/postgres.sh starts the server; POSTGRES_BASE is the directory for its files. Prints a Markdown
table.
"""

import argparse
import json
import os
import random
import resource
import selectors
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from histories import Hub
from servers import HERE

CONFIGURATION = """\
listen: ["127.0.0.1:{port}"]
database: "{database}"
log_level: warning
loops: {loops}
limits: {{handshakes: 0, connections_per_user: 100000, subscriptions_per_user: 0}}
rates: {{address: {{connects: 0, commands: 0, publishes: 0}}}}
namespaces:
  - {{name: kept, history_size: 100, anonymous_subscribe: true}}
"""
PATIENCE_SECONDS = 60
# Of the newest publications of its topic, so many has a client that comes back missed.
MISSED = 5
ROWS = 100_000


def configured(varde, directory, loops, options):
    hub = Hub(varde, directory, loops, 100)
    text = CONFIGURATION.format(port=hub.port, loops=loops, database=database(options))
    if options.cluster:
        text += "cluster: {node: a}\n"
    (directory / "varde.yaml").write_text(text)
    return hub


def database(options):
    return os.environ["POSTGRES"] if options.postgres or options.cluster else "varde.sqlite"


def fill(hub, options):
    """Adds the rows that the hub would have written, but for the checksums: as rows of an earlier version. Returns the
    epoch, and the bytes of the store."""
    hub.start()
    hub.kill()
    payload = json.dumps({"text": "x" * (options.bytes - len('{"text": ""}'))})
    if options.postgres or options.cluster:
        return fill_postgres(payload, options)
    epoch = fill_file(hub, payload.encode(), options)
    return epoch, (hub.directory / "varde.sqlite").stat().st_size


def fill_postgres(payload, options):
    count = options.topics * options.each
    statements = f"""
        SET search_path = varde, pg_catalog;
        INSERT INTO topic (name) SELECT 'kept:' || n FROM generate_series(0, {options.topics} - 1) AS n ORDER BY n;
        INSERT INTO publication (cursor, topic_id, topic_offset, time, payload)
            SELECT (SELECT cursor_base FROM hub) + 1 + n,
                (SELECT min(id) FROM topic) + n % {options.topics}, n / {options.topics} + 1,
                (extract(epoch FROM now()) * 1000)::bigint, convert_to('{payload}', 'UTF8')
            FROM generate_series(0, {count} - 1) AS n;
        UPDATE hub SET unchecked_cursor = cursor_base + {count};
        UPDATE batch SET last_cursor = (SELECT max(cursor) FROM publication)
            WHERE number = (SELECT max(number) FROM batch);
        ANALYZE;
    """
    query(statements)
    query("CHECKPOINT")
    return query("SELECT epoch FROM varde.hub"), int(query("SELECT pg_database_size(current_database())"))


def query(statements):
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"]
    asked = subprocess.run([*command, os.environ["POSTGRES"]], input=statements, text=True, capture_output=True)
    if asked.returncode != 0:
        raise RuntimeError(asked.stderr)
    return asked.stdout.strip()


def fill_file(hub, payload, options):
    store = sqlite3.connect(hub.directory / "varde.sqlite", isolation_level=None)
    store.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000")
    base = store.execute("SELECT cursor_base FROM hub").fetchone()[0]
    now = int(time.time() * 1000)
    store.execute("BEGIN")
    store.executemany(
        "INSERT INTO topic (id, name) VALUES (?, ?)",
        ((number + 1, f"kept:{number}") for number in range(options.topics)),
    )
    store.execute("COMMIT")
    # Offset by offset, so that the publications of a topic lie far from each other.
    count = options.topics * options.each
    for first in range(0, count, ROWS):
        store.execute("BEGIN")
        store.executemany(
            "INSERT INTO publication (cursor, topic_id, topic_offset, time, payload) VALUES (?, ?, ?, ?, ?)",
            (
                (base + 1 + row, row % options.topics + 1, row // options.topics + 1, now, payload)
                for row in range(first, min(first + ROWS, count))
            ),
        )
        store.execute("COMMIT")
    store.execute("UPDATE hub SET unchecked_cursor = ?", (base + count,))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    epoch = store.execute("SELECT epoch FROM hub").fetchone()[0]
    store.close()
    return epoch


def frame(text):
    data = text.encode()
    head = bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else bytes([0x81, 0xFE]) + len(data).to_bytes(2, "big")
    return head + b"\0\0\0\0" + data


class Client:
    """Comes back to one topic, with everything in one piece."""

    def __init__(self, number, offset, epoch):
        subscribe = {"channel": f"kept:{number}", "recover": True, "offset": offset, "epoch": epoch}
        self.request = (
            b"GET /connection/websocket HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
            + frame('{"id":1,"connect":{}}')
            + frame(json.dumps({"id": 2, "subscribe": subscribe}))
        )
        self.expected = [f'"offset":{offset + 1 + index}'.encode() for index in range(MISSED)]
        self.received = b""

    def begin(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(self.request)

    def take(self):
        """Returns whether everything has come."""
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise RuntimeError(f"connection closed after {self.received[-200:]}")
        self.received += piece
        if b'"error"' in self.received:
            raise RuntimeError(f"error: {self.received[-300:]}")
        return b'"recovered":true' in self.received and all(each in self.received for each in self.expected)


def recoveries(hub, epoch, options):
    """Returns the seconds that each of several clients took, one after the other."""
    times = []
    for number in random.sample(range(options.topics), options.recoveries):
        client = Client(number, options.each - MISSED, epoch)
        begin = time.monotonic()
        client.begin(hub.port)
        while not client.take():
            pass
        times.append(time.monotonic() - begin)
        client.socket.close()
    return sorted(times)


def storm(hub, epoch, options):
    """Returns the seconds until the last of many clients has everything."""
    numbers = random.sample(range(options.topics), options.clients)
    clients = [Client(number, options.each - MISSED, epoch) for number in numbers]
    selector = selectors.DefaultSelector()
    begin = time.monotonic()
    waiting = list(reversed(clients))
    left = len(clients)
    while left > 0:
        for _ in range(min(64, len(waiting))):
            client = waiting.pop()
            client.begin(hub.port)
            selector.register(client.socket, selectors.EVENT_READ, client)
        for key, _ in selector.select(0 if waiting else 1):
            if key.data.take():
                selector.unregister(key.fileobj)
                left -= 1
        if time.monotonic() - begin > PATIENCE_SECONDS:
            raise TimeoutError(f"{left} clients do not have everything")
    seconds = time.monotonic() - begin
    for client in clients:
        client.socket.close()
    return seconds


def publish_long(hub, count):
    """Publishes 1 MiB so many times to one topic; returns the highest resident memory, and the last place."""
    data = {"text": "y" * ((1 << 20) - 200)}
    request = json.dumps({"channel": "kept:long", "data": data}).encode()
    most = 0
    for number in range(count):
        with urllib.request.urlopen(
            urllib.request.Request(
                f"http://127.0.0.1:{hub.port}/api/publish",
                request,
                {"X-API-Key": hub.key, "Content-Type": "application/json"},
            )
        ) as answer:
            body = json.load(answer)
        if "error" in body:
            raise RuntimeError(f"not published: {body}")
        if number % 100 == 99:
            most = max(most, hub.resident_mb)
    return max(most, hub.resident_mb), body["result"]


def read_long(hub, place):
    """Reads what is kept by the server API; a client that has missed it is told so, because one answer is too short."""
    top, kept = place["offset"], []
    question = {"channel": "kept:long", "limit": 100}
    while not kept or kept[-1] < top:
        request = urllib.request.Request(
            f"http://127.0.0.1:{hub.port}/api/history",
            json.dumps(question).encode(),
            {"X-API-Key": hub.key, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            page = json.load(answer)["result"]["publications"]
        if not page:
            break
        kept += [each["offset"] for each in page]
        question["since"] = {"offset": kept[-1], "epoch": place["epoch"]}
    if not kept or kept != list(range(top - len(kept) + 1, top + 1)):
        raise RuntimeError(f"offsets {kept} are kept, up to {top} were published")
    client = Client("long", kept[0], place["epoch"])
    client.begin(hub.port)
    while b'"id":2' not in client.received or not client.received.endswith(b"}"):
        piece = client.socket.recv(1 << 20)
        if not piece:
            raise RuntimeError("connection closed")
        client.received += piece
    client.socket.close()
    if b'"recovered":true' in client.received or f'"offset":{top}'.encode() not in client.received:
        raise RuntimeError(f"told {client.received[-300:]}")
    return hub.resident_mb


def measure(varde, directory, epoch, loops, options):
    hub = configured(varde, directory, loops, options)
    hub.start()
    hub.kill()
    ready = hub.start()
    try:
        time.sleep(1)
        empty = hub.resident_mb
        times = recoveries(hub, epoch, options)
        one = hub.resident_mb
        slowest = storm(hub, epoch, options)
        time.sleep(1)
        many = hub.resident_mb
        long, place = publish_long(hub, options.long)
        long = max(long, read_long(hub, place))
    finally:
        hub.kill()

    def part(share):
        return times[min(len(times) - 1, int(len(times) * share))] * 1000
    return (
        f"| {loops} | {ready:.2f} | {empty:.0f} | {part(0.5):.1f} | {part(0.99):.1f} | {one:.0f} "
        f"| {slowest:.1f} | {many:.0f} | {long:.0f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--varde", type=Path, default=HERE.resolve().parents[1] / ".build/release/varde")
    parser.add_argument("--loops", type=int, nargs="+", default=[2, 16])
    parser.add_argument("--topics", type=int, default=1_000_000)
    parser.add_argument("--each", type=int, default=10, help="publications of each topic")
    parser.add_argument("--bytes", type=int, default=220, help="of each publication")
    parser.add_argument("--recoveries", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=10_000)
    parser.add_argument("--long", type=int, default=1000, help="publications of 1 MiB to one topic")
    parser.add_argument("--postgres", action="store_true", help="in the server of Tests/postgres.sh")
    parser.add_argument("--cluster", action="store_true", help="the same, by a node of a cluster")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    varde = options.varde.resolve()
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        epoch, size = fill(configured(varde, directory, 2, options), options)
        print(f"{options.topics * options.each} publications, {size / 1e9:.1f} GB in the store\n")
        print(
            "| loops | ready, s | memory, MB | recovery p50, ms | p99, ms | memory, MB "
            "| slowest of the storm, s | memory, MB | after long publications, MB |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
        for loops in options.loops:
            print(measure(varde, directory, epoch, loops, options), flush=True)


if __name__ == "__main__":
    main()
