"""How soon do friends hear of an act, and does somebody with very many friends disturb that?

It starts the hub with people who are friends in a ring, has varde-load let them act at a rate while all of them
listen, and reads how long an act's answer is ahead of its arrival. Then once more, with somebody beside them who
has 100,000 friends, nobody of whom is connected, and acts, too. What it prints of the second run is of the others alone.

  activity.py                                  1,000 people with 50 friends each, 500 acts a second, 20 s, three rounds
  activity.py --rate 200 --seconds 5 --rounds 1    a look
  activity.py --fans 0                         without the second run
  Tests/postgres.sh sh -c 'loadtest/bench/activity.py --fans 0 --rate 300 --store "$POSTGRES"'      a node on PostgreSQL

People and friendships are written into the database before the hub starts: to make 100,000 friends by requests would
take minutes.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from radars_usage import machine_seconds, processor_seconds
from servers import HERE, free_port

REPOSITORY = HERE.parent.parent
PATIENCE_SECONDS = 60.0
# Of a film that the celebrity rates.
CELEBRITY_FILM = 1
CONFIGURATION = """
listen: ["127.0.0.1:{port}"]
database: {directory}/varde.sqlite
log_level: warning
development: true
loops: {loops}
rates: {{address: {{connects: 0, commands: 0, publishes: 0}}}}
activity:
  catalogue: {repository}/demo/catalogue.json
  requests_per_minute: 1000000
  writes_per_minute: 1000000
"""


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as directory:
        stage = Stage(options, Path(directory))
        runs = [False, True] if options.fans else [False]
        found = {with_fans: [] for with_fans in runs}
        # Taken in turn, so that whatever else the machine does falls on both.
        for number in range(options.rounds):
            for with_fans in runs:
                found[with_fans].append(stage.measure(with_fans))
                print(line(number + 1, with_fans, found[with_fans][-1]), flush=True)
    for with_fans in runs:
        print(summary(with_fans, found[with_fans]))
    if options.fans:
        ratio = p99(found[True]) / p99(found[False])
        print(f"p99 after the answer, beside {options.fans} friends of one: {ratio:.2f} times")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--friends", type=int, default=50)
    parser.add_argument("--fans", type=int, default=100_000)
    parser.add_argument("--fans-every", type=float, default=10.0, help="seconds between their acts")
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loops", default="auto")
    parser.add_argument("--store", help="the URL of a database in PostgreSQL, for a node of a cluster")
    return parser.parse_args()


class Stage:
    """One database, and a hub for each run."""

    def __init__(self, options, directory):
        self.options, self.directory, self.port = options, directory, free_port()
        self.varde = os.environ.get("VARDE", str(REPOSITORY / ".build/release/varde"))
        self.load = os.environ.get("VARDE_LOAD", str(REPOSITORY / ".build/release/varde-load"))
        self.secret = secrets.token_urlsafe(48)
        text = CONFIGURATION.format(
            port=self.port, directory=directory, loops=options.loops, repository=REPOSITORY
        )
        (directory / "varde.yaml").write_text(text)
        # The first start makes the tables.
        self.stop(self.start())
        self.celebrity = self.settle()
        if options.store:
            self.move(f"{directory}/varde.sqlite", options.store)

    def move(self, file, store):
        """Copies the store, and has the hub use the copy from now on."""
        subprocess.run(
            [self.varde, "store", "copy", "--from", f"sqlite:{file}", "--to", store],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        configuration = self.directory / "varde.yaml"
        text = configuration.read_text().replace(f"database: {file}", f'database: "{store}"')
        configuration.write_text(text + "cluster: {node: bench}\n")

    def start(self):
        environment = os.environ | {"VARDE_TOKEN_SECRET": self.secret}
        command = [self.varde, "serve", "--config", str(self.directory / "varde.yaml")]
        process = subprocess.Popen(command, env=environment, cwd=REPOSITORY)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).close()
                return process
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the hub does not start") from None
                time.sleep(0.1)

    def stop(self, process):
        process.terminate()
        process.wait(PATIENCE_SECONDS)

    def settle(self):
        """Writes people, friends and seats; returns the number of who has many friends."""
        options = self.options
        people = range(1, options.people + 1)
        celebrity = options.people + 1
        fans = range(celebrity + 1, celebrity + 1 + options.fans)
        half = options.friends // 2
        ring = [
            (one, 1 + (one - 1 + step) % options.people)
            for one in people
            for step in range(1, half + 1)
        ]
        now = int(time.time() * 1000)
        database = sqlite3.connect(self.directory / "varde.sqlite")
        with database:
            database.executemany(
                "INSERT INTO person (id, provider, provider_subject, name, created_at, friend_count)"
                " VALUES (?, 'bench', ?, ?, ?, ?)",
                [
                    (each, str(each), f"person {each}", now, count)
                    for each, count in [
                        *((each, 2 * half) for each in people),
                        (celebrity, options.fans),
                        *((each, 1) for each in fans),
                    ]
                ],
            )
            pairs = ring + [(celebrity, fan) for fan in fans]
            database.executemany(
                "INSERT INTO friendship (person_id, friend_id, since) VALUES (?, ?, ?)",
                [(a, b, now) for pair in pairs for a, b in (pair, pair[::-1])],
            )
        database.close()
        hears = {each: [] for each in people}
        for one, other in ring:
            hears[one].append(other - 1)
            hears[other].append(one - 1)
        with (self.directory / "seats.jsonl").open("w") as seats:
            for each in people:
                seat = {"token": self.token(each), "channel": f"activity:{each}"}
                seats.write(json.dumps(seat | {"hears": hears[each]}) + "\n")
        return celebrity

    def token(self, user):
        """HS256, RFC 7515 and RFC 7519."""
        claims = {"sub": str(user), "exp": int(time.time()) + 86_400}
        parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
        text = b".".join(encoded(part) for part in parts)
        return (text + b"." + encoded(hmac.digest(self.secret.encode(), text, hashlib.sha256))).decode()

    def measure(self, with_fans):
        hub = self.start()
        over = threading.Event()
        acts = [0]
        celebrity = threading.Thread(target=self.act, args=(over, acts))
        if with_fans:
            celebrity.start()
        try:
            before = processor_seconds(hub.pid), machine_seconds(), time.monotonic()
            report = self.directory / "report.json"
            command = [
                self.load, "acts", "--url", f"http://127.0.0.1:{self.port}", "--quiet",
                "--seats", str(self.directory / "seats.jsonl"), "--rate", str(self.options.rate),
                "--duration", f"{self.options.seconds}s", "--connections", "32",
                "--pid", str(hub.pid), "--json", str(report),
            ]  # fmt: skip
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise SystemExit(f"the load has problems:\n{done.stdout}")
            seconds = time.monotonic() - before[2]
            usage = {
                "hub": (processor_seconds(hub.pid) - before[0]) / seconds,
                "machine": (machine_seconds() - before[1]) / seconds,
                "load": os.getloadavg()[0],
                "acts of the one": acts[0],
            }
            return json.loads(report.read_text()) | {"usage": usage}
        finally:
            over.set()
            if with_fans:
                celebrity.join()
            self.stop(hub)

    def act(self, over, acts):
        token = self.token(self.celebrity)
        while not over.is_set():
            body = {"rating": 1 + acts[0] % 5, "comment": secrets.token_hex(8)}
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.port}/movies/{CELEBRITY_FILM}/rate",
                json.dumps(body).encode(),
                {"Authorization": f"Bearer {token}"},
            )
            urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()
            acts[0] += 1
            over.wait(self.options.fans_every)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def latency(report, name, percentile):
    """Milliseconds."""
    return report["latencies"][name][f"p{percentile}_ns"] / 1e6


def p99(reports):
    return statistics.median(latency(each, "after_answer", "99") for each in reports)


def line(number, with_fans, report):
    name = "beside the one" if with_fans else "alone"
    usage = report["usage"]
    return (
        f"round {number}, {name}: after the answer p50 {latency(report, 'after_answer', '50'):.2f},"
        f" p99 {latency(report, 'after_answer', '99'):.2f} ms; answer p50"
        f" {latency(report, 'answer_time', '50'):.2f}, p99"
        f" {latency(report, 'answer_time', '99'):.2f} ms; hub {usage['hub']:.2f} cores, machine"
        f" {usage['machine']:.2f}, load {usage['load']:.1f}, acts of the one"
        f" {usage['acts of the one']}"
    )


def summary(with_fans, reports):
    name = "beside the one" if with_fans else "alone"
    return f"{name}: median of the p99 after the answer {p99(reports):.2f} ms"


if __name__ == "__main__":
    main()
