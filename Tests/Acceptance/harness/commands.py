"""Commands of the binary that end by themselves."""

import itertools
from typing import Any

from .processes import Process

END_SECONDS = 60.0
_numbers = itertools.count(1)


def begun(stage: Any, *arguments: str) -> Process:
    return stage.run(f"command-{next(_numbers)}", *arguments)


def ended(stage: Any, *arguments: str) -> tuple[int, Process]:
    """Its exit status, and what it has written."""
    process = begun(stage, *arguments)
    return process.wait(within=END_SECONDS), process


def run(stage: Any, *arguments: str) -> dict[str, str]:
    """The lines `name: value` of its output."""
    status, process = ended(stage, *arguments)
    assert status == 0, process.log
    return dict(line.split(": ", 1) for line in process.output.splitlines())


def refused(stage: Any, *arguments: str) -> str:
    """Its error."""
    status, process = ended(stage, *arguments)
    assert status == 1, (status, process.output)
    return process.log
