"""Every program of examples/ does what its README describes, against `varde dev`."""

import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import socket
import sqlite3
import time
import urllib.error
import urllib.request
from pathlib import Path

import jwt
import pytest

from harness.browser import Browser, needs_chromium
from harness.examples import Examples
from harness.ports import free_port
from harness.processes import REPOSITORY
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
# The browser build of centrifuge-js, which examples/sdks/run.sh makes.
CENTRIFUGE_JS = Path(
    os.environ.get("CENTRIFUGE_JS") or REPOSITORY / ".build/sdks/js/centrifuge.js"
)
BACKENDS = [
    pytest.param(("python3", "backend-python/backend.py"), id="python"),
    pytest.param(
        ("node", "backend-node/backend.js"),
        id="node",
        marks=pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
    ),
]


@pytest.fixture
def examples(stage):
    return Examples(stage)


@pytest.fixture
def browser(stage):
    browser = Browser(stage.directory / "chromium")
    stage.ends_with(browser.close)
    return browser


def started_backend(examples, backend):
    """Returns the port of the started back end."""
    port = free_port()
    flags = ("--port", str(port)) if backend[0] == "python3" else ()
    examples.start(*backend, *flags, ready=rf"http://localhost:{port}/", PORT=str(port))
    return port


def post(url, body):
    """The status, and the text of the answer."""
    request = urllib.request.Request(url, data=json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as response:
        return response.read().decode()


# Back ends and the chat


@pytest.mark.parametrize("backend", BACKENDS)
def test_backend_publishes_and_issues_connection_tokens(stage, examples, backend):
    url = f"http://localhost:{started_backend(examples, backend)}"
    stream = stage.event_stream(examples.port, ["chat:lobby"])
    wait_until(lambda: stream.begin, within=PATIENCE_SECONDS, what="the stream has begun")
    message = {"room": "lobby", "user": "kari", "text": "Hei 🎉"}
    status, text = post(f"{url}/messages", message)
    assert status == 200 and json.loads(text)["offset"] == 1
    wait_until(lambda: stream.events, within=PATIENCE_SECONDS, what="it is received")
    assert stream.events[0].json() == {"user": "kari", "text": "Hei 🎉"}
    assert post(f"{url}/messages", message | {"room": "A b"})[0] == 400
    assert post(f"{url}/messages", message | {"text": " "})[0] == 400
    assert post(f"{url}/messages", [])[0] == 400
    assert post(f"{url}/messages", message | {"text": "x" * 20_000})[0] in (400, 404)

    token = get(f"{url}/token?user=kari")
    claims = jwt.decode(token, examples.environment["VARDE_TOKEN_SECRET"], algorithms=["HS256"])
    assert claims["sub"] == "kari" and claims["exp"] > time.time()
    client = stage.sdk(examples.port, ["chat:lobby"], token=token)
    wait_until(lambda: client.subscribed["chat:lobby"], within=PATIENCE_SECONDS, what="connected")
    presence = examples.api("presence", channel="chat:lobby")["presence"]
    assert {each["user"] for each in presence.values()} == {"kari"}


@needs_chromium
@pytest.mark.parametrize("backend", BACKENDS)
def test_chat_with_event_source_sends_receives_and_shows_older_messages(
    examples, browser, backend
):
    url = f"http://localhost:{started_backend(examples, backend)}/?room=hall"
    first = browser.open(url)
    wait_for_state(first, "connected")
    first.fill_and_submit("#text", "<b>Hello</b>")
    wait_for_messages(first, ["kari: <b>Hello</b>"])
    second = browser.open(url)
    wait_for_messages(second, ["kari: <b>Hello</b>"])
    second.fill_and_submit("#text", "Good evening")
    for page in (first, second):
        wait_for_messages(page, ["kari: <b>Hello</b>", "kari: Good evening"])


@needs_chromium
@pytest.mark.skipif(
    not CENTRIFUGE_JS.exists(), reason=f"no centrifuge-js at {CENTRIFUGE_JS}: examples/sdks/run.sh"
)
def test_chat_with_centrifuge_js_meets_the_one_with_event_source(examples, browser):
    shutil.copy(CENTRIFUGE_JS, examples.directory / "browser-chat" / "centrifuge.js")
    url = f"http://localhost:{started_backend(examples, BACKENDS[0].values[0])}"
    plain = browser.open(f"{url}/?room=hall")
    wait_for_state(plain, "connected")
    library = browser.open(f"{url}/centrifuge.html?room=hall%26user=ola")
    wait_for_state(library, "connected")
    plain.fill_and_submit("#text", "from EventSource")
    wait_for_messages(library, ["kari: from EventSource"])
    library.fill_and_submit("#text", "from the SDK")
    wait_for_messages(plain, ["kari: from EventSource", "ola: from the SDK"])


def test_backend_without_a_copy_of_centrifuge_js_redirects_to_it(examples):
    port = started_backend(examples, BACKENDS[0].values[0])
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as peer:
        peer.sendall(b"GET /centrifuge.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        head = peer.makefile().read()
    assert head.startswith("HTTP/1.1 302 ")
    assert "Location: https://unpkg.com/centrifuge@" in head


def wait_for_state(page, state):
    wait_until(
        lambda: page.text("#state") == state,
        within=PATIENCE_SECONDS,
        what=lambda: f"{state}, found {page.text('body')}",
    )


def wait_for_messages(page, messages):
    def shown():
        return page.value("[...document.querySelectorAll('#messages li')].map(e => e.textContent)")

    wait_until(
        lambda: shown() == messages,
        within=PATIENCE_SECONDS,
        what=lambda: f"{messages}, found {shown()}, {page.text('#state')}",
    )


# Outbox


def test_outbox_publishes_each_order_once_whatever_is_repeated(examples):
    shop = ("python3", "outbox/shop.py", "--database", "shop.sqlite")
    for number, item in enumerate(["lamp", "chair"], start=1):
        order = json.loads(examples.run(*shop, "order", item, "2").stdout)
        assert order == {"id": number, "item": item, "quantity": 2}
    assert examples.run(*shop, "order", "nothing", "0", check=False).returncode != 0

    # The relay before it could delete the rows that it has published.
    database = sqlite3.connect(examples.directory / "shop.sqlite")
    rows = database.execute("SELECT id, channel, data FROM outbox").fetchall()
    assert [row[0] for row in rows] == [1, 2], "the order that failed has no event"
    assert examples.run(*shop, "relay", "--once").stdout == "published 2\n"
    with database:
        database.executemany("INSERT INTO outbox VALUES (?, ?, ?)", rows)
    examples.run(*shop, "order", "table", "1")
    assert examples.run(*shop, "relay", "--once").stdout == "published 3\n"
    database.close()

    assert published_items(examples) == ["lamp", "chair", "table"]


def test_outbox_relay_continues_after_the_hub_was_away(stage):
    database = str(stage.directory / "hub.sqlite")
    examples = Examples(stage, "--database", database)
    shop = ("python3", "outbox/shop.py", "--database", "shop.sqlite")
    examples.hub.kill()
    examples.run(*shop, "order", "lamp", "1")
    assert examples.run(*shop, "relay", "--once", check=False).returncode != 0
    relay = examples.start(*shop, "relay", ready="trying again in 0.5 s")
    relay.stop()
    examples.start_hub("--database", database)
    examples.start(*shop, "relay", ready="published 1")
    assert published_items(examples) == ["lamp"]


def published_items(examples):
    history = examples.api("history", channel="demo:orders", limit=-1)
    return [publication["data"]["item"] for publication in history["publications"]]


# AI answers


@needs_chromium
def test_answer_is_complete_and_without_repetition_after_reloads(examples, browser):
    port = free_port()
    examples.start(
        "python3",
        "ai-stream/server.py",
        *("--port", str(port), "--pause", "0.02"),
        ready=rf"http://localhost:{port}/",
    )
    page = browser.open(f"http://localhost:{port}/")
    wait_until(
        lambda: page.value("document.readyState") == "complete" and page.text("h1"),
        within=PATIENCE_SECONDS,
        what="the page is loaded",
    )
    page.fill_and_submit("#question", "Why?")
    reloads = 0
    for words in (5, 40, 80):
        wait_until(
            lambda words=words: len(page.text("#answer").split()) > words,
            within=PATIENCE_SECONDS,
            what=lambda: f"a part of the answer: {page.text('body')}",
        )
        reloads += page.text("#state") != "done"
        page.reload()
    wait_for_state(page, "done")
    text = page.text("#answer")
    expected = "You asked: Why? The answer is long, so it arrives in pieces." + "".join(
        f" Sentence {number} has its place." for number in range(1, 31)
    )
    assert text == expected
    assert reloads > 0, "the answer was complete before the first reload"
    # A window without the stored part reads the answer from the beginning.
    page.value("sessionStorage.clear()")
    page.reload()
    wait_for_state(page, "done")
    assert page.text("#answer") == expected


# Alerts


def test_rule_makes_one_alert_of_an_oven_that_crosses_its_bound_often(examples):
    output = examples.run("python3", "alert-rules/oven.py").stdout
    alerts = re.findall(r"^demo\.alert\..*$", output, re.MULTILINE)
    assert alerts == [
        "demo.alert.raised: warning, {'celsius': 221}",
        "demo.alert.escalated: critical, {'celsius': 265}",
        "demo.alert.cleared: critical, {'celsius': 195}",
    ]
    readme = (examples.directory / "alert-rules" / "README.md").read_text()
    assert "\n".join(alerts) in readme
    # The rule exists already.
    again = examples.run("python3", "alert-rules/oven.py").stdout
    assert re.findall(r"^demo\.alert\..*$", again, re.MULTILINE) == alerts


# Webhooks

ALLOWED_PORTS = (8080, 8081, 9000, 3000, 4000, 5000)


def free_allowed_port():
    """One of the ports at which `varde dev` calls webhooks of the API."""
    for port in ALLOWED_PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.skip(f"no free port among {ALLOWED_PORTS}")


def send(port, body, secret, *, timestamp=None, signature=None):
    """The status with which the receiver answers a request that is signed so."""
    stamp = str(int(time.time()) if timestamp is None else timestamp)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.digest(key, f"msg_1.{stamp}.".encode() + body, hashlib.sha256)
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/",
        data=body,
        headers={
            "webhook-id": "msg_1",
            "webhook-timestamp": stamp,
            "webhook-signature": signature or f"v1,{base64.b64encode(mac).decode()}",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_receiver_makes_its_webhook_prints_events_and_deletes_it(stage, examples):
    port = free_allowed_port()
    receiver = examples.start(
        *("python3", "webhook-receiver/receiver.py", "--port", str(port)), ready="receiving at"
    )
    receiver.wait_for(r"webhook\.verification ")
    examples.run(*("python3", "outbox/shop.py", "order", "lamp", "1"))
    examples.run(*("python3", "outbox/shop.py", "relay", "--once"))
    receiver.wait_for(r'hub\.publication demo:orders \{"id": 1, "item": "lamp", "quantity": 1\}')

    forged = send(port, b'{"type":"forged","data":{}}', "whsec_" + "A" * 32)
    assert forged == 401
    assert "refused: no signature is genuine" in receiver.output
    assert "forged" not in receiver.output

    receiver.interrupt()
    request = urllib.request.Request(
        f"http://127.0.0.1:{examples.port}/api/webhooks", headers={"X-API-Key": examples.key}
    )
    assert json.loads(get(request)) == {"webhooks": []}


def test_receiver_with_a_secret_refuses_what_is_forged_old_or_changed(examples):
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    port = free_port()
    receiver = examples.start(
        *("python3", "webhook-receiver/receiver.py", "--port", str(port)),
        ready="receiving at",
        WEBHOOK_SECRET=secret,
    )
    body = b'{"type":"test.sent","data":{"n":1}}'
    assert send(port, body, secret, timestamp=int(time.time()) - 301) == 401
    assert send(port, body, secret, timestamp=int(time.time()) + 302) == 401
    assert send(port, body, secret, timestamp="") == 401
    assert send(port, body, "whsec_" + "A" * 32) == 401
    assert send(port, body, secret, signature="v1,") == 401
    assert "test.sent" not in receiver.output
    assert send(port, body, secret) == 204
    assert send(port, body, secret) == 204
    receiver.wait_for(r'test\.sent  \{"n": 1\}')
    assert receiver.output.count("test.sent") == 1, "a repetition is ignored"
