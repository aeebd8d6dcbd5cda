"""Runs the hub beside its peers, interleaved, and writes what came out. Start it with run.sh.

Every round runs every server once, freshly started, so that what drifts on the machine drifts for all. A ratio
is the median of the rounds' own ratios: each server is compared with the floor of its own round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
from report import write_report
from servers import Bench, Running

LOAD_TIMEOUT = 300


class Run:
    """One run of everything, and its results."""

    def __init__(self, options):
        self.options = options
        self.bench = Bench()
        cores = os.cpu_count()
        # The server has a core of its own, and so has the load.
        self.server_core, self.load_core = ("0", "1") if cores > 1 else ("0", "0")
        self.load_before = os.getloadavg()[0]
        self.missing = {}
        self.versions = {}
        self.problems = []
        # (section, server, case): one report of varde-load for each round.
        self.results = {}
        self.payloads = {}
        self.commands = {}

    def available(self, servers):
        for server in servers:
            reason = server.missing(self.bench)
            if reason:
                self.missing[server.name] = reason
            else:
                self.versions[server.name] = server.version(self.bench)
        return [server for server in servers if server.name not in self.missing]

    def load(self, launch, pids, scenario, arguments, core=None):
        command = [self.bench.load, scenario, "--url", launch.url, *launch.options, *arguments]
        command += ["--quiet", "--json", "-"]
        for pid in pids:
            command += ["--pid", str(pid)]
        pinned = ["taskset", "-c", core or self.load_core, *map(str, command)]
        return subprocess.Popen(pinned, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, load):
        try:
            output, errors = load.communicate(timeout=LOAD_TIMEOUT)
        except subprocess.TimeoutExpired:
            load.kill()
            load.communicate()
            return {"problems": [f"no result in {LOAD_TIMEOUT} s"]}
        try:
            return json.loads(output)
        except ValueError:
            return {"problems": [errors.strip() or f"exit status {load.returncode}"]}

    def measure(self, server, mode, scenario, arguments):
        """Starts a server, runs one load, ends the server; the report of the load."""
        launch = server.launch(self.bench, mode)
        with Running(launch, self.server_core) as running:
            return self.finish(self.load(launch, running.pids, scenario, arguments))

    def keep(self, section, server, case, report):
        for problem in report["problems"]:
            self.problems.append(f"{section}, {server.name}, {case}: {problem}")
        if not report["problems"]:
            self.results.setdefault((section, server.name, case), []).append(report)
            if server in (cases.VARDE, *cases.VARDE_LOOPS, *cases.VARDE_SYNCHRONOUS):
                self.commands.setdefault(section, report["settings"]["command"])
        figures = report.get("figures", {})
        shown = [
            f"{name} {figures[name]['value']:.4g} {figures[name]['unit']}"
            for name in ("server_cpu_per_delivery", "server_cpu_per_message", "throughput")
            + ("resident_per_connection", "server_cpu_per_publication")
            if name in figures
        ]
        print(f"{section:8} {case:8} {server.name:24}", *shown, *report["problems"], flush=True)

    # What is measured

    def fanout(self, server, burst):
        size = self.payload(server)
        arguments = ["--subscribers", cases.SUBSCRIBERS, "--burst", burst, "--size", size]
        arguments += ["--warm-up", "0.5", "--duration", self.options.seconds]
        report = self.measure(server, "fanout", "fanout", map(str, arguments))
        self.keep("fanout", server, f"W={burst}", report)

    def payload(self, server):
        """The bytes of a payload with which this server's frames are as long as the hub's."""
        if server.name not in self.payloads:
            probe = self.probe(server)
            wanted = probe if server is cases.VARDE else self.frame_wanted()
            self.payloads[server.name] = cases.PAYLOAD + round(wanted - probe)
        return self.payloads[server.name]

    def frame_wanted(self):
        if not hasattr(self, "frame"):
            self.frame = self.probe(cases.VARDE)
        return self.frame

    def probe(self, server):
        """How long a frame is around a payload of the standard length."""
        arguments = ["--subscribers", "1", "--size", str(cases.PAYLOAD), "--duration", "0.3"]
        report = self.measure(server, "fanout", "fanout", arguments)
        if report["problems"]:
            self.missing[server.name] = report["problems"][0]
            return self.frame_wanted()
        return report["figures"]["frame"]["value"]

    def echo(self, server, burst):
        arguments = ["--connections", cases.ECHO_CONNECTIONS, "--burst", burst]
        arguments += ["--protocol", "raw", "--warm-up", "0.5", "--duration", self.options.seconds]
        report = self.measure(server, "echo", "echo", map(str, arguments))
        self.keep("echo", server, f"W={burst}", report)

    def latency(self, server):
        size = self.payload(server)
        arguments = ["--subscribers", cases.SUBSCRIBERS, "--rate", cases.LATENCY_RATE, "--size", size]
        arguments += ["--duration", self.options.seconds]
        report = self.measure(server, "fanout", "fanout", map(str, arguments))
        self.keep("latency", server, "open", report)

    def idle(self, server):
        arguments = ["--connections", self.options.connections, "--settle", "3", "--hold", "1"]
        report = self.measure(server, "fanout", "idle", map(str, arguments))
        self.keep("idle", server, "idle", report)

    def connect(self, server):
        arguments = ["--warm-up", "0.5", "--duration", self.options.seconds]
        report = self.measure(server, "fanout", "connect", map(str, arguments))
        self.keep("connect", server, "connect", report)

    def loops(self, server):
        """Two clients, each with a channel of its own, on a hub with one loop or two: all cores for all."""
        cores = f"0-{os.cpu_count() - 1}"
        launch = server.launch(self.bench, "fanout")
        arguments = ["--subscribers", cases.SUBSCRIBERS // 2, "--burst", 64, "--size", cases.PAYLOAD]
        arguments += ["--warm-up", 1, "--duration", self.options.seconds]
        with Running(launch, cores) as running:
            loads = [
                self.load(
                    launch,
                    running.pids,
                    "fanout",
                    [*map(str, arguments), "--channel", f"bench:{number}"],
                    cores,
                )
                for number in (1, 2)
            ]
            reports = [self.finish(load) for load in loads]
        for report in reports:
            self.keep("loops", server, "loops", report)

    def publish(self, server, case):
        connections, batch = cases.PUBLISH[case]
        arguments = ["--connections", connections, "--batch", batch, "--channel", "bench:load"]
        arguments += ["--topics", cases.PUBLISH_TOPICS, "--size", cases.PAYLOAD]
        arguments += ["--warm-up", "0.5", "--duration", self.options.seconds]
        report = self.measure(server, "publish", "publish", map(str, arguments))
        self.keep("publish", server, case, report)

    def all(self):
        sections = self.options.only or [
            "fanout", "echo", "latency", "connect", "idle", "loops", "publish",
        ]  # fmt: skip
        if "publish" in sections:
            self.sync_milliseconds = time_of_sync(self.bench.work)
        for number in range(self.options.rounds):
            print(f"round {number + 1} of {self.options.rounds}", flush=True)
            if "fanout" in sections:
                for burst in cases.BURSTS:
                    for server in self.available(cases.FANOUT):
                        self.fanout(server, burst)
            if "echo" in sections:
                for burst in cases.ECHO_BURSTS:
                    for server in self.available(cases.ECHO):
                        self.echo(server, burst)
            if "latency" in sections:
                for server in self.available(cases.LATENCY):
                    self.latency(server)
            if "connect" in sections:
                for server in self.available(cases.CONNECT):
                    self.connect(server)
            if "loops" in sections:
                for server in cases.VARDE_LOOPS:
                    self.loops(server)
            if "publish" in sections:
                for case in cases.PUBLISH:
                    for server in cases.VARDE_SYNCHRONOUS:
                        self.publish(server, case)
        if "idle" in sections:
            # Once: memory does not vary as time does, and it takes long.
            for server in self.available(cases.IDLE):
                self.idle(server)

    def draw_latencies(self, file):
        """Of each server the round with the middle 99th percentile."""
        curves = []
        for (section, name, _), reports in self.results.items():
            if section != "latency":
                continue
            ordered = sorted(reports, key=lambda report: report["latencies"]["latency"]["p99_ns"])
            path = self.bench.work / f"latency-{len(curves)}.json"
            path.write_text(json.dumps(ordered[(len(ordered) - 1) // 2]))
            curves.append(f"{name}={path}")
        if not curves:
            return False
        title = f"{cases.LATENCY_RATE} messages a second to {cases.SUBSCRIBERS:,} subscribers"
        command = [self.bench.load, "plot", "--svg", file, "--title", title, *curves]
        subprocess.run(command, check=True)
        return True


def time_of_sync(directory, count=200, page=4096):
    """The median time in milliseconds of a sync after a page was appended to a file of `directory`."""
    times = []
    with tempfile.TemporaryFile(dir=directory) as file:
        for _ in range(count):
            os.write(file.fileno(), bytes(page))
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--connections", type=int, default=18000, help="of an idle server")
    parser.add_argument("--only", action="append", help="a section, may be repeated")
    parser.add_argument("--output", type=Path, default=Path("docs/BENCHMARKS.md"))
    run = Run(parser.parse_args())
    run.all()
    run.options.output.parent.mkdir(parents=True, exist_ok=True)
    plot = run.options.output.with_name("benchmarks-latency.svg")
    has_plot = run.draw_latencies(plot)
    write_report(run, run.options.output, plot.name if has_plot else None)
    (run.bench.work / "results.json").write_text(
        json.dumps({" | ".join(key): value for key, value in run.results.items()})
    )
    print(f"wrote {run.options.output}")
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
