"""Values with one thing wrong, for schemas that must not take them."""

import copy
from collections.abc import Iterator
from typing import Any


def spoilings(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing wrong, at every place of it, and what that is."""
    for path in paths(value):
        *way, key = path
        spoiled = copy.deepcopy(value)
        del inner(spoiled, way)[key]
        yield f"without {key}", spoiled
        spoiled = copy.deepcopy(value)
        inner(spoiled, way)[key] = [["another type"]]
        yield f"another type of {key}", spoiled
    for way in objects(value):
        spoiled = copy.deepcopy(value)
        inner(spoiled, way)["more"] = 1
        yield "with more" + "".join(f" in {key}" for key in way), spoiled


def paths(value: Any) -> Iterator[tuple]:
    """The ways to all keys of objects, also of those in lists."""
    for way in objects(value):
        for key in inner(value, way):
            yield (*way, key)


def objects(value: Any) -> Iterator[tuple]:
    """The ways to all objects."""
    if isinstance(value, dict):
        yield ()
    for key, each in members(value):
        yield from ((key, *rest) for rest in objects(each))


def members(value: Any) -> list[tuple]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def inner(value: Any, way: tuple) -> Any:
    for key in way:
        value = value[key]
    return value
