"""The descriptions of `protocol/openapi`, and answers held against them."""

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from .hub import Response
from .processes import REPOSITORY

PROTOCOL = REPOSITORY / "protocol"
DIRECTORY = PROTOCOL / "openapi"
METHODS = ("get", "post", "put", "patch", "delete")
# What other descriptions refer to; it has no paths of its own.
SHARED = "common"
BASE = "file:///protocol/"
# Routes that a hub with every domain answers as another description says.
ALTERNATIVES = frozenset({"accounts"})


def names() -> list[str]:
    """Of the descriptions that have paths."""
    return sorted(path.stem for path in DIRECTORY.glob("*.json") if path.stem != SHARED)


def uri(name: str) -> str:
    return f"{BASE}openapi/{name}.json"


@functools.cache
def _contents() -> dict[str, Any]:
    paths = [*DIRECTORY.glob("*.json"), *(PROTOCOL / "schemas").glob("*.json")]
    return {
        BASE + str(path.relative_to(PROTOCOL)): json.loads(path.read_text()) for path in paths
    }


@functools.cache
def _registry() -> Registry:
    return Registry().with_resources(
        (uri, Resource(contents, DRAFT202012)) for uri, contents in _contents().items()
    )


@dataclass(frozen=True)
class Node:
    """A place in a description, reached through all references."""

    uri: str
    pointer: str

    @property
    def value(self) -> Any:
        found = _contents()[self.uri]
        for part in self.pointer.split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def child(self, *keys: str | int) -> "Node":
        node = self
        for key in keys:
            part = str(key).replace("~", "~0").replace("/", "~1")
            node = Node(node.uri, f"{node.pointer}/{part}").resolved()
        return node

    def children(self) -> Iterator[tuple[Any, "Node"]]:
        """By key or index."""
        value = self.value
        for key in value if isinstance(value, dict) else range(len(value)):
            yield key, self.child(key)

    def resolved(self) -> "Node":
        node = self
        while isinstance(node.value, dict) and "$ref" in node.value:
            node = node.target(node.value["$ref"])
        return node

    def target(self, reference: str) -> "Node":
        """What a reference in this document leads to."""
        uri, _, pointer = urljoin(self.uri, reference).partition("#")
        return Node(uri, pointer)

    def problems(self, value: Any) -> list[str]:
        """Of a value, when this is a schema."""
        validator = Draft202012Validator(
            {"$ref": f"{self.uri}#{self.pointer}"},
            registry=_registry(),
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(value)]


@dataclass(frozen=True)
class Operation:
    document: str
    path: str
    method: str
    node: Node

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def id(self) -> str:
        return str(self.node.value["operationId"])

    @property
    def parameters(self) -> list[Node]:
        """Those of the path, too."""
        item = Node(uri(self.document), "").child("paths", self.path)
        of_path = item.child("parameters").children() if "parameters" in item else ()
        own = self.node.child("parameters").children() if "parameters" in self.node else ()
        return [node for _, node in [*of_path, *own]]

    @property
    def body(self) -> Node | None:
        """The schema of its JSON."""
        if "requestBody" not in self.node:
            return None
        return self.node.child("requestBody", "content", "application/json", "schema")

    @property
    def statuses(self) -> set[str]:
        return set(self.node.child("responses").value)

    @property
    def security(self) -> list[Any]:
        everywhere = _contents()[uri(self.document)].get("security", [])
        return self.node.value.get("security", everywhere)

    def leads_to(self, path: str) -> bool:
        parts = [
            "[^/]+" if part.startswith("{") else re.escape(part) for part in self.path.split("/")
        ]
        return re.fullmatch("/".join(parts), path) is not None


@functools.cache
def all_operations() -> list[Operation]:
    return [
        Operation(name, path, method, item.child(method))
        for name in names()
        for path, item in Node(uri(name), "").child("paths").children()
        for method in METHODS
        if method in item
    ]


@functools.cache
def operations() -> list[Operation]:
    """Those of a hub with every domain."""
    return [each for each in all_operations() if each.document not in ALTERNATIVES]


def methods_by_path() -> dict[str, set[str]]:
    """The described methods, and those that come with them: HEAD with GET, OPTIONS with all."""
    found: dict[str, set[str]] = {}
    for each in operations():
        implied = {"HEAD"} if each.method == "get" else set()
        found.setdefault(each.path, {"OPTIONS"}).update({each.method.upper()} | implied)
    return found


def operation(method: str, target: str, document: str | None = None) -> Operation:
    """OpenAPI 3.1: paths without parameters are matched before those with them.

    Without a document, that of a hub with every domain.
    """
    path = urlsplit(target).path
    known = [each for each in all_operations() if each.document == document] or operations()
    found = [each for each in known if each.leads_to(path)]
    least = min((each.path.count("{") for each in found), default=0)
    for each in found:
        if each.path.count("{") == least and each.method == method.lower():
            return each
    raise AssertionError(f"{method} {path} is not described")


def examples_of(media: Node) -> Iterator[Any]:
    """Of what a request or an answer has in one media type."""
    if "example" in media:
        yield media.value["example"]
    for example in media.value.get("examples", {}).values():
        yield example["value"]


def assert_described(
    method: str, target: str, answer: Response, document: str | None = None
) -> Operation:
    """Fails unless the description has this answer: its status, its headers and its body."""
    found = operation(method, target, document)
    story = f"{method} {target}: {answer.status} {answer.headers} {answer.body[:600]!r}"
    assert str(answer.status) in found.statuses, f"status is not described: {story}"
    response = found.node.child("responses", str(answer.status))
    problems = _problems_of_headers(response, answer) + _problems_of_content(response, answer)
    assert not problems, f"{problems}: {story}"
    return found


def _problems_of_headers(response: Node, answer: Response) -> list[str]:
    problems = []
    described = response.child("headers").children() if "headers" in response else ()
    for name, header in described:
        text = answer.headers.get(name.lower())
        schema = header.child("schema")
        if text is not None:
            is_number = schema.value.get("type") == "integer" and text.isdecimal()
            problems += [
                f"{name}: {each}" for each in schema.problems(int(text) if is_number else text)
            ]
        elif header.value.get("required"):
            problems.append(f"{name} is missing")
    # Whoever reads the description knows of every limit and every validator.
    known = {name.lower() for name in response.value.get("headers", {})}
    told = {"etag", "retry-after", "www-authenticate", "x-request-id", "cache-control"}
    problems += [
        f"{name} is not described"
        for name in answer.headers
        if (name in told or name.startswith("x-ratelimit")) and name not in known
    ]
    return problems


def _problems_of_content(response: Node, answer: Response) -> list[str]:
    if not answer.body:
        return ["there is no body"] if "content" in response else []
    if "content" not in response:
        return ["there is a body"]
    media_type = answer.headers["content-type"].partition(";")[0]
    if media_type not in response.child("content"):
        return [f"{media_type} is not described"]
    schema = response.child("content", media_type, "schema")
    is_json = media_type.endswith("json") and not media_type.endswith("ndjson")
    return schema.problems(json.loads(answer.body) if is_json else answer.body.decode())
