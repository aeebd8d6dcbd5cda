"""A write-ahead log that is damaged, shortened or gone: what it held is not silently given up.

`SEEDS=200` sets how many damages are tried, `FIRST_SEED` which is the first.
"""

import os
import random
import shutil

import pytest

from harness.crowd import BareSubscriber, connect
from harness.damage import OF_LOGS, copy_store, log_of
from harness.settings import ENVIRONMENT, configuration, namespace, started_hub
from harness.sizes import size

TOPIC = "kept:log"
# In the file when the hub stops, and in the log when it is killed.
IN_FILE, IN_LOG = 200, 20
# A file system that was not synced gives back an older log.
IN_OLDER_LOG = 10
TEXT = configuration(namespace("kept", publish="anyone"))
LOSSES = 'hub_store_losses_total{kind="commits"}'
SEEDS = size("SEEDS", small=12, full=200)
FIRST_SEED = int(os.environ.get("FIRST_SEED") or 1)


@pytest.fixture
def crashed(stage):
    """The files of a hub that was killed, and the epoch of its topic."""
    hub = started_hub(stage, TEXT)
    publish(stage, hub, 1, IN_FILE)
    hub.interrupt()
    hub.start()
    publish(stage, hub, IN_FILE + 1, IN_OLDER_LOG)
    older = stage.directory / "older-log"
    shutil.copy(log_of(hub.database), older)
    publish(stage, hub, IN_FILE + IN_OLDER_LOG + 1, IN_LOG - IN_OLDER_LOG)
    epoch = stage.backend(hub.port).history(TOPIC)["epoch"]
    hub.kill()
    image = stage.directory / "image.sqlite"
    copy_store(hub.database, image)
    return image, older, epoch


def test_damaged_log_loses_no_acknowledged_publication_without_a_new_epoch(
    stage, crashed, record_property
):
    image, _, epoch = crashed
    lost = 0
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        spoil = OF_LOGS[seed % len(OF_LOGS)]
        hub = restored(stage, image, f"seed-{seed}")
        spoil(log_of(hub.database), random.Random(seed))
        hub.start()
        lost += assert_loss_has_a_name(stage, hub, epoch, f"seed {seed}, {spoil.__name__}")
        hub.process.kill()
    record_property("losses", f"{lost} of {SEEDS}")
    assert lost, "no damage did any harm"


def test_older_log_loses_no_acknowledged_publication_without_a_new_epoch(stage, crashed):
    image, older, epoch = crashed
    hub = restored(stage, image, "older")
    shutil.copy(older, log_of(hub.database))
    hub.start()
    assert assert_loss_has_a_name(stage, hub, epoch, "an older log")


def test_whole_log_loses_nothing_and_keeps_the_epoch(stage, crashed):
    image, _, epoch = crashed
    hub = restored(stage, image, "whole")
    hub.start()
    assert not assert_loss_has_a_name(stage, hub, epoch, "a whole log")


def assert_loss_has_a_name(stage, hub, epoch, what):
    """Returns whether the hub began a new epoch; without one, everything has to be there."""
    history = stage.backend(hub.port).history(TOPIC)
    numbers = [each["data"]["number"] for each in history.get("publications", [])]
    newest = IN_FILE + IN_LOG
    with connect(hub.port) as client:
        reply = BareSubscriber(client).subscribe(TOPIC, recover=True, epoch=epoch, offset=newest)
    if history["epoch"] == epoch:
        assert numbers == list(range(1, newest + 1)), f"{what}: lost in the same epoch"
        assert reply.get("recovered"), what
        return False
    assert numbers == list(range(1, len(numbers) + 1)), what
    assert not reply.get("recovered"), f"{what}: a position of the old epoch was recovered"
    assert "committed changes are missing" in hub.process.log, what
    assert stage.metrics(hub.port).sample()[LOSSES] == 1, what
    return True


def restored(stage, image, name):
    hub = stage.hub(name=name, environment=ENVIRONMENT)
    hub.configure(TEXT)
    copy_store(image, hub.database)
    return hub


def publish(stage, hub, first, count):
    """Numbers its publications; each is acknowledged before the next is sent."""
    backend = stage.backend(hub.port)
    for number in range(first, first + count):
        backend.publish(TOPIC, {"number": number})
    backend.close()
