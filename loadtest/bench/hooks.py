"""What does an application that decides about clients cost them, when it is slow, faulty, or away?

Three parts, each with a hub of its own and an application on loopback:

- `storm`: all clients begin to connect within a second, and the application answers after 50 ms. With different questions, and
  with a cache and few different ones.
- `faults`: publishers whose publications the application is asked about, and for each fault the time to their answers.
  Beside them are clients that the application is not asked about, with and without the fault in turn.
- `away`: all clients are connected and refreshed, the application goes away, some clients come, and it returns.

  .venv/bin/python loadtest/bench/hooks.py
  .venv/bin/python loadtest/bench/hooks.py --clients 200 --away 5 storm      a look at one part

Needs the Python of the tests, which Tests/python.sh makes, and a release build. Prints Markdown tables.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import struct
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from multiprocessing import Process, Value
from pathlib import Path

import jwt
from radars_usage import value
from servers import HERE, Launch, Running, free_port

SECRET = "a secret of at least thirty-two bytes for the benchmark"
ANSWER_SECONDS = 0.05
CONCURRENCY = 64
TIMEOUT_SECONDS = 0.5
FAULTS = ["hang", "500", "garbage", "redirect", "2 MiB", "cut body", "wrong length", "reset"]
# A client of an SDK waits so long before it comes back.
RETRY_SECONDS = (0.2, 5.0)


class Application:
    """Answers questions over HTTP/1.1 in a process of its own, after a pause, or at fault."""

    def __init__(self, answer, pause=0.0):
        self.port = free_port()
        self.arguments = (answer, pause)
        self.fault = Value("i", -1)
        self.calls, self.most, self.stray = (Value("q", 0) for _ in range(3))
        self.process = None

    def start(self):
        self.process = Process(target=lambda: asyncio.run(self.serve()), daemon=True)
        self.process.start()
        for _ in range(100):
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)

    def stop(self):
        self.process.kill()
        self.process.join()

    async def serve(self):
        server = await asyncio.start_server(Answering(self).connection, "127.0.0.1", self.port, backlog=1024)
        async with server:
            await server.serve_forever()


class Answering:
    """The side of the application that has the connections."""

    def __init__(self, application):
        self.application = application
        self.answer, self.pause = application.arguments
        self.open = 0

    async def connection(self, reader, writer):
        application = self.application
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                body = json.loads(await reader.readexactly(length))
                event = head.split(" ")[1].rsplit("/", 1)[1]
                if event == "elsewhere":
                    application.stray.value += 1
                application.calls.value += 1
                self.open += 1
                application.most.value = max(application.most.value, self.open)
                try:
                    await asyncio.sleep(self.pause)
                    if not await self.reply(event, body, writer):
                        break
                finally:
                    self.open -= 1
        writer.transport.abort()

    async def reply(self, event, body, writer):
        """Answers; returns whether the connection continues."""
        answer = json.dumps(self.answer(event, body)).encode()
        status, length, extra = 200, len(answer), ""
        number = self.application.fault.value
        fault = FAULTS[number] if number >= 0 and event == "publish" else None
        match fault:
            case "hang":
                await asyncio.sleep(3600)
            case "500":
                status = 500
            case "garbage":
                answer = b"<html>" * 20
                length = len(answer)
            case "redirect":
                status, extra = 302, f"Location: http://127.0.0.1:{self.application.port}/elsewhere\r\n"
            case "2 MiB":
                answer = json.dumps({"result": {"data": "x" * (2 << 20)}}).encode()
                length = len(answer)
            case "cut body":
                answer = answer[:-2]
            case "wrong length":
                length -= 3
            case "reset":
                writer.transport.abort()
                return False
        head = f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{extra}\r\n"
        writer.write(head.encode() + answer)
        await writer.drain()
        return fault is None


class Client(asyncio.Protocol):
    """A connection that sends commands and reads replies; as little Python as possible for each."""

    HEAD = (
        b"GET /connection/websocket HTTP/1.1\r\nHost: hub\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )

    def __init__(self, port):
        self.port = port
        self.transport = None
        self.begin()

    def begin(self):
        self.buffer = b""
        self.is_open = False
        self.ended = False
        self.number = 0
        self.replies = {}

    async def connect(self, request):
        """Returns the reply to the connect command; None if the connection ended."""
        self.begin()
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", self.port)
        self.transport.write(self.HEAD)
        return await self.call(connect=request)

    async def call(self, **command):
        self.number += 1
        future = self.replies[self.number] = asyncio.get_running_loop().create_future()
        self.send({"id": self.number, **command})
        return await future

    def send(self, command):
        payload = json.dumps(command).encode()
        length = len(payload)
        head = bytes([0x81, 0x80 | length]) if length < 126 else bytes([0x81, 0xFE]) + struct.pack(">H", length)
        # The mask is zero, which changes nothing.
        self.transport.write(head + bytes(4) + payload)

    async def close(self):
        if self.transport:
            self.transport.abort()

    # The protocol

    def data_received(self, data):
        self.buffer += data
        if not self.is_open:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            assert b" 101 " in head, head
            self.is_open, self.buffer = True, rest
        while len(self.buffer) >= 4:
            length, start = self.buffer[1], 2
            if length == 126:
                length, start = int.from_bytes(self.buffer[2:4], "big"), 4
            if len(self.buffer) < start + length:
                return
            opcode, payload = self.buffer[0] & 0xF, self.buffer[start : start + length]
            self.buffer = self.buffer[start + length :]
            if opcode == 1:
                for line in payload.split(b"\n"):
                    self.take(json.loads(line))

    def take(self, reply):
        if not reply:
            self.send({})
        elif future := self.replies.pop(reply.get("id"), None):
            future.set_result(reply)

    def connection_lost(self, error):
        self.ended = True
        for future in self.replies.values():
            if not future.done():
                future.set_result(None)


def latency_of_others(port, requests, seconds):
    """The 99th percentile of the time to an answer, for clients that nothing is asked about; in a process of its own."""

    async def publish(request, times, end):
        client = Client(port)
        await client.connect(request)
        while (start := time.monotonic()) < end:
            reply = await client.call(publish={"channel": "plain:1", "data": {}})
            assert "publish" in reply, reply
            times.append(time.monotonic() - start)
            await asyncio.sleep(0.02)
        await client.close()

    async def measure():
        times = []
        end = time.monotonic() + seconds
        await asyncio.gather(*(publish(request, times, end) for request in requests))
        return statistics.quantiles(times, n=100)[98]

    return asyncio.run(measure())


class Asker(Client):
    """A client whose connect command the application is asked about."""

    def __init__(self, port, name):
        super().__init__(port)
        self.request = {"data": {"name": name}}


class Hub:
    def __init__(self, stack, varde, application, **hook):
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.port = free_port()
        url = f"http://127.0.0.1:{application.port}/{{event}}"
        configuration = {
            "listen": [f"127.0.0.1:{self.port}"],
            "database": "varde.sqlite",
            "log_level": "error",
            "tokens": {"secrets": [SECRET]},
            "hooks": [{"name": "app", "url": url, "concurrency": CONCURRENCY, **hook}],
            "clients": {"connect_hook": "app", "refresh_hook": "app"},
            "namespaces": [
                {"name": "asked", "publish_hook": "app"},
                {"name": "plain", "publish": "users", "subscribe": "users"},
            ],
            "rates": {
                "address": {"connects": 0, "commands": 0, "publishes": 0},
                "user": {"connects": 0, "commands": 0, "publishes": 0},
            },
            "limits": {"connections_per_address": 50_000, "connections_per_user": 50_000},
        }
        (directory / "varde.yaml").write_text(json.dumps(configuration))
        command = [varde.resolve(), "serve", "--config", "varde.yaml"]
        launch = Launch(command, directory, f"http://127.0.0.1:{self.port}/")
        self.running = stack.enter_context(Running(launch, f"0-{os.cpu_count() - 1}"))

    @property
    def resident(self):
        return value(self.running.process.pid, "status", "VmRSS") * 1024


async def come(client):
    """Connects until the hub takes the client; returns the number of refusals."""
    refusals = 0
    while True:
        reply = None
        with suppress(ConnectionError):
            reply = await client.connect(client.request)
        if reply and "connect" in reply:
            return refusals
        await client.close()
        limit = min(RETRY_SECONDS[1], RETRY_SECONDS[0] * 2**refusals)
        refusals += 1
        await asyncio.sleep(random.uniform(0, limit) + RETRY_SECONDS[0])


def by_name(event, body):
    return {"result": {"user": body["data"]["name"]} if event == "connect" else {}}


# Parts


async def storm(options):
    print("| clients | different questions | cache | queue | calls | most at once | s | s for the calls | refusals |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    cases = [
        (options.clients, "0s", options.clients),
        (options.clients, "0s", 1024),
        (options.clients // 10, "30s", 1024),
        (1, "0s", 1024),
    ]
    for different, cache, queue in cases:
        application = Application(by_name, ANSWER_SECONDS)
        application.start()
        with ExitStack() as stack:
            hub = Hub(stack, options.varde, application, cache=cache, queue=queue, timeout="10s")
            clients = [Asker(hub.port, f"user-{i % different}") for i in range(options.clients)]
            start = time.monotonic()

            async def later(client, moment, start=start):
                await asyncio.sleep(max(0.0, start + moment - time.monotonic()))
                return await come(client)

            refusals = await asyncio.gather(
                *(later(client, i / len(clients)) for i, client in enumerate(clients))
            )
            seconds = time.monotonic() - start
            needed = application.calls.value / application.most.value * ANSWER_SECONDS
            print(
                f"| {len(clients):,} | {different:,} | {cache} | {queue:,} | {application.calls.value:,} | {application.most.value} | "
                f"{seconds:.1f} | {needed:.1f} | {sum(refusals):,} |"
            )
            for client in clients:
                await client.close()
        application.stop()


async def faults(options):
    # After five faults in a row, few questions reach the application.
    print("| fault | calls | answers | other than error 100 | longest ms | p99 of others, ms | without, ms | memory, KB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    application = Application(by_name)
    application.start()
    with ExitStack() as stack:
        hub = Hub(stack, options.varde, application, timeout=f"{int(TIMEOUT_SECONDS * 1000)}ms")
        askers = [Asker(hub.port, f"asker-{i}") for i in range(options.publishers)]
        for client in askers:
            await come(client)
        pool = stack.enter_context(ProcessPoolExecutor(1))
        # The application is not asked about a client with a token.
        end = int(time.time()) + 86_400
        claims = [{"sub": f"other-{i}", "exp": end} for i in range(20)]
        requests = [{"token": jwt.encode(each, SECRET, algorithm="HS256")} for each in claims]

        async def others():
            arguments = (hub.port, requests, options.seconds)
            return await asyncio.get_running_loop().run_in_executor(pool, latency_of_others, *arguments)

        await others()
        for number, fault in enumerate(FAULTS):
            application.fault.value = -1
            await wait_until_answered(askers[0])
            without = await others()
            application.fault.value = number
            before, calls = hub.resident, application.calls.value
            stop = asyncio.Event()
            asking = [asyncio.create_task(ask(client, stop)) for client in askers]
            with_fault = await others()
            stop.set()
            answers = [each for part in await asyncio.gather(*asking) for each in part]
            unexpected = sum(not is_temporary for is_temporary, _ in answers)
            print(
                f"| {fault} | {application.calls.value - calls:,} | {len(answers):,} | {unexpected} | {1000 * max(s for _, s in answers):.0f} | "
                f"{1000 * with_fault:.1f} | {1000 * without:.1f} | {(hub.resident - before) / 1024:,.0f} |"
            )
        print(f"\nCalls that followed a redirect: {application.stray.value}")
        for client in askers:
            await client.close()
    application.stop()


async def ask(client, stop):
    """Publishes what the application is asked about; whether the answer is error 100, and its time."""
    answers = []
    while not stop.is_set():
        start = time.monotonic()
        reply = await client.call(publish={"channel": "asked:1", "data": {}})
        error = (reply or {}).get("error", {})
        answers.append((error.get("code") == 100 and error.get("temporary") is True, time.monotonic() - start))
        await asyncio.sleep(0.01)
    return answers


async def wait_until_answered(client):
    while "publish" not in (await client.call(publish={"channel": "asked:1", "data": {}})):
        await asyncio.sleep(0.2)


async def away(options):
    def short(event, body):
        soon = {"expire_at": int(time.time()) + 10 + random.randrange(20)}
        return {"result": {"user": body["data"]["name"], **soon} if event == "connect" else soon}

    application = Application(short)
    application.start()
    with ExitStack() as stack:
        hub = Hub(stack, options.varde, application, queue=options.clients)
        clients = [Asker(hub.port, f"user-{i}") for i in range(options.clients)]
        for first in range(0, len(clients), 100):
            await asyncio.gather(*(come(client) for client in clients[first : first + 100]))
        await asyncio.sleep(10)
        application.stop()
        newcomers = [Asker(hub.port, f"new-{i}") for i in range(options.clients // 10)]
        coming = [asyncio.create_task(come(client)) for client in newcomers]
        await asyncio.sleep(options.away)
        lost = sum(client.ended for client in clients)
        early = sum(task.done() for task in coming)
        application.start()
        start = time.monotonic()
        refusals = await asyncio.gather(*coming)
        seconds = time.monotonic() - start
        calls = application.calls.value
        await asyncio.sleep(40)
        lost_later = sum(client.ended for client in clients)
        print("| clients | s away | lost meanwhile | lost in 40 s after it | newcomers | in meanwhile | refusals | s until all are in |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        print(
            f"| {len(clients):,} | {options.away:.0f} | {lost} | {lost_later - lost} | {len(newcomers):,} | {early} | "
            f"{sum(refusals):,} | {seconds:.1f} |"
        )
        print(f"\nQuestions in the 40 s after it: {application.calls.value - calls:,}")
        for client in clients + newcomers:
            await client.close()
    application.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--varde", type=Path, default=HERE.resolve().parents[1] / ".build/release/varde")
    parser.add_argument("--clients", type=int, default=5000)
    parser.add_argument("--publishers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--away", type=float, default=60.0)
    parts = {"storm": storm, "faults": faults, "away": away}
    parser.add_argument("parts", nargs="*", choices=[*parts, []])
    options = parser.parse_args()
    for part in options.parts or parts:
        asyncio.run(parts[part](options))
        print()


if __name__ == "__main__":
    main()
