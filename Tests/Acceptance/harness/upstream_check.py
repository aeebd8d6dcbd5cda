"""Runs `upstream-check`, which makes requests with the hub's client: Tests/UpstreamServers."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .processes import BINARY
from .web_servers import HOST

UPSTREAM_CHECK = BINARY.parent / "upstream-check"
CONCURRENCY = 32
# The slowest ten thousand requests take about a minute.
RUN_SECONDS = 240.0


@dataclass(frozen=True)
class Check:
    is_good: bool
    # The JSON object that the command printed.
    values: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def write_contents(directory: Path) -> None:
    """Writes the files that the servers serve."""
    assert UPSTREAM_CHECK.exists(), f"no {UPSTREAM_CHECK}: run 'make upstream-check' first"
    contents = directory / "contents"
    contents.mkdir()
    subprocess.run([UPSTREAM_CHECK, "contents", contents], check=True, timeout=RUN_SECONDS)


def check(
    scheme: str, port: int, requests: int, *options: Any, concurrency: int = CONCURRENCY
) -> Check:
    command = [UPSTREAM_CHECK, f"{scheme}://{HOST}:{port}", requests, concurrency, *options]
    run = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=RUN_SECONDS
    )
    if run.returncode not in (0, 1):
        pytest.fail(f"status {run.returncode}: {run.stderr}")
    return Check(run.returncode == 0, json.loads(run.stdout))
