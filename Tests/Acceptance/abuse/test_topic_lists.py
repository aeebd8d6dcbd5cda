"""The RPC `hub.topics` of many clients does not delay other clients."""

from harness.attackers import ACCEPTED, Attackers, attacking
from harness.others import Others, namespace_of_others
from harness.processes import IS_RELEASE
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.sizes import size

# A debug build takes minutes to make more.
TOPICS = size("LISTED_TOPICS", small=150_000 if IS_RELEASE else 20_000, full=250_000)
ATTACKERS = size("LISTERS", small=16 if IS_RELEASE else 2, full=100)
BATCH = 1000


def test_lists_of_topics_delay_nobody_else(stage, record_property):
    text = configuration(
        namespace_of_others(),
        namespace("open", durable=False, history_size=1, max_topics=TOPICS),
        tokens=TOKENS,
        limits="{memory: 1GiB}",
    )
    hub = started_hub(stage, text)
    backend = stage.backend(hub.port)
    for first in range(0, TOPICS, BATCH):
        names = [f"open:{number}" for number in range(first, first + BATCH)]
        assert "result" in backend.call("broadcast", channels=names, data=1)
    others = Others(stage, hub)
    crowd = Attackers(hub.port, ATTACKERS, addresses=ATTACKERS)
    stage.ends_with(crowd.leave)

    def attack(attacker, is_over):
        while not is_over.is_set():
            attacker.ask([{"rpc": {"method": "hub.topics", "data": {}}}])

    others.begin()
    with attacking(attack, crowd.all):
        others.end(record_property)
    outcomes = sum((each.outcomes for each in crowd.all), start=crowd.all[0].outcomes.__class__())
    record_property("lists", outcomes[ACCEPTED] - ATTACKERS)
