"""A database that is missing or empty at the start is announced, and begins another epoch."""

from harness.settings import configuration, namespace, started_hub

TOPIC = "kept:a"
TEXT = configuration(namespace("kept"))
NEW, GONE = "store: new database", "store: database is gone or empty"


def test_first_start_announces_a_new_database_and_the_second_does_not(stage):
    hub = started_hub(stage, TEXT)
    assert NEW in hub.process.log and GONE not in hub.process.log
    hub.interrupt()
    hub.start()
    assert NEW not in hub.process.log and GONE not in hub.process.log


def test_removed_database_begins_another_epoch_with_a_warning(stage):
    hub, epoch = hub_that_stopped(stage)
    hub.database.unlink()
    assert_begins_from_nothing(stage, hub, epoch)


def test_emptied_database_begins_another_epoch_with_a_warning(stage):
    hub, epoch = hub_that_stopped(stage)
    hub.database.write_bytes(b"")
    assert_begins_from_nothing(stage, hub, epoch)


def hub_that_stopped(stage):
    """A hub whose store has a publication, and the epoch of that."""
    hub = started_hub(stage, TEXT)
    epoch = stage.backend(hub.port).publish(TOPIC, {"number": 1})["epoch"]
    hub.interrupt()
    return hub, epoch


def assert_begins_from_nothing(stage, hub, epoch):
    hub.start()
    assert GONE in hub.process.log
    metrics = stage.metrics(hub.port).sample()
    assert metrics['hub_store_losses_total{kind="database"}'] == 1
    backend = stage.backend(hub.port)
    assert backend.publish(TOPIC, {"number": 1})["epoch"] != epoch
    since = {"offset": 1, "epoch": epoch}
    answer = backend.call("history", channel=TOPIC, limit=1, since=since)
    assert answer["error"]["code"] == 112, answer
