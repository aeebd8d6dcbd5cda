"""A process full of seats: `python -m harness.listeners`, told what to do in lines of JSON.

`{"port":…,"topics":[…],"websockets":…,"streams":…,"first":…}` is the first line; seat `n` of all
processes sits in topic `n` modulo their number. With `"tokens"`, one for each topic, and
`"number"`, the keys that lead to a publication's number, it is one seat for each topic. Every line
after it is a question, answered with one line: `{"ask":"state"}` with counts, `{"ask":"all"}` with everything that was told. The end of
the input ends the process.
"""

import heapq
import json
import os
import resource
import select
import sys
import time
from collections import Counter
from io import FileIO
from typing import Any

from .seats import EventStreamSeat, Seat, TopicRecord, WebSocketSeat

# The first time all come within this, not at once.
ARRIVAL_SECONDS = 1.0
# Of an event stream: enough to need one order over topics, few enough to read them all.
TOPICS_PER_STREAM = 2
COMPLAINTS_KEPT = 20
WAKE_SECONDS = 0.05


class Listeners:
    def __init__(self, order: dict[str, Any]) -> None:
        self._records = [TopicRecord(name) for name in order["topics"]]
        self._complaints: Counter[str] = Counter()
        self._epoll = select.epoll()
        self._by_descriptor: dict[int, Seat] = {}
        # Seats that are not connected: when to try, a number that orders ties, the seat.
        self._away: list[tuple[float, int, Seat]] = []
        self._ties = 0
        port, first, count = order["port"], order.get("first", 0), len(self._records)
        self._websockets: list[Seat] = [
            WebSocketSeat(port, self._complain, self._records[(first + index) % count])
            for index in range(order.get("websockets", 0))
        ]
        number = tuple(order.get("number", ["number"]))
        self._websockets += [
            WebSocketSeat(port, self._complain, record, token, number)
            for record, token in zip(self._records, order.get("tokens", []))
        ]
        self._streams: list[Seat] = [
            EventStreamSeat(
                port,
                self._complain,
                [self._records[(index + step) % count] for step in range(TOPICS_PER_STREAM)],
            )
            for index in range(order.get("streams", 0))
        ]
        begin, seats = time.monotonic(), self._seats
        for index, seat in enumerate(seats):
            self._come_back(seat, begin + ARRIVAL_SECONDS * index / len(seats))

    def run(self) -> None:
        """Until there is nobody left who asks."""
        self._epoll.register(sys.stdin.fileno(), select.EPOLLIN)
        questions = b""
        while True:
            for descriptor, happened in self._epoll.poll(WAKE_SECONDS):
                if descriptor == sys.stdin.fileno():
                    part = os.read(descriptor, 65536)
                    if not part:
                        return
                    *lines, questions = (questions + part).split(b"\n")
                    for line in lines:
                        self._answer(json.loads(line)["ask"])
                else:
                    self._serve(descriptor, happened)
            now = time.monotonic()
            while self._away and self._away[0][0] <= now:
                self._begin(heapq.heappop(self._away)[2])

    # Seats

    @property
    def _seats(self) -> list[Seat]:
        return self._websockets + self._streams

    def _begin(self, seat: Seat) -> None:
        descriptor = seat.connect().fileno()
        self._by_descriptor[descriptor] = seat
        self._epoll.register(descriptor, select.EPOLLOUT)

    def _serve(self, descriptor: int, happened: int) -> None:
        seat, now = self._by_descriptor[descriptor], time.monotonic()
        if happened & select.EPOLLOUT:
            is_there = seat.connected()
            if is_there:
                self._epoll.modify(descriptor, select.EPOLLIN)
        else:
            is_there = seat.readable(now)
        if not is_there:
            self._epoll.unregister(descriptor)
            del self._by_descriptor[descriptor]
            self._come_back(seat, seat.lose(now))

    def _come_back(self, seat: Seat, when: float) -> None:
        self._ties += 1
        heapq.heappush(self._away, (when, self._ties, seat))

    def _complain(self, text: str) -> None:
        if len(self._complaints) < COMPLAINTS_KEPT or text in self._complaints:
            self._complaints[text] += 1

    # Answers

    def _answer(self, question: str) -> None:
        answer: dict[str, Any] = {
            "open": sum(seat.is_open for seat in self._seats),
            # Where each topic stands with the seat that has got least of it.
            "least": self._least(),
            "most": {
                record.name: sum(number is not None for number in record.numbers)
                for record in self._records
            },
            "complaints": self._complaints,
        }
        if question == "all":
            answer["numbers"] = {record.name: record.numbers for record in self._records}
            answer["received"] = sum(sum(seat.counts.values()) for seat in self._seats)
            answer["websocket absences"] = [t for seat in self._websockets for t in seat.absences]
            answer["stream absences"] = [t for seat in self._streams for t in seat.absences]
        print(json.dumps(answer), flush=True)

    def _least(self) -> dict[str, int]:
        least: dict[str, int] = {}
        for seat in self._seats:
            for topic, count in seat.counts.items():
                least[topic] = min(count, least.get(topic, count))
        return least


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Unbuffered, so that the questions stay where `epoll` sees them.
    order = FileIO(sys.stdin.fileno(), closefd=False).readline()
    Listeners(json.loads(order)).run()


if __name__ == "__main__":
    main()
