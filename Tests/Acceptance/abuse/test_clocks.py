"""A wall clock that jumps erases nothing until the monotonic clock confirms it."""

import time

import pytest

from harness.settings import ENVIRONMENT, configuration, namespace
from harness.shifted_clock import ShiftedClock
from harness.sizes import IS_FULL
from harness.waiting import wait_until

TOPIC = "kept:a"
PUBLICATIONS = 20
DAY_SECONDS = 86_400
# What is beyond its age goes within a minute.
TRIM_SECONDS = 75.0


@pytest.mark.skipif(not IS_FULL, reason="takes more than a minute")
def test_clock_that_is_a_day_ahead_for_a_while_erases_no_history(stage):
    clock = ShiftedClock(stage.directory)
    hub = stage.hub(environment=ENVIRONMENT | clock.environment)
    hub.configure(configuration(namespace("kept", history_age="1h")))
    hub.start()
    backend = stage.backend(hub.port)
    for number in range(PUBLICATIONS):
        backend.publish(TOPIC, {"number": number})
    clock.shift(DAY_SECONDS)
    end = time.monotonic() + TRIM_SECONDS
    wait_until(lambda: time.monotonic() > end, within=2 * TRIM_SECONDS, what="a trim is over")
    clock.shift(0)
    assert len(stage.backend(hub.port).history(TOPIC)["publications"]) == PUBLICATIONS
    hub.interrupt()
    hub.start()
    assert len(stage.backend(hub.port).history(TOPIC)["publications"]) == PUBLICATIONS
