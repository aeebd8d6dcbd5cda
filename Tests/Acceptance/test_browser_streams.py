"""Pages in Chromium while the hub restarts, drains, is full, or their tokens and links fail.

Each page has an `EventSource`, or a WebSocket that opens again as protocol/answers.md tells pages to do.
Every one of them ends up live, with everything that was published, or with a final reason of that page.
"""

import json
import signal
import socket

import pytest

from harness.browser import Browser, needs_chromium
from harness.rough_link import LinkOnThread, Weather
from harness.settings import ENVIRONMENT, TOKENS, configuration, namespace
from harness.tokens import connection_token
from harness.waiting import wait_until

pytestmark = needs_chromium

TOPIC = "chat:room"
# An EventSource waits for as long as the hub says, and twice as long for what it did not say.
PATIENCE_SECONDS = 25.0
OPEN, CLOSED = 1, 2
SCRIPT = """
window.seen = {};

// An EventSource, with what it reports. It opens again by itself, or is closed.
window.follow = (name, url) => {
  const found = { numbers: [], opens: 0, errors: 0, state: 0 };
  const source = new EventSource(url);
  source.onopen = () => found.opens++;
  source.onerror = () => found.errors++;
  source.addEventListener("TOPIC", (event) => found.numbers.push(JSON.parse(event.data).number));
  window.seen[name] = found;
  Object.defineProperty(found, "state", { enumerable: true, get: () => source.readyState });
};

// A WebSocket, opened again after each end but those of a final code.
window.join = (name, url, token) => {
  const found = { numbers: [], codes: [], errors: [], opens: 0, state: 0 };
  window.seen[name] = found;
  let position = {};
  const take = ({ offset, data }) => {
    position = { ...position, recover: true, offset };
    found.numbers.push(data.number);
  };
  const open = () => {
    const socket = new WebSocket(url);
    socket.onopen = () => {
      found.opens++;
      socket.send(JSON.stringify({ id: 1, connect: token ? { token } : {} }));
      socket.send(JSON.stringify({ id: 2, subscribe: { channel: "TOPIC", ...position } }));
    };
    socket.onmessage = ({ data }) => {
      for (const line of data.split("\\n")) {
        const message = JSON.parse(line);
        if (message.push?.pub) take(message.push.pub);
        if (message.error) found.errors.push(message.error.code);
        if (message.subscribe) {
          const { epoch, offset, publications = [] } = message.subscribe;
          position = { recover: true, epoch, offset };
          publications.forEach(take);
          found.state = 1;
        }
        if (Object.keys(message).length === 0) socket.send("{}");
      }
    };
    socket.onclose = ({ code }) => {
      found.codes.push(code);
      found.state = 2;
      if ((code >= 3500 && code < 4000) || (code >= 4500 && code < 5000)) return;
      setTimeout(open, 200 + Math.random() * 300);
    };
  };
  open();
};
""".replace("TOPIC", TOPIC)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def start(stage):
    def start(name="hub", **values):
        hub = stage.hub(name=name, environment=ENVIRONMENT)
        hub.configure(configuration(namespace("chat"), tokens=TOKENS, **values))
        hub.start()
        return hub

    return start


@pytest.fixture
def page(browser):
    """A tab whose document comes from that port, with the script."""

    def page(port):
        tab = browser.open(f"http://127.0.0.1:{port}/livez")
        address = f"http://127.0.0.1:{port}/livez"
        wait_until(
            lambda: tab.value("location.href") == address and tab.value("document.readyState"),
            within=PATIENCE_SECONDS,
            what="the page is loaded",
        )
        tab.value(f"(() => {{ {SCRIPT} }})()")
        return tab

    return page


class Publisher:
    """Numbers what it publishes."""

    def __init__(self, stage, hub):
        self._stage, self._hub = stage, hub
        self.count = 0

    def publish(self, count=3):
        backend = self._stage.backend(self._hub.port)
        for _ in range(count):
            self.count += 1
            backend.publish(TOPIC, {"number": self.count})

    @property
    def numbers(self):
        return list(range(1, self.count + 1))


def seen(tab, name):
    return json.loads(tab.value(f"JSON.stringify(window.seen[{json.dumps(name)}])"))


def follow(tab, port, name="stream", query=""):
    target = f"http://127.0.0.1:{port}/events?topics={TOPIC}&since=beginning{query}"
    tab.value(f"window.follow({json.dumps(name)}, {json.dumps(target)})")


def join(tab, port, name="socket", token=""):
    target = f"ws://127.0.0.1:{port}/connection/websocket"
    arguments = ", ".join(json.dumps(each) for each in (name, target, token))
    tab.value(f"window.join({arguments})")


def take_connections(tab, port):
    """Streams over the connection that has loaded the page, and the one that Chromium opened ahead."""
    for name in ("first", "second"):
        follow(tab, port, name)
        wait_until_live(tab, name)


def wait_until_live(tab, name, numbers=None):
    """Open, and with everything that was published, each once and in order."""

    def is_live():
        found = seen(tab, name)
        return found["state"] == OPEN and (numbers is None or found["numbers"] == numbers)

    wait_until(is_live, within=PATIENCE_SECONDS, what=lambda: f"{name} is live: {seen(tab, name)}")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_page_resumes_after_a_restart(stage, start, page, ending):
    """SIGTERM drains: each connection is told to come back before the hub ends."""
    hub = start()
    publisher, tab = Publisher(stage, hub), page(hub.port)
    follow(tab, hub.port)
    join(tab, hub.port)
    for name in ("stream", "socket"):
        wait_until_live(tab, name)
    publisher.publish()
    for name in ("stream", "socket"):
        wait_until_live(tab, name, publisher.numbers)
    hub.process.signal(ending)
    hub.process.wait()
    hub.start()
    publisher.publish()
    for name in ("stream", "socket"):
        wait_until_live(tab, name, publisher.numbers)
        assert seen(tab, name)["opens"] >= 2


def crowd(port):
    """Streams that take every place that is left."""
    request = f"GET /events?topics={TOPIC} HTTP/1.1\r\nHost: h\r\n\r\n".encode()
    streams = []
    while True:
        stream = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        stream.sendall(request)
        if not stream.recv(64).startswith(b"HTTP/1.1 200 "):
            stream.close()
            return streams
        streams.append(stream)


def leave(streams):
    for stream in streams:
        stream.close()


@pytest.mark.parametrize("limit", ["connections_per_address", "connections"])
def test_page_that_finds_no_place_comes_back_until_there_is_one(stage, start, page, limit):
    hub = start(limits=f"{{{limit}: 8}}")
    publisher, tab = Publisher(stage, hub), page(hub.port)
    publisher.publish()
    take_connections(tab, hub.port)
    others = crowd(hub.port)
    follow(tab, hub.port)
    join(tab, hub.port)
    wait_until(
        lambda: seen(tab, "stream")["errors"] >= 1 and seen(tab, "socket")["codes"],
        within=PATIENCE_SECONDS,
        what=lambda: f"both were refused: {seen(tab, 'stream')}, {seen(tab, 'socket')}",
    )
    assert seen(tab, "stream")["state"] != CLOSED, "the refusal is not final"
    assert set(seen(tab, "socket")["codes"]) == {1006}, "a page cannot read the status"
    leave(others)
    wait_until_live(tab, "stream", publisher.numbers)
    wait_until_live(tab, "socket")


def test_pages_over_the_rate_of_connections_come_in_one_after_the_other(start, page):
    hub = start(rates="{address: {connects: 1}}")
    tab = page(hub.port)
    names = [f"stream-{number}" for number in range(4)]
    for name in names:
        follow(tab, hub.port, name)
    for name in names:
        wait_until_live(tab, name)
    assert sum(seen(tab, name)["errors"] for name in names) >= 1, "one was refused meanwhile"


def test_page_of_another_origin_comes_back_too(start, page):
    other = start("other")
    hub = start(
        limits="{connections: 4}",
        http=f'{{allowed_origins: ["http://127.0.0.1:{other.port}"]}}',
    )
    others = crowd(hub.port)
    tab = page(other.port)
    follow(tab, hub.port)
    wait_until(
        lambda: seen(tab, "stream")["errors"] >= 1, within=PATIENCE_SECONDS, what="it was refused"
    )
    assert seen(tab, "stream")["state"] != CLOSED
    leave(others)
    wait_until_live(tab, "stream")


def test_page_whose_token_has_expired_is_told_so_for_good(stage, start, page):
    """Until then it is live. A page makes another `EventSource`, and the socket gets another token."""
    hub = start()
    publisher, tab = Publisher(stage, hub), page(hub.port)
    short = connection_token("ann", ttl=3)
    follow(tab, hub.port, query=f"&token={short}")
    join(tab, hub.port, token=short)
    for name in ("stream", "socket"):
        wait_until_live(tab, name)
    publisher.publish()
    wait_until(
        lambda: seen(tab, "stream")["state"] == CLOSED,
        within=PATIENCE_SECONDS,
        what="401 is final",
    )
    assert seen(tab, "stream")["numbers"] == publisher.numbers
    follow(tab, hub.port, "next", f"&token={connection_token('ann')}")
    wait_until_live(tab, "next", publisher.numbers)
    join(tab, hub.port, "late", token=short)
    wait_until(
        lambda: 109 in seen(tab, "late")["errors"],
        within=PATIENCE_SECONDS,
        what="the connect command is answered with 109",
    )


def test_page_on_a_slow_link_that_breaks_gets_everything(stage, start, page):
    hub = start()
    publisher = Publisher(stage, hub)
    publisher.publish(60)
    breaks = []

    def weather():
        bytes_max = breaks.pop(0) if breaks else None
        return Weather(bytes_max=bytes_max, piece_bytes=500, delay_seconds=0.05)

    link = LinkOnThread(hub.port, weather)
    stage.ends_with(link.close)
    tab = page(link.port)
    take_connections(tab, link.port)
    # The next ones break off in the middle, or before any answer; all are slow.
    breaks += [3000, 0, 3000, 0, 5000, 5000]
    follow(tab, link.port)
    join(tab, link.port)
    wait_until_live(tab, "stream", publisher.numbers)
    wait_until_live(tab, "socket")
    publisher.publish(30)
    wait_until_live(tab, "stream", publisher.numbers)
    wait_until(
        lambda: seen(tab, "socket")["numbers"][-1:] == [publisher.count],
        within=PATIENCE_SECONDS,
        what=lambda: f"the socket has the newest: {seen(tab, 'socket')}",
    )
    assert seen(tab, "stream")["errors"] >= 1, "it was cut"
