"""Topics in memory depend on memory: a disk that fails or is slow does not concern them."""

import sqlite3
import threading
import time
from contextlib import closing, contextmanager

import pytest

from harness.settings import configuration, namespace, started_hub
from harness.strace import injected
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
DURABLE, MEMORY = "kept:a", "memory:a"
NAMESPACES = (namespace("kept"), namespace("memory", durable=False))
EIO = ("fdatasync:error=EIO", "fsync:error=EIO", "pwrite64:error=EIO")
# What a publication to memory may take on a busy machine, while the disk takes longer than that.
MEMORY_SECONDS_MAX = 1.0
SYNC_SECONDS = 2.0


@pytest.mark.parametrize("fault", ["errors", "lock"])
def test_memory_topics_go_on_while_the_disk_fails_from_the_first_publication(stage, fault):
    hub = started_hub(stage, configuration(*NAMESPACES))
    backend = stage.backend(hub.port)
    with injected(hub.process.pid, *EIO) if fault == "errors" else locked(hub.database):
        assert "error" in stage.backend(hub.port).call("publish", channel=DURABLE, data=1)
        position = backend.publish(MEMORY, {"number": 1})
        assert position["offset"] == 1
        assert backend.publish(MEMORY, {"number": 2})["offset"] == 2
    wait_until(
        lambda: "result" in backend.call("publish", channel=DURABLE, data=1),
        within=PATIENCE_SECONDS,
        what="durable topics go on, too",
    )


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_memory_topics_do_not_wait_for_a_slow_disk(stage, synchronous, record_property):
    hub = started_hub(stage, configuration(*NAMESPACES, synchronous=synchronous))
    backend = stage.backend(hub.port)
    backend.publish(MEMORY, {"number": 0})
    delay = f"fdatasync:delay_exit={int(SYNC_SECONDS * 1e6)}"
    with injected(hub.process.pid, delay), publishing(stage, hub) as is_publishing:
        slowest, deadline = 0.0, time.monotonic() + 2 * SYNC_SECONDS
        while time.monotonic() < deadline:
            begin = time.monotonic()
            backend.publish(MEMORY, {"number": 1})
            slowest = max(slowest, time.monotonic() - begin)
        assert is_publishing()
    record_property("slowest ms", f"{slowest * 1000:.0f}")
    assert slowest <= MEMORY_SECONDS_MAX


@contextmanager
def publishing(stage, hub):
    """A durable publisher, of enough bytes that the log is moved into the file again and again."""
    backend = stage.backend(hub.port, timeout=PATIENCE_SECONDS)
    is_over = threading.Event()
    done = []

    def publish():
        while not is_over.is_set():
            backend.publish(DURABLE, {"text": "x" * 60_000})
            done.append(1)

    thread = threading.Thread(target=publish, daemon=True)
    thread.start()
    try:
        yield thread.is_alive
    finally:
        is_over.set()
        thread.join(PATIENCE_SECONDS)
    assert done, "nothing was published"


@contextmanager
def locked(database):
    """Another process holds the database, as a backup tool may."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")
