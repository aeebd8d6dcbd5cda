"""The view Replay of a hub that plays a recording: its clock, and the control of it."""

import json
import re
import urllib.request
from datetime import datetime, timedelta

import pytest
from harness.browser import needs_chromium
from harness.waiting import wait_until
from playwright.sync_api import expect
from test_console import DIRECTORY, HOSTILE, KEY, READER, chromium, console, publish  # noqa: F401
from test_operations import BLIND, confirm, own
from test_try import visit

pytestmark = needs_chromium

START, END = "2024-12-09T16:00:00.000Z", "2024-12-10T03:00:00.000Z"
PLAIN = f"""\
loops: 1
api:
  keys:
    - {KEY}
    - {{key: {READER}, name: reader, read_only: true}}
    - {{key: {BLIND}, name: blind, methods: [info]}}
console: {{enabled: true{DIRECTORY}}}
namespaces:
  - {{name: orders, anonymous_subscribe: true, history_size: 1000, history_age: 1h}}
alerts:
  - {{name: slow-orders, topics: "orders:*", when: delay > 20, until: delay < 10, severity: warning}}
"""
# At this speed an hour of the recording passes in a minute.
RECORDING = f"clock: {{start: {START}, speed: 60, end: {END}}}\n"


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(PLAIN + RECORDING)
    hub.start()
    return hub


def clock(hub, change=None):
    """The clock of a hub, after a change if there is one."""
    headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
    data = None if change is None else json.dumps(change).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{hub.port}/api/clock", data, headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def time_of(hub):
    return datetime.fromisoformat(clock(hub)["time"])


def panel(page):
    return page.get_by_role("region", name="The hub's clock")


def figure(page, name):
    return panel(page).locator(".figure").filter(has_text=name).locator("dd")


def test_clock_is_chosen_beside_the_histories(hub, console):
    page = console.sign_in().show("replay")
    history = page.get_by_role("button", name="History of a topic")
    expect(history).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="The hub's clock").click()
    expect(figure(page, "State")).to_have_text("Running")
    expect(figure(page, "Speed")).to_have_text("60×")
    expect(page).to_have_url(re.compile(re.escape("mode=clock")))
    first = figure(page, "The hub's clock").text_content()
    expect(figure(page, "The hub's clock")).not_to_have_text(first)
    passed = page.get_by_role("progressbar", name="Part of the recording that has passed")
    assert 0 <= float(passed.get_attribute("value")) < 0.5
    page.reload()
    expect(panel(page)).to_be_visible()
    history.click()
    expect(page.get_by_text("Choose a topic.")).to_be_visible()
    expect(page).not_to_have_url(re.compile(re.escape("mode")))
    assert own(console.errors) == []


def test_clock_pauses_continues_and_changes_its_speed_when_confirmed(hub, console):
    page = console.sign_in().show("replay?mode=clock")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="No", exact=True).click()
    assert clock(hub)["paused"] is False
    confirm(page, "Pause")
    expect(figure(page, "State")).to_have_text("Paused")
    assert clock(hub)["paused"] is True
    confirm(page, "360×")
    expect(figure(page, "Speed")).to_have_text("360×")
    # The present speed is no button.
    expect(page.get_by_role("button", name="360×")).to_have_count(0)
    confirm(page, "Continue")
    expect(figure(page, "State")).to_have_text("Running")
    state = clock(hub)
    assert (state["paused"], state["speed"]) == (False, 360)
    hub.wait_for_log("clock changed")
    assert own(console.errors) == []


def test_clock_jumps_ahead_and_not_back(hub, console):
    clock(hub, {"paused": True})
    before = time_of(hub)
    page = console.sign_in().show("replay?mode=clock")
    confirm(page, "1 hour ahead")
    wait_until(lambda: time_of(hub) == before + timedelta(hours=1), within=15, what="an hour ahead")
    local = page.evaluate("""async (time) => (await import('./lib/format.js')).localInput(Date.parse(time), true)""",
                          "2024-12-09T19:30:05.000Z")
    page.get_by_label("Jump to").fill(local)
    confirm(page, "Jump")
    wait_until(lambda: clock(hub)["time"] == "2024-12-09T19:30:05.000Z", within=15, what="the jump")
    page.get_by_label("Jump to").fill(local[:-2] + "04")
    confirm(page, "Jump")
    expect(panel(page).get_by_text("never runs back").first).to_be_visible()
    assert clock(hub)["time"] == "2024-12-09T19:30:05.000Z"


def test_change_of_another_client_is_shown(hub, console):
    page = console.sign_in().show("replay?mode=clock")
    expect(figure(page, "State")).to_have_text("Running")
    clock(hub, {"paused": True, "speed": 2.5})
    expect(figure(page, "State")).to_have_text("Paused")
    expect(figure(page, "Speed")).to_have_text("2.5×")


def test_clock_pauses_at_the_next_alert_of_a_topic(hub, console):
    page = console.sign_in().show("replay?mode=clock&topic=orders:17")
    confirm(page, "Pause at the next alert")
    expect(page.get_by_text("Waits for an alert of orders:17.")).to_be_visible()
    publish(hub, "orders:18", {"delay": 30})
    publish(hub, "orders:17", {"delay": 30})
    expect(page.get_by_text("Paused after the alert slow-orders (warning)")).to_be_visible()
    expect(figure(page, "State")).to_have_text("Paused")
    assert clock(hub)["paused"] is True
    # Once: the next alert does not pause it again.
    confirm(page, "Continue")
    publish(hub, "orders:17", {"delay": 1})
    publish(hub, "orders:17", {"delay": 30})
    wait_until(
        lambda: hub.log.count("alert published") >= 4, within=15, what="the alerts are published"
    )
    assert clock(hub)["paused"] is False


def test_read_only_key_sees_the_clock_without_its_control(hub, console):
    page = console.sign_in(READER).show("replay?mode=clock")
    expect(figure(page, "State")).to_have_text("Running")
    expect(page.get_by_text("This key sees the clock and may not change it.")).to_be_visible()
    expect(panel(page).get_by_role("button")).to_have_count(0)
    expect(panel(page).locator("input")).to_have_count(0)


def test_key_without_the_scope_gets_the_words_of_the_hub(hub, console):
    page = console.sign_in(BLIND).show("replay?mode=clock")
    expect(page.get_by_role("alert").first).to_contain_text("methods: apps")
    expect(page.get_by_role("button", name="The hub's clock")).to_have_count(0)


def test_hub_on_the_wall_clock_offers_no_control(hub, console):
    hub.interrupt()
    hub.configure(PLAIN)
    hub.start()
    page = console.sign_in().show("replay")
    expect(page.get_by_text("Choose a topic.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("button", name="The hub's clock")).to_have_count(0)
    page = console.show("replay?mode=clock")
    expect(page.get_by_text("This hub uses the wall clock.")).to_be_visible()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_have_count(0)


def test_hostile_texts_stay_texts(hub, console):
    page = console.sign_in().page
    for view in ("replay?mode=clock&topic={0}", "replay?mode={0}&topic={0}"):
        visit(page, view)
    # The page asks again every two seconds.
    shown = {"message": "refused", "code": "X"}
    page.route("**/api/clock", lambda route: route.fulfill(status=400, json=shown))
    page = console.show("replay?mode=clock")
    for text in HOSTILE:
        shown["message"] = text
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("alert").first).to_contain_text(text)
    console.assert_texts_stayed_texts()


def test_parts_of_the_clock(hub, console):
    page = console.sign_in().page
    result = page.evaluate("""async () => {
        const { progress, shownTime } = await import('./lib/clock.js');
        const { localInput } = await import('./lib/format.js');
        const clock = {time: '1970-01-01T00:00:10.000Z', speed: 60, paused: false,
            recording: {start: '1970-01-01T00:00:00.000Z', end: '1970-01-01T01:00:00.000Z'}};
        return {
            shown: [shownTime(clock, 0), shownTime(clock, 500), shownTime({...clock, paused: true}, 500)],
            progress: [0, 900_000, 3_600_000, 7_200_000].map((time) => progress(clock, time)),
            paused: progress({...clock, paused: true}, 0).wait,
            still: progress({...clock, speed: 0}, 0).wait,
            open: [progress({...clock, recording: {...clock.recording, end: null}}, 0),
                progress({...clock, recording: null}, 0)],
            local: new Date(localInput(1_733_772_605_000, true)).getTime(),
        };
    }""")
    assert result == {
        "shown": [10_000, 40_000, 10_000],
        "progress": [
            {"share": 0, "left": 3600, "wait": 60},
            {"share": 0.25, "left": 2700, "wait": 45},
            {"share": 1, "left": 0, "wait": 0},
            {"share": 1, "left": 0, "wait": 0},
        ],
        "paused": None,
        "still": None,
        "open": [None, None],
        "local": 1_733_772_605_000,
    }
