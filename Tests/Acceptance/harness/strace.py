"""Faults of system calls, injected by strace into a process that runs."""

import contextlib
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .waiting import wait_until

ATTACH_SECONDS = 30.0


@contextlib.contextmanager
def injected(pid: int, *injections: str) -> Iterator[None]:
    """Injects faults, `fdatasync:error=EIO` for example, while the block runs."""
    if not shutil.which("strace"):
        pytest.skip("needs strace")
    calls = ",".join(each.partition(":")[0] for each in injections)
    flags = [part for each in injections for part in ("-e", f"inject={each}")]
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", *flags, "-p", str(pid)],
        stdin=subprocess.DEVNULL,
    )
    try:
        wait_until(
            lambda: tracer.poll() is not None or set(_tracers(pid)) == {tracer.pid},
            within=ATTACH_SECONDS,
            what="strace traces all threads",
        )
        assert tracer.poll() is None, f"strace ended with status {tracer.returncode}"
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(ATTACH_SECONDS)


def _tracers(pid: int) -> list[int]:
    """Which process traces each thread; 0 where none does."""
    found = []
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        with contextlib.suppress(OSError):
            match = re.search(r"^TracerPid:\s+(\d+)$", status.read_text(), re.MULTILINE)
            found += [int(match[1])] if match else []
    return found
