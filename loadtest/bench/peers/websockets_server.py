"""Python websockets as its documentation broadcasts: a message from /publish goes to all others.

With the word echo every message goes back to its sender.
"""

import asyncio
import sys

from websockets.asyncio.server import broadcast, serve

subscribers = set()


async def echo(connection):
    async for message in connection:
        await connection.send(message)


async def fan_out(connection):
    if connection.request.path == "/publish":
        async for message in connection:
            broadcast(subscribers, message)
        return
    subscribers.add(connection)
    try:
        await connection.wait_closed()
    finally:
        subscribers.discard(connection)


async def main(port, mode):
    handler = echo if mode == "echo" else fan_out
    options = dict(compression=None, backlog=4096, max_queue=256)
    async with serve(handler, "127.0.0.1", port, **options) as server:
        await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
