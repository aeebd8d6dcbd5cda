"""Waiting for something to happen, with an end."""

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

# Short against everything that is waited for, long against a look.
PAUSE_SECONDS = 0.02


def wait_until(
    condition: Callable[[], Result], *, within: float, what: str | Callable[[], str]
) -> Result:
    """Returns the first true value of `condition`; fails with `what` after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            text = what if isinstance(what, str) else what()
            raise AssertionError(f"not within {within:g} s: {text}")
        time.sleep(PAUSE_SECONDS)
