"""Decodes the answers of a hub as the two news apps do.

The program `news-app` decodes them in Swift, with the types of the apps' documents: Tests/NewsContract.
"""

import json
import subprocess
from typing import Any

from harness.processes import BINARY
from harness.radar_app import is_part

NEWS_APP = BINARY.parent / "news-app"
DECODING_SECONDS = 60.0


class Transcript:
    """Answers of a hub, by kind."""

    def __init__(self) -> None:
        self._items: list[tuple[str, Any]] = []

    def add(self, kind: str, value: Any) -> Any:
        self._items.append((kind, value))
        return value

    def assert_apps_decode_everything(self) -> None:
        """Also asserts that the decoded values are those that the hub sent."""
        assert NEWS_APP.exists(), f"no {NEWS_APP}: run 'make news-app' first"
        lines = [
            json.dumps({"kind": kind, "text": json.dumps(value)}) for kind, value in self._items
        ]
        run = subprocess.run(
            [NEWS_APP],
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            timeout=DECODING_SECONDS,
        )
        assert run.returncode == 0, f"the app would drop this: {run.stderr.decode()}"
        decoded = [json.loads(line) for line in run.stdout.decode().splitlines()]
        for (kind, sent), has in zip(self._items, decoded, strict=True):
            assert is_part(has, sent), f"the app has {has} of {kind} {sent}"
