"""`make cluster`: the demo of several nodes starts, survives kills, and ends all its processes."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from harness.ports import free_port
from harness.postgres import is_missing
from harness.processes import BINARY, REPOSITORY
from harness.waiting import wait_until

pytestmark = pytest.mark.skipif(is_missing(), reason="PostgreSQL is not installed")

PATIENCE_SECONDS = 60.0
TOPIC = "demo:ticks"
SOME = 3


def test_demo_survives_its_kills_and_leaves_nothing(stage):
    ports = [free_port() for _ in range(4)]
    environment = {"PORTS": ",".join(map(str, ports)), "VARDE": str(BINARY)}
    output = stage.directory / "demo.out"
    with output.open("wb") as file:
        demo = subprocess.Popen(
            [REPOSITORY / "demo" / "cluster.py"],
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )

    def end():
        demo.send_signal(signal.SIGINT)
        return demo.wait(PATIENCE_SECONDS)

    stage.ends_with(end)
    wait_until(
        lambda: "Ctrl-C ends everything" in output.read_text() or demo.poll() is not None,
        within=PATIENCE_SECONDS,
        what="the demo has started",
    )
    assert demo.poll() is None, output.read_text()
    processes = dict(re.findall(r"kill -9 (\d+) +# ([a-z ]+)", output.read_text()))
    assert {"postgresql", "node a", "node b", "node c"} <= set(processes.values())
    stream = stage.event_stream(ports[2], [TOPIC])
    wait_for_more(stream)
    for pid, name in processes.items():
        if name in ("postgresql", "node a"):
            os.kill(int(pid), signal.SIGKILL)
    wait_until(
        lambda: len(re.findall("runs again:", output.read_text())) >= 2,
        within=PATIENCE_SECONDS,
        what="the killed processes run again",
    )
    wait_for_more(stream)
    numbers = [event.json()["number"] for event in stream.events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert not stream.gaps
    started = [int(pid) for pid in re.findall(r"kill -9 (\d+)", output.read_text())]
    assert end() == 0, output.read_text()
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def wait_for_more(stream):
    before = len(stream.events)
    wait_until(
        lambda: len(stream.events) >= before + SOME,
        within=PATIENCE_SECONDS,
        what=f"{SOME} more publications",
    )
