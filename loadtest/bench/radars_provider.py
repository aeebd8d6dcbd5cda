"""A provider of opinions for radars.py: OpenAI's chat completions, answered after a fixed time.

Prints its port, then serves until SIGTERM. Every question is a record of the log file: when it came and when
its answer was handed to the kernel (seconds of CLOCK_MONOTONIC, which all processes share), which radar it is
about, and the number of the answer, which is in the answer's text as well.
"""

import argparse
import asyncio
import json
import re
import signal
import struct
import time
from collections import namedtuple

RECORD = struct.Struct("<ddII?")
FLUSH_SECONDS = 0.2

Question = namedtuple("Question", "arrived answered radar answer is_stance")

STANCES = ("for", "against", "neutral")
MODEL = "pace-1"
TOPIC = "a four-day working week in district {}"
TOPIC_NUMBER = re.compile(r"working week in district (\d+)")
# Of an opinion's text, by which a reader knows the answer.
ANSWER_NUMBER = re.compile(r"Answer (\d+): ")


def read_log(path, skip=0):
    """The questions that are in the log, without the first ones."""
    with open(path, "rb") as file:
        file.seek(skip * RECORD.size)
        content = file.read()
    whole = len(content) - len(content) % RECORD.size
    return [Question(*fields) for fields in RECORD.iter_unpack(content[:whole])]


def opinion(radar, answer):
    """As long as a model's would be; always the same stance for one radar."""
    return {
        "stance": STANCES[radar % len(STANCES)],
        "confidence": 0.5 + radar % 50 / 100,
        "content": f"Answer {answer}: firms that tried a shorter week kept their output, and fewer people "
        "left; what holds in an office need not hold on a ward, where hours are covered and not filled.",
        "reasoning": "The published trials are small and chose themselves, but they agree with each other; "
        "nothing comparable is known of shift work.",
    }


def interpretation(radar):
    return {
        "text": f"Should four days be the working week in district {radar}?",
        "category": "work",
        "subCategory": "hours",
        "tags": ["work", "hours", "week"],
        "sentiment": "neutral",
    }


def completion(tool, arguments):
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(arguments)},
    }
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 600, "completion_tokens": 100, "total_tokens": 700},
    }


class Log:
    def __init__(self, path, loop):
        self.file, self.loop = open(path, "wb"), loop
        self.answers = 0
        self.flush()

    def flush(self):
        self.file.flush()
        self.loop.call_later(FLUSH_SECONDS, self.flush)

    def next_answer(self):
        self.answers += 1
        return self.answers

    def add(self, question):
        self.file.write(RECORD.pack(*question))


class Connection(asyncio.Protocol):
    """One connection of the hub, with one question at a time (HTTP/1.1, no pipelining)."""

    def __init__(self, log, latency):
        self.log, self.latency = log, latency
        self.received = bytearray()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        arrived = time.monotonic()
        self.received += data
        head, separator, body = self.received.partition(b"\r\n\r\n")
        if not separator or len(body) < content_length(head):
            return
        self.received.clear()
        loop = asyncio.get_running_loop()
        loop.call_at(loop.time() + self.latency, self.answer, arrived, json.loads(body))

    def answer(self, arrived, question):
        tool = question["tools"][0]["function"]["name"]
        radar = int(TOPIC_NUMBER.search(question["messages"][-1]["content"])[1])
        is_stance = tool == "record_stance"
        number = self.log.next_answer()
        arguments = opinion(radar, number) if is_stance else interpretation(radar)
        body = json.dumps(completion(tool, arguments)).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        answered = time.monotonic()
        self.transport.write(head.encode() + body)
        self.log.add(Question(arrived, answered, radar, number, is_stance))


def content_length(head):
    return int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])


async def serve(path, latency):
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    log = Log(path, loop)
    server = await loop.create_server(lambda: Connection(log, latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await stop.wait()
    log.file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True)
    parser.add_argument("--latency", type=float, required=True, help="seconds from question to answer")
    options = parser.parse_args()
    asyncio.run(serve(options.log, options.latency))


if __name__ == "__main__":
    main()
