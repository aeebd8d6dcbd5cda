"""What does the console cost, the browser and the hub, with 10,000 connections and 1,000 publications a second?

It starts a hub with the console, 10,000 WebSocket connections in ten topics, event streams that read 1,000 topics, and
publications to these topics, one a second to each. Then it opens the console in Chromium, and measures

- work of each frame, and memory of the page, in the views Connections, Now and Topics (console_page.py);
- the hub's processor time without a page, and with a page of each view, in turn;
- the first paint, and the bytes of all files.

  .venv/bin/python loadtest/bench/console.py
  .venv/bin/python loadtest/bench/console.py --connections 1000 --rounds 1 --seconds 5      a look
  .venv/bin/python loadtest/bench/console.py --rounds 0 --console ../before/console         other files, only the page

Needs Debian's chromium, curl, and the Python of the tests, which Tests/python.sh makes. Prints Markdown tables.
"""

import argparse
import json
import os
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from console_page import Console, Memory, first_paints, launch, share
from playwright.sync_api import sync_playwright
from radars_usage import processor_seconds, value
from servers import HERE, Launch, Running, free_port

CONSOLE = HERE.resolve().parents[1] / "console"
VIEWS = ("connections", "now", "topics")
FLEETS = 10
STREAMS = 10
LOADS = 10
SETTLE_SECONDS = 4
UPDATE_MILLISECONDS = 6000
FRAME_SECONDS = 31
CONFIGURATION = """\
listen: ["127.0.0.1:{port}"]
database: varde.sqlite
log_level: warning
console: {console}
rates: {{address: {{connects: 0, commands: 0, publishes: 0}}, user: {{connects: 0, commands: 0, publishes: 0}}}}
limits: {{connections_per_address: 15000, connections_per_user: 0}}
namespaces:
  - {{name: live, durable: false, history_size: 10, anonymous_subscribe: true}}
"""
KEY_VARIABLE = "VARDE_API_KEY"


class Hub:
    """A hub with the console, or with the same configuration and without it."""

    def __init__(self, options, directory, has_console=True):
        self.port = free_port()
        self.root = f"http://127.0.0.1:{self.port}"
        path = Path(directory)
        console = {"enabled": has_console} | ({"directory": str(options.console.resolve())} if options.console else {})
        text = CONFIGURATION.format(port=self.port, console=json.dumps(console))
        (path / "varde.yaml").write_text(text)
        command = [options.varde.resolve(), "serve", "--config", "varde.yaml"]
        self.running = Running(Launch(command, path, f"{self.root}/"), f"0-{os.cpu_count() - 1}")

    @property
    def pid(self):
        return self.running.process.pid

    def use(self, seconds, wait):
        """Its processor time in percent of a core."""
        before, begin = processor_seconds(self.pid), time.monotonic()
        wait(seconds)
        return 100 * (processor_seconds(self.pid) - before) / (time.monotonic() - begin)

    def metric(self, name):
        with urllib.request.urlopen(f"{self.root}/metrics", timeout=30) as response:
            lines = response.read().decode().split("\n")
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


class Load:
    """The connections, and the publications after `publish`, until `close`."""

    def __init__(self, options, hub):
        self.options, self.hub, self.processes = options, hub, []
        web = f"ws://127.0.0.1:{hub.port}"
        each = options.connections // FLEETS
        for number in range(FLEETS):
            self.start(
                [options.load, "idle", "--quiet", "--url", web, "--channel", f"live:{number}"]
                + ["--connections", str(each), "--hold", "2h"]
            )
        for number in range(STREAMS):
            topics = range(number, options.topics, STREAMS)
            query = ",".join(f"live:{topic}" for topic in topics)
            self.start(["curl", "--silent", "--no-buffer", f"{hub.root}/events?topics={query}"])
        wanted = FLEETS * each + STREAMS
        while hub.metric("hub_connections{") < wanted:
            self.check()
            time.sleep(0.5)

    def publish(self):
        self.start(
            [self.options.load, "publish", "--quiet", "--url", self.hub.root, "--channel", "live"]
            + ["--topics", str(self.options.topics), "--rate", str(self.options.rate)]
            + ["--duration", "2h", "--connections", "8"]
        )

    def start(self, command):
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
        self.processes.append(process)

    def check(self):
        ended = [process.args for process in self.processes if process.poll() is not None]
        assert not ended, f"ended: {ended}"

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


def size_of_files(hub, folder):
    """Bytes of all files as a browser receives them."""
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".html", ".js", ".css", ".json"}:
            continue
        url = f"{hub.root}/console/{path.relative_to(folder)}"
        request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=30) as response:
            total += len(response.read())
    return total


def idle_use(options, seconds):
    """Processor time of a hub without clients, with the console and without it."""
    found = {True: [], False: []}
    with ExitStack() as stack:
        hubs = {}
        for has_console in found:
            directory = stack.enter_context(tempfile.TemporaryDirectory(dir=options.work))
            hubs[has_console] = Hub(options, directory, has_console)
            stack.enter_context(hubs[has_console].running)
        time.sleep(SETTLE_SECONDS)
        for _ in range(options.rounds):
            for has_console, hub in hubs.items():
                found[has_console].append(hub.use(seconds, time.sleep))
    return {has_console: statistics.median(values) for has_console, values in found.items()}


def page_of(browser, hub, view):
    console = Console(browser, hub.root, os.environ[KEY_VARIABLE])
    console.show(view)
    console.wait(SETTLE_SECONDS)
    return console


def page_figures(browser, hub, view, options):
    console = page_of(browser, hub, view)
    work, between = console.frames(FRAME_SECONDS)
    assert not console.problems, console.problems
    console.close()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        memory = Memory(Path(directory), hub.root, os.environ[KEY_VARIABLE])
        heap, private = memory.measure(view, options.memory_seconds)
        memory.close()
    return {
        "work": work,
        "between": between,
        # An interval has one update at least: the list of many connections is loaded again after five seconds.
        "updates": [max(part) for part in parts(work, between, UPDATE_MILLISECONDS)],
        "heap": heap / 1e6,
        "private": private / 1e6,
    }


def parts(work, between, milliseconds):
    """The frames of each whole interval."""
    found, rest = [[]], milliseconds
    for each, after in zip(work, between):
        found[-1].append(each)
        rest -= after
        if rest <= 0:
            found.append([])
            rest = milliseconds
    return found[:-1]


def hub_figures(browser, hub, options):
    """The hub's processor time with a page of each view, less that without one before and after it."""
    bare, more = [], {view: [] for view in VIEWS}
    bare.append(hub.use(options.seconds, time.sleep))
    for _ in range(options.rounds):
        for view in VIEWS:
            console = page_of(browser, hub, view)
            used = hub.use(options.seconds, console.wait)
            console.close()
            time.sleep(SETTLE_SECONDS)
            bare.append(hub.use(options.seconds, time.sleep))
            more[view].append(used - (bare[-1] + bare[-2]) / 2)
    return bare, more


def row(name, found, goal, unit=""):
    met = "" if goal is None else "met" if found < goal else "**missed**"
    wanted = "" if goal is None else f"< {goal}{unit}"
    print(f"| {name} | {wanted} | {found:,.4g}{unit} | {met} |")


def report(found):
    print("| figure | wanted | measured | |\n| --- | --- | --- | --- |")
    met = "met" if found["bytes"] <= 150_000 else "**missed**"
    print(f"| all files, compressed | ≤ 150,000 B | {found['bytes']:,} B | {met} |")
    row("first paint, median", statistics.median(found["paints"]), 100, " ms")
    row("first paint of a line of plain text, median", statistics.median(found["paints of a line"]), None, " ms")
    row("first paint under load, median", statistics.median(found["paints under load"]), 100, " ms")
    for view, each in found["views"].items():
        title = view.capitalize()
        row(f"{title}: work of a frame, 95th percentile", share(each["work"], 0.95), 16, " ms")
        row(f"{title}: 99th percentile", share(each["work"], 0.99), None, " ms")
        row(f"{title}: most expensive frame of 6 s, median", statistics.median(each["updates"]), 16, " ms")
        row(f"{title}: from frame to frame, 95th percentile", share(each["between"], 0.95), None, " ms")
        row(f"{title}: JavaScript heap, largest", each["heap"], 60, " MB")
        row(f"{title}: private memory of the page's process, largest", each["private"], 60, " MB")
    for state, words in (("quiet", "without publications"), ("busy", "with publications")):
        if state not in found:
            continue
        bare, more = found[state]
        row(f"hub {words}, no page, median", statistics.median(bare), None, " % of a core")
        print(f"| from … to | | {min(bare):.3g} … {max(bare):.3g} % of a core | |")
        for view, values in more.items():
            row(f"hub {words}, one page of {view.capitalize()}: more, median", statistics.median(values), 3, " % of a core")
            print(f"| from … to | | {min(values):.3g} … {max(values):.3g} % of a core | |")
    for has_console, used in found.get("idle", {}).items():
        row(f"hub without clients, console {'on' if has_console else 'off'}", used, None, " % of a core")


def measure(options, stack):
    found = {"views": {}}
    if options.rounds > 0:
        found["idle"] = idle_use(options, options.seconds)
    directory = stack.enter_context(tempfile.TemporaryDirectory(dir=options.work))
    hub = Hub(options, directory)
    stack.enter_context(hub.running)
    browser = launch(stack.enter_context(sync_playwright()))
    stack.callback(browser.close)
    found["bytes"] = size_of_files(hub, options.console or CONSOLE)
    found["paints"] = first_paints(browser, f"{hub.root}/console/", LOADS)
    # What Chromium itself takes on this machine: a line of text.
    found["paints of a line"] = first_paints(browser, f"{hub.root}/livez", LOADS)
    load = Load(options, hub)
    stack.callback(load.close)
    time.sleep(SETTLE_SECONDS)
    # The processor time of 11,000 deliveries a second differs more from one moment to the next than a page costs.
    if options.rounds > 0:
        found["quiet"] = hub_figures(browser, hub, options)
    load.publish()
    time.sleep(SETTLE_SECONDS)
    before, begin = hub.metric("hub_messages_published_total{"), time.monotonic()
    time.sleep(SETTLE_SECONDS)
    rate = (hub.metric("hub_messages_published_total{") - before) / (time.monotonic() - begin)
    print(f"{hub.metric('hub_connections{'):,.0f} connections, {rate:,.0f} publications a second", file=sys.stderr)
    found["paints under load"] = first_paints(browser, f"{hub.root}/console/", LOADS)
    for view in VIEWS:
        found["views"][view] = page_figures(browser, hub, view, options)
    if options.rounds > 0:
        found["busy"] = hub_figures(browser, hub, options)
    load.check()
    print(f"hub: {value(hub.pid, 'status', 'VmRSS') / 1024:.0f} MiB; load average {os.getloadavg()}", file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5, help="of the hub's processor time; 0 for only the page")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--memory-seconds", type=float, default=60)
    parser.add_argument("--console", type=Path, help="the console's files from this folder instead of the program")
    parser.add_argument("--varde", type=Path, default=Path(".build/release/varde"))
    parser.add_argument("--load", type=Path, default=Path(".build/release/varde-load"))
    parser.add_argument("--work", type=Path, help="a directory for the hubs")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.environ[KEY_VARIABLE] = secrets.token_urlsafe(24)
    with ExitStack() as stack:
        report(measure(options, stack))


if __name__ == "__main__":
    main()
