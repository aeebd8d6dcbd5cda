"""The history checker finds each planted violation, and nothing in innocent histories."""

from dataclasses import replace

import pytest

from harness.history_check import (
    Attempt,
    Began,
    Client,
    Delivered,
    Entry,
    Gap,
    History,
    Outcome,
    Place,
    check,
)

EPOCH, LATER_EPOCH = "e1", "e2"
TOPICS = ["load:a", "load:b"]
COUNT = 6
CURSOR_BASE = 100


def entry_of(topic, number):
    """Number 0, 1, 2 … of a topic. The topics take turns in the order of cursors."""
    cursor = CURSOR_BASE + 1 + len(TOPICS) * number + TOPICS.index(topic)
    return Entry(topic, f"v{number}", EPOCH, number + 1, cursor)


def place_of(entry):
    return Place(entry.epoch, entry.offset)


def delivered(entry, node="n1", *, by_cursor=False):
    place = Place(cursor=entry.cursor) if by_cursor else place_of(entry)
    return Delivered(entry.topic, entry.value, node, place)


@pytest.fixture
def history():
    """An innocent history: two publishers on two nodes, a client of each protocol."""
    log = sorted(
        (entry_of(topic, number) for topic in TOPICS for number in range(COUNT)),
        key=lambda entry: entry.cursor,
    )
    attempts = [
        Attempt(
            entry.topic, entry.value, f"n{1 + moment % 2}", float(moment), Outcome.OK, moment + 0.5,
            place_of(entry),
        )
        for moment, entry in enumerate(log)
    ]
    stream = Client("stream")
    stream.events += [Began(topic, "n1", Place(cursor=CURSOR_BASE)) for topic in TOPICS]
    stream.events += [delivered(entry, by_cursor=True) for entry in log]
    sdk = Client("sdk")
    for topic in TOPICS:
        sdk.events.append(Began(topic, "n2", Place(EPOCH, 0)))
        sdk.events += [delivered(entry, "n2") for entry in log if entry.topic == topic]
    return History(attempts, [stream, sdk], log, {"n1": list(log), "n2": list(log)})


def violated(history):
    return sorted({each.invariant for each in check(history).violations})


def without(client, *values, topic=TOPICS[0]):
    client.events = [
        event
        for event in client.events
        if not (isinstance(event, Delivered) and event.topic == topic and event.value in values)
    ]


def position(client, value, topic=TOPICS[0]):
    """The index of a delivery among the client's events."""
    for index, event in enumerate(client.events):
        if isinstance(event, Delivered) and (event.topic, event.value) == (topic, value):
            return index
    raise AssertionError(value)


def remove_from_log(history, topic, value):
    """As if it had never been committed; what follows in its topic moves up."""
    for log in [history.log, *history.node_logs.values()]:
        log[:] = [each for each in log if (each.topic, each.value) != (topic, value)]


def attempt_of(history, value, topic=TOPICS[0]):
    for index, attempt in enumerate(history.attempts):
        if (attempt.topic, attempt.value) == (topic, value):
            return index, attempt
    raise AssertionError(value)


def with_outcome(history, value, outcome):
    index, attempt = attempt_of(history, value)
    history.attempts[index] = replace(attempt, outcome=outcome, place=Place())


def test_innocent_history_has_no_violation(history):
    report = check(history)
    assert not report.violations, str(report)
    assert not report.ended_epochs and not report.lost


def test_history_without_anything_has_no_violation():
    assert not check(History([], [], [])).violations


# Invariant 1


LAST = f"v{COUNT - 1}"


def test_acknowledged_publication_missing_in_the_log_is_found(history):
    remove_from_log(history, TOPICS[0], LAST)
    for client in history.clients:
        without(client, LAST)
    assert violated(history) == [1]


def test_acknowledgement_of_another_place_than_the_logs_is_found(history):
    index, attempt = attempt_of(history, LAST)
    history.attempts[index] = replace(attempt, place=Place(EPOCH, COUNT + 1))
    assert violated(history) == [1]


def test_publication_that_one_node_does_not_have_is_found(history):
    history.node_logs["n2"].pop()
    assert violated(history) == [1]


def test_delivery_that_the_log_does_not_have_is_found(history):
    with_outcome(history, LAST, Outcome.UNKNOWN)
    remove_from_log(history, TOPICS[0], LAST)
    assert violated(history) == [1]


@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("values", [("v0",), ("v2", "v3"), (LAST,)])
def test_hole_without_a_gap_is_found(history, client, values):
    without(history.clients[client], *values)
    assert violated(history) == [1]


def test_gap_of_another_place_does_not_cover_a_hole(history):
    sdk = history.clients[1]
    index = position(sdk, "v2")
    without(sdk, "v2", "v4")
    sdk.events.insert(index, Gap(TOPICS[0], "n1", Place(EPOCH, 3)))
    assert violated(history) == [1]


def test_client_that_left_needs_nothing_after_its_latest_publication(history):
    without(history.clients[1], "v4", LAST)
    history.clients[1].is_complete = False
    assert violated(history) == []


def test_subscriber_needs_nothing_before_its_beginning(history):
    sdk = history.clients[1]
    without(sdk, "v0", "v1")
    sdk.events[0] = replace(sdk.events[0], after=Place(EPOCH, 2))
    assert violated(history) == []


# Invariant 2


@pytest.mark.parametrize("client", [0, 1])
def test_publication_received_twice_is_found(history, client):
    events = history.clients[client].events
    events.append(events[position(history.clients[client], "v3")])
    assert violated(history) == [2]


def test_publications_received_out_of_order_are_found(history):
    events = history.clients[1].events
    at = position(history.clients[1], "v2")
    events[at], events[at + 1] = events[at + 1], events[at]
    assert violated(history) == [2]


def test_topics_of_a_stream_out_of_the_order_of_cursors_are_found(history):
    """Each topic by itself is in order."""
    events = history.clients[0].events
    at = position(history.clients[0], "v2")
    assert events[at + 1].topic == TOPICS[1]
    events[at], events[at + 1] = events[at + 1], events[at]
    assert violated(history) == [2]


def test_offset_with_two_payloads_on_two_nodes_is_found(history):
    log = history.node_logs["n2"]
    log[2], log[4] = replace(log[2], value=log[4].value), replace(log[4], value=log[2].value)
    assert violated(history) == [2]


def test_offset_with_two_payloads_in_deliveries_is_found(history):
    events = history.clients[1].events
    at = position(history.clients[1], "v2")
    events[at] = replace(events[at], place=Place(EPOCH, 4))
    assert violated(history) == [2]


def test_refused_publication_that_appears_is_found(history):
    with_outcome(history, "v3", Outcome.FAIL)
    assert violated(history) == [2]


def test_refused_publication_that_only_a_client_received_is_found(history):
    history.attempts.append(Attempt(TOPICS[0], "refused", "n1", 50.0, Outcome.FAIL, 51.0))
    history.clients[1].events.append(Delivered(TOPICS[0], "refused", "n2", Place(EPOCH, COUNT + 1)))
    assert violated(history) == [2]


def test_publication_of_no_publisher_is_found(history):
    history.log.append(Entry(TOPICS[0], "phantom", EPOCH, COUNT + 1, CURSOR_BASE + 50))
    for log in history.node_logs.values():
        log.append(history.log[-1])
    for client in history.clients:
        client.is_complete = False
    assert violated(history) == [2]


def test_publication_with_unknown_outcome_that_appears_twice_is_found(history):
    with_outcome(history, "v3", Outcome.UNKNOWN)
    again = Entry(TOPICS[0], "v3", EPOCH, COUNT + 1, CURSOR_BASE + 50)
    for log in [history.log, *history.node_logs.values()]:
        log.append(again)
    for client in history.clients:
        client.is_complete = False
    assert violated(history) == [2]


def test_hole_in_the_offsets_of_the_log_is_found(history):
    with_outcome(history, "v3", Outcome.UNKNOWN)
    remove_from_log(history, TOPICS[0], "v3")
    for client in history.clients:
        without(client, "v3")
    assert violated(history) == [2]


@pytest.mark.parametrize("is_there", [True, False])
def test_publication_with_unknown_outcome_may_be_there_or_not(history, is_there):
    with_outcome(history, LAST, Outcome.UNKNOWN)
    if not is_there:
        remove_from_log(history, TOPICS[0], LAST)
        for client in history.clients:
            without(client, LAST)
    assert violated(history) == []


def test_refused_publication_that_does_not_appear_is_innocent(history):
    history.attempts.append(Attempt(TOPICS[0], "refused", "n1", 50.0, Outcome.FAIL, 51.0))
    assert violated(history) == []


def test_refused_attempt_that_was_repeated_is_innocent(history):
    _, attempt = attempt_of(history, "v3")
    earlier = replace(attempt, outcome=Outcome.FAIL, place=Place(), ended=attempt.invoked)
    history.attempts.append(earlier)
    assert violated(history) == []


# Invariant 3


def test_request_after_an_acknowledgement_that_comes_before_it_in_the_log_is_found(history):
    """On another node, in another topic."""
    index, attempt = attempt_of(history, "v1")
    assert attempt.node != history.attempts[index + 1].node
    history.attempts[index] = replace(attempt, invoked=90.0, ended=91.0)
    assert violated(history) == [3]


def test_unknown_outcome_that_took_effect_before_its_request_is_found(history):
    index, attempt = attempt_of(history, "v1")
    history.attempts[index] = replace(
        attempt, outcome=Outcome.UNKNOWN, place=Place(), invoked=90.0, ended=91.0
    )
    assert violated(history) == [3]


def test_order_is_checked_by_offsets_where_cursors_are_not_known(history):
    history.log[:] = [replace(entry, cursor=None) for entry in history.log]
    history.node_logs.clear()
    del history.clients[0]
    assert violated(history) == []
    index, attempt = attempt_of(history, "v1")
    history.attempts[index] = replace(attempt, invoked=90.0, ended=91.0)
    assert violated(history) == [3]


def test_requests_at_the_same_time_have_any_order(history):
    history.attempts[:] = [
        replace(attempt, invoked=0.0, ended=1.0 - attempt.invoked / 100)
        for attempt in history.attempts
    ]
    assert violated(history) == []


def test_request_at_the_moment_of_an_acknowledgement_has_any_order(history):
    history.attempts[:] = [replace(each, ended=100.0) for each in history.attempts]
    index, attempt = attempt_of(history, "v1")
    history.attempts[index] = replace(attempt, invoked=100.0)
    assert violated(history) == []


# Invariant 4


def gap_of(client, index, through, *, is_new_epoch=False):
    if client == 0:
        since = Place(cursor=entry_of(TOPICS[0], index - 1).cursor if index else CURSOR_BASE)
        through = Place(cursor=entry_of(TOPICS[0], through - 1).cursor)
        return Gap(TOPICS[0], "n1", through, since, is_new_epoch)
    return Gap(TOPICS[0], "n1", Place(EPOCH, through), None, is_new_epoch)


@pytest.mark.parametrize("client", [0, 1])
def test_gap_where_something_is_missing_is_innocent(history, client):
    who = history.clients[client]
    index = position(who, "v2")
    without(who, "v2", "v3")
    who.events.insert(index, gap_of(client, 2, 4))
    assert violated(history) == []


def test_gap_of_a_stream_may_come_behind_what_is_left(history):
    stream = history.clients[0]
    index = position(stream, "v3")
    without(stream, "v2")
    stream.events.insert(index, gap_of(0, 2, 4))
    assert violated(history) == []


def test_gap_of_a_subscription_may_come_before_what_is_left(history):
    sdk = history.clients[1]
    index = position(sdk, "v2")
    without(sdk, "v2")
    sdk.events.insert(index, gap_of(1, 2, 5))
    assert violated(history) == []


@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("through", [2, 5])
def test_gap_where_nothing_is_missing_is_found(history, client, through):
    who = history.clients[client]
    who.events.insert(position(who, "v2"), gap_of(client, 2, through))
    assert violated(history) == [4]


@pytest.mark.parametrize("client", [0, 1])
def test_gap_of_an_epoch_that_did_not_begin_is_found(history, client):
    who = history.clients[client]
    who.events.insert(position(who, "v2"), gap_of(client, 2, 3, is_new_epoch=True))
    assert violated(history) == [4]


# Invariant 5


def with_key(history, value, key="k"):
    index, attempt = attempt_of(history, value)
    history.attempts[index] = replace(attempt, key=key)
    return history.attempts[index]


def test_key_sent_to_two_nodes_is_one_publication(history):
    attempt = with_key(history, "v3")
    history.attempts.append(replace(attempt, value="other", node="n1"))
    history.attempts.append(replace(attempt, value="third", outcome=Outcome.UNKNOWN, place=Place()))
    history.attempts.append(replace(attempt, outcome=Outcome.FAIL, place=Place()))
    assert violated(history) == []


def test_key_that_made_two_publications_is_found(history):
    attempt = with_key(history, "v3")
    twice = replace(attempt, value="v4", node="n1")
    index, _ = attempt_of(history, "v4")
    history.attempts[index] = replace(history.attempts[index], key="k", place=twice.place)
    assert violated(history) == [5]


def test_key_that_made_the_same_payload_twice_is_found(history):
    with_key(history, LAST)
    again = Entry(TOPICS[0], LAST, EPOCH, COUNT + 1, CURSOR_BASE + 50)
    for log in [history.log, *history.node_logs.values()]:
        log.append(again)
    for client in history.clients:
        client.is_complete = False
    assert violated(history) == [5]


def test_key_that_was_acknowledged_at_two_places_is_found(history):
    attempt = with_key(history, LAST)
    history.attempts.append(replace(attempt, node="n1", place=Place(EPOCH, COUNT + 1)))
    assert violated(history) == [5]


def test_key_that_was_acknowledged_and_is_not_in_the_log_is_found(history):
    attempt = with_key(history, LAST)
    history.attempts.append(replace(attempt, node="n1", value="other"))
    remove_from_log(history, TOPICS[0], LAST)
    for client in history.clients:
        without(client, LAST)
    assert violated(history) == [1]


def test_one_key_in_two_topics_is_two_publications(history):
    with_key(history, "v3")
    index, attempt = attempt_of(history, "v3", TOPICS[1])
    history.attempts[index] = replace(attempt, key="k")
    assert violated(history) == []


# Epochs


LOST = ["v4", LAST]


@pytest.fixture
def failed_over(history):
    """The log has lost the newest of topic a, of which one client had some, and goes on."""
    for value in LOST:
        remove_from_log(history, TOPICS[0], value)
    leap = 1_000_000
    later = Entry(TOPICS[0], "later", LATER_EPOCH, COUNT - 1, CURSOR_BASE + leap)
    for log in [history.log, *history.node_logs.values()]:
        log.append(later)
        log[:] = [replace(entry, epoch=LATER_EPOCH) for entry in log]
    history.attempts.append(
        Attempt(TOPICS[0], "later", "n2", 50.0, Outcome.OK, 51.0, place_of(later))
    )
    stream, sdk = history.clients
    for topic in TOPICS:
        sdk.events.append(
            Gap(topic, "n1", Place(LATER_EPOCH, COUNT - 2), None, is_new_epoch=True)
        )
        through = Place(cursor=CURSOR_BASE + leap - 1)
        stream.events.append(Gap(topic, "n1", through, Place(cursor=120), is_new_epoch=True))
    sdk.events.append(delivered(later, "n1"))
    stream.events.append(delivered(later, "n1", by_cursor=True))
    return history


def test_publications_lost_with_their_epoch_are_listed(failed_over):
    report = check(failed_over)
    assert not report.violations, str(report)
    assert report.ended_epochs == {topic: {EPOCH} for topic in TOPICS}
    assert [attempt.value for attempt in report.lost] == LOST


@pytest.mark.parametrize(("last", "violations"), [(LAST, []), ("v3", [4])])
def test_node_that_never_had_what_was_lost_reports_a_gap(failed_over, last, violations):
    """One in the epoch that has ended, to a client that comes from the node that had it."""
    sdk = failed_over.clients[1]
    gap = Gap(TOPICS[0], "n2", Place(EPOCH, COUNT - 2))
    sdk.events.insert(position(sdk, last) + 1, gap)
    assert violated(failed_over) == violations


def test_client_that_began_behind_the_kept_part_needs_all_of_the_later_epoch(failed_over):
    """The later epoch has other publications at the offsets of the lost ones."""
    sdk = failed_over.clients[1]
    sdk.events[0] = replace(sdk.events[0], after=Place(EPOCH, COUNT))
    without(sdk, *(f"v{number}" for number in range(COUNT)))
    assert violated(failed_over) == []
    without(sdk, "later")
    assert violated(failed_over) == [1]


@pytest.mark.parametrize("client", [0, 1])
def test_loss_without_a_gap_is_found(failed_over, client):
    who = failed_over.clients[client]
    who.events = [event for event in who.events if not isinstance(event, Gap)]
    assert violated(failed_over) == [1]


def test_loss_in_the_epoch_that_goes_on_is_found(failed_over):
    index, attempt = attempt_of(failed_over, LAST)
    failed_over.attempts[index] = replace(attempt, place=Place(LATER_EPOCH, COUNT))
    assert violated(failed_over) == [1]


def test_violation_names_its_records(history):
    without(history.clients[1], "v2", "v3")
    text = str(check(history))
    assert "invariant 1: sdk: 2 publications missing without a gap" in text
    assert "'v2'" in text and "'v3'" in text and "'v1'" in text and "'v4'" in text
