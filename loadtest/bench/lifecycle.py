"""What do the events about who comes and goes cost?

It starts a hub with a kind of events, has users connect and subscribe to a topic each, and disconnect, in rounds. The
hubs take turns, so that a busy machine does not favour one of them. Measured are the hub's processor time and the bytes
that it writes, for each user that comes and goes.

Then users come and go all the time, beside clients that publish and measure how long the answer takes, with and without
all events in turn.

  .venv/bin/python loadtest/bench/lifecycle.py
  .venv/bin/python loadtest/bench/lifecycle.py --users 200 --rounds 1 --flap 5      a look

Needs the Python of the tests, which Tests/python.sh makes, and a release build. Prints a Markdown table.
"""

import argparse
import asyncio
import itertools
import json
import os
import sqlite3
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import jwt
from hooks import Client, latency_of_others
from radars_usage import processor_seconds, value
from servers import HERE, Launch, Running, free_port
from websockets.asyncio.client import connect

SECRET = "a secret of at least thirty-two bytes for the benchmark"
KINDS = {
    "none": ([], []),
    "`users`": (["users"], []),
    "`clients`": (["clients"], []),
    "`members`": ([], ["members"]),
    "all four": (["clients", "users"], ["topics", "members"]),
}
AT_ONCE = 100
SETTLE_SECONDS = 2.0
# Clients that publish beside the users.
OTHERS = 20


def configuration(port, clients, topics):
    return json.dumps(
        {
            "listen": [f"127.0.0.1:{port}"],
            "database": "varde.sqlite",
            "log_level": "error",
            "tokens": {"secrets": [SECRET]},
            "clients": {"lifecycle": clients, "leave_after": "0s"},
            "namespaces": [
                {"name": "room", "subscribe": "users", "lifecycle": topics},
                {"name": "plain", "publish": "users"},
            ],
            "rates": {"address": {"connects": 0, "commands": 0}, "user": {"connects": 0, "commands": 0}},
            "limits": {"connections_per_address": 50_000, "connections_per_user": 100},
        }
    )


class Hub:
    def __init__(self, stack, varde, kind):
        directory = self.directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.port = free_port()
        (directory / "varde.yaml").write_text(configuration(self.port, *KINDS[kind]))
        command = [varde.resolve(), "serve", "--config", "varde.yaml"]
        launch = Launch(command, directory, f"http://127.0.0.1:{self.port}/")
        self.running = stack.enter_context(Running(launch, f"0-{os.cpu_count() - 1}"))
        self.microseconds, self.written = [], []

    @property
    def pid(self):
        return self.running.process.pid

    @property
    def now(self):
        return processor_seconds(self.pid), value(self.pid, "io", "write_bytes")

    @property
    def resident(self):
        return value(self.pid, "status", "VmRSS") * 1024

    async def round(self, tokens):
        """Everybody comes and goes once."""
        seconds, written = self.now
        places = asyncio.Semaphore(AT_ONCE)
        sockets = []

        async def come(number, token):
            async with places:
                url = f"ws://127.0.0.1:{self.port}/connection/websocket"
                socket = await connect(url, proxy=None, ping_interval=None, compression=None)
                await socket.send(json.dumps({"id": 1, "connect": {"token": token}}))
                await socket.recv()
                await socket.send(json.dumps({"id": 2, "subscribe": {"channel": f"room:{number}"}}))
                await socket.recv()
                sockets.append(socket)

        await asyncio.gather(*(come(number, token) for number, token in enumerate(tokens)))
        await asyncio.sleep(SETTLE_SECONDS)
        await asyncio.gather(*(socket.close() for socket in sockets))
        await asyncio.sleep(SETTLE_SECONDS)
        after, bytes_after = self.now
        self.microseconds.append(1e6 * (after - seconds) / len(tokens))
        self.written.append((bytes_after - written) / len(tokens))


# Users that come and go


class Visitor(Client):
    """Comes, subscribes and goes at once."""

    async def visit(self, token, topic):
        await self.connect({"token": token})
        await self.call(subscribe={"channel": topic})
        await self.close()


async def flap(hub, pool, tokens, others, seconds, rate):
    """Returns the visits, and the 99th percentile of the time to an answer for others, without and with them."""
    requests = [{"token": token} for token in others]

    async def measure(seconds):
        return await asyncio.get_running_loop().run_in_executor(pool, latency_of_others, hub.port, requests, seconds)

    quiet = await measure(min(seconds, 10.0))
    (before, written), resident = hub.now, hub.resident
    end = time.monotonic() + seconds
    visits = 0

    async def visitor(first):
        nonlocal visits
        number = first
        due = time.monotonic()
        while time.monotonic() < end:
            due += AT_ONCE / rate if rate else 0
            await asyncio.sleep(due - time.monotonic())
            await Visitor(hub.port).visit(tokens[number], f"room:{number}")
            visits += 1
            number = (number + AT_ONCE) % len(tokens)

    _, busy = await asyncio.gather(
        asyncio.gather(*(visitor(first) for first in range(AT_ONCE))), measure(seconds)
    )
    await asyncio.sleep(SETTLE_SECONDS)
    after, written_after = hub.now
    return {
        "visits": visits,
        "quiet": 1000 * quiet,
        "busy": 1000 * busy,
        "microseconds": 1e6 * (after - before) / visits,
        "written": (written_after - written) / visits,
        "memory": hub.resident - resident,
        "rows": rows(hub.directory / "varde.sqlite"),
    }


def rows(file):
    """The rows of logs, and the subjects that have one."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as store:
        if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'lifecycle'").fetchone():
            return 0, 0
        return store.execute(
            "SELECT count(*), count(DISTINCT kind || ' ' || name || ' ' || user_id) FROM lifecycle"
        ).fetchone()


def compare_flapping(options, tokens, others):
    print("\n| events | visits in a second | visits | µs of the hub | bytes written | memory, MB | rows | subjects | p99 of others, ms | without visits, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    # At a rate, and as fast as the load can.
    for rate, kind in itertools.product((options.rate, 0), ("none", "all four")):
        with ExitStack() as stack:
            pool = stack.enter_context(ProcessPoolExecutor(1))
            found = asyncio.run(flap(Hub(stack, options.varde, kind), pool, tokens, others, options.flap, rate))
            count, subjects = found["rows"]
            print(
                f"| {kind} | {rate or 'any'} | {found['visits']:,} | {found['microseconds']:.0f} | {found['written']:,.0f} | "
                f"{found['memory'] / 1e6:.1f} | {count:,} | {subjects:,} | {found['busy']:.1f} | {found['quiet']:.1f} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--varde", type=Path, default=HERE.resolve().parents[1] / ".build/release/varde")
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flapping", type=int, default=10_000, help="the users that come and go all the time")
    parser.add_argument("--rate", type=float, default=500, help="their visits in a second")
    parser.add_argument("--flap", type=float, default=60.0, help="for so many seconds")
    options = parser.parse_args()
    end = int(time.time()) + 86_400
    tokens = [
        jwt.encode({"sub": f"user-{number}", "exp": end}, SECRET, algorithm="HS256")
        for number in range(max(options.users, options.flapping) + OTHERS)
    ]
    with ExitStack() as stack:
        hubs = {kind: Hub(stack, options.varde, kind) for kind in KINDS}
        # The first round fills tables and caches.
        for _ in range(options.rounds + 1):
            for hub in hubs.values():
                asyncio.run(hub.round(tokens[: options.users]))
        print("| events | µs of the hub | bytes written |\n| --- | --- | --- |")
        for kind, hub in hubs.items():
            median = [statistics.median(each[1:]) for each in (hub.microseconds, hub.written)]
            print(f"| {kind} | {median[0]:.0f} | {median[1]:,.0f} |")
    if options.flap > 0:
        compare_flapping(options, tokens[: options.flapping], tokens[-OTHERS:])


if __name__ == "__main__":
    main()
