#!/usr/bin/env python3
"""Compares what one client costs the others in two builds of the hub, side by side in one run.

    loadtest/bench/attacks.py BEFORE AFTER [--rounds 3]

BEFORE and AFTER are folders with the program `varde`. Each round starts both hubs afresh, one after the other,
in alternating order, with one loop and without rates of commands. Each hub has 20 clients that send a ping,
wait for the pong, and pause. They are measured without an attack, and during each:

- 16,000 commands in one message of a client without credentials, which end subscriptions that it does not have;
- a message in two segments, and 3 s in which its `limits.message_timeout` of 2 s passes.

The table has the medians: the processor time of an attack, the 99th percentile of the pings of the others
without it and during it, and the processor time of the hub in the second after it, in ticks of 10 ms.

Without these clients, the hub also has a recovery of 400 KB over a link of 140 kB/s, with pings every second
that are to be answered within half a second: the last lines have how many ended, and after how many seconds.
"""

import argparse
import json
import multiprocessing
import os
import random
import secrets
import selectors
import socket
import struct
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from urllib.request import Request, urlopen

from builds import free_port, wait_until_live

CONFIGURATION = """\
listen: ["127.0.0.1:{port}"]
database: {database}
log_level: error
loops: 1
namespaces:
  - {{name: feed, anonymous_subscribe: true, publish: anyone, history_size: 10000}}
limits: {{message_timeout: 2s}}
websocket: {{ping_interval: {ping}, pong_timeout: {pong}}}
rates:
  address: {{connects: 0, commands: 0, publishes: 0}}
  connection: {{commands: 0, publishes: 0}}
"""

OTHERS = 20
PAUSE_SECONDS = 0.02
QUIET_SECONDS = 2.0
COMMANDS = 16_000
LINK_BYTES_PER_SECOND = 140_000
PUBLICATIONS = 400
PAYLOAD_BYTES = 1_000
PATIENCE_SECONDS = 60.0

TEXT, PING, PONG = 1, 9, 10
UPGRADE = (
    b"GET /connection/websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


def masked(opcode, payload):
    """A final frame of a client, masked with zeros (RFC 6455 §5.3)."""
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
    return head + bytes(4) + payload


class Client:
    """A WebSocket that has connected to the hub."""

    def __init__(self, port, receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(UPGRADE)
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self._read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head
        self.send(b'{"id":1,"connect":{}}')
        self.next(TEXT)

    def _read(self, size=1 << 16):
        piece = self.socket.recv(size)
        if not piece:
            raise EOFError("the hub closed the connection")
        self.buffer += piece
        return len(piece)

    def read(self, size):
        """Takes what has arrived, answers pings of the hub, and returns the number of bytes."""
        count = self._read(size)
        while frame := self._frame():
            self._answer(*frame)
        return count

    def arrived(self):
        """Takes what has arrived, and returns the kinds of its frames."""
        self._read()
        kinds = []
        while frame := self._frame():
            kinds.append(frame[0])
            self._answer(*frame)
        return kinds

    def _answer(self, opcode, payload):
        if opcode == TEXT and payload == b"{}":
            self.send(payload)

    def send(self, text):
        self.socket.sendall(masked(TEXT, text))

    def next(self, opcode):
        """The payload of the next frame of this kind; others are skipped."""
        while True:
            frame = self._frame()
            if frame is None:
                self._read()
            elif frame[0] == opcode and frame[1] != b"{}":
                return frame[1]
            else:
                self._answer(*frame)

    def _frame(self):
        if len(self.buffer) < 2:
            return None
        size, begin = self.buffer[1] & 0x7F, 2
        if size >= 126:
            begin = 4 if size == 126 else 10
            if len(self.buffer) < begin:
                return None
            size = int.from_bytes(self.buffer[2:begin], "big")
        if len(self.buffer) < begin + size:
            return None
        opcode, payload = self.buffer[0] & 0x0F, self.buffer[begin : begin + size]
        self.buffer = self.buffer[begin + size :]
        return opcode, payload


class Others:
    """Clients whose pings are measured, in a process of their own that has nothing else to do."""

    def __init__(self, port):
        self._pipe, child = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=ping_all, args=(port, child), daemon=True)
        self._process.start()
        self._pipe.recv()

    def percentile(self, begin, end):
        """The 99th percentile of the pings that were under way at a time, in milliseconds."""
        self._pipe.send("times")
        times = [took for sent, took in self._pipe.recv() if sent <= end and sent + took >= begin]
        return quantiles(times, n=100)[98] * 1000

    def stop(self):
        self._pipe.send("end")
        self._process.join()


def ping_all(port, pipe):
    """Sends pings, and answers each question with the time and the duration of all of them."""
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    times, sent, due = [], {}, []
    for _ in range(OTHERS):
        client = Client(port)
        selector.register(client.socket, selectors.EVENT_READ, client)
        due.append((time.monotonic() + random.random() * PAUSE_SECONDS, client))
    pipe.send("ready")
    while True:
        now = time.monotonic()
        for each in [each for each in due if each[0] <= now]:
            due.remove(each)
            sent[each[1]] = time.monotonic()
            each[1].socket.sendall(masked(PING, b"p"))
        wait = min((at for at, _ in due), default=now + 1) - now
        for key, _ in selector.select(max(wait, 0)):
            if client := key.data:
                if PONG in client.arrived() and client in sent:
                    now = time.monotonic()
                    begin = sent.pop(client)
                    times.append((begin, now - begin))
                    due.append((now + PAUSE_SECONDS, client))
            elif pipe.recv() == "end":
                return
            else:
                pipe.send(times)


def ticks(hub):
    fields = Path(f"/proc/{hub.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def attacked(hub, others, attack, port):
    """The figures of one attack, from a process of its own."""
    begin, before = time.monotonic(), ticks(hub)
    time.sleep(QUIET_SECONDS)
    quiet = others.percentile(begin, time.monotonic())
    idle = ticks(hub) - before
    ready, go = multiprocessing.Event(), multiprocessing.Event()
    attacker = multiprocessing.Process(target=attack, args=(port, ready, go))
    attacker.start()
    ready.wait()
    begin, before = time.monotonic(), ticks(hub)
    go.set()
    attacker.join()
    assert attacker.exitcode == 0
    end = time.monotonic()
    used = ticks(hub) - before
    time.sleep(1)
    before = ticks(hub)
    time.sleep(1)
    return {
        "seconds": end - begin,
        "ticks": used,
        "quiet": quiet,
        "during": others.percentile(begin, end),
        # Without what the pings cost.
        "after": max(0, ticks(hub) - before - idle / QUIET_SECONDS),
    }


def many_commands(port, ready, go):
    lines = [
        json.dumps({"id": number + 2, "unsubscribe": {"channel": f"feed:n{number}"}})
        for number in range(COMMANDS)
    ]
    client, message = Client(port), "\n".join(lines).encode()
    ready.set()
    go.wait()
    client.send(message)
    # Only counted: the clients that are measured need the processors, too.
    begin, rest, replies = b'{"id"', b"", 0
    while replies < COMMANDS:
        piece = client.socket.recv(1 << 20)
        assert piece, "the hub closed the connection"
        rest += piece
        replies += rest.count(begin)
        rest = rest[1 - len(begin) :]


def two_segments(port, ready, go):
    client = Client(port)
    frame = masked(TEXT, b'{"id":2,"ping":{}}')
    ready.set()
    go.wait()
    client.socket.sendall(frame[:8])
    time.sleep(0.1)
    client.socket.sendall(frame[8:])
    client.next(TEXT)
    # The deadline of the message passes.
    time.sleep(3)


def slow_recovery(port, epoch):
    """The seconds of a recovery; nil if the hub gave up."""
    client = Client(port, receive_bytes=1 << 16)
    wish = {"channel": "feed:a", "recover": True, "offset": 0, "epoch": epoch}
    client.send(json.dumps({"id": 2, "subscribe": wish}).encode())
    begin, received = time.monotonic(), len(client.buffer)
    while received < PUBLICATIONS * PAYLOAD_BYTES:
        try:
            received += client.read(1 << 13)
        except (EOFError, OSError):
            return None
        if time.monotonic() > begin + PATIENCE_SECONDS:
            return None
        time.sleep(max(0, begin + received / LINK_BYTES_PER_SECOND - time.monotonic()))
    return time.monotonic() - begin


def publish(port):
    """Publishes what is recovered, and returns the epoch."""
    padding, epoch = "x" * PAYLOAD_BYTES, ""
    for first in range(0, PUBLICATIONS, 100):
        commands = [
            {"publish": {"channel": "feed:a", "data": {"number": number, "padding": padding}}}
            for number in range(first, first + 100)
        ]
        request = Request(
            f"http://127.0.0.1:{port}/api/batch",
            data=json.dumps({"commands": commands}).encode(),
            headers={"X-API-Key": os.environ["VARDE_API_KEY"], "Content-Type": "application/json"},
        )
        with urlopen(request) as answer:
            epoch = json.load(answer)["replies"][-1]["publish"]["epoch"]
    return epoch


@contextmanager
def started(varde, ping, pong):
    """A hub and its port."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        configuration = Path(folder, "varde.yaml")
        database = Path(folder, "varde.sqlite")
        configuration.write_text(
            CONFIGURATION.format(port=port, database=database, ping=ping, pong=pong)
        )
        hub = subprocess.Popen([varde, "serve", "--config", configuration])
        try:
            wait_until_live(f"http://127.0.0.1:{port}", hub)
            yield hub, port
        finally:
            hub.terminate()
            hub.wait()


def measure(varde):
    with started(varde, "25s", "10s") as (hub, port):
        others = Others(port)
        try:
            figures = {
                "16,000 commands": attacked(hub, others, many_commands, port),
                "two segments": attacked(hub, others, two_segments, port),
            }
        finally:
            others.stop()
    with started(varde, "1s", "500ms") as (_, port):
        figures["link"] = slow_recovery(port, publish(port))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))

    builds = {"before": options.before / "varde", "after": options.after / "varde"}
    rounds = []
    for index in range(options.rounds):
        order = list(builds) if index % 2 == 0 else list(reversed(builds))
        rounds.append({name: measure(builds[name]) for name in order})

    print("| attack | build | seconds | ticks | p99 without, ms | p99 during, ms | ticks in the second after |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for attack in ("16,000 commands", "two segments"):
        for name in builds:
            figures = [each[name][attack] for each in rounds]
            seconds, used, quiet, during, after = (
                median(each[figure] for each in figures)
                for figure in ("seconds", "ticks", "quiet", "during", "after")
            )
            print(f"| {attack} | {name} | {seconds:.2f} | {used:.0f} | {quiet:.1f} | {during:.1f} | {after:.0f} |")
    for name in builds:
        times = [each[name]["link"] for each in rounds]
        ended = [each for each in times if each is not None]
        after = f", after {median(ended):.0f} s" if ended else ""
        print(f"recovery over the link, {name}: {len(ended)} of {len(times)} ended{after}")


if __name__ == "__main__":
    main()
