"""Clients that may publish fill neither the table of topics nor the memory of others."""

from harness.attackers import ACCEPTED, Attackers
from harness.crowd import need_descriptors
from harness.others import Others, namespace_of_others
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.sizes import IS_FULL, size

ATTACKERS = size("ATTACKERS", small=20, full=1000)
# More than there ever were places for all namespaces together.
TOPICS = size("TOPICS", small=264_000, full=2_640_000)
HISTORY_BYTES = size("HISTORY_MIB", small=180, full=3500) << 20
PUBLICATION_BYTES = 50_000
MEMORY_MIB = 256 if IS_FULL else 64
# Of one connection at a time.
COMMANDS = 900


def start(stage):
    text = configuration(
        namespace_of_others(durable=False),
        namespace("open", publish="anyone", durable=False),
        tokens=TOKENS,
        limits=f"{{memory: {MEMORY_MIB}MiB}}",
    )
    return started_hub(stage, text)


def attackers(stage, hub):
    need_descriptors(ATTACKERS)
    crowd = Attackers(hub.port, ATTACKERS, addresses=ATTACKERS)
    stage.ends_with(crowd.leave)
    return crowd.all


def test_publishing_clients_leave_memory_topics_for_other_namespaces(stage, record_property):
    hub = start(stage)
    others = Others(stage, hub)
    backend = stage.backend(hub.port)
    crowd = attackers(stage, hub)
    others.begin()
    for first in range(0, TOPICS, COMMANDS):
        each = crowd[first // COMMANDS % ATTACKERS]
        names = (f"open:{number}" for number in range(first, first + COMMANDS))
        found = each.ask({"publish": {"channel": name, "data": 1}} for name in names)
        if not found[ACCEPTED]:
            break
    record_property("topics", sum(each.outcomes[ACCEPTED] for each in crowd))
    assert backend.publish("others:first-seen", {"number": 1})["offset"] == 1
    assert backend.publish("open:of-the-back-end", {"number": 1})["offset"] == 1
    others.end(record_property)
    others.assert_memory(MEMORY_MIB, record_property)


def test_histories_hold_no_more_than_the_budget(stage, record_property):
    hub = start(stage)
    others = Others(stage, hub)
    crowd = attackers(stage, hub)
    others.begin()
    data = "x" * PUBLICATION_BYTES
    for number in range(HISTORY_BYTES // PUBLICATION_BYTES):
        each = crowd[number % ATTACKERS]
        each.ask([{"publish": {"channel": f"open:{number % 100}", "data": data}}])
    record_property("accepted", sum(each.outcomes[ACCEPTED] for each in crowd))
    assert stage.backend(hub.port).publish("others:first-seen", {"number": 1})["offset"] == 1
    others.end(record_property)
    others.assert_memory(MEMORY_MIB, record_property)
