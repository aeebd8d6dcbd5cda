"""The radar's own app, as far as a hub can tell: what it was sent, and what it makes of it.

It decodes in Swift, by the coding that the compiler makes of its models: Tests/RadarContract.
"""

import json
import subprocess
import threading
from typing import Any

from .processes import BINARY

RADAR_APP = BINARY.parent / "radar-app"
DECODING_SECONDS = 60.0


class Transcript:
    """Every text that hubs have sent to apps in one test, from any thread."""

    def __init__(self) -> None:
        self._items: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def add(self, kind: str, text: str) -> None:
        with self._lock:
            self._items.append((kind, text))

    def kinds(self) -> set[str]:
        with self._lock:
            return {kind for kind, _ in self._items}

    def assert_app_decodes_everything(self) -> None:
        """And that it has the values that were sent."""
        lines = [json.dumps({"kind": kind, "text": text}) for kind, text in self._items]
        assert RADAR_APP.exists(), f"no {RADAR_APP}: run 'make radar-app' first"
        run = subprocess.run(
            [RADAR_APP],
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            timeout=DECODING_SECONDS,
        )
        assert run.returncode == 0, f"the app would drop this: {run.stderr.decode()}"
        decoded = [json.loads(line) for line in run.stdout.decode().split("\n")[:-1]]
        assert len(decoded) == len(self._items)
        for (_, text), value in zip(self._items, decoded, strict=True):
            assert is_part(value, json.loads(text)), f"the app has {value} of {text}"


def is_part(part: Any, whole: Any) -> bool:
    """Whether `part` is `whole` without some keys, and without nulls."""
    if isinstance(whole, dict):
        return isinstance(part, dict) and all(
            key in whole and is_part(value, whole[key]) for key, value in part.items()
        )
    if isinstance(whole, list):
        return (
            isinstance(part, list)
            and len(part) == len(whole)
            and all(is_part(*pair) for pair in zip(part, whole, strict=True))
        )
    return bool(part == whole)
