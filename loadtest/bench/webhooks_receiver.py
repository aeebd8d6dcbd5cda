"""The receivers of webhooks.py: one process that takes every webhook at once and remembers what came.

Prints its port, then serves until SIGTERM. A path is an endpoint of its own. `GET /count` tells how many came,
verifications aside, and when; `GET /all` what they were: `[path, webhook-id, subject, number]`, in the order in which
they came.

It takes the requests apart by hand and verifies no signature, so that it costs the machine little.
"""

import asyncio
import json
import signal

TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"
# Stands in the text of an opinion, before its number.
NUMBER = "Opinion "


class Receivers(asyncio.Protocol):
    """One connection."""

    received: list = []
    # When the first and the last came, by the loop's clock, which is CLOCK_MONOTONIC.
    times: list = []

    def connection_made(self, transport):
        self.transport, self.buffer = transport, b""

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            lines = self.buffer[:end].decode("latin-1").split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in lines[1:])
            length = end + 4 + int(fields.get("content-length", "0"))
            if len(self.buffer) < length:
                return
            body, self.buffer = self.buffer[end + 4 : length], self.buffer[length:]
            method, path, _ = lines[0].split(" ")
            self.transport.write(self.take(path, fields, body) if method == "POST" else self.tell(path))

    def take(self, path, fields, body):
        event = json.loads(body)
        if event["type"] == "radar.opinion.created":
            number = int(event["data"]["opinion"]["content"].removeprefix(NUMBER))
            self.received.append((path, fields["webhook-id"], event.get("subject"), number))
            now = asyncio.get_running_loop().time()
            self.times[:] = [self.times[0] if self.times else now, now]
        return TAKEN

    def tell(self, path):
        value = {"count": len(self.received), "times": self.times}
        body = json.dumps(self.received if path == "/all" else value).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Receivers, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main())
