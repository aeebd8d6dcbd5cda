"""Decodes the answers of a hub as the film app does.

The program `activity-app` decodes them in Swift, with the types of the app's document: Tests/ActivityContract.
"""

import json
import subprocess
from typing import Any

from harness.processes import BINARY
from harness.radar_app import is_part

ACTIVITY_APP = BINARY.parent / "activity-app"
DECODING_SECONDS = 60.0


class Transcript:
    """Answers of a hub, by kind."""

    def __init__(self) -> None:
        self._items: list[tuple[str, Any]] = []

    def add(self, kind: str, value: Any) -> Any:
        self._items.append((kind, value))
        return value

    def assert_app_decodes_everything(self) -> None:
        """Also asserts that the decoded values are those that the hub sent."""
        assert ACTIVITY_APP.exists(), f"no {ACTIVITY_APP}: run 'make activity-app' first"
        lines = [
            json.dumps({"kind": kind, "text": json.dumps(value)}) for kind, value in self._items
        ]
        run = subprocess.run(
            [ACTIVITY_APP],
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            timeout=DECODING_SECONDS,
        )
        assert run.returncode == 0, f"the app would drop this: {run.stderr.decode()}"
        decoded = [json.loads(line) for line in run.stdout.decode().splitlines()]
        for (kind, sent), has in zip(self._items, decoded, strict=True):
            assert is_part(has, sent), f"the app has {has} of {kind} {sent}"
