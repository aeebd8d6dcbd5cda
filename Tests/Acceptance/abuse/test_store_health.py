"""`/api/health` names the store when it fails, and why."""

import sqlite3
from contextlib import closing

from harness.settings import configuration, namespace, started_hub
from harness.strace import injected


def test_failing_store_is_named_by_health(stage):
    hub = started_hub(stage, configuration(namespace("kept")))
    with injected(hub.process.pid, "pwrite64:error=EIO", "fdatasync:error=EIO"):
        assert "error" in stage.backend(hub.port).call("publish", channel="kept:a", data=1)
        assert_names_the_store(hub, "input or output failed")


def test_store_that_another_process_holds_is_named_by_health(stage):
    hub = started_hub(stage, configuration(namespace("kept")))
    with closing(sqlite3.connect(hub.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "error" in stage.backend(hub.port).call("publish", channel="kept:a", data=1)
        assert_names_the_store(hub, "another process")
        other.execute("ROLLBACK")


def assert_names_the_store(hub, reason):
    health = hub.get("/api/health").json()
    assert health["status"] == "degraded"
    assert "'store'" in str(health) and reason in str(health), health
