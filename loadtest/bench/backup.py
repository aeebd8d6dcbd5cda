"""The times of single publications without and with `varde backup` beside them, in turn.

  backup.py                       a database of 200,000 publications of 1 KiB, four rounds of each
  backup.py --publications 20000 --rounds 1        a look

One client publishes without a pause over one connection, so a commit that waits for the backup shows as a long time.
"""

import argparse
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from servers import HERE, free_port

REPOSITORY = HERE.parent.parent
VARDE = Path(os.environ.get("VARDE", REPOSITORY / ".build/release/varde")).resolve()
PATIENCE_SECONDS = 60.0
BATCH = 500
KEY = "a key for measurements"
CONFIGURATION = """
listen: ["127.0.0.1:{port}"]
database: {directory}/varde.sqlite
log_level: warning
api: {{keys: ["{key}"]}}
limits: {{memory: 2GiB}}
namespaces:
  - {{name: filled, history_size: 100000, history_bytes: 1GiB}}
  - {{name: timed, history_size: 100}}
"""


class Publisher:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)

    def ask(self, method: str, body: dict) -> None:
        headers = {"X-API-Key": KEY}
        self._connection.request("POST", f"/api/{method}", json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status == 200 and b'"error"' not in text, text[:200]

    def fill(self, count: int) -> None:
        data = "x" * 1024
        for begin in range(0, count, BATCH):
            topic = f"filled:{begin // 50_000}"
            command = {"publish": {"channel": topic, "data": data}}
            self.ask("batch", {"commands": [command] * min(BATCH, count - begin)})

    def times(self, is_over: threading.Event) -> list[float]:
        found = []
        while not is_over.is_set():
            begin = time.perf_counter()
            self.ask("publish", {"channel": "timed:a", "data": len(found)})
            found.append((time.perf_counter() - begin) * 1000)
        return found


def timed(port: int, action) -> tuple[list[float], float]:
    """The milliseconds of each publication while an action runs, and the action's seconds."""
    is_over = threading.Event()
    found: list[list[float]] = []
    thread = threading.Thread(target=lambda: found.append(Publisher(port).times(is_over)))
    thread.start()
    begin = time.perf_counter()
    action()
    seconds = time.perf_counter() - begin
    is_over.set()
    thread.join()
    return found[0], seconds


def row(name: str, milliseconds: list[float]) -> str:
    cuts = statistics.quantiles(milliseconds, n=1000, method="inclusive")
    cells = [f"{len(milliseconds)}"] + [
        f"{value:.2f}" for value in (cuts[499], cuts[989], cuts[998], max(milliseconds))
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--publications", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        text = CONFIGURATION.format(port=port, directory=directory, key=KEY)
        (directory / "varde.yaml").write_text(text)
        hub = subprocess.Popen([VARDE, "serve", "--config", directory / "varde.yaml"])
        try:
            wait_for(port)
            Publisher(port).fill(options.publications)
            without: list[float] = []
            beside: list[float] = []
            durations = []
            for number in range(options.rounds):
                command = [VARDE, "backup", directory / f"{number}.sqlite"]
                command += ["--database", directory / "varde.sqlite"]
                found, seconds = timed(
                    port, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                )
                beside += found
                durations.append(seconds)
                (directory / f"{number}.sqlite").unlink()
                without += timed(port, lambda: time.sleep(seconds))[0]
            megabytes = (directory / "varde.sqlite").stat().st_size / 1e6
        finally:
            hub.terminate()
            hub.wait()
    print(f"database of {megabytes:.0f} MB; a backup takes {statistics.mean(durations):.1f} s")
    print("| publications | count | median ms | p99 ms | p99.9 ms | longest ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(row("without a backup", without))
    print(row("beside a backup", beside))


def wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the hub does not start")


if __name__ == "__main__":
    main()
