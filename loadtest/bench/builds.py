#!/usr/bin/env python3
"""Compares the hot paths of two builds of the hub, side by side in one run.

    loadtest/bench/builds.py BEFORE AFTER [--rounds 5] [--seconds 3]

BEFORE and AFTER are folders with the programs `varde` and `varde-load`; the load generator is always that of
AFTER. Each round starts both hubs afresh, one after the other, in alternating order, and runs every scenario on
each. The table shows the median of the server's processor time for each message, and the median of the ratios
of the rounds: both builds of one round have had the same neighbours on the machine. A scenario that loses a
message ends the run.
"""

import argparse
import json
import os
import secrets
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.request import urlopen

START_TIMEOUT = 20.0

CONFIGURATION = """\
listen: ["127.0.0.1:{port}"]
database: {database}
log_level: error
namespaces:
  - {{name: bench, anonymous_subscribe: true, publish: anyone, history_size: 10000}}
rates:
  user: {{connects: 0, commands: 0, publishes: 0}}
  address: {{connects: 0, commands: 0, publishes: 0}}
  connection: {{commands: 0, publishes: 0}}
"""


def scenarios(port, seconds):
    """Name, figure of the report, and arguments of varde-load."""
    socket_url = f"ws://127.0.0.1:{port}"
    timing = ["--warm-up", "0.5", "--duration", str(seconds)]
    fanout = ["fanout", "--url", socket_url, "--channel", "bench:1", "--subscribers", "1000", *timing]
    echo = ["echo", "--url", f"{socket_url}/echo", "--protocol", "raw", *timing]
    publish = ["publish", "--url", f"http://127.0.0.1:{port}", "--channel", "bench:2", *timing]
    storm = ["storm", "--url", socket_url, "--channel", "bench:3", "--subscribers", "2000"]
    storm += ["--rounds", "2", "--rate", "100", "--calm", "1", "--away", "1"]
    return [
        ("fan-out, bursts of 1", "server_cpu_per_delivery", fanout),
        ("fan-out, bursts of 16", "server_cpu_per_delivery", [*fanout, "--burst", "16"]),
        ("fan-out, bursts of 64", "server_cpu_per_delivery", [*fanout, "--burst", "64"]),
        ("echo, 1 in flight", "server_cpu_per_message", echo),
        ("echo, 16 in flight", "server_cpu_per_message", [*echo, "--burst", "16"]),
        ("publish", "server_cpu_per_publication", publish),
        ("publish, batches of 100", "server_cpu_per_publication", [*publish, "--batch", "100"]),
        ("storm", "server_cpu_per_recovery", storm),
    ]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_live(url, hub):
    # The certificate is made for the run.
    context = ssl._create_unverified_context()
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        if hub.poll() is not None:
            sys.exit(f"the hub ended with status {hub.returncode}")
        try:
            with urlopen(f"{url}/livez", context=context):
                return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"the hub did not answer within {START_TIMEOUT:.0f} s")


def figures_of(load, arguments, pid):
    """The figures that varde-load reports of a scenario."""
    command = [load, *arguments, "--quiet", "--json", "-", "--pid", str(pid)]
    run = subprocess.run(command, stdout=subprocess.PIPE)
    report = json.loads(run.stdout) if run.stdout else {}
    if run.returncode != 0:
        problems = report.get("problems", [])
        sys.exit(f"{' '.join(arguments)} failed with status {run.returncode}: {problems}")
    return {name: figure["value"] for name, figure in report["figures"].items()}


def measure(varde, load, seconds):
    """Microseconds of processor time for each message, by scenario."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        configuration = Path(folder, "varde.yaml")
        configuration.write_text(
            CONFIGURATION.format(port=port, database=Path(folder, "varde.sqlite"))
        )
        hub = subprocess.Popen([varde, "serve", "--echo", "--config", configuration])
        try:
            wait_until_live(f"http://127.0.0.1:{port}", hub)
            return {
                name: figures_of(load, arguments, hub.pid)[figure]
                for name, figure, arguments in scenarios(port, seconds)
            }
        finally:
            hub.terminate()
            hub.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    # The hub and the load generator both read it from the environment, so no command line shows it.
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))

    load = options.after / "varde-load"
    builds = {"before": options.before / "varde", "after": options.after / "varde"}
    rounds = []
    for index in range(options.rounds):
        order = list(builds) if index % 2 == 0 else list(reversed(builds))
        rounds.append({name: measure(builds[name], load, options.seconds) for name in order})

    print("| scenario | before, µs | after, µs | ratio |")
    print("| --- | --- | --- | --- |")
    for scenario in rounds[0]["before"]:
        before = median(each["before"][scenario] for each in rounds)
        after = median(each["after"][scenario] for each in rounds)
        ratio = median(each["after"][scenario] / each["before"][scenario] for each in rounds)
        print(f"| {scenario} | {before:.2f} | {after:.2f} | {ratio:.3f} |")


if __name__ == "__main__":
    main()
