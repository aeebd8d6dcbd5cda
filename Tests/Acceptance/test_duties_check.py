"""The checks of a cluster's duties find each planted violation, and nothing in innocent records."""

from dataclasses import replace

import pytest

from harness.duties_check import (
    AlertEvent,
    Erasure,
    Observer,
    Poll,
    Read,
    Received,
    Sight,
    Step,
    Term,
    check_alerts,
    check_erasures,
    check_polls,
    check_presence,
    check_terms,
    check_webhooks,
)

TOPIC, OTHER = "orders:1", "orders:2"


def found(violations):
    return sorted({each.invariant for each in violations})


# Invariant 6


VALUES = {TOPIC: [False, True, True, False, True], OTHER: [True]}
EVENTS = [
    AlertEvent(TOPIC, "one", True),
    AlertEvent(OTHER, "other", True),
    AlertEvent(TOPIC, "one", False),
    AlertEvent(TOPIC, "two", True),
]


def test_alerts_of_all_crossings_are_innocent():
    assert found(check_alerts(VALUES, EVENTS)) == []
    assert found(check_alerts({}, [])) == []
    assert found(check_alerts({TOPIC: [False, False]}, [])) == []


@pytest.mark.parametrize("index", range(len(EVENTS)))
def test_event_of_an_alert_that_is_missing_is_found(index):
    assert found(check_alerts(VALUES, EVENTS[:index] + EVENTS[index + 1 :])) == [6]


@pytest.mark.parametrize("index", range(len(EVENTS)))
def test_event_of_an_alert_that_is_repeated_is_found(index):
    events = EVENTS[: index + 1] + EVENTS[index:]
    assert found(check_alerts(VALUES, events)) == [6]


def test_crossing_that_was_told_twice_is_found():
    """As two leaders would: both events, and then both again."""
    again = [AlertEvent(TOPIC, "again", True), AlertEvent(TOPIC, "again", False)]
    assert found(check_alerts(VALUES, EVENTS[:3] + again + EVENTS[3:])) == [6]


def test_alert_that_is_cleared_under_another_id_is_found():
    events = [*EVENTS[:2], replace(EVENTS[2], alert="wrong"), EVENTS[3]]
    assert found(check_alerts(VALUES, events)) == [6]


def test_alert_that_is_raised_again_under_its_id_is_found():
    assert found(check_alerts(VALUES, [*EVENTS[:3], replace(EVENTS[3], alert="one")])) == [6]


def test_alert_of_a_topic_without_publications_is_found():
    assert found(check_alerts({TOPIC: VALUES[TOPIC]}, EVENTS)) == [6]


def test_terms_that_rise_are_innocent():
    assert found(check_terms([Term(1, "a"), Term(1, "a"), Term(2, "b"), Term(4, "a")])) == []


def test_term_that_goes_back_is_found():
    assert found(check_terms([Term(1, "a"), Term(2, "b"), Term(1, "a")])) == [6]


def test_term_of_two_processes_is_found():
    assert found(check_terms([Term(1, "a"), Term(1, "b")])) == [6]


# Invariant 7


COMMITTED = {TOPIC: ["v1", "v2", "v3"], OTHER: ["v1"]}
RECEIVED = [
    Received("m1", TOPIC, "v1"),
    Received("m2", TOPIC, "v2"),
    Received("m4", OTHER, "v1"),
    Received("m3", TOPIC, "v3"),
]


def test_webhooks_in_order_are_innocent():
    assert found(check_webhooks(COMMITTED, RECEIVED)) == []
    assert found(check_webhooks({}, [])) == []


def test_webhook_that_arrives_again_is_innocent():
    """Also after later ones: the former leader had sent it, and the next did not know that."""
    assert found(check_webhooks(COMMITTED, [*RECEIVED, RECEIVED[0], RECEIVED[1]])) == []


@pytest.mark.parametrize("index", range(len(RECEIVED)))
def test_webhook_that_did_not_arrive_is_found(index):
    assert found(check_webhooks(COMMITTED, RECEIVED[:index] + RECEIVED[index + 1 :])) == [7]


def test_webhooks_of_one_subject_out_of_order_are_found():
    assert found(check_webhooks(COMMITTED, [RECEIVED[1], RECEIVED[0], *RECEIVED[2:]])) == [7]


def test_webhooks_of_two_subjects_have_any_order():
    assert found(check_webhooks(COMMITTED, [RECEIVED[2], *RECEIVED[:2], RECEIVED[3]])) == []


def test_webhook_that_arrives_again_with_another_id_is_found():
    assert found(check_webhooks(COMMITTED, [*RECEIVED, replace(RECEIVED[0], id="m9")])) == [7]


def test_id_of_two_webhooks_is_found():
    received = [*RECEIVED[:3], replace(RECEIVED[3], id="m1")]
    assert found(check_webhooks(COMMITTED, received)) == [7]


def test_webhook_of_what_was_not_committed_is_found():
    assert found(check_webhooks(COMMITTED, [*RECEIVED, Received("m9", TOPIC, "v9")])) == [7]


# Invariant 8


POLLS = [Poll(0.0, "a"), Poll(60.5, "a"), Poll(120.2, "a"), Poll(180.0, "b")]


def test_polls_of_one_node_after_the_other_are_innocent():
    assert found(check_polls(POLLS, interval=60, takeovers=1)) == []
    assert found(check_polls([], interval=60, takeovers=0)) == []


def test_one_more_poll_at_a_takeover_is_innocent():
    assert found(check_polls([*POLLS, Poll(121.0, "b")], interval=60, takeovers=1)) == []


@pytest.mark.parametrize("node", ["a", "b"])
def test_poll_too_many_without_a_takeover_is_found(node):
    assert found(check_polls([*POLLS, Poll(70.0, node)], interval=60, takeovers=0)) == [8]


def test_second_poll_too_many_at_a_takeover_is_found():
    polls = [*POLLS, Poll(121.0, "b"), Poll(122.0, "b")]
    assert found(check_polls(polls, interval=60, takeovers=1)) == [8]


def test_two_nodes_that_poll_all_the_time_are_found():
    polls = [*POLLS, *(Poll(each.at + 30, "c") for each in POLLS)]
    assert found(check_polls(polls, interval=60, takeovers=2)) == [8]


# Invariant 9


EXPECTED = {"one", "two"}
NODES = {"a": {"one", "two"}, "b": {"one", "two"}}
SIGHTS = [
    Sight(Step.SUBSCRIBED),
    Sight(Step.LEFT, "old"),
    Sight(Step.JOINED, "visitor"),
    Sight(Step.LEFT, "visitor"),
    Sight(Step.JOINED, "two"),
]


def observed(sights, **options):
    return found(check_presence(EXPECTED, NODES, [Observer("observer", sights, **options)]))


def test_presence_that_is_right_is_innocent():
    assert observed(SIGHTS) == []
    assert found(check_presence(set(), {"a": set()}, [])) == []


def test_client_that_a_node_does_not_have_is_found():
    assert found(check_presence(EXPECTED, NODES | {"b": {"one"}}, [])) == [9]


def test_client_that_a_node_still_has_is_found():
    assert found(check_presence(EXPECTED, NODES | {"b": EXPECTED | {"left"}}, [])) == [9]


@pytest.mark.parametrize("index", [2, 3])
def test_join_or_leave_that_is_told_twice_is_found(index):
    assert observed(SIGHTS[: index + 1] + SIGHTS[index:]) == [9]


def test_leave_that_is_missing_is_found():
    assert observed([each for each in SIGHTS if each != Sight(Step.LEFT, "visitor")]) == [9]


def test_leave_of_a_client_that_is_there_is_found():
    assert observed([*SIGHTS, Sight(Step.LEFT, "two")]) == [9]


def test_join_and_leave_that_an_observer_has_missed_while_it_was_away_are_innocent():
    sights = [*SIGHTS, Sight(Step.JOINED, "gone"), Sight(Step.SUBSCRIBED)]
    assert observed([*sights, Sight(Step.JOINED, "two")]) == []


def test_observer_that_left_needs_no_leaves():
    sights = [*SIGHTS, Sight(Step.JOINED, "gone")]
    assert observed(sights) == [9]
    assert observed(sights, is_complete=False) == []


# Invariant 11


ERASURE = Erasure(TOPIC, frozenset({"v1", "v2"}), answered=10.0, marker="v4")


def erased(read, *, waits_for_all_nodes):
    return found(check_erasures([ERASURE], [read], waits_for_all_nodes=waits_for_all_nodes))


@pytest.mark.parametrize("requested", [10.0, 30.0])
def test_erased_publication_after_the_answer_is_found(requested):
    read = Read("b", TOPIC, requested, ("v0", "v2"))
    assert erased(read, waits_for_all_nodes=True) == [11]
    assert erased(read, waits_for_all_nodes=False) == []


@pytest.mark.parametrize("waits_for_all_nodes", [False, True])
def test_erased_publication_beside_a_later_one_is_found(waits_for_all_nodes):
    """The request came before the answer, and the node's answer to it later."""
    read = Read("b", TOPIC, 9.9, ("v0", "v2", "v4"))
    assert erased(read, waits_for_all_nodes=waits_for_all_nodes) == [11]


@pytest.mark.parametrize(
    "read",
    [
        Read("b", TOPIC, 9.9, ("v0", "v1", "v2")),
        Read("b", TOPIC, 10.0, ("v0", "v3", "v4")),
        Read("b", OTHER, 10.0, ("v1", "v2", "v4")),
        Read("b", TOPIC, 10.0, ()),
    ],
    ids=["before the answer", "others", "another topic", "nothing"],
)
def test_other_reads_are_innocent(read):
    assert erased(read, waits_for_all_nodes=True) == []
