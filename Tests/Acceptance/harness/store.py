"""What stands in the database, the event log first of all, read past the hub.

The tables: Sources/Store/Schema.swift.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class LoggedEvent:
    cursor: int
    topic: str
    offset: int
    data: str


def event_log(database: Path, topics: list[str] | None = None) -> list[LoggedEvent]:
    """Every publication that was ever committed, of all topics or of some, in that order.

    Fails if any was evicted.
    """
    evicted = _rows(database, "SELECT name FROM topic WHERE evicted_offset > 0")
    assert not evicted, f"the history of {evicted} does not reach back to the beginning"
    rows = _rows(
        database,
        """
        SELECT cursor, name, topic_offset, payload
        FROM publication JOIN topic ON topic.id = topic_id
        ORDER BY cursor
        """,
    )
    return [
        LoggedEvent(cursor, name, offset, data.decode())
        for cursor, name, offset, data in rows
        if topics is None or name in topics
    ]


# What the hub keeps of radars.


@dataclass(frozen=True)
class StoredOpinion:
    id: str
    radar_id: str
    content: str
    # Milliseconds since 1970, as all times here.
    created_at: int


@dataclass(frozen=True)
class StoredRadar:
    id: str
    topic: str
    refresh_count: int
    next_poll_at: int


@dataclass(frozen=True)
class Spending:
    """Of one source on one day, what is reserved for requests under way included."""

    source: str
    day: int
    requests: int
    tokens: int


def stored_opinions(database: Path) -> list[StoredOpinion]:
    """In the order in which they were committed."""
    rows = _rows(
        database,
        """
        SELECT opinion.id, radar.id, content, opinion.created_at
        FROM opinion JOIN radar ON radar.number = radar_number
        ORDER BY opinion.number
        """,
    )
    return [StoredOpinion(*row) for row in rows]


def stored_radars(database: Path) -> list[StoredRadar]:
    rows = _rows(database, "SELECT id, topic, refresh_count, next_poll_at FROM radar")
    return [StoredRadar(*row) for row in rows]


def spending(database: Path) -> list[Spending]:
    rows = _rows(database, "SELECT source, day, requests, tokens FROM spending ORDER BY day")
    return [Spending(*row) for row in rows]


def _rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        return connection.execute(query).fetchall()
