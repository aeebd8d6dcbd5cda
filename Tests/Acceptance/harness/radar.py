"""Radars as their app has them: the configuration, the routes, and the socket."""

import http.client
import json
import threading
import uuid
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from .hub import Hub
from .provider import ANTHROPIC, OPENAI, Provider
from .provider_answers import MODELS
from .radar_app import Transcript
from .schemas import assert_fits
from .settings import API_KEY
from .waiting import wait_until

ANSWER_SECONDS = 30.0
PROVIDER_KEY = "acceptance-provider-key-0123456789abcdef"
TIMEOUT = "20s"
# A new radar is polled within two seconds, and some sources want to be asked twice.
POLL_SECONDS = 40.0

# By kind of answer: the schema of the whole, or of each of a list.
SCHEMAS = {
    "radar": "radar",
    "opinion": "radar-opinion",
    "trend": "radar-trend",
    "interpretation": "radar-interpretation",
    "error": "radar-error",
}
SCHEMAS_OF_ITEMS = {"radars": "radar", "opinions": "radar-opinion"}


# Configuration


def radar_section(*sources: dict[str, Any], **values: Any) -> str:
    """One poll a day, which nothing repeats but a refresh; and nothing is taken from a cache."""
    section = {
        "interval": "24h",
        "watched_interval": "24h",
        "cache_age": "0s",
        "refresh_interval": "0s",
        "refreshes_per_minute": 1000,
        "creations_per_minute": 1000,
        "pushes_per_minute": 1000,
        "user_share_percent": 100,
        "sources": list(sources),
        **values,
    }
    return json.dumps(section)


def ai_source(provider: Provider, kind: str = ANTHROPIC, **values: Any) -> dict[str, Any]:
    return {
        "name": "claude" if kind == ANTHROPIC else "gpt",
        "kind": kind,
        "url": provider.url + ("/v1" if kind == OPENAI else ""),
        "model": MODELS[kind],
        "key": PROVIDER_KEY,
        "timeout": TIMEOUT,
        **values,
    }


def page_source(provider: Provider, **values: Any) -> dict[str, Any]:
    mapping = {key: key for key in ("items", "id", "stance", "content", "confidence", "author")}
    return {
        "name": "page",
        "kind": "json",
        "url": provider.url + "/opinions?topic={topic}",
        "mapping": mapping,
        "timeout": TIMEOUT,
        **values,
    }


# Routes


@dataclass(frozen=True)
class RadarAnswer:
    status: int
    # Names in lower case.
    headers: dict[str, str]
    text: str

    @property
    def value(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """Of an error."""
        return str(self.value["code"])


class RadarAPI:
    """The routes, with one user's token or none.

    Every answer is held against its schema and kept for the app.
    """

    def __init__(self, hub: Hub, transcript: Transcript, token: str = "") -> None:
        self._hub = hub
        self._transcript = transcript
        self._token = token

    def create(self, topic: str, **values: Any) -> Any:
        return self.ask("POST", "/api/radars", {"topic": topic, **values}, "radar", 201).value

    def list(self, query: str = "") -> Any:
        return self.ask("GET", f"/api/radars{query}", None, "radars").value

    def radar(self, radar_id: str) -> Any:
        return self.ask("GET", f"/api/radars/{radar_id}", None, "radar").value

    def polled(self, radar_id: str, times: int = 1) -> Any:
        """The radar, when it was polled so often."""
        return wait_until(
            lambda: next(
                (each for each in [self.radar(radar_id)] if each["refreshCount"] >= times), None
            ),
            within=POLL_SECONDS,
            what=f"{radar_id} is polled {times} times",
        )

    def tried(self, radar_id: str) -> Any:
        """The radar after a poll, also after one in which no source has answered."""
        return wait_until(
            lambda: next((each for each in [self.radar(radar_id)] if each["lastPoll"]), None),
            within=POLL_SECONDS,
            what=f"{radar_id} is polled",
        )

    def explain(self, radar_id: str) -> Any:
        """No app asks for it."""
        answer = self.send("GET", f"/api/radars/{radar_id}?explain=1")
        assert answer.status == 200, answer.text
        assert_fits(answer.value, "radar-explanation")
        return answer.value

    def change(self, radar_id: str, **values: Any) -> Any:
        return self.ask("PATCH", f"/api/radars/{radar_id}", values, "radar").value

    def delete(self, radar_id: str) -> None:
        self.ask("DELETE", f"/api/radars/{radar_id}", None, "empty")

    def refresh(self, radar_id: str) -> Any:
        return self.ask("POST", f"/api/radars/{radar_id}/refresh", None, "radar").value

    def opinions(self, radar_id: str, query: str = "") -> Any:
        return self.ask("GET", f"/api/radars/{radar_id}/opinions{query}", None, "opinions").value

    def push(self, radar_id: str, **opinion: Any) -> Any:
        """As a backend does that has the hub's API key."""
        target = f"/api/radars/{radar_id}/opinions"
        fields = {"X-API-Key": API_KEY}
        return self.ask("POST", target, opinion, "opinion", 201, fields).value

    def trend(self, radar_id: str, query: str = "") -> Any:
        return self.ask("GET", f"/api/radars/{radar_id}/trends{query}", None, "trend").value

    def interpret(self, topic: str) -> Any:
        return self.ask("POST", "/api/interpret", {"topic": topic}, "interpretation").value

    def refused(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        status: int,
        code: str,
        headers: dict[str, str] | None = None,
    ) -> RadarAnswer:
        """Fails unless the answer is this error."""
        answer = self.ask(method, target, body, "error", status, headers)
        assert answer.code == code, f"{method} {target}: {answer.text}"
        return answer

    def ask(
        self,
        method: str,
        target: str,
        body: Any,
        kind: str,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> RadarAnswer:
        """Fails unless the answer has this status and is of this kind."""
        answer = self.send(method, target, body, headers)
        assert answer.status == status, f"{method} {target}: {answer.status} {answer.text}"
        assert answer.headers["content-type"].startswith("application/json")
        self._transcript.add(kind, answer.text)
        if kind in SCHEMAS:
            assert_fits(answer.value, SCHEMAS[kind])
        elif kind in SCHEMAS_OF_ITEMS:
            for item in answer.value:
                assert_fits(item, SCHEMAS_OF_ITEMS[kind])
        else:
            assert answer.value == {}
        return answer

    def send(
        self,
        method: str,
        target: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> RadarAnswer:
        """Bytes are sent as they are, everything else as JSON."""
        request_id = str(uuid.uuid4())
        fields = {"Content-Type": "application/json", "X-Request-ID": request_id}
        if self._token:
            fields["Authorization"] = f"Bearer {self._token}"
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self._hub.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, target, body=content, headers=fields | (headers or {}))
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            text = response.read().decode()
        finally:
            connection.close()
        assert names["x-request-id"] == request_id, f"{method} {target}"
        return RadarAnswer(response.status, names, text)


# The socket


class RadarSocket:
    """The app's socket of one radar, read on a thread of its own.

    It is open when the whole radar has come. Every message is held against its schema and kept for
    the app.
    """

    def __init__(
        self, hub: Hub, transcript: Transcript, radar_id: str, query: str = "", token: str = ""
    ) -> None:
        # What was missed, if the query asks for it, and then the radar.
        self.opening: list[Any] = []
        self.messages: list[Any] = []
        # Code and reason of the hub's close frame.
        self.closed: tuple[int, str] | None = None
        self.problems: list[str] = []
        self._transcript = transcript
        self._connection = connect(
            f"ws://127.0.0.1:{hub.port}/api/ws/radar/{radar_id}{query}",
            additional_headers={"Authorization": f"Bearer {token}"} if token else None,
            proxy=None,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        wait_until(
            lambda: self._is_open or self.closed or self.problems,
            within=ANSWER_SECONDS,
            what="the socket begins with its radar",
        )

    @property
    def cursor(self) -> str | None:
        """Of the last message that has one."""
        all_messages = [*self.opening, *self.messages]
        return next((each["cursor"] for each in reversed(all_messages) if each["cursor"]), None)

    @property
    def _is_open(self) -> bool:
        return bool(self.opening) and self.opening[-1]["type"] == "refresh"

    def of_type(self, message_type: str) -> list[Any]:
        return [each for each in self.messages if each["type"] == message_type]

    def close(self) -> None:
        self._connection.close()
        self._thread.join(ANSWER_SECONDS)
        assert not self.problems, self.problems

    def _read(self) -> None:
        try:
            while True:
                self._take(self._connection.recv())
        except ConnectionClosed as closed:
            if closed.rcvd:
                self.closed = (closed.rcvd.code, closed.rcvd.reason)

    def _take(self, text: str | bytes) -> None:
        if isinstance(text, bytes):
            self.problems.append("a binary message")
            return
        self._transcript.add("update", text)
        message = json.loads(text)
        try:
            assert_fits(message, "radar-update")
        except AssertionError as problem:
            self.problems.append(str(problem))
        (self.messages if self._is_open else self.opening).append(message)
