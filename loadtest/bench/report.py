"""Turns the results of a run into a Markdown page."""

import os
import platform
import statistics
from pathlib import Path

import cases


def figure(report, name):
    return report["figures"][name]["value"]


class Page:
    def __init__(self, run):
        self.run = run
        self.lines = []

    def add(self, *lines):
        self.lines += lines

    def table(self, head, rows):
        self.add("| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |")
        self.lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.add("")

    def values(self, section, server, case, name):
        reports = self.run.results.get((section, server, case), [])
        return [figure(report, name) for report in reports]

    def median(self, *key):
        values = self.values(*key)
        return statistics.median(values) if values else None

    def ratio(self, section, server, floor, case, name):
        """The median of the rounds' own ratios."""
        own, others = (self.values(section, who, case, name) for who in (server, floor))
        pairs = [mine / theirs for mine, theirs in zip(own, others) if theirs]
        return statistics.median(pairs) if pairs else None

    def servers(self, section):
        names = []
        for key in self.run.results:
            if key[0] == section and key[1] not in names:
                names.append(key[1])
        return names

    def cell(self, section, server, floor, case, name):
        values = self.values(section, server, case, name)
        if not values:
            return ["–", "–"]
        ratio = self.ratio(section, server, floor, case, name)
        text = f"{number(statistics.median(values))} ({number(min(values))}–{number(max(values))})"
        return [text, f"{ratio:.2f}" if ratio else "–"]

    @staticmethod
    def goal(text, value, limit, is_least=False):
        # Ratios to two places, counts without any.
        places = 0 if limit >= 100 else 2
        wanted = f"{'≥' if is_least else '≤'} {limit:,.{places}f}"
        if value is None:
            return [text, wanted, "–", "not measured"]
        is_met = value >= limit if is_least else value <= limit
        return [text, wanted, f"{value:,.{places}f}", "met" if is_met else "**missed**"]


def number(value):
    places = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{places}f}"


def processor():
    for line in Path("/proc/cpuinfo").read_text().split("\n"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def system():
    for line in Path("/etc/os-release").read_text().split("\n"):
        if line.startswith("PRETTY_NAME="):
            return line.split("=")[1].strip('"')
    return platform.system()


def write_report(run, output, plot):
    page = Page(run)
    page.add(
        "# Benchmarks",
        "",
        "This page compares the hub's processor time, latency and memory with those of other servers. `make bench` writes it.",
        "[loadtest/README.md](../loadtest/README.md) describes the scenarios and options.",
        "",
    )
    machine(page)
    goals(page)
    fanout(page)
    echo(page)
    latency(page, plot)
    connect(page)
    idle(page)
    loops(page)
    publish(page)
    commands(page)
    output.write_text("\n".join(page.lines).rstrip() + "\n")


def machine(page):
    run, options = page.run, page.run.options
    page.add("## Conditions", "")
    page.table(
        ["what", "value"],
        [
            ["processor", f"{processor()}, {os.cpu_count()} cores"],
            ["system", f"{system()}, Linux {platform.release().split('-')[0]}"],
            ["rounds", f"{options.rounds}, every server once in each, freshly started"],
            ["a measurement", f"{options.seconds:g} s after a warm-up of half a second or more"],
            ["pinning", f"server on core {run.server_core}, load on core {run.load_core}"],
            ["load average before and after", f"{run.load_before:.2f}, {os.getloadavg()[0]:.2f}"],
        ]
        + [[name, version] for name, version in run.versions.items()],
    )
    page.add(
        "- Figures are medians over the rounds, with the minimum and the maximum in brackets. A ratio is the median of",
        "  the ratios within a round.",
        "- Processor time is that of the server's process by the kernel's clock, all threads included.",
        "- On loopback, a `send` also runs the receiver's half of TCP, so most of the time of a single delivery is spent",
        "  in the kernel.",
        "- Other load on the machine makes times longer, short ones more than long ones.",
        "",
    )
    for name, reason in sorted(run.missing.items()):
        page.add(f"Missing: {name} ({reason}).", "")
    for problem in run.problems:
        page.add(f"Problem: {problem}.", "")


def goals(page):
    cpu, name = "server_cpu_per_delivery", cases.VARDE.name
    rows = []
    for burst, limit in cases.FANOUT_GOALS.items():
        floor = cases.floor_of(burst).name
        ratio = page.ratio("fanout", name, floor, f"W={burst}", cpu)
        rows.append(page.goal(f"fan-out, W={burst}, times {floor}", ratio, limit))
    case = f"W={cases.TLS_BURST}"
    ratio = page.ratio("fanout", cases.VARDE_TLS.name, name, case, cpu)
    rows.append(page.goal(f"fan-out with TLS, {case}, times plain", ratio, cases.TLS_GOAL))
    for burst in cases.ECHO_BURSTS:
        ratio = page.ratio("echo", name, cases.FLOOR.name, f"W={burst}", "server_cpu_per_message")
        rows.append(page.goal(f"echo, W={burst}, times C", ratio, cases.ECHO_GOAL))
    for server, limit in cases.IDLE_GOALS:
        each = page.median("idle", server.name, "idle", "resident_per_connection")
        memory = None if each is None else each / 1024
        rows.append(page.goal(f"KiB of an idle connection, {server.name}", memory, limit))
    sums = throughputs(page)
    gain = None if sums is None else sums[2]
    rows.append(page.goal("two loops, times the throughput of one", gain, cases.LOOPS_GOAL, True))
    normal = cases.VARDE_SYNCHRONOUS[0].name
    for case, limit in cases.PUBLISH_GOALS.items():
        rate = page.median("publish", normal, case, "throughput")
        text = f"publications a second by the server API, {how(case)}"
        rows.append(page.goal(text, rate, limit, True))
    page.add("## Goals", "")
    page.table(["goal", "wanted", "measured", ""], rows)


def fanout(page):
    names = page.servers("fanout")
    if not names:
        return
    reports = page.run.results.get(("fanout", cases.VARDE.name, "W=1"), [])
    frame = f" of about {figure(reports[0], 'frame'):.0f} bytes" if reports else ""
    page.add(
        "## Fan-out",
        "",
        f"{cases.PAYLOAD} bytes of data to {cases.SUBSCRIBERS:,} subscribers, frames{frame} from every server. The",
        "publisher sends W messages at once, and the next W when every subscriber has received all. Varde uses the",
        "client protocol with history on. C uses the same protocol with the same load, so the receiver's work is equal.",
        "The table has the server's processor time, µs a delivery, and its ratio to the floor: C with one send a",
        "message for W=1, C with one send a connection and turn for more.",
        "",
    )
    head = ["server"]
    for burst in cases.BURSTS:
        head += [f"W={burst}", "× floor"]
    rows = []
    for name in names:
        row = [name]
        for burst in cases.BURSTS:
            floor, case = cases.floor_of(burst).name, f"W={burst}"
            row += page.cell("fanout", name, floor, case, "server_cpu_per_delivery")
        rows.append(row)
    page.table(head, rows)


def echo(page):
    names = page.servers("echo")
    if not names:
        return
    page.add(
        "## Echo",
        "",
        f"{cases.ECHO_CONNECTIONS} connections, messages of 20 bytes, W in flight on each. The table has the server's",
        "processor time, µs a message.",
        "",
    )
    head = ["server"]
    for burst in cases.ECHO_BURSTS:
        head += [f"W={burst}", "× C"]
    rows = []
    for name in names:
        row = [name]
        for burst in cases.ECHO_BURSTS:
            row += page.cell("echo", name, cases.FLOOR.name, f"W={burst}", "server_cpu_per_message")
        rows.append(row)
    page.table(head, rows)


def latency(page, plot):
    names = page.servers("latency")
    if not names:
        return
    page.add(
        "## Latency",
        "",
        f"{cases.LATENCY_RATE} messages a second to {cases.SUBSCRIBERS:,} subscribers, published when they are",
        "due. Latencies are measured from that time. Medians over the rounds, ms.",
        "",
    )
    keys = ["p50_ns", "p99_ns", "p99.9_ns", "max_ns"]
    rows = []
    for name in names:
        reports = page.run.results[("latency", name, "open")]
        summaries = [report["latencies"]["latency"] for report in reports]
        medians = [statistics.median(summary[key] for summary in summaries) for key in keys]
        rows.append([name] + [number(value / 1e6) for value in medians])
    page.table(["server", "p50", "p99", "p99.9", "max"], rows)
    if plot:
        page.add(f"![Latency by percentile]({plot})", "")


def connect(page):
    names = page.servers("connect")
    if not names:
        return
    page.add("## Handshakes", "", "Connections by the client protocol, 64 handshakes at a time.", "")
    rows = []
    for name in names:
        rate = page.median("connect", name, "connect", "throughput")
        cpu = page.median("connect", name, "connect", "server_cpu_per_handshake")
        rows.append([name, number(rate), number(cpu)])
    page.table(["server", "handshakes a second", "server CPU each, µs"], rows)


def idle(page):
    names = page.servers("idle")
    if not names:
        return
    page.add(
        "## Idle connections",
        "",
        f"{page.run.options.connections:,} connections on one process, each with one subscription except on the",
        "raw WebSocket. The table has the growth of the process's resident memory for each connection.",
        "",
    )
    rows = []
    for name in names:
        each = page.median("idle", name, "idle", "resident_per_connection")
        whole = page.median("idle", name, "idle", "server_resident")
        rows.append([name, number(each), number(whole)])
    page.table(["server", "bytes a connection", "process, MiB"], rows)


def throughputs(page):
    """Deliveries a second of both loads together, with one loop and with two, and the ratio; medians."""
    one, two = (page.values("loops", server.name, "loops", "throughput") for server in cases.VARDE_LOOPS)
    # Each round has left two reports, one of each load.
    rounds = min(len(one), len(two)) // 2
    if rounds == 0:
        return None
    sums = [[sum(values[2 * i : 2 * i + 2]) for i in range(rounds)] for values in (one, two)]
    ratios = [after / before for before, after in zip(*sums)]
    return (*map(statistics.median, sums), statistics.median(ratios))


def loops(page):
    sums = throughputs(page)
    if sums is None:
        return
    page.add(
        "## One loop and two",
        "",
        "Two load processes with 500 subscribers and a channel each, bursts of 64, no process pinned to a core.",
        f"Deliveries a second of both together: {number(sums[0])} with one loop, {number(sums[1])} with two.",
        f"The median of the ratios within a round is {sums[2]:.2f}.",
        "",
    )
    rows = []
    for server in cases.VARDE_LOOPS:
        busy = page.median("loops", server.name, "loops", "server_cpu")
        load = page.median("loops", server.name, "loops", "generator_cpu")
        rows.append([str(server.loops), number(busy), number(load)])
    page.table(["loops", "server, % of a core", "each load, % of a core"], rows)
    if os.cpu_count() < 4:
        page.add(
            f"With {os.cpu_count()} cores for the hub and both loads together there is no core free for the second",
            "loop. The three processes share the cores, so the second loop takes processor time from the loads.",
            "",
        )


def how(case):
    connections, batch = cases.PUBLISH[case]
    return f"{case}{f' of {batch}' if batch > 1 else ''} from {connections} connections"


def publish(page):
    if not page.servers("publish"):
        return
    run = page.run
    page.add(
        "## Publishing by the server API",
        "",
        f"Publications of {cases.PAYLOAD} bytes of data in turn to {cases.PUBLISH_TOPICS} topics of a durable namespace without subscribers.",
        "Each connection has one request in flight, `publish` with one publication or `batch` with more, and sends the next",
        "when it has received the answer. The hub answers after the commit. The offsets in the answers of all connections",
        "together are checked: none is repeated, none is missing. The whole hub, including its store's thread, is on core",
        f"{run.server_core}, the load on core {run.load_core}. With `synchronous: full` the hub waits for the disk",
        f"before it answers. A sync after one page took {number(run.sync_milliseconds)} ms here, the median of 200 before the first round.",
        "",
    )
    rows = []
    for case in cases.PUBLISH:
        for server in page.servers("publish"):
            reports = run.results.get(("publish", server, case))
            if not reports:
                continue
            rates = page.values("publish", server, case, "throughput")
            spread = f"{number(statistics.median(rates))} ({number(min(rates))}–{number(max(rates))})"
            row = [server.removeprefix("Varde, "), how(case), spread]
            for name in ("request_throughput", "server_cpu_per_publication", "server_cpu"):
                row.append(number(page.median("publish", server, case, name)))
            row.append(number(page.median("publish", server, case, "server_resident")))
            for key in ("p50_ns", "p99_ns"):
                times = [report["latencies"]["latency"][key] for report in reports]
                row.append(number(statistics.median(times) / 1e6))
            rows.append(row)
    page.table(
        [
            "", "load", "publications a second", "requests a second", "server CPU each, µs",
            "server, % of a core", "process, MiB", "request p50, ms", "p99, ms",
        ],
        rows,
    )  # fmt: skip


def commands(page):
    page.add("## Commands", "", "    make bench", "", "This starts, among others:", "")
    for command in page.run.commands.values():
        page.add("    varde-load " + command.split(" ", 1)[1])
