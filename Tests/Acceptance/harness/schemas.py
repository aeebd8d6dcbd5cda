"""The JSON Schemas of `protocol/schemas`, and what is held against them."""

import functools
import json
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from .processes import REPOSITORY

DIRECTORY = REPOSITORY / "protocol/schemas"


def assert_fits(value: Any, name: str, part: str = "") -> None:
    """`name` is the file's without its suffix; `part` the way to a part of it, such as
    `$defs/point`."""
    problems = [f"{each.json_path}: {each.message}" for each in problems_of(value, name, part)]
    assert not problems, f"{name}: {problems}\n{json.dumps(value, ensure_ascii=False)}"


def problems_of(value: Any, name: str, part: str = "") -> list[Any]:
    return list(_validator(f"{name}.json#/{part}" if part else f"{name}.json").iter_errors(value))


@functools.cache
def _validator(reference: str) -> Draft202012Validator:
    registry = Registry().with_resources(
        [(path.name, Resource.from_contents(json.loads(path.read_text()))) for path in _files()]
    )
    return Draft202012Validator({"$ref": reference}, registry=registry)


def _files() -> list[Any]:
    return sorted(DIRECTORY.glob("*.json"))


def names() -> list[str]:
    return [path.stem for path in _files()]
