"""The Centrifuge SDKs for Python and JavaScript, unmodified, with their default handlers' order, over
links that are cut, late and slow at every point of a recovery. What the application's handlers saw is
compared with what the hub acknowledged: every publication once, in order.

    SDK_SEEDS=200 SDK_SEED=7 Tests/Acceptance/run.sh -k test_sdk_cuts      200 seeds, from the seventh
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from centrifuge import (
    Client,
    ClientEventHandler,
    DeltaType,
    Filter,
    SubscriptionEventHandler,
)

from harness.processes import REPOSITORY
from harness.publishers import APIPublisher
from harness.rough_link import RoughLink, Storm
from harness.settings import API_KEY, TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token

SEEDS = int(os.environ.get("SDK_SEEDS", "20"))
FIRST = int(os.environ.get("SDK_SEED", "1"))
# They mostly wait.
AT_ONCE = 10
PUBLICATIONS = 40
PATIENCE_SECONDS = 30.0
# An application's handler, which does something with what it gets.
HANDLER_SECONDS = 0.016
REPLY_BYTES = 1500

CHAT, PRICES = "chat", "prices"
PYTHON_KINDS = ["json", "protobuf", "delta", "filter", "token", "token in protobuf"]
JS_KINDS = ["websocket", "http_stream", "sse", "delta", "filter", "token"]
# What examples/sdks/run.sh makes.
JS_SDK = Path(os.environ.get("CENTRIFUGE_CJS") or REPOSITORY / ".build/sdks/js/centrifuge.cjs")
JS_READER = REPOSITORY / "Tests/Acceptance/harness/centrifuge_js.js"
CONFIGURATION = configuration(namespace(CHAT), namespace(PRICES, delta=True), tokens=TOKENS)
WANTED = {"colour": "red"}


@dataclass
class Application:
    """One that takes a moment for each thing it is told."""

    dice: random.Random
    seen: list[int] = field(default_factory=list)
    recovered: list[bool] = field(default_factory=list)
    # What the SDK takes as final.
    ends: list[Any] = field(default_factory=list)
    is_subscribed: asyncio.Event = field(default_factory=asyncio.Event)

    async def subscribed(self, context: Any) -> None:
        if context.was_recovering:
            self.recovered.append(context.recovered)
        self.is_subscribed.set()
        await asyncio.sleep(self.dice.random() * HANDLER_SECONDS)

    async def published(self, publication: Any) -> None:
        self.seen.append(publication.offset)
        await asyncio.sleep(self.dice.random() * HANDLER_SECONDS)


class ClientEvents(ClientEventHandler):
    """Those of a subscription that the token made are the client's."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def on_subscribed(self, ctx: Any) -> None:
        await self._application.subscribed(ctx)

    async def on_publication(self, ctx: Any) -> None:
        await self._application.published(ctx.pub)


class SubscriptionEvents(SubscriptionEventHandler):
    def __init__(self, application: Application) -> None:
        self._application = application

    async def on_subscribed(self, ctx: Any) -> None:
        await self._application.subscribed(ctx)

    async def on_publication(self, ctx: Any) -> None:
        await self._application.published(ctx.pub)


def test_centrifuge_python_sees_what_was_acknowledged(stage, record_property):
    examine(stage, record_property, PYTHON_KINDS, python_reader)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.skipif(not JS_SDK.exists(), reason=f"no centrifuge-js at {JS_SDK}: examples/sdks/run.sh")
def test_centrifuge_js_sees_what_was_acknowledged(stage, record_property):
    examine(stage, record_property, JS_KINDS, js_reader)


# Subscribes an application to a topic, in one of the kinds, until it is left.
Reader = Callable[[int, str, str, Application], AbstractAsyncContextManager[None]]


@dataclass
class Course:
    problem: str
    cuts: int
    recoveries: int


def examine(stage: Any, record_property: Any, kinds: list[str], reader: Reader) -> None:
    hub = started_hub(stage, CONFIGURATION)
    courses = asyncio.run(run_all(hub.port, kinds, reader))
    problems = [course.problem for course in courses if course.problem]
    assert not problems, "\n".join(problems)
    cuts, recoveries = sum(each.cuts for each in courses), sum(each.recoveries for each in courses)
    record_property("cuts", cuts)
    record_property("recoveries", recoveries)
    assert cuts > 3 * SEEDS and recoveries > SEEDS, f"{cuts} cuts, {recoveries} recoveries"


async def run_all(port: int, kinds: list[str], reader: Reader) -> list[Course]:
    room = asyncio.Semaphore(AT_ONCE)

    async def run(seed: int) -> Course:
        async with room:
            return await run_one(port, seed, kinds[seed % len(kinds)], reader)

    return await asyncio.gather(*(run(FIRST + index) for index in range(SEEDS)))


async def run_one(port: int, seed: int, kind: str, reader: Reader) -> Course:
    dice = random.Random(seed)
    topic = f"{PRICES if kind == 'delta' else CHAT}:{seed}"
    application = Application(dice)
    async with RoughLink(port, Storm(seed, REPLY_BYTES)) as link:
        async with reader(link.port, kind, topic, application):
            await asyncio.wait_for(application.is_subscribed.wait(), PATIENCE_SECONDS)
            link.begin()
            acknowledged = await publish_all(port, kind, topic, dice)
            link.calm()
            await wait_until_seen(application, acknowledged)
        problem = difference(acknowledged, application)
        return Course(
            f"seed {seed}, {kind}: {problem}" if problem else "",
            link.cut_count,
            len(application.recovered),
        )


@contextlib.asynccontextmanager
async def python_reader(
    port: int, kind: str, topic: str, application: Application
) -> AsyncIterator[None]:
    is_token = kind.startswith("token")
    client = Client(
        f"ws://127.0.0.1:{port}/connection/websocket",
        events=ClientEvents(application) if is_token else None,
        token=connection_token("ann", channels=[topic]) if is_token else "",
        use_protobuf="protobuf" in kind,
        min_reconnect_delay=0.01,
        max_reconnect_delay=0.05,
        proxy=None,
    )
    if not is_token:
        options: dict[str, Any] = {}
        if kind == "delta":
            options["delta"] = DeltaType.FOSSIL
        if kind == "filter":
            options["tags_filter"] = Filter.eq("colour", WANTED["colour"])
        subscription = client.new_subscription(
            topic, events=SubscriptionEvents(application), **options
        )
        client._spawn(subscription.subscribe())
    await client.connect()
    try:
        yield
    finally:
        await client.disconnect()


@contextlib.asynccontextmanager
async def js_reader(
    port: int, kind: str, topic: str, application: Application
) -> AsyncIterator[None]:
    options: dict[str, Any] = {}
    if kind == "delta":
        options = {"delta": "fossil"}
    if kind == "filter":
        options = {"tagsFilter": {"key": "colour", "cmp": "eq", "val": WANTED["colour"]}}
    if kind == "token":
        options = {"token": connection_token("ann", channels=[topic])}
    process = await asyncio.create_subprocess_exec(
        "node",
        JS_READER,
        JS_SDK,
        kind if kind in ("http_stream", "sse") else "websocket",
        f"http://127.0.0.1:{port}",
        topic,
        json.dumps(options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"NODE_PATH": "/usr/share/nodejs"},
    )
    assert process.stdin and process.stdout
    reading = asyncio.create_task(take(process.stdout, application))
    try:
        yield
    finally:
        process.stdin.close()
        await process.wait()
        await reading


async def take(lines: asyncio.StreamReader, application: Application) -> None:
    """Gives an application what its process prints."""
    async for line in lines:
        match json.loads(line):
            case {"offset": offset}:
                application.seen.append(offset)
            case {"subscribed": told}:
                if told["wasRecovering"]:
                    application.recovered.append(told["recovered"])
                application.is_subscribed.set()
            case final:
                application.ends.append(final)


async def publish_all(port: int, kind: str, topic: str, dice: random.Random) -> list[int]:
    """The offsets that the application has to see."""
    publisher = APIPublisher(port, topic, API_KEY)
    wanted = []
    for number in range(1, PUBLICATIONS + 1):
        is_wanted = kind != "filter" or dice.random() < 0.6
        fields: dict[str, Any] = {"tags": WANTED if is_wanted else {"colour": "blue"}}
        if kind == "delta":
            fields["delta"] = True
        offset = await publisher.publish(number, **fields)
        if is_wanted:
            wanted.append(offset)
        # Bursts, so that several are missed at a time.
        if dice.random() < 0.25:
            await asyncio.sleep(dice.random() * 0.1)
    publisher.drop()
    return wanted


async def wait_until_seen(application: Application, wanted: list[int]) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    while wanted[-1] not in application.seen and loop.time() < deadline:
        await asyncio.sleep(0.01)


def difference(wanted: list[int], application: Application) -> str:
    seen = application.seen
    if application.ends:
        return f"ended: {application.ends}"
    if not all(application.recovered):
        return f"told a gap, {application.recovered}"
    if seen == wanted:
        return ""
    missing = [offset for offset in wanted if offset not in seen]
    return f"saw {seen} of {wanted}, missing {missing}"
