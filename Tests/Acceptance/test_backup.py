"""`varde backup` beside a hub that publishes, and `varde restore`."""

import random
import sqlite3
import stat
import time
from contextlib import closing

from harness.commands import refused, run
from harness.settings import API_KEY
from harness.store import event_log

TOPICS = [f"open:{number}" for number in range(4)]
CONFIGURATION = f"""
api:
  keys: [{API_KEY}]
namespaces:
  - name: open
    history_size: 100000
    anonymous_subscribe: true
"""
RATE = 200
KILLS = 12


def test_backups_under_load_are_whole_and_restore_in_a_new_epoch(stage, record_property):
    hub = busy_hub(stage)
    publishers = stage.companion(
        "publishers", port=hub.port, topics=TOPICS, rate=RATE, through="api", key=API_KEY
    )
    time.sleep(1)
    copies = []
    for number in range(5):
        acknowledged = publishers.ask("state")["acknowledged"]
        copy = stage.directory / f"copy-{number}"
        said = run(stage, "backup", str(copy), "--database", str(hub.database))
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        log = event_log(copy)
        # Every commit that was acknowledged before the backup, no hole, and nothing else.
        for topic in TOPICS:
            offsets = [event.offset for event in log if event.topic == topic]
            assert offsets == list(range(1, len(offsets) + 1))
            assert len(offsets) >= len(acknowledged[topic])
        assert said["publications"] == str(len(log)) and said["damaged_rows"] == "0"
        assert run(stage, "backup", "--verify", str(copy)) | {"file": ""} == said | {"file": ""}
        copies.append(copy)
    answer = publishers.ask("stop")
    assert not answer["complaints"] and not answer["unacknowledged"], answer
    record_property("publications", sum(len(each) for each in answer["acknowledged"].values()))
    assert refused(stage, "restore", str(copies[-1]), "--database", str(hub.database))
    hub.interrupt()
    assert "has data" in refused(
        stage, "restore", str(copies[-1]), "--database", str(hub.database)
    )
    restored = stage.hub(name="restored")
    restored.configure(CONFIGURATION)
    run(stage, "restore", str(copies[-1]), "--database", str(restored.database))
    restored.start()
    assert "store: a backup was restored, began a new epoch" in restored.log
    assert event_log(restored.database) == event_log(copies[-1])


def test_killed_backup_leaves_nothing_that_harms(stage):
    hub = busy_hub(stage)
    fill(hub)
    copy = stage.directory / "copy"
    moments = random.Random(20)
    for number in range(KILLS):
        backup = stage.run(
            f"killed-{number}", "backup", str(copy), "--database", str(hub.database), "--replace"
        )
        # The moments are the point of this test.
        time.sleep(moments.uniform(0, 0.4))
        backup.kill()
        if copy.exists():
            run(stage, "backup", "--verify", str(copy))
    assert hub.process.is_running
    run(stage, "backup", str(copy), "--database", str(hub.database), "--replace")
    left = {path.name for path in stage.directory.glob("copy*")}
    assert left == {"copy"}, left
    with closing(sqlite3.connect(hub.database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    hub.interrupt()


def test_damaged_backups_are_refused(stage):
    hub = busy_hub(stage)
    hub.interrupt()
    copy = stage.directory / "copy"
    run(stage, "backup", str(copy), "--database", str(hub.database))
    assert "not replaced" in refused(stage, "backup", str(copy), "--database", str(hub.database))
    whole = copy.read_bytes()
    moments = random.Random(21)
    other = stage.directory / "other.sqlite"
    for number in range(6):
        place = moments.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[place] ^= 1 << moments.randrange(8)
        copy.write_bytes(flipped if number % 2 else whole[:place])
        assert "damaged: " in refused(stage, "backup", "--verify", str(copy))
        assert "nothing was restored" in refused(
            stage, "restore", str(copy), "--database", str(other)
        )
        assert not other.exists()


def busy_hub(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def fill(hub):
    """So many bytes that a copy takes a moment: 60 MB of rows of the probe's table."""
    with closing(sqlite3.connect(hub.database, timeout=10)) as connection:
        connection.execute("INSERT OR REPLACE INTO probe VALUES (1, randomblob(60000000))")
        connection.commit()
