"""Whether the loops of a process sleep when they have nothing to do."""

import time
from pathlib import Path

# One tick of the kernel's clock in a second. A loop that spins gets more of a processor on any machine.
RUNNING_SHARE = 0.01
# Feeds are polled to the end, with the speed of a recording.
POLLING_SHARE = 0.4
# Only a loop that seems not to sleep is watched for longer: it may still end what the test began, such as
# stories of a thousand articles, which took ten seconds.
GLANCE_SECONDS = 0.2
WATCHED_SECONDS = 1.0
WATCHES = 30
POLLING = "upstream"


def sleepless_loops(pid: int) -> dict[str, float]:
    """The event loops of a process that were running in each of several seconds, by their names.

    Each with the part of the last second in which it was running.
    """
    awake = _running_loops(pid, GLANCE_SECONDS)
    for _ in range(WATCHES):
        if not awake:
            break
        now = _running_loops(pid, WATCHED_SECONDS)
        awake = {name: share for name, share in now.items() if name in awake}
    return awake


def _running_loops(pid: int, seconds: float) -> dict[str, float]:
    before = _running_seconds(pid)
    begin = time.monotonic()
    time.sleep(seconds)
    after = _running_seconds(pid)
    passed = time.monotonic() - begin
    shares = {
        name: round((used - before.get((thread, name), used)) / passed, 3)
        for (thread, name), used in after.items()
    }
    return {
        name: share
        for name, share in shares.items()
        if share > (POLLING_SHARE if name == POLLING else RUNNING_SHARE)
    }


def _running_seconds(pid: int) -> dict[tuple[str, str], float]:
    """For each event loop, the seconds in which it was running."""
    times = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            name = (task / "comm").read_text().strip()
            if not name.startswith("varde-loop") and name != POLLING:
                continue
            running, _, _ = (task / "schedstat").read_text().split()
        except (OSError, ValueError):
            # The thread has ended, or the kernel keeps no such numbers.
            continue
        times[task.name, name] = int(running) / 1e9
    return times
