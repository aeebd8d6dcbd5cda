"""Subscribers to topics without publications take no places of other namespaces."""

from harness.attackers import ACCEPTED, Attackers
from harness.crowd import need_descriptors
from harness.others import Others, namespace_of_others
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.sizes import IS_FULL, size

SUBSCRIPTIONS = 500
# Of one loop; together the attackers ask for four times as many.
PLACES = 100_000 if IS_FULL else 4000
ATTACKERS = size("ATTACKERS", small=64, full=1600)


def test_anonymous_subscribers_leave_places_for_other_namespaces(stage, record_property):
    need_descriptors(ATTACKERS)
    text = configuration(
        namespace_of_others(),
        namespace("open"),
        tokens=TOKENS,
        limits=f"{{unpublished_topics: {PLACES}}}",
    )
    hub = started_hub(stage, text)
    others = Others(stage, hub)
    crowd = Attackers(hub.port, ATTACKERS, addresses=ATTACKERS)
    stage.ends_with(crowd.leave)
    others.begin()
    for number, each in enumerate(crowd.all):
        names = (f"open:{number}-{topic}" for topic in range(SUBSCRIPTIONS))
        each.ask({"subscribe": {"channel": name}} for name in names)
    accepted = sum(each.outcomes[ACCEPTED] for each in crowd.all)
    record_property("accepted", f"{accepted} of {ATTACKERS * SUBSCRIPTIONS}")
    others.end(record_property)
