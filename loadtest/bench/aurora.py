"""How many requests a second for the conditions does the hub answer?

It plays the demo's recording to a hub, waits for the conditions, and has wrk (Debian's package) ask for
/api/aurora/now over connections that are kept open, with a key whose tier has enough requests. Written down
are the requests a second, the hub's processor time for each, and what else the machine did meanwhile: on a
machine that is busy only the processor time says anything.

  aurora.py                                     a loop, 1, 8 and 64 connections, 5 s each, three rounds
  aurora.py --seconds 2 --rounds 1              a look
  VARDE=/elsewhere/varde loadtest/bench/aurora.py
"""

import argparse
import json
import os
import re
import secrets
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from radars_usage import machine_seconds, processor_seconds
from servers import HERE, Launch, Running, free_port

REPOSITORY = HERE.parent.parent
# The storm of the demo's night; at the clock's real speed the conditions change about once a minute.
CLOCK_START = "2024-12-09T19:30:00Z"
REQUESTS_PER_HOUR = 1_000_000_000
WANTED_PER_SECOND = 5000
PATIENCE_SECONDS = 60.0
WARM_UP_SECONDS = 1


def configure(directory, port, replay_port, key, loops):
    lines = [
        f'listen: ["127.0.0.1:{port}"]',
        f"loops: {loops}",
        "log_level: warning",
        f"clock: {{start: {CLOCK_START}, speed: 1}}",
        "aurora:",
        f"  swpc_url: http://127.0.0.1:{replay_port}",
        f"  metno_url: http://127.0.0.1:{replay_port}",
        "  user_agent: varde-bench/1.0 ops@example.org",
        f"  api_keys: [{key}]",
        f"  tiers: [{{name: bench, requests_per_hour: {REQUESTS_PER_HOUR}}}]",
    ]
    (directory / "varde.yaml").write_text("\n".join(lines) + "\n")


def wait_for_conditions(url, key):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        request = urllib.request.Request(url, headers={"X-API-Key": key})
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return response.read()
        except (urllib.error.URLError, ConnectionError) as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"no conditions within {PATIENCE_SECONDS:g} s: {error}") from None
        time.sleep(0.1)


def ask(url, key, connections, seconds):
    """One run of wrk: answers and those that were not 2xx."""
    # wrk has one thread, on the core that the hub does not have.
    command = ["taskset", "-c", str(os.cpu_count() - 1)]
    command += ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-H", f"X-API-Key: {key}", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    answers = int(re.search(r"(\d+) requests in", text)[1])
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    broken = re.search(r"Socket errors: (.*)", text)
    if refused or broken:
        raise SystemExit(f"not all answers are good:\n{text}")
    return answers


def measure(url, key, pid, connections, seconds):
    before = processor_seconds(pid), machine_seconds(), time.monotonic()
    answers = ask(url, key, connections, seconds)
    after = processor_seconds(pid), machine_seconds(), time.monotonic()
    hub, machine, wall = (b - a for a, b in zip(before, after))
    return {
        "connections": connections,
        "requests_per_second": answers / wall,
        "hub_microseconds_per_request": hub / answers * 1e6,
        "hub_share_of_a_core": hub / wall,
        "machine_busy_cores": machine / wall,
    }


def report(rounds):
    # A core's worth: what the processor time would allow if the hub had a core to itself.
    print("| connections | requests a second | hub's processor, µs a request | a core's worth | hub | machine |")
    print("| --- | --- | --- | --- | --- | --- |")
    best = 0.0
    for runs in zip(*rounds):
        median = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        least = min(run["hub_microseconds_per_request"] for run in runs)
        best = max(best, median["requests_per_second"])
        print(
            f"| {median['connections']:.0f} | {median['requests_per_second']:,.0f} "
            f"| {median['hub_microseconds_per_request']:.1f} (least {least:.1f}) "
            f"| {1e6 / median['hub_microseconds_per_request']:,.0f} "
            f"| {median['hub_share_of_a_core']:.0%} of a core "
            f"| {median['machine_busy_cores']:.2f} of {os.cpu_count()} cores busy |"
        )
    verdict = "met" if best >= WANTED_PER_SECOND else "missed"
    print(f"\nwanted: {WANTED_PER_SECOND:,} a second; {verdict}, {best:,.0f} at best")


def main():
    parser = argparse.ArgumentParser(description="Requests a second for /api/aurora/now.")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="every run as a line of JSON")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk is missing: apt-get install wrk")
    varde = Path(os.environ.get("VARDE", REPOSITORY / ".build/release/varde")).resolve()
    key = secrets.token_urlsafe(24)
    port, replay_port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        configure(directory, port, replay_port, key, options.loops)
        replay = [varde, "replay", REPOSITORY / "demo", "--listen", f"127.0.0.1:{replay_port}"]
        serve = [varde, "serve", "--config", "varde.yaml"]
        (directory / "replay").mkdir()
        cores = f"0-{os.cpu_count() - 1}"
        upstream = Launch(replay, directory / "replay", f"http://127.0.0.1:{replay_port}/")
        hub = Launch(serve, directory, f"http://127.0.0.1:{port}/")
        url = f"http://127.0.0.1:{port}/api/aurora/now"
        with Running(upstream, cores), Running(hub, "0") as running:
            body = wait_for_conditions(url, key)
            pid = running.process.pid
            print(f"load average before: {os.getloadavg()[0]:.2f}; {len(body)} bytes of body")
            rounds = []
            for _ in range(options.rounds):
                ask(url, key, 8, WARM_UP_SECONDS)
                runs = [measure(url, key, pid, c, options.seconds) for c in options.connections]
                if options.json:
                    print("\n".join(json.dumps(run) for run in runs))
                rounds.append(runs)
    report(rounds)
    print(f"load average after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
