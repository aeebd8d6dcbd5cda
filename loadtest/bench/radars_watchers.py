"""The readers of radars.py: half of the watched radars by the app's socket, half in one event stream.

Its order comes as one line of JSON on standard input. It prints `watching` when every subscription is open,
and then a line for each opinion that arrives: the way it came, the number of the provider's answer in it, and
when (seconds of CLOCK_MONOTONIC). It ends when standard input does.
"""

import asyncio
import json
import sys
import time

from radars_provider import ANSWER_NUMBER
from websockets.asyncio.client import connect

SOCKET, STREAM = "socket", "stream"
# Connections that are being opened at the same time.
OPENING_MAX = 10


def tell(way, text, received):
    print(way, ANSWER_NUMBER.search(text)[1], f"{received:.6f}", flush=True)


async def watch_socket(port, token, radar, places, opened):
    headers = {"Authorization": f"Bearer {token}"}
    url = f"ws://127.0.0.1:{port}/api/ws/radar/{radar}"
    async with places:
        socket = await connect(url, additional_headers=headers, proxy=None)
    opened.release()
    async with socket:
        async for message in socket:
            received = time.monotonic()
            if json.loads(message)["type"] == "newOpinion":
                tell(SOCKET, message, received)
    raise ConnectionError(f"the socket of {radar} has ended")


async def watch_stream(port, token, radars, opened):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    topics = ",".join(f"radar:{radar}" for radar in radars)
    head = f"GET /events?topics={topics} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
    status = await reader.readline()
    if b" 200 " not in status:
        raise ConnectionError(f"the event stream is refused: {status.decode()}")
    opened.release()
    while line := await reader.readline():
        received = time.monotonic()
        if line.startswith(b"data:"):
            event = json.loads(line.removeprefix(b"data:"))
            if event.get("type") == "radar.opinion.created":
                tell(STREAM, line.decode(), received)
    raise ConnectionError("the event stream has ended")


async def watch(order):
    port, token = order["port"], order["token"]
    opened, places = asyncio.Semaphore(0), asyncio.Semaphore(OPENING_MAX)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(watch_socket(port, token, radar, places, opened))
            for radar in order[SOCKET]
        ]
        tasks.append(group.create_task(watch_stream(port, token, order[STREAM], opened)))
        for _ in tasks:
            await opened.acquire()
        print("watching", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in tasks:
            task.cancel()


def main():
    asyncio.run(watch(json.loads(sys.stdin.readline())))


if __name__ == "__main__":
    main()
