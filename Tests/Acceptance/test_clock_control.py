"""The clock of a recording is paused, changed and moved: of a hub, and of `varde replay`."""

import json
import urllib.error
import urllib.request
from datetime import datetime, timedelta

from harness.settings import API_KEY, ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

START = "2024-12-09T16:00:00.000Z"
STORM = "2024-12-09T19:30:00.000Z"


def ask(port, path, change=None, *, key="", content_type="application/json"):
    """The status and the JSON of an answer, after a change if there is one."""
    headers = {"Content-Type": content_type} | ({"X-API-Key": key} if key else {})
    data = None if change is None else json.dumps(change).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_killed_hub_continues_at_the_time_of_a_jump(stage):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(configuration(namespace("chat")) + f"clock: {{start: {START}, speed: 5}}\n")
    hub.start()

    def clock(change=None):
        status, answer = ask(hub.port, "/api/clock", change, key=API_KEY)
        assert status == 200, answer
        return answer

    clock({"paused": True, "speed": 360})
    assert clock({"time": STORM})["time"] == STORM
    hub.kill()
    hub.start()
    after = clock()
    assert after["time"] >= STORM
    # A pause and a speed last as long as the process.
    assert (after["paused"], after["speed"]) == (False, 5)
    assert after["recording"] == {"start": START, "end": None}
    hub.wait_for_log("clock changed")
    status, refusal = ask(hub.port, "/api/clock", {"time": START}, key=API_KEY)
    assert (status, refusal["code"]) == (409, "TIME_PASSED")


def test_killed_hub_continues_at_the_time_of_its_last_publication(stage):
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(configuration(namespace("chat")) + f"clock: {{start: {START}, speed: 100000}}\n")
    hub.start()
    wait_until(lambda: hub.clock() > at(START) + timedelta(hours=1), within=20, what="an hour")
    before = hub.clock()
    status, _ = ask(hub.port, "/api/publish", {"channel": "chat:a", "data": 1}, key=API_KEY)
    assert status == 200
    hub.kill()
    hub.start("--clock-speed", "0.001")
    assert hub.clock() >= before


def at(text):
    return datetime.fromisoformat(text)


def test_upstream_is_asked_at_the_time_of_a_jump(stage):
    upstream = f"http://127.0.0.1:{stage.replay()}"
    hub = stage.aurora_hub(upstream, start=START, speed=1)
    hub.start()
    feeds = hub.wait_for_feeds().items()
    storm = at(STORM)
    assert all(at(feed["last_success"]) < storm for _, feed in feeds)
    due = [name for name, feed in feeds if at(feed["next_attempt"]) <= storm]
    assert len(due) > len(feeds) / 2
    status, _ = ask(hub.port, "/api/clock", {"time": STORM}, key="varde-demo-api-key")
    assert status == 200
    # At speed 1, few of them would be due within the time of this test without the jump.
    wait_until(
        lambda: all(at(hub.feeds()[name]["last_success"]) >= storm for name in due),
        within=60,
        what=lambda: f"all feeds are polled after the jump: {hub.feeds()}",
    )


def test_replay_without_a_hub_has_a_clock_of_its_own(stage):
    port = stage.replay("--speed", "1")
    status, clock = ask(port, "/clock")
    assert status == 200
    assert (clock["kind"], clock["speed"], clock["controllable"]) == ("recording", 1, True)
    assert ask(port, "/clock", {"paused": True, "time": STORM})[1]["time"] == STORM
    product = f"http://127.0.0.1:{port}/products/noaa-planetary-k-index.json"
    with urllib.request.urlopen(product, timeout=10) as response:
        assert response.headers["Date"] == "Mon, 09 Dec 2024 19:30:00 GMT"
    # The time of a request comes first.
    request = urllib.request.Request(product, headers={"Replay-Clock": "2024-12-09T17:00:00Z"})
    with urllib.request.urlopen(request, timeout=10) as response:
        assert response.headers["Date"] == "Mon, 09 Dec 2024 17:00:00 GMT"
    back = ask(port, "/clock", {"time": "2024-12-09T17:00:00Z"})[1]
    assert (back["time"], back["paused"]) == ("2024-12-09T17:00:00.000Z", True)
    for refused, change, content_type in (
        (400, {}, "application/json"),
        (400, {"speed": 0}, "application/json"),
        (415, {"paused": False}, "text/plain"),
    ):
        assert ask(port, "/clock", change, content_type=content_type)[0] == refused
    assert ask(port, "/clock")[1]["time"] == "2024-12-09T17:00:00.000Z"
