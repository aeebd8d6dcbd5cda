"""What does a retained publication cost in memory, with few loops and with many, and how long does a start take?

It publishes a million publications of 220 bytes to 100,000 topics by the server API, reads the resident memory of the
hub, ends it with SIGKILL, and measures the time until it is ready again and its memory then. Each number of loops has
a hub and a store of its own.

  .venv/bin/python loadtest/bench/histories.py
  .venv/bin/python loadtest/bench/histories.py --topics 10000 --loops 2 8       a look

After 'make build'. Prints a Markdown table.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from servers import HERE, free_port

BATCH = 1000
PATIENCE_SECONDS = 120
CONFIGURATION = """\
listen: ["127.0.0.1:{port}"]
database: varde.sqlite
log_level: warning
loops: {loops}
limits: {{memory: 2GiB}}
namespaces:
  - {{name: kept, history_size: {size}, anonymous_subscribe: true}}
"""


class Hub:
    def __init__(self, varde, directory, loops, size):
        self.varde, self.directory, self.key = varde, directory, secrets.token_hex(16)
        self.port = free_port()
        text = CONFIGURATION.format(port=self.port, loops=loops, size=size)
        (directory / "varde.yaml").write_text(text)

    def start(self):
        """Returns the seconds until it is ready."""
        begin = time.monotonic()
        self.process = subprocess.Popen(
            [self.varde, "serve", "--config", "varde.yaml"],
            cwd=self.directory,
            env=os.environ | {"VARDE_API_KEY": self.key},
        )
        while time.monotonic() - begin < PATIENCE_SECONDS:
            if self.process.poll() is not None:
                raise RuntimeError("the hub has ended")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz") as answer:
                    if answer.status == 200:
                        return time.monotonic() - begin
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.005)
        raise TimeoutError("the hub is not ready")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def broadcast(self, topics, data):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/broadcast",
            json.dumps({"channels": topics, "data": data}).encode(),
            {"X-API-Key": self.key, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            body = json.load(answer)
        errors = [each for each in body["result"]["responses"] if "error" in each]
        if errors:
            raise RuntimeError(f"not published: {errors[0]}")

    @property
    def resident_mb(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise RuntimeError("no VmRSS")


def measure(options, loops):
    with tempfile.TemporaryDirectory() as place:
        hub = Hub(options.varde.resolve(), Path(place), loops, options.each)
        hub.start()
        try:
            empty = hub.resident_mb
            data = {"text": "x" * (options.bytes - len('{"text":""}'))}
            for _ in range(options.each):
                for first in range(0, options.topics, BATCH):
                    end = min(first + BATCH, options.topics)
                    hub.broadcast([f"kept:{number}" for number in range(first, end)], data)
            # The loops free what they had taken for the last batches.
            time.sleep(2)
            full = hub.resident_mb
            hub.kill()
            seconds = hub.start()
            time.sleep(2)
            again = hub.resident_mb
        finally:
            hub.kill()
    return f"| {loops} | {empty:.0f} | {full:.0f} | {seconds:.2f} | {again:.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--varde", type=Path, default=HERE.resolve().parents[1] / ".build/release/varde")
    parser.add_argument("--loops", type=int, nargs="+", default=[2, 8, 16])
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=10, help="publications of each topic")
    parser.add_argument("--bytes", type=int, default=220, help="of each publication")
    options = parser.parse_args()
    print("| loops | empty, MB | with publications, MB | start, s | after the start, MB |", flush=True)
    print("| --- | --- | --- | --- | --- |", flush=True)
    for loops in options.loops:
        print(measure(options, loops), flush=True)


if __name__ == "__main__":
    main()
