"""The event log as it stands in the database, read past the hub.

The tables: Sources/Store/Schema.swift.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LoggedEvent:
    cursor: int
    topic: str
    offset: int
    data: str


def event_log(database: Path) -> list[LoggedEvent]:
    """Every publication that was ever committed, in that order. Fails if any was evicted."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        evicted = connection.execute("SELECT name FROM topic WHERE evicted_offset > 0").fetchall()
        assert not evicted, f"the history of {evicted} does not reach back to the beginning"
        rows = connection.execute(
            """
            SELECT cursor, name, topic_offset, payload
            FROM publication JOIN topic ON topic.id = topic_id
            ORDER BY cursor
            """
        ).fetchall()
    return [LoggedEvent(cursor, name, offset, data.decode()) for cursor, name, offset, data in rows]
