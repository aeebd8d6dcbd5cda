"""The views Alerts and Replay: alerts over the value that raised them, rules, and walks through a history."""

import pytest
import re
from harness.browser import needs_chromium
from playwright.sync_api import expect
from test_console import DIRECTORY, HOSTILE, KEY, READER, chromium, console, publish  # noqa: F401
from test_operations import BLIND, answer, at, confirm, own, rows
from test_try import visit

pytestmark = needs_chromium

CONFIGURATION = f"""\
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
  - name: slow-orders
    topics: "orders:*"
    when: delay > 20
    until: delay < 10
    severity: warning
    escalate: [{{severity: critical, when: delay > 50}}]
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def order(hub, seconds, **data):
    """Publishes a CloudEvent with a time so many seconds from here on."""
    event = {
        "specversion": "1.0", "id": f"o{seconds}", "source": "/orders", "type": "orders.order",
        "time": at(seconds), "data": data,
    }
    return publish(hub, "orders:17", event)


def lane(page, alerts, active):
    return page.get_by_role("img", name=f"slow-orders: {alerts} alerts, {active} of them active")


# MARK: Alerts


def test_alert_has_a_bar_under_its_value_and_ends_live(hub, console):
    order(hub, -300, delay=5)
    order(hub, -200, delay=30)
    page = console.sign_in().show("alerts")
    # Without a choice, a topic with an alert.
    expect(page.get_by_role("heading", name="orders:17")).to_be_visible()
    page.get_by_role("combobox", name="Topic").fill("orders:17")
    page.get_by_role("combobox", name="Topic").press("Enter")
    expect(lane(page, 1, 1).locator("rect.alert.warning")).to_have_count(1, timeout=30_000)
    # Later than the alert was raised, or it would have been a warning for no time.
    order(hub, -100, delay=60)
    expect(page.get_by_role("img", name="delay over time, 3 values, with 3 bounds")).to_be_visible()
    expect(lane(page, 1, 1).locator("rect.alert.critical")).to_have_count(1)
    expect(rows(page, "Alerts of the topic, newest first")).to_contain_text("escalated")
    order(hub, 0, delay=1)
    expect(lane(page, 1, 0)).to_be_visible(timeout=30_000)
    expect(rows(page, "Alerts of the topic, newest first")).to_contain_text("ended")
    expect(page).to_have_url(re.compile(re.escape("topic=orders%3A17")))
    assert own(console.errors) == []


def test_rule_is_checked_saved_changed_and_deleted(hub, console):
    page = console.sign_in().show("alerts")
    page.get_by_role("button", name="New rule").click()
    rule = page.get_by_label("Rule, as JSON")
    rule.fill("{")
    expect(page.get_by_role("status").filter(has_text="Not JSON")).to_be_visible()
    expect(page.get_by_role("button", name="Check and save")).to_be_disabled()
    rule.fill('{"name":"late","topics":"orders:1","when":"delay >"}')
    page.get_by_role("button", name="Check and save").click()
    expect(page.get_by_role("alert")).to_contain_text("when:")
    rule.fill('{"name":"late","topics":"orders:1","when":"delay > 5"}')
    expect(page.get_by_text("Bounds: when delay > 5")).to_be_visible()
    page.get_by_role("button", name="Check and save").click()
    expect(page.get_by_text("Saved; it holds")).to_be_visible()
    row = rows(page, "Rules").filter(has_text="late")
    expect(row).to_contain_text("delay > 5")
    row.get_by_role("button", name="Edit").click()
    rule.fill(rule.input_value().replace("delay > 5", "delay > 6"))
    page.get_by_role("button", name="Check and save").click()
    expect(row).to_contain_text("delay > 6")
    row.get_by_role("button", name="Delete").click()
    row.get_by_role("button", name="Yes").click()
    expect(row).to_have_count(0)
    # Those of the configuration are only shown.
    expect(rows(page, "Rules").get_by_role("button")).to_have_count(0)


def test_active_alert_is_acknowledged_and_silenced(hub, console):
    order(hub, 0, delay=30)
    page = console.sign_in().show("alerts?topic=orders:17")
    alerts = rows(page, "Alerts of the topic, newest first")
    expect(lane(page, 1, 1)).to_be_visible()
    confirm(page, "Acknowledge")
    expect(alerts).to_contain_text("api.keys[0]")
    expect(page.get_by_role("button", name="Acknowledge")).to_have_count(0)
    confirm(page, "Silence for 1 h")
    silences = rows(page, "Silences")
    expect(silences).to_contain_text("orders:17")
    expect(page.get_by_role("button", name="Silence for 1 h")).to_have_count(0)
    expect(lane(page, 1, 1).locator("rect.quiet").first).to_be_visible()
    active = rows(page, "Active alerts, all topics")
    expect(active).to_contain_text("slow-orders: delay 30")
    silences.get_by_role("button", name="End").click()
    silences.get_by_role("button", name="Yes").click()
    expect(silences).to_have_count(0, timeout=30_000)
    order(hub, 1, delay=1)
    expect(active).to_have_count(0, timeout=30_000)
    expect(alerts).to_contain_text("ended")
    assert own(console.errors) == []


def test_key_that_may_only_read_is_refused_and_the_page_shows_it(hub, console):
    order(hub, 0, delay=30)
    page = console.sign_in(READER).show("alerts?topic=orders:17")
    confirm(page, "Acknowledge")
    expect(page.get_by_text("lacks the scope read_only: false").first).to_be_visible()


def test_notes_of_others_are_shown_as_texts(hub, console):
    order(hub, 0, delay=30)
    page = console.sign_in().page
    silence = {"id": "s1", "rule": None, "subject": None, "until": at(3600), "by": "<b id=hit>", "note": "<b id=hit>"}
    answer(page, "**/api/alerts/silences", {"silences": [silence]})
    page = console.show("alerts?topic=orders:17")
    expect(rows(page, "Silences")).to_contain_text("<b id=hit>")
    assert page.locator("#hit").count() == 0


def test_rule_is_rehearsed_on_the_history(hub, console):
    for seconds, delay in ((0, 5), (1, 30), (2, 60), (3, 1)):
        order(hub, seconds, delay=delay)
    publish(hub, "orders:17", "text")
    page = console.sign_in().show("alerts?topic=orders:17")
    page.get_by_role("button", name="New rule").click()
    rule = page.get_by_label("Rule, as JSON")
    rule.fill('{"name":"late","topics":"orders:*","when":"delay > 50 or other == 1"}')
    page.get_by_role("button", name="Rehearse on the last 24 h").click()
    expect(page.get_by_text("1 alerts by 4 publications of the last")).to_be_visible()
    expect(page.get_by_text("1 more are no JSON objects.")).to_be_visible()
    expect(page.get_by_text("No publication has: other.")).to_be_visible()
    expect(rows(page, "Rehearsed alerts")).to_have_count(1)
    expect(rows(page, "Rehearsed alerts")).to_contain_text("late: delay 60")
    rule.fill('{"name":"late","topics":"orders:1","when":"delay >"}')
    page.get_by_role("button", name="Rehearse on the last 24 h").click()
    expect(page.get_by_role("alert")).to_contain_text("when:")


def test_key_without_the_scope_of_alerts_is_told_so(hub, console):
    page = console.sign_in(BLIND).show("alerts")
    expect(page.get_by_role("alert").first).to_contain_text("alerts")


def test_parts_of_alerts(hub, console):
    page = console.sign_in().page
    result = page.evaluate("""async () => {
        const m = await import('./lib/alerts.js');
        const time = (text) => Date.parse(text);
        const event = (state, severity, at, more = {}) => ({data: {specversion: '1.0', time: at, subject: 's', data:
            {alert_id: 'a', rule: 'r', severity, state, since: '2026-01-01T00:00:00.000Z', values: {n: 4}, ...more}}});
        const alerts = m.alertsFrom([
            event('raised', 'info', '2026-01-01T00:00:00.000Z'),
            event('escalated', 'critical', '2026-01-01T00:01:00.000Z', {previous_severity: 'info'}),
            event('cleared', 'critical', '2026-01-01T00:02:00.000Z', {values: {n: 1}}),
            {data: null}, {data: {alert_id: 1}}, {data: {time: 'x', alert_id: 'b'}},
        ]);
        const cut = m.alertsFrom([event('escalated', 'critical', '2026-01-01T00:01:00.000Z', {previous_severity: 'info'})]);
        const quiet = (from, to, zone, start, days = 1) => m.quietSpans({from, to, zone}, [time(start), time(start) + days * 86400000])
            .map((span) => span.map((each) => new Date(each).toISOString().slice(8, 16)));
        return {
            matches: [['*', 'a:1'], ['a:1', 'a:1'], ['a:*', 'a:1'], ['a:*', 'ab:1'], ['a:1', 'a:12']].map((pair) => m.matches(...pair)),
            bounds: m.thresholds('score >= 70 and 5 < solar_wind.bz or not (level == "x > 3") and a != -1.5'),
            none: [m.thresholds(undefined), m.thresholds('a < b')],
            milliseconds: ['5m', '250ms', '2h', '7d', '', null].map(m.milliseconds),
            parts: alerts[0].parts.map((part) => [part.severity, (part.to - part.from) / 1000]),
            alerts: [alerts.length, alerts[0].ended - alerts[0].raised, alerts[0].value],
            cut: cut[0].parts.map((part) => [part.severity, part.to === null]),
            merged: m.merged(alerts, [{id: 'a', rule: 'r', severity: 'critical', raised: '2026-01-01T00:00:00.000Z', ended: null,
                values: null, acknowledged: null, silenced: true, topic: 't'}, {id: 'b', rule: 'q', severity: 'info',
                raised: '2026-01-02T00:00:00.000Z', ended: null, values: {text: '', n: 7}, headline: 'h'}])
                .map((each) => [each.id, each.ended, each.silenced, each.value, each.headline]),
            valueAt: [m.valueAt({a: {b: 1}}, 'a.b'), m.valueAt({a: 1}, 'a.b'), m.valueAt({}, 'constructor.name')].map((each) => each ?? null),
            points: m.points([{data: {time: '1970-01-01T00:00:01.000Z', n: 2}}, {data: {n: 3}}, {data: 5}], 'n'),
            night: quiet('22:00', '07:00', '+01:00', '2026-01-10T00:00:00.000Z'),
            day: quiet('12:00', '13:00', undefined, '2026-01-10T00:00:00.000Z'),
            // The clocks of Oslo go back at 01:00 UTC on 25 October 2026: the hours are one longer.
            change: quiet('22:00', '07:00', 'Europe/Oslo', '2026-10-24T12:00:00.000Z'),
            nowhere: quiet('22:00', '07:00', 'Nowhere/City', '2026-01-10T00:00:00.000Z'),
            topics: m.topicsOf([{rule: {topics: 'a:*'}}, {rule: {topics: 'b:1'}}], ['a:2:alerts', 'a:2', 'c:1']),
            shown: [
                m.topicToShow(['a:1', 'b:1'], [{topic: 'b:1:alerts', ended: 'x'}, {topic: 'c:1:alerts', ended: null}]),
                m.topicToShow(['a:1', 'b:1'], [{topic: 'b:1:alerts', ended: 'x'}]),
                m.topicToShow(['a:1'], []),
                m.topicToShow([], []),
            ],
        };
    }""")
    bound = lambda name, comparison, value: {"name": name, "comparison": comparison, "value": value}  # noqa: E731
    assert result == {
        "matches": [True, True, True, False, False],
        "bounds": [bound("score", ">=", 70), bound("solar_wind.bz", ">", 5), bound("a", "!=", -1.5)],
        "none": [[], []],
        "milliseconds": [300_000, 250, 7_200_000, 604_800_000, 0, 0],
        "parts": [["info", 60], ["critical", 60]],
        "alerts": [1, 120_000, 4],
        "cut": [["info", False], ["critical", True]],
        "merged": [["b", None, False, 7, "h"], ["a", None, True, 4, ""]],
        "valueAt": [1, None, None],
        "points": [[1000, 2]],
        "night": [["10T00:00", "10T06:00"], ["10T21:00", "11T00:00"]],
        "day": [["10T12:00", "10T13:00"]],
        "change": [["24T20:00", "25T06:00"]],
        "nowhere": [],
        "topics": ["a:2", "b:1"],
        "shown": ["c:1", "b:1", "a:1", ""],
    }


# MARK: Replay


def test_replay_steps_and_plays_to_the_end(hub, console):
    for seconds, delay in ((-240, 5), (-180, 6), (-120, 30), (-60, 7)):
        order(hub, seconds, delay=delay, item={"weight": 2})
    page = console.sign_in().show("replay?topic=orders:17&speed=360&offset=1")
    expect(page.get_by_role("heading", name="Message 1 of 4, offset 1")).to_be_visible()
    expect(page.get_by_role("img", name="delay: 4 values from 5 to 30")).to_be_visible()
    row = rows(page, "Numbers in the messages").filter(has_text="delay")
    expect(row).to_contain_text("530")  # the smallest and the largest, side by side
    page.get_by_role("button", name="Next message").click()
    expect(page.get_by_label("Message at the cursor")).to_contain_text('"delay": 6')
    expect(page).to_have_url(re.compile(re.escape("offset=2")))
    page.get_by_role("slider", name="Cursor").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Message 1 of 4")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("heading", name="Message 4 of 4")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape("offset=4")))
    page.get_by_label("Curve of item.weight").uncheck()
    expect(page.get_by_role("img", name="item.weight")).to_have_count(0)
    assert own(console.errors) == []


def test_replay_jumps_to_alerts(hub, console):
    for seconds, delay in ((-240, 5), (-180, 30), (-120, 5), (0, 30), (60, 5)):
        order(hub, seconds, delay=delay)
    page = console.sign_in().show("replay?topic=orders:17")
    # The alerts were raised by the hub's clock: the first before the time of the fourth message, the other after it.
    after = page.get_by_role("button", name="Next alert")
    before = page.get_by_role("button", name="Alert before")
    expect(before).to_be_disabled()
    after.click()
    expect(page.get_by_role("heading", name="Message 3 of 5")).to_be_visible()
    after.click()
    expect(page.get_by_role("heading", name="Message 4 of 5")).to_be_visible()
    expect(after).to_be_disabled()
    before.click()
    expect(page.get_by_role("heading", name="Message 3 of 5")).to_be_visible()


def test_messages_without_times_are_a_second_apart(hub, console):
    for number in range(3):
        publish(hub, "orders:plain", {"number": number})
    page = console.sign_in().show("replay?topic=orders:plain&offset=2")
    expect(page.get_by_text("Messages without a time")).to_be_visible()
    expect(page.get_by_role("heading", name="Message 2 of 3, offset 2")).to_be_visible()


def test_topic_without_a_history_says_so(hub, console):
    page = console.sign_in().show("replay")
    expect(page.get_by_text("Choose a topic.")).to_be_visible()
    page.get_by_label("Topic").fill("orders:empty")
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_text("The topic keeps no publication.")).to_be_visible()


def test_key_without_the_scope_of_histories_is_told_so(hub, console):
    page = console.sign_in(BLIND).show("replay?topic=orders:17")
    expect(page.get_by_role("alert").first).to_contain_text("history")


def test_hostile_texts_are_replayed_as_texts(hub, console):
    for text in HOSTILE:
        publish(hub, "orders:hostile", {text: 1, "text": text})
    page = console.sign_in().show("replay?topic=orders:hostile")
    for _ in range(12):
        page.get_by_role("button", name="Next message").click()
    expect(page.get_by_role("heading", name="Message 13 of 60")).to_be_visible()
    expect(page.get_by_label("Message at the cursor")).to_contain_text(HOSTILE[12])
    for view in ("alerts?topic={0}&span={0}&value={0}", "replay?topic={0}&numbers={0}&offset={0}&speed={0}"):
        visit(page, view)
    console.assert_texts_stayed_texts()


def test_parts_of_replay_and_charts(hub, console):
    page = console.sign_in().page
    result = page.evaluate("""async () => {
        const { indexAt, numbersIn, otherAlert, timesOf } = await import('./views/replay.js');
        const { extent, scale, steps, ticks, timeTicks } = await import('./lib/chart.js');
        const { lane, spanOf } = await import('./views/feeds.js');
        const event = (time, data) => ({data: {specversion: '1.0', time, data}});
        const falling = [event('1970-01-01T00:00:02.000Z', {}), event('1970-01-01T00:00:01.000Z', {})];
        const deep = {data: {a: {b: {c: {d: 1, e: {f: 2}}}}, list: [1], text: '3', '': 4}};
        return {
            times: [timesOf(falling), timesOf([{data: 1}, {data: 2}]), timesOf([])],
            index: [0, 1, 2, 5, 9].map((time) => indexAt([1, 2, 2, 5], time)),
            numbers: numbersIn([deep], [7]),
            first: numbersIn([{data: {same: 1, other: 1}}, {data: {same: 1, other: 2}}], [0, 1]).map(({path}) => path),
            many: numbersIn([{data: Object.fromEntries(Array.from({length: 41}, (_, n) => ['n' + n, n]))}], [0]).length,
            alerts: [[5, 1], [5, -1], [9, 1], [1, -1]].map(([time, step]) => otherAlert([{raised: 9}, {raised: 1}], time, step)),
            scale: [scale([0, 10], [0, 100])(5), scale([3, 3], [0, 100])(3)],
            extent: [extent([]), extent([3, NaN, 1, Infinity])],
            ticks: [ticks([0, 10], 5), ticks([5, 5]), ticks([-0.1, 0.1], 2)],
            steps: steps([[0, 1], [2, 3]], (x) => x * 10, (y) => y),
            timeTicks: [timeTicks([0, 3600000], 4).length <= 4, timeTicks([0, 0], 4).length, timeTicks([0, 1e13], 8).length <= 8],
            lane: lane({last_success: null, polls: undefined, next_attempt: null, consecutive_failures: 3}, [0, 9], 9),
            span: spanOf(3600, 1e7),
        };
    }""")
    assert result == {
        "times": [
            {"times": [2000, 2000], "areReal": True},
            {"times": [0, 1000], "areReal": False},
            {"times": [], "areReal": False},
        ],
        "index": [0, 0, 2, 3, 3],
        "numbers": [{"path": "a.b.c.d", "points": [[7, 1]]}],
        "first": ["other", "same"],
        "many": 40,
        "alerts": [9, 1, None, None],
        "scale": [50, 50],
        "extent": [None, [1, 3]],
        "ticks": [[0, 2, 4, 6, 8, 10], [5], [-0.1, 0, 0.1]],
        "steps": "M0 1H20V3",
        "timeTicks": [True, 1, True],
        "lane": {"ticks": [], "band": None, "next": None, "isHeld": False},
        "span": [1e7 - 3_600_000, 1e7 + 180_000],
    }
