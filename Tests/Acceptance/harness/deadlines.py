"""Many requests at a time, each with the time to its answer."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# What the apps' documents ask for.
ANSWER_SECONDS_MAX = 4.0
# Enough for a short test, few enough that the test itself delays no answer.
AT_ONCE = 25


def timed(ask: Callable[[Any], Any], values: Sequence[Any]) -> list[tuple[float, Any]]:
    """The answers for all values in their order, with the seconds that each took."""

    def one(value: Any) -> tuple[float, Any]:
        begin = time.monotonic()
        answer = ask(value)
        return time.monotonic() - begin, answer

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(one, values))


def late(answers: list[tuple[float, Any]]) -> list[float]:
    return [seconds for seconds, _ in answers if seconds > ANSWER_SECONDS_MAX]
