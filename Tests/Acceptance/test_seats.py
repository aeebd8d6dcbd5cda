"""The subscribers of the restart test see what is wrong when something is: without a hub."""

import json
import socket

import pytest

from harness.seats import EventStreamSeat, TopicRecord, WebSocketSeat

TOPIC = "load:1"
UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\n\r\nretry: 2000\nid: 100\n\n"


class Table:
    """A seat, the hub's end of its connection, and what it complains of."""

    def __init__(self, kind, record):
        self.complaints = []
        records = record if kind is WebSocketSeat else [record]
        self.seat = kind(0, self.complaints.append, records)
        self.seat.socket, self.hub = socket.socketpair()
        self.seat.socket.setblocking(False)

    def say(self, data, now=0.0):
        """The hub sends, and the seat reads it."""
        self.hub.sendall(data)
        assert self.seat.readable(now)

    def close(self):
        self.seat.lose(0.0)
        self.hub.close()


@pytest.fixture
def record():
    return TopicRecord(TOPIC)


@pytest.fixture
def table(record):
    tables = []

    def table(kind, head=b""):
        tables.append(Table(kind, record))
        if head:
            tables[-1].say(head)
        return tables[-1]

    yield table
    for each in tables:
        each.close()


def test_seat_that_gets_everything_in_order_has_nothing_to_complain_of(table):
    first, second = (table(WebSocketSeat, UPGRADED + reply(0)) for _ in range(2))
    for seat in (first, second):
        seat.say(b"".join(publication(number, number) for number in (1, 2, 3)))
    stream = table(EventStreamSeat, STREAM)
    stream.say(event(101, 1) + event(103, 2) + event(107, 3))
    for each in (first, second, stream):
        assert each.seat.counts == {TOPIC: 3} and each.seat.is_open
        assert each.complaints == []


def test_frames_may_be_cut_anywhere(table):
    whole = UPGRADED + reply(0) + publication(1, 1) + publication(2, 2, padding=70_000)
    for cut in [*range(1, 200), len(whole) - 1]:
        seat = table(WebSocketSeat)
        seat.say(whole[:cut])
        seat.say(whole[cut:])
        assert seat.seat.counts == {TOPIC: 2} and not seat.complaints, cut


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ([(1, 1), (3, 3)], "offset 3 after 1"),
        ([(1, 1), (1, 1)], "offset 1 after 1"),
        ([(1, 1), (2, 2), (1, 1)], "offset 1 after 2"),
        ([(1, 1), (2, 9)], "offset 2 is 9 and 2"),
    ],
    ids=["hole", "repetition", "order", "another"],
)
def test_seat_complains_of_what_differs(table, told, complaint):
    good = table(WebSocketSeat, UPGRADED + reply(0))
    good.say(publication(1, 1) + publication(2, 2))
    bad = table(WebSocketSeat, UPGRADED + reply(0))
    bad.say(b"".join(publication(*each) for each in told))
    assert good.complaints == []
    assert complaint in bad.complaints[0]


def test_seat_that_comes_back_complains_of_a_gap_and_of_another_epoch(table):
    seat = table(WebSocketSeat, UPGRADED + reply(0) + publication(1, 1))
    missed = [{"offset": 2, "data": {"number": 2}}]
    seat.say(reply(1, was_recovering=True, recovered=True, publications=missed))
    assert seat.seat.counts == {TOPIC: 2} and not seat.complaints
    seat.say(reply(5, was_recovering=True))
    assert [each.partition(": ")[2][:5] for each in seat.complaints] == ["a gap", "has 2"]
    seat.say(reply(2, epoch="another"))
    assert "epoch another" in seat.complaints[2]


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        (lambda: event(101, 1) + event(101, 2), "cursor 101 after 101"),
        (lambda: event(101, 1) + event(102, 3), "offset 2 is 3 and 2"),
        (lambda: event(101, 1) + event(102, 2) + event(103, 2), "offset 3 is 2 and 3"),
        (lambda: b"id: 105\nevent: gap\ndata: {}\n\n", "gap"),
    ],
    ids=["cursor", "hole", "repetition", "gap"],
)
def test_stream_complains_of_what_differs(table, told, complaint):
    good = table(WebSocketSeat, UPGRADED + reply(0))
    good.say(b"".join(publication(number, number) for number in (1, 2, 3)))
    stream = table(EventStreamSeat, STREAM)
    stream.say(told())
    assert complaint in stream.complaints[0]


def test_time_away_is_measured_until_the_place_is_taken_again(table):
    seat = table(WebSocketSeat, UPGRADED + reply(0)).seat
    seat.lose(10.0)
    assert not seat.is_open
    # A second loss before that is the same absence.
    seat.lose(11.0)
    seat._found(12.5)
    assert seat.absences == [2.5] and seat.is_open


def frame(value):
    text = json.dumps(value).encode()
    if len(text) < 126:
        return bytes([0x81, len(text)]) + text
    if len(text) < 1 << 16:
        return bytes([0x81, 126]) + len(text).to_bytes(2, "big") + text
    return bytes([0x81, 127]) + len(text).to_bytes(8, "big") + text


def reply(offset, epoch="e", **fields):
    return frame({"id": 2, "subscribe": {"epoch": epoch, "offset": offset, **fields}})


def publication(offset, number, padding=0):
    data = {"number": number, "padding": "x" * padding}
    return frame({"push": {"channel": TOPIC, "pub": {"data": data, "offset": offset}}})


def event(cursor, number):
    return f'id: {cursor}\nevent: {TOPIC}\ndata: {{"number":{number}}}\n\n'.encode()
