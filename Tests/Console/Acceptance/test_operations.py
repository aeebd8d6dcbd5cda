"""The views of operators: webhooks, feeds, alerts and replay."""

import json
import re
import urllib.request
from datetime import datetime, timedelta, timezone

import pytest
from harness.browser import needs_chromium
from harness.configuration import SECRET
from harness.receiver import Receiver
from harness.waiting import wait_until
from playwright.sync_api import expect
from test_console import DIRECTORY, HOSTILE, KEY, READER, chromium, console, publish  # noqa: F401

pytestmark = needs_chromium

BLIND = "acceptance-blind-key-003"
CONFIGURATION = f"""\
loops: 1
api:
  keys:
    - {KEY}
    - {{key: {READER}, name: reader, read_only: true}}
    - {{key: {BLIND}, name: blind, methods: [info]}}
console: {{enabled: true{DIRECTORY}}}
webhook_limits: {{allow_addresses: [127.0.0.0/8], ports: [PORT]}}
namespaces:
  - {{name: chat, anonymous_subscribe: true, history_size: 1000, history_age: 1h}}
webhooks:
  - {{name: ops, url: "URL", secret: "{SECRET}", topics: ["chat:*"]}}
"""


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def hub(stage, receiver):
    hub = stage.hub()
    port = receiver.url.rsplit(":", 1)[1].strip("/")
    hub.configure(CONFIGURATION.replace("URL", receiver.url).replace("PORT", port))
    hub.start()
    return hub


def at(seconds):
    """A time, so many seconds from here on."""
    time = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def answer(page, path, value, status=200):
    """What the hub would answer to a path, for routes whose data a test can not make."""
    page.route(
        path, lambda route: route.fulfill(status=status, json=value, headers={"Cache-Control": "no-store"})
    )


def missing(page, path):
    answer(page, path, {"message": "nothing is at this path", "code": "NOT_FOUND"}, 404)


def rows(page, caption):
    return page.get_by_role("region", name=caption).locator("tbody tr")


def confirm(page, label):
    """Presses a button that asks once."""
    page.get_by_role("button", name=label, exact=True).first.click()
    page.get_by_role("button", name="Yes", exact=True).click()


def own(errors):
    """Chromium itself reports answers with 404, such as those for parts that are off."""
    return [error for error in errors if "status of 404" not in error]


# MARK: Webhooks

ATTEMPTS = "**/api/webhooks/*/attempts*"


def attempt(seconds, delivery, number, status, **fields):
    outcome = "delivered" if status == 204 else "failed"
    return {
        "time": at(seconds), "delivery": delivery, "type": "hub.publication", "topic": "chat:a",
        "attempt": number, "duration": 0.2, "status": status, "outcome": outcome, "error": None,
        "body": None, "next": None, **fields,
    }


def test_strip_has_a_bar_for_each_attempt_and_arcs_to_the_next(hub, console):
    attempts = [
        attempt(-60, "b", 1, None, error="timeout", next=at(240)),
        attempt(-300, "a", 3, 204),
        attempt(-600, "a", 2, 503, body="<b id=hit>busy", next=at(-300)),
        attempt(-605, "a", 1, 503, next=at(-600)),
    ]
    page = console.sign_in().page
    answer(page, ATTEMPTS, {"attempts": attempts})
    page = console.show("webhooks?webhook=ops")
    picture = page.get_by_role("img", name="4 attempts, 3 of them failed")
    for kind, number in (("delivered", 1), ("refused", 2), ("silent", 1)):
        expect(picture.locator(f"rect.{kind}")).to_have_count(number)
    expect(picture.locator("path.arc:not(.ahead)")).to_have_count(2)
    expect(picture.locator("path.arc.ahead")).to_have_count(1)
    expect(rows(page, "Attempts, newest first")).to_have_count(4)
    expect(page.get_by_text("<b id=hit>busy")).to_be_visible()
    assert page.locator("#hit").count() == 0
    expect(page.get_by_text("1 failures in a row")).to_be_visible()
    assert own(console.errors) == []


def test_hub_without_attempts_shows_deliveries(hub, console, receiver):
    publish(hub, "chat:a", {"text": "one"})
    page = console.sign_in().page
    missing(page, ATTEMPTS)
    page = console.show("webhooks?webhook=ops")
    expect(page.get_by_text("This hub keeps no attempts.")).to_be_visible()
    row = rows(page, "Deliveries, newest first")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("delivered")
    assert len(receiver.genuine) == 1


def delivery(hub):
    """The only delivery of the webhook."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}/api/webhooks/ops/deliveries", headers={"X-API-Key": KEY}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        (only,) = json.load(response)["deliveries"]
    return only


def wait_until_received(hub, receiver, count):
    """Waits for the messages, and for the hub's record of their delivery: only then it sends again."""
    wait_until(
        lambda: len(receiver.genuine) == count and delivery(hub)["status"] == "delivered",
        within=20,
        what=lambda: f"{len(receiver.genuine)} messages, {delivery(hub)}",
    )


def test_replayed_message_arrives_again_with_its_id(hub, console, receiver):
    publish(hub, "chat:a", {"text": "one"})
    wait_until_received(hub, receiver, 1)
    page = console.sign_in().show("webhooks?webhook=ops")
    expect(rows(page, "Deliveries, newest first")).to_contain_text("delivered")
    confirm(page, "Replay")
    expect(page.get_by_text("1 messages are sent again.")).to_be_visible()
    wait_until_received(hub, receiver, 2)
    confirm(page, "Send again")
    expect(page.get_by_text("Is sent again.")).to_be_visible()
    wait_until_received(hub, receiver, 3)
    assert len({received.id for received in receiver.genuine}) == 1


def test_outcome_stays_while_the_message_waits_again(hub, console, receiver):
    publish(hub, "chat:a", {"text": "one"})
    page = console.sign_in().page
    waiting = []

    def listed(route):
        answer = route.fetch()
        value = answer.json()
        for delivery in value["deliveries"]:
            delivery["status"] = "pending" if waiting else delivery["status"]
        route.fulfill(response=answer, json=value)

    page.route("**/deliveries?*", listed)
    page.route("**/retry", lambda route: (waiting.append(True), route.continue_()))
    page = console.show("webhooks?webhook=ops")
    deliveries = rows(page, "Deliveries, newest first")
    expect(deliveries).to_contain_text("delivered")
    confirm(page, "Send again")
    expect(deliveries).to_contain_text("pending")
    expect(deliveries).to_contain_text("Is sent again.")
    expect(page.get_by_role("button", name="Send again")).to_have_count(0)


def test_webhook_is_made_tested_rotated_paused_and_deleted(hub, console, receiver):
    page = console.sign_in().show("webhooks")
    page.get_by_text("New webhook").click()
    page.get_by_label("URL").fill(receiver.url + "new")
    page.get_by_label("Topics").fill("chatt:*")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_text("Its secret, shown this once: whsec_")).to_be_visible()
    expect(page.get_by_text("namespace chatt is not configured")).to_be_visible()
    endpoint = page.get_by_role("region", name=f"Endpoint {receiver.url}new")
    # The receiver does not know the secret, so the webhook stays unverified.
    expect(endpoint).to_contain_text("pending")
    endpoint.get_by_role("button", name="Details").click()
    expect(rows(page, "Deliveries, newest first")).to_contain_text("webhook.verification")
    confirm(page, "Replace the secret")
    expect(page.get_by_text("The next secret, shown this once: whsec_")).to_be_visible()
    confirm(page, "Delete")
    expect(endpoint).to_have_count(0)


def test_key_that_only_reads_makes_no_webhook(hub, console):
    page = console.sign_in(READER).show("webhooks?webhook=ops")
    confirm(page, "Send a test event")
    expect(page.get_by_role("status").filter(has_text="read_only")).to_be_visible()


def test_hub_without_webhooks_says_how_to_get_them(hub, console):
    page = console.sign_in().page
    answer(page, "**/api/webhooks", {"webhooks": []})
    page = console.show("webhooks")
    expect(page.get_by_text("This hub has no webhooks.")).to_be_visible()


def test_key_without_the_scope_of_webhooks_is_told_so(hub, console):
    page = console.sign_in(BLIND).show("webhooks")
    expect(page.get_by_role("alert").first).to_contain_text("webhooks")


def test_breaker_follows_the_protocol(hub, console):
    page = console.sign_in().page
    result = page.evaluate("""async () => {
        const { breaker, kindOf, strip } = await import('./views/webhooks.js');
        const { localInput } = await import('./lib/format.js');
        const failed = (count) => Array.from({length: count}, () => ({time: '2026-01-01T00:00:00.000Z', outcome: 'failed'}));
        const start = Date.parse('2026-01-01T00:00:00.000Z');
        const pause = (count, after) => {
            const { failures, until } = breaker(failed(count), start + after);
            return [failures, until === null ? null : until - start];
        };
        return {
            none: breaker([], start),
            pauses: [pause(4, 0), pause(5, 0), pause(5, 30000), pause(6, 0), pause(9, 0), pause(10, 0), pause(50, 0)],
            ended: breaker([...failed(2), {outcome: 'delivered'}, ...failed(9)], start),
            kinds: [{outcome: 'delivered', status: 204}, {outcome: 'gone', status: 410}, {outcome: 'failed', status: null}].map(kindOf),
            outside: strip([{time: '2026-01-01T00:00:00.000Z', delivery: 'a', next: null}], [start + 1, start + 2]),
            input: localInput(start).length,
        };
    }""")
    assert result == {
        "none": {"failures": 0, "until": None},
        "pauses": [[4, None], [5, 30_000], [5, None], [6, 60_000], [9, 480_000], [10, 600_000], [50, 600_000]],
        "ended": {"failures": 2, "until": None},
        "kinds": ["delivered", "refused", "silent"],
        "outside": {"bars": [], "arcs": []},
        "input": 16,
    }


# MARK: Feeds

FEED = {
    "name": "sample.feed", "input": None, "status": "failing", "stale": True, "last_success": None,
    "age_seconds": 900, "data_time": None, "consecutive_failures": 2, "last_failure": "status 529 <b id=hit>",
    "next_attempt": None,
}


def health(feeds):
    return {
        "status": "healthy", "problems": [], "version": "1", "time": at(0), "replay": False,
        "store": {"status": "ok"}, "feeds": feeds, "webhooks": {"pending": 0, "failed": 0},
    }


def poll(seconds, outcome):
    status = {"changed": 200, "unchanged": 304, "failed": 529}[outcome]
    return {"time": at(seconds), "duration": 0.1, "outcome": outcome, "status": status, "reason": None}


def test_lane_has_a_tick_for_each_poll(hub, console):
    feed = {**FEED, "last_success": at(-900), "next_attempt": at(60)}
    polls = [poll(-4000, "changed"), poll(-1200, "changed"), poll(-900, "unchanged"), poll(-600, "failed"), poll(-300, "failed")]
    page = console.sign_in().page
    answer(page, "**/api/health", health([feed]))
    answer(page, "**/api/feeds", {"feeds": [{**feed, "interval": 300, "polls": polls}]})
    page = console.show("feeds")
    # One of them is before the hour that is shown.
    picture = page.get_by_role("img", name="sample.feed: 4 polls, 2 of them failed")
    for kind, number in (("poll-changed", 1), ("poll-unchanged", 1), ("poll-failed", 2), ("stale-band", 1)):
        expect(picture.locator(f".{kind}")).to_have_count(number)
    expect(picture.locator("path.next")).to_have_count(1)
    expect(picture.locator("path.arc.ahead")).to_have_count(1)
    page.get_by_label("Time").select_option("6 hours")
    expect(page.get_by_role("img", name="sample.feed: 5 polls, 2 of them failed")).to_be_visible()
    page.get_by_role("button", name="sample.feed").click()
    expect(rows(page, "Polls of sample.feed, newest first")).to_have_count(5)
    expect(rows(page, "Feeds")).to_contain_text("status 529 <b id=hit>")
    assert page.locator("#hit").count() == 0
    expect(page).to_have_url(re.compile(re.escape("feed=sample.feed")))
    expect(page).to_have_url(re.compile(re.escape("span=21600")))
    assert own(console.errors) == []


def test_hub_without_polls_shows_the_last_success(hub, console):
    page = console.sign_in().page
    feed = {**FEED, "last_success": at(-900), "next_attempt": at(60)}
    answer(page, "**/api/health", health([feed]))
    missing(page, "**/api/feeds")
    page = console.show("feeds?feed=sample.feed")
    expect(page.get_by_role("img", name="sample.feed: 1 polls, 0 of them failed")).to_be_visible()
    expect(page.get_by_text("This hub keeps no polls of the feed.")).to_be_visible()


def test_refused_polls_leave_the_lanes(hub, console):
    page = console.sign_in().page
    answer(page, "**/api/health", health([{**FEED, "last_success": at(-900)}]))
    answer(page, "**/api/feeds", {"message": "the node that leads has the feeds"}, 503)
    page = console.show("feeds")
    expect(page.get_by_role("alert")).to_contain_text("the node that leads has the feeds")
    expect(rows(page, "Feeds")).to_have_count(1)


def test_hub_without_feeds_names_the_sections(hub, console):
    page = console.sign_in().show("feeds")
    expect(page.get_by_text("This hub polls no feeds.")).to_be_visible()


DOOR = {
    "name": "bells", "tables": [{
        "title": "Bells",
        "columns": [{"name": "Bell", "kind": "text"}, {"name": "Rings", "kind": "count"},
                    {"name": "Slowest", "kind": "duration"}, {"name": "Last", "kind": "time"}],
        "rows": [["<b>front</b>", 12345, 0.25, None], ["back", 0, None, "2020-01-01T00:00:00.000Z"]],
        "rows_omitted": 7,
    }],
}


def test_tables_of_a_door_are_shown_by_the_kinds_of_their_columns(hub, console):
    page = console.sign_in().page
    answer(page, "**/api/doors", {"doors": [DOOR]})
    page = console.show("doors")
    expect(page.get_by_role("heading", name="bells")).to_be_visible()
    front, back = rows(page, "Bells").all()
    assert [cell.inner_text() for cell in front.get_by_role("cell").all()] == ["<b>front</b>", "12.3 k", "250 ms", "–"]
    expect(back.get_by_role("time")).to_have_attribute("datetime", "2020-01-01T00:00:00.000Z")
    expect(page.get_by_text("7 more rows are not sent.")).to_be_visible()


def test_hub_without_doors_says_what_a_door_is(hub, console):
    page = console.sign_in().show("doors")
    expect(page.get_by_text("This hub has no doors.")).to_be_visible()
