"""Clients of three nodes behind HAProxy beside those of one hub, both on PostgreSQL, in turn: processor time per
delivery of a fan-out, and the recovery of clients that all return at once.

  Tests/postgres.sh python3 loadtest/bench/cluster_clients.py                      three rounds
  Tests/postgres.sh python3 loadtest/bench/cluster_clients.py --rounds 1 --subscribers 300 --returning 500      a look

Tests/postgres.sh starts the server; POSTGRES_BASE is the directory for its files. In the storm a node of the three is
killed first: its clients and the others return to two. HAProxy forwards the bytes, also to the one hub, and its
processor time is not counted. Prints a Markdown table with the median of the rounds.
"""

import argparse
import json
import os
import secrets
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import postgres
from cluster import NAMES, Node
from servers import free_port

STORES = ("one hub", "three nodes")
BURST = 64
STORMS = 3
BALANCER = """
global
    maxconn 9800
defaults
    mode tcp
    balance roundrobin
    timeout connect 5s
    timeout client 10m
    timeout server 10m
frontend clients
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    option redispatch
    retries 3
{servers}
"""
STATEMENTS = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database"


class Balancer:
    def __init__(self, work, nodes):
        program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
        assert program, "missing Debian package haproxy"
        self.port = free_port()
        servers = "\n".join(
            f"    server n{number} 127.0.0.1:{node.port} check inter 200 fall 1" for number, node in enumerate(nodes)
        )
        path = work / "haproxy.cfg"
        path.write_text(BALANCER.format(port=self.port, servers=servers))
        self.process = subprocess.Popen([program, "-db", "-f", path], stderr=subprocess.DEVNULL)
        time.sleep(1)
        assert self.process.poll() is None, "HAProxy ended: it needs two descriptors for each client"

    def kill(self):
        self.process.kill()
        self.process.wait()


def load(balancer, nodes, command, *options):
    """The report of varde-load through the balancer."""
    arguments = [postgres.LOAD, command, "--url", f"ws://127.0.0.1:{balancer.port}", "--quiet", "--json", "-"]
    arguments += ["--channel", f"chat:{secrets.token_hex(4)}", "--opening", "64", *options]
    for node in nodes:
        arguments += ["--pid", str(node.process.pid)]
    found = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return json.loads(found.stdout)


def transactions(server):
    """Of the whole server, as far as its processes have reported them."""
    found = subprocess.run(
        ["psql", "--no-psqlrc", "--tuples-only", "--no-align", server.url, "--command", STATEMENTS],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(found.stdout)


def fanned_out(balancer, nodes, options):
    report = load(
        balancer, nodes, "fanout", "--subscribers", str(options.subscribers), "--burst", str(BURST),
        "--duration", str(options.seconds),
    )  # fmt: skip
    figures = report["figures"]
    return {
        "deliveries per second": figures["throughput"]["value"],
        "hubs' processor time per delivery, µs": figures["server_cpu_per_delivery"]["value"],
    }


def returned(balancer, nodes, server, options):
    before, begin = transactions(server), time.monotonic()
    report = load(balancer, nodes, "storm", "--subscribers", str(options.returning), "--rounds", str(STORMS))
    seconds = time.monotonic() - begin
    return {
        "recovered, p99 ms": report["latencies"]["recovered"]["p99_ns"] / 1e6,
        "hubs' processor time per recovery, µs": report["figures"]["server_cpu_per_recovery"]["value"],
        "transactions of the server per second": (transactions(server) - before) / seconds,
        "clients that returned per second": STORMS * options.returning / seconds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--subscribers", type=int, default=3000)
    parser.add_argument("--returning", type=int, default=9000)
    parser.add_argument("--work", type=Path, help="a directory for the hubs")
    options = parser.parse_args()
    server = postgres.Server(os.environ["POSTGRES"])
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))
    postgres.CONFIGURATION = postgres.CONFIGURATION.replace(
        "{{name: chat, history_size: 100}}",
        "{{name: chat, history_size: 10000, anonymous_subscribe: true, publish: anyone}}",
    )
    postgres.CONFIGURATION = postgres.CONFIGURATION.replace("log_level: warning", "log_level: error")
    postgres.CONFIGURATION += "rates: {{address: {{connects: 0, commands: 0, publishes: 0}}}}\n"
    found = {}
    for number in range(options.rounds):
        for store in STORES:
            with tempfile.TemporaryDirectory(dir=options.work) as directory:
                work = Path(directory)
                url = f'"{server.url}&schema=clients{number}{STORES.index(store)}"'
                nodes = [postgres.Hub(work, url)] if store == "one hub" else [Node(work, url, name) for name in NAMES]
                balancer = None
                try:
                    for node in nodes:
                        node.start()
                    balancer = Balancer(work, nodes)
                    values = fanned_out(balancer, nodes, options)
                    if len(nodes) > 1:
                        nodes[2].kill()
                        time.sleep(1)
                    values |= returned(balancer, nodes[:2], server, options)
                    for name, value in values.items():
                        found.setdefault(name, {}).setdefault(store, []).append(value)
                finally:
                    for process in [balancer, *nodes]:
                        if process and process.process:
                            process.kill()
    print("| figure | one hub | three nodes | ratio |\n| --- | --- | --- | --- |")
    for name, values in found.items():
        one, other = (statistics.median(values[store]) for store in STORES)
        print(f"| {name} | {one:.4g} | {other:.4g} | {other / one:.2f} |")


if __name__ == "__main__":
    main()
