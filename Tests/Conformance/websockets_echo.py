"""An echo server of the library `websockets`, the peer that our client role is held against.

Listens on 127.0.0.1 and the port of the argument, until it is told to stop.
"""

import asyncio
import logging
import os
import signal
import sys

# Read when the library is imported. The list has messages of 65,537 fragments.
os.environ["WEBSOCKETS_MAX_FRAGMENTS"] = str(1 << 17)

from websockets.asyncio.server import serve  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402

MESSAGE_BYTES_MAX = 16 << 20


async def echo(websocket):
    try:
        async for message in websocket:
            await websocket.send(message)
    except ConnectionClosed:
        pass  # The cases that offend end so.


async def main(port: int) -> None:
    # The library logs each connection that fails, and here most of them do.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serve(
        echo, "127.0.0.1", port, max_size=MESSAGE_BYTES_MAX, ping_interval=None
    ):
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
