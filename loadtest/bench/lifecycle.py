"""What do the events about who comes and goes cost?

It starts a hub with a kind of events, has users connect and subscribe to a topic each, and disconnect, in rounds. The
hubs take turns, so that a busy machine does not favour one of them. Measured are the hub's processor time and the bytes
that it writes, for each user that comes and goes, and its memory for each user that is there.

  .venv/bin/python loadtest/bench/lifecycle.py
  .venv/bin/python loadtest/bench/lifecycle.py --users 200 --rounds 1      a look

Needs the Python of the tests, which Tests/python.sh makes, and a release build. Prints a Markdown table.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import jwt
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


def configuration(port, clients, topics):
    return json.dumps(
        {
            "listen": [f"127.0.0.1:{port}"],
            "database": "varde.sqlite",
            "log_level": "error",
            "tokens": {"secrets": [SECRET]},
            "clients": {"lifecycle": clients, "leave_after": "0s"},
            "namespaces": [{"name": "room", "subscribe": "users", "lifecycle": topics}],
            "rates": {"address": {"connects": 0, "commands": 0}, "user": {"connects": 0, "commands": 0}},
            "limits": {"connections_per_address": 50_000},
        }
    )


class Hub:
    def __init__(self, stack, varde, kind):
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.port = free_port()
        (directory / "varde.yaml").write_text(configuration(self.port, *KINDS[kind]))
        command = [varde.resolve(), "serve", "--config", "varde.yaml"]
        launch = Launch(command, directory, f"http://127.0.0.1:{self.port}/")
        self.running = stack.enter_context(Running(launch, f"0-{os.cpu_count() - 1}"))
        self.microseconds, self.written, self.memory = [], [], []

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
        (seconds, written), resident = self.now, self.resident
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
        self.memory.append((self.resident - resident) / len(tokens))
        await asyncio.gather(*(socket.close() for socket in sockets))
        await asyncio.sleep(SETTLE_SECONDS)
        after, bytes_after = self.now
        self.microseconds.append(1e6 * (after - seconds) / len(tokens))
        self.written.append((bytes_after - written) / len(tokens))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--varde", type=Path, default=HERE.resolve().parents[1] / ".build/release/varde")
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    end = int(time.time()) + 86_400
    tokens = [
        jwt.encode({"sub": f"user-{number}", "exp": end}, SECRET, algorithm="HS256")
        for number in range(options.users)
    ]
    with ExitStack() as stack:
        hubs = {kind: Hub(stack, options.varde, kind) for kind in KINDS}
        # The first round fills tables and caches.
        for _ in range(options.rounds + 1):
            for hub in hubs.values():
                asyncio.run(hub.round(tokens))
        print("| events | µs of the hub | bytes written | memory of the first round |\n| --- | --- | --- | --- |")
        for kind, hub in hubs.items():
            median = [statistics.median(each[1:]) for each in (hub.microseconds, hub.written)]
            print(f"| {kind} | {median[0]:.0f} | {median[1]:,.0f} | {hub.memory[0]:,.0f} |")


if __name__ == "__main__":
    main()
