"""A store that is gone, empty or owned twice: the hub says so, and acknowledges nothing."""

import os
import sqlite3
from contextlib import closing

import pytest

from harness.processes import Process
from harness.ports import free_port
from harness.settings import ENVIRONMENT, configuration, namespace, started_hub
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
# Documented is one second; a busy machine may take more.
NOTICE_SECONDS = 10.0
TOPIC = "kept:a"
TEXT = configuration(namespace("kept"))


def remove(database):
    for path in files(database):
        path.unlink()


def move_away(database):
    for path in files(database):
        path.rename(path.with_name(f"moved-{path.name}"))


def replace(database):
    """By another file, as a restore under a running hub does it."""
    other = database.with_name("other")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (x)")
    other.rename(database)


def drop_table(database):
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("PRAGMA foreign_keys = OFF")
        other.execute("DROP TABLE publication")


@pytest.mark.parametrize("lose", [remove, move_away, replace, drop_table])
def test_store_that_is_lost_under_a_running_hub_acknowledges_nothing_more(stage, lose):
    hub = started_hub(stage, TEXT)
    backend = stage.backend(hub.port)
    backend.publish(TOPIC, {"number": 1})
    lose(hub.database)
    wait_until(
        lambda: "error" in backend.call("publish", channel=TOPIC, data={"number": 2}),
        within=NOTICE_SECONDS,
        what="publications are refused",
    )
    for _ in range(3):
        assert "error" in backend.call("publish", channel=TOPIC, data={"number": 3})
    health = hub.get("/api/health").json()
    assert health["status"] == "degraded"
    assert "'store'" in str(health), health
    assert str(hub.database) in hub.process.log


@pytest.mark.parametrize("way", ["hard link", "removed lock file"])
def test_second_hub_on_the_same_store_is_refused(stage, way):
    hub = started_hub(stage, TEXT)
    backend = stage.backend(hub.port)
    backend.publish(TOPIC, {"number": 1})
    database = hub.database
    if way == "hard link":
        database = hub.database.with_name("second.sqlite")
        os.link(hub.database, database)
    else:
        (lock,) = hub.database.parent.glob(f"{hub.database.name}-lock*")
        lock.unlink()
    second = serve(stage, "second", database)
    wait_until(
        lambda: not second.is_running or "listening" in second.log,
        within=PATIENCE_SECONDS,
        what="the second hub ends or listens",
    )
    assert not second.is_running, f"two hubs run on one store\n{second.log}"
    assert second.wait() > 0
    assert "in use" in second.log
    backend.publish(TOPIC, {"number": 2})


def test_read_error_at_the_start_is_called_one(stage):
    hub = started_hub(stage, TEXT)
    stage.backend(hub.port).publish(TOPIC, {"number": 1})
    hub.interrupt()
    # The first reads of the file are of its header; the fault begins behind them.
    wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(hub.database)]
    wrapper += ["-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=3+"]
    run = hub.start(until_ready=False, wrapper=wrapper)
    assert run.wait(within=PATIENCE_SECONDS) > 0
    assert "corrupt" not in run.log and "input or output failed" in run.log


def serve(stage, name, database):
    arguments = ["serve", "--listen", f"127.0.0.1:{free_port()}", "--database", str(database)]
    process = Process(name, arguments, stage.directory, environment=ENVIRONMENT)
    stage.ends_with(process.stop)
    return process


def files(database):
    return [
        path
        for path in database.parent.glob(f"{database.name}*")
        if not path.name.endswith("-lock")
    ]
