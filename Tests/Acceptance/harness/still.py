"""An upstream whose products stand still: recorded answers, moved to one moment."""

import json
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from .processes import REPOSITORY
from .upstream import Answer, Upstream

TIME = re.compile(rb"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d")
JSON_TYPE = {"Content-Type": "application/json"}


class StillUpstream(Upstream):
    """Answers each feed of `bodies` with its bytes, and 404 where there are none."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__(replay_port=0)
        self.bodies = bodies
        # With it, who has asked before is told 304.
        self.etag = ""

    def _good(self, feed: str, request: Any, *, conditional: bool) -> Answer:
        if feed not in self.bodies:
            return Answer(404, b"not found\n", {})
        headers = JSON_TYPE | ({"ETag": self.etag} if self.etag else {})
        if conditional and self.etag and request.headers["If-None-Match"] == self.etag:
            return Answer(304, b"", headers)
        return Answer(200, self.bodies[feed], headers)


def recorded(name: str, *, moved: timedelta = timedelta()) -> bytes:
    """The bytes of a recording, all of its times moved by one constant."""
    body = (REPOSITORY / "recordings" / name).read_bytes()
    return shifted(body, moved) if moved else body


def shifted(body: bytes, by: timedelta) -> bytes:
    def move(found: re.Match[bytes]) -> bytes:
        time = datetime.fromisoformat(found[0].decode()) + by
        return time.strftime(f"%Y-%m-%d{found[1].decode()}%H:%M:%S").encode()

    return TIME.sub(move, body)


def between(recorded_at: str, presented_at: str) -> timedelta:
    return datetime.fromisoformat(presented_at) - datetime.fromisoformat(recorded_at)


# What befalls a table of SWPC's, in either shape. Each gets the rows without the header.

Rows = list[Any]


def respelled(body: bytes, change: Callable[[Rows, list[str] | None], Rows]) -> bytes:
    """The table with other rows; `change` gets the header where there is one."""
    rows = json.loads(body)
    header = rows[0] if isinstance(rows[0], list) else None
    changed = change(rows[1:] if header else rows, header)
    return json.dumps([header, *changed] if header else changed).encode()


def out_of_order(body: bytes) -> bytes:
    def shuffle(rows: Rows, _: list[str] | None) -> Rows:
        # A seed of its own: the same order in each run.
        return random.Random(7).sample(rows, len(rows))

    return respelled(body, shuffle)


def duplicated(body: bytes, **absurd: float) -> bytes:
    """Each minute a second time, with values that would be a storm."""
    return respelled(body, lambda rows, header: rows + [_with(r, header, absurd) for r in rows])


def with_future(body: bytes, ahead: timedelta, **absurd: float) -> bytes:
    """Besides what is there, rows of a storm that has not happened yet."""

    def add(rows: Rows, header: list[str] | None) -> Rows:
        newest = max(rows, key=lambda row: row[0] if header else row["time_tag"])
        later = json.loads(shifted(json.dumps(newest).encode(), ahead))
        return [_with(later, header, absurd), *rows]

    return respelled(body, add)


def with_another_craft(body: bytes, until: str, **absurd: float) -> bytes:
    """The craft that is active changes at `until`; what the inactive one says is a storm."""

    def switch(rows: Rows, _: list[str] | None) -> Rows:
        changed = []
        for row in rows:
            is_active = row["active"] == (row["time_tag"] >= until)
            row = row | {"active": is_active}
            changed.append(row if is_active else _with(row, None, absurd))
        return changed

    return respelled(body, switch)


def _with(row: Any, header: list[str] | None, values: dict[str, float]) -> Any:
    if header is None:
        return row | {name: value for name, value in values.items() if name in row}
    return [values.get(name, value) for name, value in zip(header, row)]
