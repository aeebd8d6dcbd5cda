"""The views Now, Connections and Latency: the hub's state, as it is and as it was."""

import json
import re
import urllib.request
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from harness.browser import needs_chromium
from harness.waiting import wait_until
from test_console import KEY, READER, chromium, console, hub, publish  # noqa: F401

pytestmark = needs_chromium


@pytest.fixture
def readers(hub):  # noqa: F811
    """Opens event streams that stay open until the end of the test."""
    with ExitStack() as stack:

        def opened(count, topic="chat:room"):
            url = f"http://127.0.0.1:{hub.port}/events?topics={topic}"
            for _ in range(count):
                stack.enter_context(urllib.request.urlopen(url, timeout=60))

        yield opened


def total(hub):
    """The number of connections that receive publications."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}/api/connections", b"{}", {"X-API-Key": KEY}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["result"]["total"]


def rows(page):
    return page.locator("main tbody tr")


def test_now_shows_the_state_and_a_sample_each_second(hub, console, readers):  # noqa: F811
    readers(2)
    page = console.sign_in().show("now")
    expect(page.locator(".badge.good", has_text="ready")).to_have_count(1)
    expect(page.locator(".badge.good", has_text="store ok")).to_have_count(1)
    expect(page.locator(".figure")).to_have_count(9)
    # The two readers and the page's own stream.
    connections = page.locator(".figure", has_text="Connections").first.locator("dd")
    expect(connections).to_have_text("3")
    expect(rows(page).nth(3)).to_be_visible()
    times = page.locator("main tbody time").evaluate_all("all => all.map((each) => each.dateTime)")
    assert times == sorted(set(times), reverse=True)
    assert [error for error in console.errors if "status of 404" not in error] == []


def test_parts_of_now_keep_their_order_when_the_first_samples_come(hub, console):  # noqa: F811
    page = console.sign_in().show("now")
    expect(page.get_by_text("The first samples come now.")).to_be_visible()
    page.locator(".figures").wait_for()
    places = page.evaluate(
        """[".badges", ".figures", ".table", "main section h2"].map((each) =>
          document.querySelector(each).getBoundingClientRect().top)"""
    )
    assert places == sorted(places)


def test_now_goes_on_after_a_kill(hub, console):  # noqa: F811
    page = console.sign_in().show("now")
    expect(rows(page).nth(1)).to_be_visible()
    hub.kill()
    expect(page.locator(".badge.bad", has_text="not")).to_have_count(1)
    hub.start()
    expect(page.locator(".badge.good", has_text="ready")).to_have_count(1)
    expect(page.locator("main .row [role=status]")).to_have_text("live")
    expect(rows(page).nth(1)).to_be_visible()
    times = page.locator("main tbody time").evaluate_all("all => all.map((each) => each.dateTime)")
    assert times == sorted(set(times), reverse=True)


def test_hidden_page_leaves_the_statistics(hub, console, readers):  # noqa: F811
    readers(1)
    page = console.sign_in().show("now")
    connections = page.locator(".figure", has_text="Connections").first.locator("dd")
    expect(connections).to_have_text("2")
    hide = """isHidden => {
        Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    wait_until(lambda: total(hub) == 1, within=15, what="the stream of a hidden page is open")
    page.evaluate(hide, False)
    wait_until(lambda: total(hub) == 2, within=15, what="the stream of a page that is seen again is closed")
    expect(page.locator("main .row [role=status]")).to_have_text("live")


def test_latency_has_cells_and_the_same_in_its_table(hub, console):  # noqa: F811
    page = console.sign_in().show("latency?of=commit")
    for number in range(5):
        publish(hub, "chat:room", number)
    expect(rows(page).first).to_be_visible()
    assert "Commit" in page.locator("canvas").get_attribute("aria-label")
    counts = page.locator("main tbody tr td:nth-child(2)").all_text_contents()
    assert sum(int(each) for each in counts) >= 1
    page.get_by_role("button", name="Round trip of pings").click()
    expect(page).to_have_url(re.compile(re.escape("of=ping")))
    expect(page.locator(".empty")).to_contain_text("No such times")


def test_connections_are_listed_chosen_and_ended(hub, console, readers):  # noqa: F811
    page = console.sign_in().show("connections")
    expect(page.locator(".empty")).to_contain_text("No connection")
    readers(3)
    expect(rows(page)).to_have_count(3)
    assert page.locator("canvas").get_attribute("aria-label").startswith("3 of 3 connections")
    rows(page).first.get_by_role("button").click()
    expect(page).to_have_url(re.compile(re.escape("client=")))
    pane = page.locator("section.pane")
    expect(pane.get_by_role("link")).to_have_attribute("href", "explain?client=" + page.url.split("client=")[1])
    pane.get_by_role("button", name="Disconnect").click()
    pane.get_by_role("button", name="Yes").click()
    expect(rows(page)).to_have_count(2)


def test_connections_of_a_topic(hub, console, readers):  # noqa: F811
    readers(2)
    readers(1, "chat:other")
    page = console.sign_in().show("connections")
    expect(rows(page)).to_have_count(3)
    page.get_by_label("Topic").fill("chat:other")
    page.get_by_label("Topic").press("Enter")
    expect(rows(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(re.escape("topic=chat")))


def test_key_that_only_reads_ends_no_connection(hub, console, readers):  # noqa: F811
    readers(1)
    page = console.sign_in(READER).show("connections")
    rows(page).first.get_by_role("button").click()
    page.get_by_role("button", name="Disconnect").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("section.pane [role=status]")).to_contain_text("read_only")
    expect(rows(page)).to_have_count(1)


SAMPLE = """async () => {
  const { joined, points, quantile, rate } = await import("/console/lib/statistics.js");
  const at = (second) => ({ time: `2026-01-01T00:00:0${second}.000Z`, publications: 10 * second });
  return {
    joined: joined([at(1), at(2)], [at(2), at(3)], 2).map(({ publications }) => publications),
    rates: points([at(1), at(3)], rate("publications", 1), 9).map(({ value }) => value),
    quantiles: [quantile([0, 1, 99], [1, 2], 0.01), quantile([0, 1, 99], [1, 2], 0.5), quantile([0, 0], [1], 0.5)]
      .map(String),
  };
}"""

SWARM = """async () => {
  const { swarm, nearest } = await import("/console/lib/swarm.js");
  const [xs, ys] = [new Float32Array(50).fill(40), new Float32Array(50).fill(100)];
  swarm(xs, ys, 50, 4, [0, 200]);
  const places = [...xs].map((x, index) => ({ x, y: ys[index] }));
  const distinct = new Set(places.slice(0, 25).map(({ x, y }) => `${x} ${y}`)).size;
  const inside = places.every(({ y }) => y >= 0 && y <= 200);
  const picture = { xs, ys, count: 50 };
  return { distinct, inside, hit: nearest([40, 100], picture) >= 0, miss: nearest([400, 1], picture) };
}"""

STREAM = """async () => {
  const { Account, EventParser } = await import("/console/lib/stream.js");
  const account = new Account();
  const parsed = new EventParser().read("id: 5\\n\\nevent: a\\ndata: 1\\nid: 6\\n\\nevent: b\\ndata: 2\\n\\nevent: b\\ndata: 3\\n\\n"
    + "event: a\\ndata: 1\\nid: 6\\n\\n").events.filter(({ data }) => data !== null);
  return parsed.map((event) => account.note(event));
}"""


def test_derivations_of_the_pictures(hub, console):  # noqa: F811
    page = console.sign_in().show("topics")
    assert page.evaluate(SAMPLE) == {
        "joined": [20, 30], "rates": [10, 15], "quantiles": ["2", "Infinity", "null"]
    }
    assert page.evaluate(SWARM) == {"distinct": 25, "inside": True, "hit": True, "miss": -1}
    # An event without an id of its own is new each time; one with the id of an earlier one is not.
    assert page.evaluate(STREAM) == [True, True, True, False]
