"""A hub that has filled its store starts with less memory than it had."""

from harness.processes import IS_RELEASE
from harness.settings import configuration, namespace, started_hub
from harness.sizes import size

PUBLICATIONS = size("PUBLICATIONS", small=100, full=1200)
PUBLICATION_BYTES = 1_000_000
LESS_MIB = size("LESS_MIB", small=32, full=256)
# Beyond `limits.memory`: code, idle connections, what the allocator keeps.
MEMORY_MIB_BESIDE = 64 if IS_RELEASE else 96


def text(memory_mib):
    return configuration(namespace("kept"), limits=f"{{memory: {memory_mib}MiB}}")


def test_start_needs_no_more_memory_than_the_budget(stage, record_property):
    hub = started_hub(stage, text(4096))
    backend = stage.backend(hub.port)
    for number in range(PUBLICATIONS):
        backend.publish(f"kept:{number}", {"text": "x" * PUBLICATION_BYTES})
    record_property("MiB before", f"{hub.process.peak_memory_mib:.0f}")
    hub.interrupt()

    hub.configure(text(LESS_MIB))
    hub.start()
    assert hub.get("/readyz").status == 200
    record_property("MiB after", f"{hub.process.peak_memory_mib:.0f}")
    assert hub.process.peak_memory_mib <= LESS_MIB + MEMORY_MIB_BESIDE
    # What found no room is a gap; counters go on.
    backend = stage.backend(hub.port)
    for number in (0, PUBLICATIONS - 1):
        assert backend.history(f"kept:{number}")["offset"] == 1
        assert backend.publish(f"kept:{number}", {"number": 2})["offset"] == 2
