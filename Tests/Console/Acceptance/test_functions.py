"""The pure functions of the console's views, called in Chromium."""

import json
import math

import pytest
from test_console import DIRECTORY, KEY, chromium  # noqa: F401

from harness.browser import needs_chromium

pytestmark = needs_chromium



@pytest.fixture
def run(stage, chromium):  # noqa: F811
    """Evaluates an expression with a module of the console as `m`."""
    hub = stage.hub()
    hub.configure(f"api: {{keys: [{KEY}]}}\nconsole: {{enabled: true{DIRECTORY}}}\n")
    hub.start()
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{hub.port}/console/")

    def run(module, expression, argument=None):
        return page.evaluate(
            f"argument => import('/console/{module}').then(m => {expression})", argument
        )

    yield run
    page.close()


def test_sun_is_where_the_almanac_has_it(run):
    """Meeus, example 25.a, has a declination of −7.785° for 1992-10-13T00:00 TD; the equation of time is then 13.6 min."""
    for time, latitude, longitude in [
        ("1992-10-13T00:00:00Z", -7.785, 176.6),
        ("2024-06-20T20:51:00Z", 23.44, -132.3),
        ("2024-12-21T09:20:00Z", -23.44, 39.5),
        ("2024-03-20T03:06:00Z", 0.0, 135.4),
    ]:
        sun = run("lib/sky.js", "m.sunAt(argument)", time)
        assert sun["latitude"] == pytest.approx(latitude, abs=0.05), time
        assert sun["longitude"] == pytest.approx(longitude, abs=0.3), time
    assert run("lib/sky.js", "m.elevation(10, 20, {latitude: 10, longitude: 20})") == pytest.approx(90)
    assert run("lib/sky.js", "m.elevation(-10, -160, {latitude: 10, longitude: 20})") == pytest.approx(-90)
    heights = [-20, -12, -9, -6, 0]
    assert run("lib/sky.js", "argument.map(m.darkness)", heights) == [1, 1, 0.5, 0, 0]
    assert run("lib/sky.js", "argument.map(m.wrapped)", [-181, -180, 0, 180, 540]) == [179, -180, 0, -180, -180]


@pytest.mark.parametrize("pole", [1, -1])
def test_map_gives_back_what_was_projected(run, pole):
    shape = {"x": 200, "y": 150, "radius": 120, "edge": 40, "pole": pole, "down": 19}
    places = [[pole * 90, 0], [pole * 69.6, 19], [pole * 41, -170], [pole * 55, 179.5]]
    for latitude, longitude in places:
        x, y = run("lib/sky.js", "m.project(...argument)", [shape, latitude, longitude])
        back = run("lib/sky.js", "m.unproject(...argument)", [shape, x, y])
        assert back[0] == pytest.approx(latitude)
        assert abs(latitude) == 90 or back[1] == pytest.approx(longitude)
    x, y = run("lib/sky.js", "m.project(...argument)", [shape, pole * 40, 19])
    assert (x, y) == (pytest.approx(200), pytest.approx(270))
    east, _ = run("lib/sky.js", "m.project(...argument)", [shape, pole * 40, 29])
    assert (east > 200) == (pole > 0)


def test_oval_is_brightest_at_its_ridge_and_half_at_its_edges(run):
    points = []
    for longitude in range(-180, 180, 10):
        for latitude, intensity in ((63, 0.2), (67, 0.4), (73, 0.2)):
            points.append({"lat": latitude, "lon": longitude, "intensity": intensity})
    columns = run("lib/sky.js", "m.ridge(argument)", points)
    assert len(columns) == 36
    assert columns[0] == {"longitude": -180, "latitude": 67, "intensity": 0.4, "south": 63, "north": 73}
    at = [[67, 0], [63, 5], [73, 179.9], [67, -175], [90, 0], [40, 0]]
    values = run("lib/sky.js", "argument[1].map(([a, b]) => m.glow(argument[0])(a, b))", [columns, at])
    assert values[:4] == pytest.approx([0.4, 0.2, 0.2, 0.4])
    assert max(values[4:]) < 0.01
    # No oval, one column, and a half of the Earth without one.
    assert run("lib/sky.js", "m.glow([])(67, 0)") == 0
    assert run("lib/sky.js", "m.glow(argument)(67, 0)", columns[:1]) == 0
    assert run("lib/sky.js", "m.glow(argument)(67, 90)", columns[:10]) == 0


def test_parts_of_a_score_add_up_to_the_activity(run):
    sample = {"activity": 0.8, "dark": 0.5, "clear": 0.25}
    parts = run("views/aurora.js", "m.parts(argument)", sample)
    assert parts == {"seen": pytest.approx(10), "clouds": pytest.approx(30), "light": pytest.approx(40)}
    data = {
        "score": 50,
        "cloud_coverage": 0,
        "updated": "2024-12-09T22:00:00.000Z",
        "location": {"lat": 69.6, "lon": 19.0},
    }
    assert run("views/aurora.js", "m.sample(argument)", data)["activity"] == pytest.approx(0.5)
    assert run("views/aurora.js", "m.sample(argument)", data | {"cloud_coverage": 100})["activity"] is None
    summer = data | {"updated": "2024-06-21T10:00:00.000Z", "score": 0}
    assert run("views/aurora.js", "m.sample(argument)", summer)["activity"] is None
    both = [[{"time": 2, "a": 1}, {"time": 1}], [{"time": 2, "a": 2}]]
    assert run("views/aurora.js", "m.merged(...argument)", both) == [{"time": 1}, {"time": 2, "a": 2}]
    feeds = {"feeds": [{"name": "swpc.kp"}, {"name": "metno.weather:tromso"}, {"name": "metno.weather:"}]}
    assert run("views/aurora.js", "m.placesOf(argument)", feeds) == ["tromso"]
    assert run("views/aurora.js", "m.placesOf({})") == []


def test_metrics_are_read_from_their_text(run):
    text = "\n".join(
        [
            "# HELP hub_x Words.",
            "hub_x 1",
            'hub_x{a="b",c="d\\"e\\\\f\\ng"} 2.5',
            'hub_xy{a="b"} +Inf 1700000000000',
            "hub_x broken",
            "hub_x{a=} 3 4 5",
            'hub_x{__proto__="p"} 4',
            "other 5",
            "",
        ]
    )
    found = run("lib/metrics.js", "m.samples(argument, 'hub_x').map(each => ({...each, labels: {...each.labels}}))", text)
    assert [each["value"] for each in found] == [1, 2.5, math.inf, 4]
    assert found[1]["labels"] == {"a": "b", "c": 'd"e\\f\ng'}
    assert run("lib/metrics.js", "m.total(m.samples(argument, 'hub_'), 'hub_x')", text) == 7.5
    assert run("lib/metrics.js", "m.total(m.samples(argument, 'hub_'), 'hub_x', {a: 'b'})", text) == 2.5
    assert run("lib/metrics.js", "m.total(m.samples(argument, 'hub_'), 'hub_none')", text) is None


def test_forecast_figures_are_those_of_the_place(run):
    names = 'place="tromso",lead_hours="{}",level="good"'
    lines = [
        f"hub_aurora_forecast_hours{{{names.format(24)}}} 7",
        f"hub_aurora_forecast_hours{{{names.format(6)}}} 9",
        f'hub_aurora_forecast_skill{{{names.format(6)},against="climatology"}} 0.5',
        f'hub_aurora_forecast_skill{{{names.format(6)},against="persistence"}} -0.25',
        'hub_aurora_forecast_hours{place="other",lead_hours="6",level="good"} 9',
        'hub_aurora_forecast_hours{place="tromso",lead_hours="48",level="good"} 0',
    ]
    assert run("lib/skill.js", "m.figures(argument, 'tromso')", "\n".join(lines)) == [
        {"lead": 6, "level": "good", "hours": 9, "climatology": 0.5, "persistence": -0.25},
        {"lead": 24, "level": "good", "hours": 7},
    ]


def test_ticks_are_round_times_and_few(run):
    hour = 3_600_000
    ticks = run("lib/chart.js", "m.timeTicks(...argument).map(({time}) => time)", [[0, 24 * hour], 8])
    assert 0 < len(ticks) <= 8 and {after - before for before, after in zip(ticks, ticks[1:])} == {3 * hour}
    for span in ([5, 5], [6, 5], [None, 5], [0, 1], [0, 1e15]):
        assert len(run("lib/chart.js", "m.timeTicks(argument, 8)", span)) <= 8
    assert run("lib/chart.js", "m.scale([0, 10], [100, 200])(5)") == 150
    assert run("lib/chart.js", "m.scale([3, 3], [100, 200])(3)") == 150
    assert run("lib/chart.js", "m.area([], [])") == ""
    assert run("lib/chart.js", "m.area([[0, 1], [2, 3]], [[0, 5], [2, 5]])") == "M0.0 1.0L2.0 3.0L2.0 5.0L0.0 5.0Z"
    assert run("lib/chart.js", "m.runs([1, 2, 4, 5, 9], (a, b) => b === a + 1)") == [[1, 2], [4, 5], [9]]
    assert run("lib/chart.js", "m.runs([], () => true)") == []


def test_gauge_and_trend_of_a_radar(run):
    assert run("views/radar.js", "m.onArc(-1, 100)") == pytest.approx([100, 190])
    assert run("views/radar.js", "m.onArc(0, 100)") == pytest.approx([200, 90])
    assert run("views/radar.js", "m.onArc(7, 100)") == pytest.approx([300, 190])
    assert run("views/radar.js", "m.interval({expectation: 0.5, deviation: 0.1})") == pytest.approx([0.3, 0.7])
    assert run("views/radar.js", "m.interval({expectation: 0.5, deviation: 3})") == [-1, 1]
    points = [
        {"date": f"2026-01-{day:02}T00:00:00Z", "forCount": day, "againstCount": 10 - day, "totalOpinions": 10}
        for day in range(1, 9)
    ]
    empty = {"date": "2026-01-09T00:00:00Z", "forCount": 0, "againstCount": 0, "totalOpinions": 0}
    days = run("views/radar.js", "m.daily(argument)", [*points, empty])
    assert [each["score"] for each in days] == pytest.approx([day / 5 - 1 for day in range(1, 9)])
    for used in (7, 8):
        line = run("views/radar.js", "m.trendLine(...argument)", [days, {"perDay": 0.2, "days": used}])
        assert [score for _, score in line] == pytest.approx([days[-used]["score"], days[-1]["score"]])
    assert run("views/radar.js", "m.trendLine(...argument)", [days, None]) == []
    assert run("views/radar.js", "m.trendLine(...argument)", [days[:1], {"perDay": 0.2, "days": 7}]) == []
    voices = [{"name": "A", "share": 0.75}]
    opinions = [
        {"id": 1, "author": "B", "createdAt": "2026-01-02T00:00:00Z"},
        {"id": 2, "author": "A", "createdAt": "2026-01-01T00:00:00Z"},
    ]
    found = run("views/radar.js", "m.weighed(...argument)", [opinions, voices])
    assert [(each["id"], each["share"]) for each in found] == [(2, 0.75), (1, None)]


def test_private_radar_is_made_of_its_events(run):
    point = {"date": "2026-01-02T00:00:00Z", "totalOpinions": 1}
    changed = {"position": "for", "previous": "neutral", "score": 0.4, "reason": {"en": "One."}}
    events = [
        {"type": "radar.opinion.created", "time": "t1", "data": {"opinion": {"id": "1"}}},
        {"type": "radar.trend.changed", "time": "t2", "data": {"point": point | {"totalOpinions": 0}, "slope": None}},
        {"type": "radar.trend.changed", "time": "t3", "data": {"point": point, "slope": None}},
        {"type": "radar.position.changed", "time": "t4", "data": changed},
        {"type": "radar.of.a.later.version", "time": "t5", "data": {}},
    ]
    found = run("views/radar.js", "m.fromEvents(argument)", events)
    assert found["opinions"] == [{"id": "1"}] and found["points"] == [point]
    assert found["position"] == "for" and found["change"] == changed | {"time": "t4"}
    assert run("views/radar.js", "m.fromEvents([])")["opinions"] == []


STORY = {"group_title": "T", "impact_level": "High", "primary_ticker": None, "created_at": "2026-01-01T00:00:00Z"}
TAKE = """argument.reduce((stories, [topic, event]) => m.take(stories, topic, event), new Map())"""


def story_event(number, minute, count, kind="updated"):
    return {
        "type": f"news.story.{kind}",
        "time": f"2026-01-01T00:{minute:02}:00Z",
        "data": STORY | {"id": number, "article_count": count, "group_title": f"Story {number} {count}"},
    }


def test_stories_grow_merge_and_end(run):
    events = [
        ["news:global", story_event(1, 1, 1, "created")],
        ["news:category:science", story_event(1, 1, 1, "created")],
        ["news:global", story_event(1, 5, 3)],
        ["news:global", story_event(1, 3, 2)],
        ["news:global", story_event(2, 4, 2)],
        ["news:global", story_event(3, 4, 2)],
        ["news:global", {"type": "news.signal.published", "data": {}}],
        ["news:global", {"type": "news.story.removed", "time": "2026-01-01T00:06:00Z", "data": {"id": 3}}],
    ]
    found = run("views/news.js", f"m.largest({TAKE}).map(each => ({{...each, topics: [...each.topics]}}))", events)
    assert [(each["id"], each["count"], each["title"]) for each in found] == [(1, 3, "Story 1 3"), (2, 2, "Story 2 2")]
    assert [each["count"] for each in found[0]["changes"]] == [1, 2, 3]
    assert found[0]["topics"] == ["news:global", "news:category:science"]
    assert run("views/news.js", f"m.largest({TAKE}, 'science').map(each => each.id)", events) == [1]
    merge = {"id": 2, "merged_into": 1, "story": STORY | {"id": 1, "article_count": 5}}
    events.append(["news:global", {"type": "news.story.merged", "time": "2026-01-01T00:07:00Z", "data": merge}])
    assert run("views/news.js", f"m.largest({TAKE}).map(each => [each.id, each.count])", events) == [[1, 5]]
    many = [["news:global", story_event(number, 1, 1)] for number in range(1000)]
    assert run("views/news.js", f"{TAKE}.size", many) == 300


def test_ranks_follow_the_number_of_articles(run):
    events = [
        ["news:global", story_event(1, 1, 1)],
        ["news:global", story_event(2, 2, 2)],
        ["news:global", story_event(1, 5, 5)],
    ]
    minutes = "[0, 1, 3, 6].map(minute => Date.UTC(2026, 0, 1, 0, minute))"
    ranks = f"m.ranking(m.largest({TAKE}), {minutes}, TOP).map(each => [each.story.id, each.ranks])"
    assert run("views/news.js", ranks.replace("TOP", "10"), events) == [[1, [None, 1, 2, 1]], [2, [None, None, 1, 2]]]
    assert run("views/news.js", ranks.replace("TOP", "1"), events) == [[1, [None, 1, None, 1]], [2, [None, None, 1, None]]]
    assert run("views/news.js", "m.ranking([], [1, 2])") == []


def test_circles_do_not_cover_each_other_while_there_is_room(run):
    stories = [{"id": number, "count": 30 - number, "created": 0} for number in range(12)]
    box = {"left": 0, "right": 900, "top": 0, "bottom": 240}
    found = run("views/news.js", "m.swarm(argument[0], () => 0, argument[1])", [stories[8:], box])
    for index, one in enumerate(found):
        assert one["x"] >= one["radius"]
        for other in found[:index]:
            assert math.dist((one["x"], one["y"]), (other["x"], other["y"])) >= one["radius"] + other["radius"]


def test_activity_of_many_friends_is_one_entry(run):
    def created(number, topic):
        return [topic, {"type": "activity.created", "data": {"activity_id": number}}]

    events = [
        created(1, "activity:1"),
        created(2, "activity:1"),
        created(2, "activity:2"),
        ["activity:1", {"type": "activity.friend.accepted", "data": {}}],
        ["activity:1", {"type": "activity.deleted", "data": {"activity_id": 1}}],
    ]
    take = "argument.reduce((all, [topic, event]) => m.take(all, topic, event), [])"
    found = run("views/activity.js", f"{take}.map(each => [each.id, [...each.topics]])", events)
    assert found == [[2, ["activity:1", "activity:2"]]]
    many = [created(number, "activity:1") for number in range(600)]
    assert run("views/activity.js", f"{take}.length", many) == 500
    assert run("views/activity.js", "m.act({type: 'rating', rating: 4})") == "rated ★★★★☆"
    assert run("views/activity.js", "m.act({type: 'later', rating: null})") == "later"
    text = 'hub_activity_acts_total{kind="rating"} 3\nhub_activity_acts_total{kind="watched"} 5\n'
    assert run("views/activity.js", "m.fanOut(argument, 7)", text) is None
    state = run("views/activity.js", "m.fanOut(argument, 7)", f"{text}hub_activity_fanout_waiting 2\n")
    assert state["waiting"] == 2 and [act["kind"] for act in state["acts"]] == ["watched", "rating"]
    rate = "m.rate({time: 0, acts: [{number: 1}]}, argument)"
    assert run("views/activity.js", rate, {"time": 2000, "acts": [{"number": 5}]}) == 2
    assert run("views/activity.js", rate, {"time": 2000, "acts": [{"number": 0}]}) is None
    assert run("views/activity.js", rate, {"time": 0, "acts": [{"number": 5}]}) is None


POINTS = """(() => {
  const sample = ([second, number]) => ({ time: new Date(1000 * second).toISOString(), number });
  return m.points(argument.map(sample), m.state("number"), 240);
})()"""


def test_points_of_an_hour_keep_their_peaks_and_do_not_change_when_more_come(run):
    samples = [[second, 100 if second == 1234 else second % 7] for second in range(3600)]
    few = run("lib/statistics.js", POINTS, samples)
    assert 200 < len(few) <= 242
    assert max(point["value"] for point in few) == 100
    later = run("lib/statistics.js", POINTS, samples[10:] + [[3600, 1]])
    assert later[2:200] == few[2:200]
    assert len(run("lib/statistics.js", POINTS, samples[:240])) == 240
    gap = run("lib/statistics.js", POINTS, [[second, None] for second in range(500)])
    assert all(point["value"] is None for point in gap)
    assert run("lib/statistics.js", POINTS, []) == []


# Reads an answer in pieces that end at each of the places, as the worker does.
READ = """(() => {
  const bytes = new TextEncoder().encode(argument.answer);
  const [buffer, found] = [new Uint8Array(bytes.length), new m.Connections()];
  found.clear(argument.chosen, 10_000);
  const reader = new m.ConnectionReader();
  let kept = 0;
  const ends = [...argument.ends, bytes.length];
  ends.forEach((end, index) => {
    const piece = bytes.subarray(index === 0 ? 0 : ends[index - 1], end);
    buffer.set(piece, kept);
    const read = reader.read(buffer, kept + piece.length, (entry) => found.add(entry));
    buffer.copyWithin(0, read, kept + piece.length);
    kept += piece.length - read;
  });
  const { total, error } = m.ConnectionReader.end(new TextDecoder().decode(buffer.subarray(0, kept))) ?? {};
  const { count, first, row } = found;
  const numbers = (name) => [...found[name].subarray(0, count)];
  return { total, error, count, first, row, age: numbers("age"), queued: numbers("queued"), slow: numbers("slow"),
    ids: numbers("age").map((_, index) => found.id(index)), kinds: found.kinds() };
})()"""


def test_list_of_connections_is_read_in_any_pieces(run):
    users = ["", 'a"}],{', "\\", "}", "日本 🧭", "\n\u0000"]
    connections = {
        f"client-{number}": {
            "user": user, "key": None, "address": "127.0.0.1", "transport": "websocket" if number else "event_stream",
            "protocol": "json" if number else "eventstream", "connected_at": number, "channels": 1, "queued": 7 * number,
            "sent": None, "round_trip": 1.5e-3, "slow": number == 2, "dropped": 0,
        }
        for number, user in enumerate(users)
    }  # fmt: skip
    for ascii_only in (True, False):
        answer = json.dumps(
            {"result": {"connections": connections, "total": 99}}, separators=(",", ":"), ensure_ascii=ascii_only
        )
        length = len(answer.encode())
        for ends in [[], list(range(1, length)), *([place] for place in range(1, length, 5))]:
            found = run("lib/connections.js", READ, {"answer": answer, "chosen": "client-4", "ends": ends})
            assert found["total"] == 99
            assert found["ids"] == list(connections)
            assert found["age"] == [10, 9, 8, 7, 6, 5]
            assert found["queued"] == [0, 7, 14, 21, 28, 35]
            assert found["slow"] == [0, 0, 1, 0, 0, 0]
            assert [row["user"] for row in found["first"]] == users
            assert found["row"]["user"] == users[4]
            assert [(kind["name"], kind["count"]) for kind in found["kinds"]] == [("websocket, json", 5), ("event stream", 1)]
    refused = '{"error":{"code":103,"message":"permission denied"}}'
    for answer, total, error in [
        ('{"result":{"connections":{},"total":0}}', 0, None),
        (refused, None, json.loads(refused)["error"]),
        ("no JSON", None, None),
        (answer[:-40], None, None),
    ]:
        found = run("lib/connections.js", READ, {"answer": answer, "chosen": "", "ends": []})
        assert (found.get("total"), found.get("error")) == (total, error), answer
