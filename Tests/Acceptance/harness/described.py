"""Requests whose answers are held against protocol/openapi, and a list of what was met."""

import contextlib
import http.client
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from .hub import Response
from .openapi import Operation, all_operations, assert_described, examples_of

ANSWER_SECONDS = 30.0
# Enough of a stream to see that it is one.
STREAM_BYTES = 8
STREAMS = ("text/event-stream", "application/x-ndjson")
# None of the domains has one.
NO_ID = "999999999"
# Over what any of the routes takes, and under what the hub takes at all.
# More than any limit that the tests configure.
REQUESTS_MAX = 10_000
LONG = b'{"name":"' + b"a" * (200 << 10) + b'"}'


class DescribedHub:
    """Everything that it answers is described, or the test fails."""

    def __init__(self, port: int, document: str | None = None) -> None:
        """With a document, only its routes are asked."""
        self._port = port
        self._document = document
        # Names of operations with statuses.
        self.met: set[tuple[str, str]] = set()

    def ask(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The JSON of the answer, or its text. Bytes are sent as they are, all else as JSON."""
        answer = self._described(method, target, body, headers)
        assert answer.status == status, f"{method} {target}: {answer}"
        content_type = answer.headers.get("content-type", "")
        if "json" in content_type and content_type not in STREAMS:
            return json.loads(answer.body)
        return answer.body.decode()

    def ask_any(
        self, method: str, target: str, body: Any = None, *, headers: dict[str, str]
    ) -> int:
        """The status, whichever it is."""
        return self._described(method, target, body, headers).status

    def ask_until_refused(self, target: str, *, headers: dict[str, str]) -> None:
        """Asks on one connection until the answer is 429, as fast as the hub answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            for _ in range(REQUESTS_MAX):
                connection.request("GET", target, headers=headers)
                response = connection.getresponse()
                response.read()
                if response.status == 429:
                    return
        finally:
            connection.close()
        raise AssertionError(f"GET {target} was answered {REQUESTS_MAX} times")

    def ask_operation(
        self, operation: Operation, body: Any = None, *, status: int, headers: dict[str, str]
    ) -> None:
        """With ids that there are not, and what a query needs."""
        method = operation.method.upper()
        self.ask(method, target_of(operation), body, status=status, headers=headers)

    def _described(
        self, method: str, target: str, body: Any, headers: dict[str, str] | None
    ) -> Response:
        answer = self._send(method, target, body, headers or {})
        operation = assert_described(method, target, answer, self._document)
        self.met.add((operation.id, str(answer.status)))
        return answer

    def _send(self, method: str, target: str, body: Any, headers: dict[str, str]) -> Response:
        fields = dict(headers)
        content = body
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, target, content, fields)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            is_stream = names.get("content-type") in STREAMS
            return Response(
                response.status, names, response.read(STREAM_BYTES if is_stream else None)
            )
        finally:
            connection.close()

    @contextlib.contextmanager
    def stream(self, method: str, target: str, body: Any) -> Iterator[http.client.HTTPResponse]:
        """An answer without an end, to be read line by line."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, target, json.dumps(body))
            yield connection.getresponse()
        finally:
            connection.close()

    # What the operations of a document have in common

    def refuse_everybody(self, document: str, but: Collection[str] = ()) -> None:
        """Without credentials, before anything else is looked at."""
        for each in described(document, "401"):
            if each.security and each.id not in but:
                self.ask_operation(each, example_of(each), status=401, headers={})

    def refuse_unknown_ids(
        self, document: str, headers: dict[str, str], but: Collection[str] = ()
    ) -> None:
        for each in described(document, "404"):
            if "{" in each.path and each.id not in but:
                fields = headers_for(each, headers)
                self.ask_operation(each, example_of(each), status=404, headers=fields)

    def refuse_bad_bodies(self, document: str, headers: dict[str, str]) -> None:
        """What is no JSON, and what is too long."""
        for status, content in (("400", b"{"), ("413", LONG)):
            for each in described(document, status):
                if each.body:
                    self.ask_operation(
                        each, content, status=int(status), headers=headers_for(each, headers)
                    )

    def unmet(self, document: str, busy: Collection[str] = ()) -> set[tuple[str, str]]:
        """What is described and was not met, but for faults of the hub.

        The operations `busy` answer 429 only to a user who asks for more than a test does here:
        Tests/Service/HTTPService has FairReadsTests and the tests of the radar's routes for that.
        """
        everything = {
            (each.id, status)
            for each in all_operations()
            if each.document == document
            for status in each.statuses - {"500", "503", "default"}
        }
        return everything - self.met - {(each, "429") for each in busy}


def target_of(operation: Operation, ids: str = NO_ID, **query: Any) -> str:
    """Its path with one text for every id, and its query with whatever it needs besides `query`."""
    needed = {
        each.value["name"]: 1
        for each in operation.parameters
        if each.value["in"] == "query" and each.value.get("required")
    }
    items = [f"{name}={value}" for name, value in (needed | query).items()]
    path = re.sub(r"\{\w+\}", ids, operation.path)
    return path + ("?" + "&".join(items) if items else "")


def described(document: str, status: str) -> list[Operation]:
    return [
        each for each in all_operations() if each.document == document and status in each.statuses
    ]


def example_of(operation: Operation) -> Any:
    """A body for it, if it takes one."""
    if not operation.body:
        return None
    media = operation.node.child("requestBody", "content", "application/json")
    return next(examples_of(media))


def headers_for(operation: Operation, headers: dict[str, str]) -> dict[str, str]:
    """Of the credentials those that the operation takes."""
    takes = {scheme for each in operation.security for scheme in each}
    kept = dict(headers)
    if "key" not in takes:
        kept.pop("X-API-Key", None)
    if "bearer" not in takes:
        kept.pop("Authorization", None)
    return kept
