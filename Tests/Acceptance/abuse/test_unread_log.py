"""With an unread log the hub serves, and ends on a signal."""

import fcntl
import os
import signal
import time

from harness.crowd import UPGRADE, need_descriptors, read_head
from harness.settings import ENVIRONMENT, configuration, namespace
from harness.waiting import wait_until

CLIENTS = 400
PIPE_BYTES = 4096
DRAIN_SECONDS = 3
# Beyond `drain.timeout`, for the steps that follow it.
STOP_SECONDS_MORE = 10.0


def test_hub_whose_log_is_not_read_serves_and_ends_on_time(stage, record_property):
    need_descriptors(CLIENTS)
    reading, writing = os.pipe()
    stage.ends_with(lambda: os.close(reading))
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    hub = stage.hub(environment=ENVIRONMENT)
    drain = f"{{spread: 1s, timeout: {DRAIN_SECONDS}s}}"
    hub.configure(configuration(namespace("chat"), drain=drain, log_level="trace"))
    run = hub.start(until_ready=False, error=writing)
    os.close(writing)
    wait_until(lambda: is_ready(hub), within=30, what="it is ready")
    crowd = stage.crowd(hub.port)
    for client in crowd.join(CLIENTS, UPGRADE):
        assert read_head(client).startswith(b"HTTP/1.1 101 ")
    position = stage.backend(hub.port).publish("chat:a", {"number": 1})
    assert position["offset"] == 1

    begin = time.monotonic()
    run.signal(signal.SIGTERM)
    run.wait(within=DRAIN_SECONDS + STOP_SECONDS_MORE)
    record_property("seconds to stop", f"{time.monotonic() - begin:.1f}")


def is_ready(hub):
    try:
        return hub.get("/readyz").status == 200
    except OSError:
        return False
