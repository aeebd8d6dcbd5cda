"""RFC 6455 as the library `websockets` understands it, in plain text and over TLS."""

import asyncio
import os

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

MESSAGE_BYTES_MAX = 1 << 20
PATIENCE_SECONDS = 20.0
# Around each change of the length field's form (RFC 6455 §5.2), and around a read of the hub.
LENGTHS = [0, 1, 125, 126, 127, 65535, 65536, 65537, 200_000, MESSAGE_BYTES_MAX]


@pytest.fixture(params=["plain", "tls"])
def converse(stage, request, certificate):
    """Carries out a conversation with `/echo`: an async function that gets an open connection.

    Not with the library's threads: one that reads and one that writes break a TLS connection of
    Python 3.11 now and then, whoever the server is.
    """
    hub = stage.hub()
    context = None
    if request.param == "plain":
        hub.start("--echo")
    else:
        hub.start("--echo", *certificate.flags)
        context = certificate.trusting_context()
    url = f"{'wss' if context else 'ws'}://127.0.0.1:{hub.port}/echo"

    async def carry_out(conversation, compression):
        async with connect(
            url,
            ssl=context,
            proxy=None,
            max_size=None,
            ping_interval=None,
            close_timeout=5,
            compression=compression,
        ) as websocket:
            await asyncio.wait_for(conversation(websocket), PATIENCE_SECONDS)

    def run(conversation, compression="deflate"):
        asyncio.run(carry_out(conversation, compression))

    return run


# Random bytes get longer when they are compressed; a message of the greatest length comes through all the same.
@pytest.mark.parametrize("compression", [None, "deflate"])
def test_messages_of_every_length_come_back(converse, compression):
    async def conversation(websocket):
        for length in LENGTHS:
            binary = os.urandom(length)
            await websocket.send(binary)
            assert await websocket.recv() == binary, length
            text = ("Nordlys over Tromsø 🌌 " * (length // 20 + 1))[: length // 5]
            await websocket.send(text)
            assert await websocket.recv() == text, length

    converse(conversation, compression)


def test_fragmented_messages_come_back_whole(converse):
    async def conversation(websocket):
        for count, length in [(2, 1), (3, 0), (10, 1000), (64, 16384), (1000, 7)]:
            fragments = [os.urandom(length) for _ in range(count)]
            await websocket.send(fragments)
            assert await websocket.recv() == b"".join(fragments), (count, length)

    converse(conversation)


def test_characters_cut_by_frames_come_back_whole(converse):
    text = "Tromsø 🌌"
    encoded = text.encode()

    async def conversation(websocket):
        for index in range(len(encoded)):
            opcode = Opcode.TEXT if index == 0 else Opcode.CONT
            is_last = index == len(encoded) - 1
            send_frame(websocket, Frame(opcode, encoded[index : index + 1], fin=is_last))
        assert await websocket.recv() == text

    converse(conversation)


def test_many_messages_come_back_in_their_order(converse):
    messages = [f"{index} " + "x" * (index % 700) for index in range(2000)]

    async def conversation(websocket):
        async def send_all():
            for message in messages:
                await websocket.send(message)

        sending = asyncio.create_task(send_all())
        assert [await websocket.recv() for _ in messages] == messages
        await sending

    converse(conversation)


def test_pings_are_answered_even_between_fragments(converse):
    async def conversation(websocket):
        for payload in [b"", b"varde", bytes(125)]:
            await (await websocket.ping(payload))
        send_frame(websocket, Frame(Opcode.BINARY, b"one ", fin=False))
        await (await websocket.ping(b"in between"))
        send_frame(websocket, Frame(Opcode.CONT, b"message", fin=True))
        assert await websocket.recv() == b"one message"

    converse(conversation)


@pytest.mark.parametrize("code", [1000, 1001, 3000, 4999])
def test_close_is_answered_with_its_code(converse, code):
    async def conversation(websocket):
        await websocket.send("last words")
        assert await websocket.recv() == "last words"
        await websocket.close(code, "bye")
        protocol = websocket.protocol
        assert protocol.close_rcvd and protocol.close_rcvd.code == code
        assert protocol.close_rcvd_then_sent is False

    converse(conversation)


OFFENCES = {
    "text that is not UTF-8": (Frame(Opcode.TEXT, b"\xc3\x28"), 1007),
    "a surrogate": (Frame(Opcode.TEXT, b"\xed\xa0\x80"), 1007),
    "a continuation of nothing": (Frame(Opcode.CONT, b"x"), 1002),
    "close with 1005": (Frame(Opcode.CLOSE, b"\x03\xed"), 1002),
    "close with half a code": (Frame(Opcode.CLOSE, b"\x03"), 1002),
    "one byte too long": (Frame(Opcode.BINARY, bytes(MESSAGE_BYTES_MAX + 1)), 1009),
    # What the library refuses to make, byte for byte.
    "an unmasked frame": (b"\x81\x05hello", 1002),
    "RSV1 without extension": (b"\xc1\x80\0\0\0\0", 1002),
    "a reserved opcode": (b"\x83\x80\0\0\0\0", 1002),
    "a ping in fragments": (b"\x09\x80\0\0\0\0", 1002),
    "a ping of 126 bytes": (b"\x89\xfe\0\x7e\0\0\0\0" + bytes(126), 1002),
    "a length with its first bit set": (b"\x82\xff" + b"\xff" * 8 + bytes(4), 1002),
}


@pytest.mark.parametrize("offence", OFFENCES)
def test_offence_is_answered_with_its_code(converse, offence):
    sent, code = OFFENCES[offence]

    async def conversation(websocket):
        if isinstance(sent, Frame):
            send_frame(websocket, sent)
        else:
            websocket.transport.write(sent)
        with pytest.raises(ConnectionClosed) as closed:
            await websocket.recv()
        assert closed.value.rcvd, f"no Close frame: {closed.value}"
        assert closed.value.rcvd.code == code

    # With compression RSV1 would mean something.
    converse(conversation, compression=None)


def send_frame(websocket, frame):
    """Sends a frame as it is, behind the back of the library's own order of things."""
    websocket.transport.write(frame.serialize(mask=True))
