"""Checks what a cluster has to do once, and what all of its nodes have to know.

`history_check` checks publications; these functions check what comes of them, by the same kind of
records, and continue the numbers of its invariants:

6. An alert is raised and cleared once for each crossing of its bound, in the order of the
   publications. Terms of the leader never go back, and each has one node.
7. Each committed webhook arrives at least once, always with its id, and in order within a subject.
8. An upstream is polled by one node: each takeover makes at most one request too many.
9. Presence is the same on all nodes, and right. Joins and leaves alternate.
11. A publication that was erased is returned by no node that has applied the erasure. That is so
    where the node has what was published after the answer, or, if the answer waits for all nodes,
    from the answer on.

Nothing here performs I/O or reads a clock. Requests are sorted; everything else takes linear time.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from .history_check import Violation

# Of an interval: two requests that are nearer to each other are not those of one timer.
EARLY = 0.9


# Invariant 6


@dataclass(frozen=True)
class AlertEvent:
    topic: str
    alert: str
    is_raised: bool


def check_alerts(
    values: dict[str, list[bool]], events: Iterable[AlertEvent]
) -> Iterator[Violation]:
    """`values` has for each topic, in the order of the log, whether the rule's bound was met."""
    told: dict[str, list[AlertEvent]] = defaultdict(list)
    for event in events:
        told[event.topic].append(event)
    for topic in told.keys() - values.keys():
        yield Violation(6, f"alerts of {topic}, which no rule looks at", tuple(told[topic][:2]))
    for topic, states in values.items():
        expected = [now for before, now in zip([False, *states], states) if now != before]
        found = told[topic]
        if [event.is_raised for event in found] != expected:
            what = f"{topic} crossed its bound {len(expected)} times, and has {len(found)} events"
            yield Violation(6, what, tuple(_first_repeated(found)))
        ids = [event.alert for event in found if event.is_raised]
        if len(set(ids)) != len(ids):
            yield Violation(6, f"an alert of {topic} is raised twice", tuple(found))
        for before, event in zip(found, found[1:]):
            if before.is_raised and not event.is_raised and before.alert != event.alert:
                yield Violation(6, "another alert is cleared than was raised", (before, event))


def _first_repeated(events: list[AlertEvent]) -> list[AlertEvent]:
    """The first two in a row that are both raised or both cleared."""
    for before, event in zip(events, events[1:]):
        if before.is_raised == event.is_raised:
            return [before, event]
    return events[-1:]


@dataclass(frozen=True)
class Term:
    """What the lease said at some time."""

    number: int
    process: str


def check_terms(samples: Iterable[Term]) -> Iterator[Violation]:
    """`samples` in the order in which they were read."""
    owners: dict[int, Term] = {}
    newest: Term | None = None
    for term in samples:
        owner = owners.setdefault(term.number, term)
        if owner.process != term.process:
            yield Violation(6, "two processes lead in one term", (owner, term))
        if newest and term.number < newest.number:
            yield Violation(6, "the term goes back", (newest, term))
        newest = max(newest or term, term, key=lambda each: each.number)


# Invariant 7


@dataclass(frozen=True)
class Received:
    """One request of a webhook, in the order of arrival. The value is unique in its subject."""

    id: str
    subject: str
    value: str


def check_webhooks(
    committed: dict[str, list[str]], received: Iterable[Received]
) -> Iterator[Violation]:
    """`committed` has the values of each subject in the order of the log."""
    ids: dict[tuple[str, str], Received] = {}
    messages: dict[str, Received] = {}
    arrived: dict[str, list[Received]] = defaultdict(list)
    places = {
        (subject, value): place
        for subject, values in committed.items()
        for place, value in enumerate(values)
    }
    for each in received:
        name = (each.subject, each.value)
        if name not in places:
            yield Violation(7, "a webhook of what is not in the log", (each,))
            continue
        if name not in ids:
            arrived[each.subject].append(each)
        first = ids.setdefault(name, each)
        if first.id != each.id:
            yield Violation(7, "one publication has two ids", (first, each))
        message = messages.setdefault(each.id, each)
        if (message.subject, message.value) != name:
            yield Violation(7, "one id has two publications", (message, each))
    for subject, found in arrived.items():
        for before, each in zip(found, found[1:]):
            if places[subject, before.value] > places[subject, each.value]:
                yield Violation(7, "arrived after a later one of its subject", (before, each))
    for name in places.keys() - ids.keys():
        yield Violation(7, "committed, and its webhook did not arrive", name)


# Invariant 8


@dataclass(frozen=True)
class Poll:
    at: float
    node: str


def check_polls(
    polls: Iterable[Poll], *, interval: float, takeovers: int
) -> Iterator[Violation]:
    """Of one feed, which every node would poll each `interval` seconds."""
    ordered = sorted(polls, key=lambda each: each.at)
    early = [
        (before, each)
        for before, each in zip(ordered, ordered[1:])
        if each.at - before.at < EARLY * interval
    ]
    if len(early) > takeovers:
        what = f"{len(early)} requests too many, with {takeovers} takeovers"
        yield Violation(8, what, early[-1])


# Invariant 9


class Step(Enum):
    # The observer has subscribed: it does not know who came and left before.
    SUBSCRIBED = "subscribed"
    JOINED = "joined"
    LEFT = "left"


@dataclass(frozen=True)
class Sight:
    step: Step
    client: str = ""


@dataclass
class Observer:
    """What one client saw of others in a topic, in its own order."""

    name: str
    sights: list[Sight] = field(default_factory=list)
    # It saw everything until presence was read.
    is_complete: bool = True


def check_presence(
    expected: set[str], nodes: dict[str, set[str]], observers: Iterable[Observer]
) -> Iterator[Violation]:
    """`expected` are the clients that are there, `nodes` what each node says, at the end."""
    for node, found in nodes.items():
        if missing := expected - found:
            yield Violation(9, f"node {node} does not have clients", tuple(sorted(missing)))
        if left := found - expected:
            yield Violation(9, f"node {node} has clients that left", tuple(sorted(left)))
    for observer in observers:
        latest: dict[str, Sight] = {}
        for sight in observer.sights:
            if sight.step is Step.SUBSCRIBED:
                latest.clear()
                continue
            before = latest.get(sight.client)
            if before and before.step is sight.step:
                what = f"{observer.name} saw a client that {sight.step.value} twice"
                yield Violation(9, what, (sight,))
            latest[sight.client] = sight
        if not observer.is_complete:
            continue
        for client, sight in latest.items():
            if (sight.step is Step.JOINED) != (client in expected):
                what = f"{observer.name} did not see the end of a client's presence or absence"
                yield Violation(9, what, (sight,))


# Invariant 11


@dataclass(frozen=True)
class Erasure:
    """Of publications that had been acknowledged before it was requested."""

    topic: str
    values: frozenset[str]
    answered: float
    # Published after the answer.
    marker: str


@dataclass(frozen=True)
class Read:
    """What a node returned of a topic's history, to a request at some time."""

    node: str
    topic: str
    requested: float
    values: tuple[str, ...]


def check_erasures(
    erasures: Iterable[Erasure], reads: Iterable[Read], *, waits_for_all_nodes: bool
) -> Iterator[Violation]:
    erased: dict[tuple[str, str], Erasure] = {}
    for erasure in erasures:
        for value in erasure.values:
            erased.setdefault((erasure.topic, value), erasure)
    for read in reads:
        for value in read.values:
            erasure = erased.get((read.topic, value))
            if not erasure:
                continue
            is_later = waits_for_all_nodes and read.requested >= erasure.answered
            if is_later or erasure.marker in read.values:
                what = f"node {read.node} returned {value}, which was erased"
                yield Violation(11, what, (erasure, read))
