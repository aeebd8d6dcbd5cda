"""Checks the answers to publishers and the deliveries to subscribers of a cluster against its log.

A harness records three kinds of facts and gives them to `check`:

- `Attempt`: one request to publish a value, with its outcome. A value is unique in its topic,
  except that attempts with the same idempotency key are one publication, whatever their values.
- `Client`: what one subscriber received, in its own order, on whatever nodes.
- `Entry`: one publication of the final log, as the database has it and as each node returns it.

`check` returns the violations of these invariants:

1. Acknowledged publications are in the log at their place, on every node, and every subscriber has
   received everything in the log after its beginning, or a gap in its place.
2. An offset of a topic and epoch has one payload. No subscriber receives a publication twice or out
   of order. Refused publications never appear, those with an unknown outcome at most once.
3. If the acknowledgement of A came before the request of B, A is before B in the log.
4. Subscribers receive a gap only where something is missing.
5. An idempotency key makes one publication.

A store that may have lost commits begins an epoch. `check` does not count that as a violation: a
publication that was acknowledged in an epoch that has ended may be missing, and its subscribers
must receive a gap. `Report.ended_epochs` and `Report.lost` have these for tests in which nothing
may be lost.

Nothing here performs I/O or reads a clock. Times are sorted; everything else takes linear time.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from typing import Any

SHOWN_VIOLATIONS = 20


class Outcome(Enum):
    OK = "ok"
    # Refused before anything was stored.
    FAIL = "fail"
    # The connection broke, or the answer was that the commit may have happened.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Place:
    """A place in the log, by the coordinates that the client protocol or an event stream has."""

    epoch: str | None = None
    offset: int | None = None
    cursor: int | None = None


@dataclass(frozen=True)
class Attempt:
    topic: str
    value: str
    node: str
    # Of one clock for all publishers.
    invoked: float
    outcome: Outcome
    ended: float = math.inf
    # Of the acknowledgement.
    place: Place = Place()
    key: str | None = None


@dataclass(frozen=True)
class Entry:
    topic: str
    value: str
    epoch: str
    offset: int
    cursor: int | None = None


@dataclass(frozen=True)
class Began:
    """A first subscription: publications after `after` follow."""

    topic: str
    node: str
    after: Place


@dataclass(frozen=True)
class Delivered:
    topic: str
    value: str
    node: str
    place: Place


@dataclass(frozen=True)
class Gap:
    """The report of a gap. Without `since` it begins after the latest publication received."""

    topic: str
    node: str
    through: Place
    since: Place | None = None
    # The hub does not have the client's position at all.
    is_new_epoch: bool = False


@dataclass
class Client:
    name: str
    events: list[Began | Delivered | Gap] = field(default_factory=list)
    # It was connected until the end of the log. Otherwise it has until its latest publication.
    is_complete: bool = True


@dataclass
class History:
    attempts: list[Attempt]
    clients: list[Client]
    # In the order of the log.
    log: list[Entry]
    # By node, what the node returns at the end.
    node_logs: dict[str, list[Entry]] = field(default_factory=dict)


@dataclass(frozen=True)
class Violation:
    invariant: int
    what: str
    records: tuple[Any, ...]

    def __str__(self) -> str:
        return "\n    ".join([f"invariant {self.invariant}: {self.what}", *map(str, self.records)])


@dataclass
class Report:
    violations: list[Violation]
    # By topic, epochs of acknowledgements and deliveries that are not the log's.
    ended_epochs: dict[str, set[str]]
    # Acknowledged in an epoch that has ended, and not in the log.
    lost: list[Attempt]

    def __str__(self) -> str:
        shown = [str(each) for each in self.violations[:SHOWN_VIOLATIONS]]
        return "\n".join([f"{len(self.violations)} violations", *shown])


def check(history: History) -> Report:
    return _Check(history).report()


class _Publication:
    """All attempts to publish one value, or with one idempotency key."""

    def __init__(self, name: str, is_keyed: bool) -> None:
        self.name = name
        self.is_keyed = is_keyed
        self.attempts: list[Attempt] = []
        self.entry: Entry | None = None

    @property
    def is_refused(self) -> bool:
        return all(each.outcome is Outcome.FAIL for each in self.attempts)

    @property
    def invariant(self) -> int:
        """The one that a second publication violates."""
        return 5 if self.is_keyed else 2

    @property
    def acknowledgements(self) -> Iterator[Attempt]:
        return (each for each in self.attempts if each.outcome is Outcome.OK)


class _TopicLog:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.index: dict[str, int] = {}
        self._offsets: list[int] = []
        self._cursors: list[int] = []
        # By epoch, the number of entries up to the last one that is known to be from it.
        self._kept: dict[str | None, int] = defaultdict(int)

    def append(self, entry: Entry) -> None:
        self.index.setdefault(entry.value, len(self.entries))
        self.entries.append(entry)
        self._offsets.append(entry.offset)
        if entry.cursor is not None:
            self._cursors.append(entry.cursor)

    @property
    def epoch(self) -> str | None:
        return self.entries[-1].epoch if self.entries else None

    def passed(self, place: Place) -> int:
        """The number of entries at a place and before it."""
        if place.cursor is not None:
            assert len(self._cursors) == len(self.entries), "streams need a log with cursors"
            return bisect_right(self._cursors, place.cursor)
        passed = bisect_right(self._offsets, place.offset or 0)
        # Later offsets of an ended epoch are those of other publications here.
        return passed if place.epoch == self.epoch else min(passed, self._kept[place.epoch])

    def note(self, value: str, place: Place) -> None:
        """Takes a place that a publication had, perhaps in an epoch that has ended."""
        index = self.index.get(value)
        if index is not None and self._offsets[index] == place.offset:
            self._kept[place.epoch] = max(self._kept[place.epoch], index + 1)


class _Check:
    def __init__(self, history: History) -> None:
        self.history = history
        self.violations: list[Violation] = []
        self.lost: list[Attempt] = []
        self.topics: dict[str, _TopicLog] = defaultdict(_TopicLog)
        for entry in history.log:
            self.topics[entry.topic].append(entry)
        self.publications: list[_Publication] = []
        self.by_value: dict[tuple[str, str], _Publication] = {}
        self._collect_publications()
        self.ended_epochs = self._find_ended_epochs()

    def report(self) -> Report:
        self._check_log()
        self._check_claims()
        self._check_acknowledgements()
        self._check_node_logs()
        self._check_order()
        for client in self.history.clients:
            _ClientCheck(self, client).run()
        self.violations.sort(key=lambda each: each.invariant)
        return Report(self.violations, self.ended_epochs, self.lost)

    def violated(self, invariant: int, what: str, *records: Any) -> None:
        self.violations.append(Violation(invariant, what, records))

    def _collect_publications(self) -> None:
        by_key: dict[tuple[str, str], _Publication] = {}
        for attempt in self.history.attempts:
            name = (attempt.topic, attempt.value)
            publication = by_key.get((attempt.topic, attempt.key)) if attempt.key else None
            publication = publication or self.by_value.get(name)
            if publication is None:
                publication = _Publication(attempt.key or attempt.value, attempt.key is not None)
                self.publications.append(publication)
            if attempt.key:
                by_key[attempt.topic, attempt.key] = publication
            self.by_value[name] = publication
            publication.attempts.append(attempt)

    def _find_ended_epochs(self) -> dict[str, set[str]]:
        seen: dict[str, set[str]] = defaultdict(set)
        for record in [*self.history.attempts, *self._deliveries()]:
            if record.place.epoch:
                seen[record.topic].add(record.place.epoch)
                self.topics[record.topic].note(record.value, record.place)
        ended = {topic: epochs - {self.topics[topic].epoch} for topic, epochs in seen.items()}
        return {topic: epochs for topic, epochs in ended.items() if epochs}

    def _deliveries(self) -> Iterator[Delivered]:
        for client in self.history.clients:
            yield from (each for each in client.events if isinstance(each, Delivered))

    # Of the log by itself

    def _check_log(self) -> None:
        for topic in self.topics.values():
            for last, entry in zip(topic.entries, topic.entries[1:], strict=False):
                if entry.offset != last.offset + 1:
                    self.violated(2, "offsets of the log have a hole or go back", last, entry)
        with_cursors = [entry for entry in self.history.log if entry.cursor is not None]
        for last, entry in zip(with_cursors, with_cursors[1:], strict=False):
            if entry.cursor <= last.cursor:
                self.violated(2, "cursors of the log go back", last, entry)
        for entry in self.history.log:
            publication = self.by_value.get((entry.topic, entry.value))
            if publication is None:
                self.violated(2, "the log has what no publisher sent", entry)
            elif publication.is_refused:
                self.violated(2, "the log has a refused publication", entry, *publication.attempts)
            elif publication.entry is None:
                publication.entry = entry
            else:
                name = "key" if publication.is_keyed else "value"
                what = f"the log has two publications of {name} {publication.name}"
                self.violated(publication.invariant, what, publication.entry, entry)

    # Of the places in all records

    def _check_claims(self) -> None:
        """One place has one payload, and one publication one place, whoever reports it."""
        payloads: dict[Any, tuple[str, Any]] = {}
        owners: dict[Any, tuple[_Publication, Any]] = {}
        places: dict[Any, tuple[Any, Any]] = {}
        for topic, value, place, record in self._claims():
            publication = self.by_value.get((topic, value))
            for name, at, scope in _coordinates(topic, place):
                if not isinstance(record, Attempt):
                    payload = f"{topic} {value}"
                    said, other = payloads.setdefault((name, at, scope), (payload, record))
                    if said != payload:
                        self.violated(2, f"{name} {at} has two payloads", other, record)
                        continue
                if publication is None:
                    continue
                owner, other = owners.setdefault((name, at, scope), (publication, record))
                if owner is not publication:
                    self.violated(2, f"{name} {at} has two publications", other, record)
                if isinstance(record, Attempt) and not publication.is_keyed:
                    continue  # `_check_acknowledgements` compares it with the log.
                known, other = places.setdefault((name, scope, id(publication)), (at, record))
                if known != at:
                    what = f"{publication.name} has two places: {name} {known} and {at}"
                    self.violated(publication.invariant, what, other, record)

    def _claims(self) -> Iterator[tuple[str, str, Place, Any]]:
        for log in [self.history.log, *self.history.node_logs.values()]:
            for each in log:
                yield each.topic, each.value, Place(each.epoch, each.offset, each.cursor), each
        for each in self.history.attempts:
            if each.outcome is Outcome.OK:
                yield each.topic, each.value, each.place, each
        for each in self._deliveries():
            yield each.topic, each.value, each.place, each

    def _check_acknowledgements(self) -> None:
        for publication in self.publications:
            for attempt in publication.acknowledgements:
                entry, place = publication.entry, attempt.place
                if entry is None:
                    if place.epoch in self.ended_epochs.get(attempt.topic, ()):
                        self.lost.append(attempt)
                    else:
                        self.violated(1, "acknowledged, and not in the log", attempt)
                    continue
                # A key's places have been compared within an epoch.
                is_compared = publication.is_keyed and entry.epoch == place.epoch
                if entry.offset != place.offset and not is_compared:
                    self.violated(1, "acknowledged at another place than the log's", attempt, entry)

    def _check_node_logs(self) -> None:
        for node, entries in self.history.node_logs.items():
            there = {(each.topic, each.value) for each in entries}
            for entry in self.history.log:
                if (entry.topic, entry.value) not in there:
                    self.violated(1, f"node {node} does not have it at the end", entry)
            for each in entries:
                if each.value not in self.topics[each.topic].index:
                    self.violated(1, f"node {node} has what the log does not have", each)

    # Of real time

    def _check_order(self) -> None:
        has_cursors = all(entry.cursor is not None for entry in self.history.log)
        moments: list[tuple[float, int, _Publication]] = []
        for each in self.publications:
            if each.entry:
                moments.append((min(one.invoked for one in each.attempts), 0, each))
                ends = [one.ended for one in each.acknowledgements]
                moments += [(min(ends), 1, each)] if ends else []
        # Of two at one moment, neither came before the other.
        moments.sort(key=lambda moment: moment[:2])
        newest: dict[str, tuple[int, _Publication]] = {}
        for _, is_end, publication in moments:
            entry = publication.entry
            scope, at = ("", entry.cursor) if has_cursors else (entry.topic, entry.offset)
            floor, before = newest.get(scope, (-1, publication))
            if is_end and at > floor:
                newest[scope] = (at, publication)
            elif not is_end and at <= floor:
                what = "requested after the other was acknowledged, and before it in the log"
                self.violated(3, what, *publication.attempts, entry, *before.attempts, before.entry)


def _coordinates(topic: str, place: Place) -> Iterable[tuple[str, int, Any]]:
    """What a place is called, its number, and where this number is unique."""
    if place.epoch and place.offset:
        yield "offset", place.offset, (topic, place.epoch)
    if place.cursor is not None:
        yield "cursor", place.cursor, None


class _Course:
    """One client's way through the log of one topic."""

    def __init__(self, topic: _TopicLog, began: Began) -> None:
        self.began = began
        self.start = self.at = topic.passed(began.after)
        self.received: dict[int, Delivered] = {}
        # With the number of entries that it begins and ends after, and whether the log has lost what
        # the client had received last. Then a node of the ended epoch may not have had it either.
        self.gaps: list[tuple[Gap, int, int, bool]] = []
        # The newest one that the log has lost, until a gap was reported.
        self.loss: Delivered | None = None


class _ClientCheck:
    def __init__(self, whole: _Check, client: Client) -> None:
        self.whole, self.client = whole, client
        self.courses: dict[str, _Course] = {}
        # The latest with a cursor, of all topics.
        self.latest: Delivered | None = None

    def run(self) -> None:
        for event in self.client.events:
            if isinstance(event, Began):
                topic = self.whole.topics[event.topic]
                self.courses.setdefault(event.topic, _Course(topic, event))
                continue
            course = self.courses.get(event.topic)
            if course is None:
                self._violated(2, "of a topic that it has not subscribed to", event)
            elif isinstance(event, Gap):
                self._take_gap(course, event)
            else:
                self._take(course, event)
        for name, course in self.courses.items():
            self._check_course(self.whole.topics[name], course)

    def _violated(self, invariant: int, what: str, *records: Any) -> None:
        self.whole.violated(invariant, f"{self.client.name}: {what}", *records)

    def _take(self, course: _Course, event: Delivered) -> None:
        publication = self.whole.by_value.get((event.topic, event.value))
        if publication is None:
            return self._violated(2, "received what no publisher sent", event)
        if publication.is_refused:
            self._violated(2, "received a refused publication", event, *publication.attempts)
        index = self.whole.topics[event.topic].index.get(event.value)
        if index is None:
            if not self.whole.ended_epochs and not publication.is_refused:
                self._violated(1, "received what is not in the log", event)
            course.loss = event
            return None
        if index in course.received:
            return self._violated(2, "received twice", course.received[index], event)
        before = course.received.get(course.at - 1)
        course.received[index] = event
        if index < course.at:
            return self._violated(2, "received out of order", before or course.began, event)
        course.at = index + 1
        self._check_cursor(event)
        return None

    def _check_cursor(self, event: Delivered) -> None:
        if event.place.cursor is None:
            return
        if self.latest and self.latest.place.cursor >= event.place.cursor:
            self._violated(2, "topics received out of the order of cursors", self.latest, event)
        self.latest = event

    def _take_gap(self, course: _Course, event: Gap) -> None:
        topic = self.whole.topics[event.topic]
        begin = course.at
        if event.since and not event.is_new_epoch:
            begin = topic.passed(event.since)
        end = max(begin, topic.passed(event.through))
        course.gaps.append((event, begin, end, course.loss is not None))
        course.loss = None
        if event.is_new_epoch:
            self.latest = None

    def _check_course(self, topic: _TopicLog, course: _Course) -> None:
        edges = [0] * (len(topic.entries) + 1)
        for gap, begin, end, has_lost in course.gaps:
            edges[begin] += 1
            edges[end] -= 1
            is_missing = any(index not in course.received for index in range(begin, end))
            is_lost = has_lost or gap.is_new_epoch and self.whole.ended_epochs
            if not is_missing and not is_lost:
                self._violated(4, "received a gap where nothing is missing", gap)
        end = len(topic.entries) if self.client.is_complete else course.at
        depth = list(accumulate(edges))
        missing = [
            index
            for index in range(course.start, end)
            if index not in course.received and not depth[index]
        ]
        if missing:
            around = [
                course.received.get(index)
                for index in (missing[0] - 1, missing[-1] + 1)
                if index in course.received
            ]
            what = f"{len(missing)} publications missing without a gap, the first and last of them"
            entries = [topic.entries[index] for index in sorted({missing[0], missing[-1]})]
            self._violated(1, what, *entries, *around)
        if course.loss and self.client.is_complete and self.whole.ended_epochs:
            self._violated(1, "received what the log has lost, and no gap after it", course.loss)
