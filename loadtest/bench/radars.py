"""Does the scheduler of radars keep up? Many radars, each due once an hour, and a provider of 20 ms.

It starts a provider, the hub, and 100 readers, makes the radars by `POST /api/radars`, waits until each was
polled for the first time, and observes the time that follows. The hub's clock is a fast one (`clock.speed`):
polls come so many times as often as they would, and everything they cost is spent in so much less time.

  radars.py                                            50,000 radars, one hour in 5 minutes
  radars.py --again --speed 1 --minutes 5              the same radars at the clock's real speed
  radars.py --radars 2000 --speed 60 --work /tmp/look  a look of one minute

Needs the packages of requirements.txt.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from radars_processes import Hub, Provider, Watchers
from radars_provider import TOPIC
from radars_report import write_report
from radars_usage import Usage
from radars_watchers import SOCKET, STREAM

RADARS_PER_USER = 1000
WATCHED_MAX = 100
CONNECTIONS = 8
# Radars that are made and not polled yet: making them is not to outrun the polls, or the observation would
# begin with what was left over.
UNPOLLED_MAX = 500
# Seconds of the hub's clock; with a greater lag the observation does not begin.
LAG_AT_START_MAX = 30.0
# Without any progress.
PATIENCE_SECONDS = 120.0
# What was answered last is still on its way when the time is over.
STRAGGLERS_SECONDS = 3.0
SAMPLE_SECONDS = 2.0
PROGRESS_SECONDS = 5.0


class Run:
    """One run, and what it has found."""

    def __init__(self, options):
        self.options = options
        self.problems = []
        # By number; every user's radars are made by one connection.
        self.ids = [None] * options.radars
        self.users = max(1, round(options.radars / RADARS_PER_USER / CONNECTIONS)) * CONNECTIONS
        self.created = 0
        # Lags in seconds of the hub's clock.
        self.lags = []

    def carry_out(self):
        self.provider = Provider(self.options)
        try:
            self.hub = Hub(self.options, self.provider.port)
            with self.hub.running as running:
                self.pid = running.process.pid
                self.begin()
                self.watchers = Watchers(self.order())
                try:
                    self.observe()
                finally:
                    self.watchers.close()
        finally:
            self.provider.close()

    def usage(self):
        pids = {"hub": self.pid, "provider": self.provider.process.pid, "load": os.getpid()}
        if hasattr(self, "watchers"):
            pids["readers"] = self.watchers.process.pid
        return Usage.read(pids)

    # Making the radars

    def begin(self):
        """Makes the radars, and waits until each was polled once."""
        usage, start = self.usage(), time.monotonic()
        if self.options.again:
            for radar, identifier in self.hub.radars():
                self.ids[radar] = identifier
        else:
            maker = ThreadPoolExecutor(1).submit(asyncio.run, self.create_all())
            self.wait_for_first_polls(maker)
            maker.result()
        self.begin_seconds = time.monotonic() - start
        self.begin_usage = self.usage() - usage
        self.begin_questions = len(self.provider.questions)
        self.wait_for_lag()

    async def create_all(self):
        await asyncio.gather(*(self.create_some(each) for each in range(CONNECTIONS)))

    async def create_some(self, connection):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.hub.port)
        tokens = {}
        for radar in range(connection, self.options.radars, CONNECTIONS):
            while self.created - len(self.provider.polled) >= UNPOLLED_MAX:
                await asyncio.sleep(0.02)
            user = f"user-{radar % self.users}"
            if user not in tokens:
                tokens[user] = self.hub.token(user)
            body = json.dumps({"topic": TOPIC.format(radar)})
            head = f"POST /api/radars HTTP/1.1\r\nHost: 127.0.0.1:{self.hub.port}\r\n"
            head += f"Authorization: Bearer {tokens[user]}\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(answer.partition("content-length:")[2].split("\r\n")[0])
            content = await reader.readexactly(length)
            if " 201 " not in answer.split("\r\n")[0]:
                raise RuntimeError(f"POST /api/radars: {content.decode()}")
            self.ids[radar] = json.loads(content)["id"]
            self.created += 1
        writer.close()

    def wait_for_first_polls(self, maker):
        polled, wanted, progress, told = 0, self.options.radars, time.monotonic(), 0
        while polled < wanted:
            time.sleep(0.25)
            if maker.done():
                # Raises what went wrong.
                maker.result()
            self.provider.read()
            now = time.monotonic()
            if len(self.provider.polled) > polled:
                polled, progress = len(self.provider.polled), now
            if now - progress > PATIENCE_SECONDS:
                raise RuntimeError(f"{polled} of {wanted} are polled, and no more for {PATIENCE_SECONDS:g} s")
            if now - told > PROGRESS_SECONDS:
                told = now
                print(f"polled for the first time: {polled:,} of {wanted:,}", flush=True)

    def wait_for_lag(self):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.hub.metrics()["hub_poll_lag_seconds"] > LAG_AT_START_MAX:
            if time.monotonic() > deadline:
                self.problems.append("the hub had not caught up when the observation began")
                return
            time.sleep(1)

    # Observing them

    def order(self):
        """For the readers: radars of the first user, spread over all that are theirs."""
        own = range(0, self.options.radars, self.users)
        watched = own[:: max(1, len(own) // WATCHED_MAX)][:WATCHED_MAX]
        self.watched = {radar: (SOCKET, STREAM)[index % 2] for index, radar in enumerate(watched)}
        order = {"port": self.hub.port, "token": self.hub.token("user-0"), SOCKET: [], STREAM: []}
        for radar, way in self.watched.items():
            order[way].append(self.ids[radar])
        return order

    def observe(self):
        speed = self.options.speed
        self.offset = self.hub.clock_offset(speed)
        self.due = self.hub.due_times()
        usage, before = self.usage(), self.hub.metrics()
        self.start = time.monotonic()
        self.end = self.start + self.options.minutes * 60 / speed
        told = self.start
        while (left := self.end - time.monotonic()) > 0:
            time.sleep(min(SAMPLE_SECONDS, left))
            self.lags.append(self.hub.metrics()["hub_poll_lag_seconds"])
            now = time.monotonic()
            if now - told > PROGRESS_SECONDS:
                told = now
                self.provider.read()
                count = len(self.provider.questions) - self.begin_questions
                minute, megabytes = (now - self.start) * speed / 60, self.usage().resident / 1_000_000
                print(f"minute {minute:.1f}: {count:,} questions, hub {megabytes:.0f} MB", flush=True)
        self.used = self.usage() - usage
        self.counted = self.hub.metrics()
        self.sizes = {name: self.counted[name] for name in ("hub_store_bytes", "hub_store_wal_bytes")}
        self.counted.subtract(before)
        time.sleep(STRAGGLERS_SECONDS)
        self.provider.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--radars", type=int, default=50_000)
    parser.add_argument("--speed", type=float, default=12, help="of the hub's clock")
    parser.add_argument("--minutes", type=float, default=60, help="of the hub's clock that are observed")
    parser.add_argument("--latency", type=float, default=20, help="milliseconds of the provider")
    parser.add_argument("--again", action="store_true", help="with the radars that the last run has left")
    parser.add_argument("--varde", type=Path, default=os.environ.get("VARDE", ".build/release/varde"))
    parser.add_argument("--work", type=Path, default=Path(".build/bench/radars"), help="for its files")
    parser.add_argument("--output", type=Path, help="of the Markdown, besides standard output")
    options = parser.parse_args()
    options.varde, options.work = Path(options.varde).resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    run.carry_out()
    write_report(run)
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
