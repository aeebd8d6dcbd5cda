"""Whether the loops of a process sleep when they have nothing to do."""

import time
from pathlib import Path

# A loop that does not sleep is running or waiting for a processor nearly all the time.
AWAKE_SHARE = 0.5
# Enough to see that a loop sleeps, also on a busy machine: the kernel adds the time of a wait when it ends.
# Only a loop that seems not to sleep is watched for longer.
GLANCE_SECONDS = 0.2
WATCHED_SECONDS = 1.0
WATCHES = 4


def sleepless_loops(pid: int) -> list[str]:
    """The event loops of a process that have not slept for seconds, by their names.

    The time that a loop waits for a processor counts, so the result is the same on a busy machine.
    """
    awake = _awake_loops(pid, GLANCE_SECONDS)
    for _ in range(WATCHES):
        if not awake:
            break
        awake &= _awake_loops(pid, WATCHED_SECONDS)
    return sorted(awake)


def _awake_loops(pid: int, seconds: float) -> set[str]:
    before = _awake_seconds(pid)
    begin = time.monotonic()
    time.sleep(seconds)
    after = _awake_seconds(pid)
    passed = time.monotonic() - begin
    return {
        name
        for (thread, name), used in after.items()
        if used - before.get((thread, name), used) > AWAKE_SHARE * passed
    }


def _awake_seconds(pid: int) -> dict[tuple[str, str], float]:
    """For each event loop, the seconds in which it was running or waiting for a processor."""
    times = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            name = (task / "comm").read_text().strip()
            if not name.startswith("varde-loop") and name != "upstream":
                continue
            running, waiting, _ = (task / "schedstat").read_text().split()
        except (OSError, ValueError):
            # The thread has ended, or the kernel keeps no such numbers.
            continue
        times[task.name, name] = (int(running) + int(waiting)) / 1e9
    return times
