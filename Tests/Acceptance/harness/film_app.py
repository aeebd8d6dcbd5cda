"""The film app as its back end sees it: requests with a token, and people who make friends."""

import http.client
import json
import threading
import time
from dataclasses import dataclass
from typing import Any

from .hub import Hub, Response
from .processes import REPOSITORY
from .settings import ENVIRONMENT

REQUEST_SECONDS = 30.0
RETRY_SECONDS = 0.05
DEVELOPMENT = "development"
# Films 1 to 100.
CATALOGUE = REPOSITORY / "demo/catalogue.json"


# Nobody comes near them, but who wants to.
RATES = {"requests_per_minute": 1_000_000, "writes_per_minute": 1_000_000}
# Everybody logs in from one address.
LOGINS = 1_000_000


def film_hub(stage: Any, *more: str, logins: int = LOGINS, **activity: Any) -> Hub:
    """A hub with the film app in development, started; `more` are lines of its configuration."""
    section = {"catalogue": str(CATALOGUE)} | RATES | activity
    hub = stage.hub(environment=ENVIRONMENT)
    rates = f"rates: {{address: {{logins: {logins}}}}}"
    lines = ["development: true", f"activity: {json.dumps(section)}", rates, *more]
    hub.configure("\n".join([*lines, ""]))
    hub.start()
    return hub


@dataclass(frozen=True)
class Person:
    id: int
    name: str
    token: str

    @property
    def topic(self) -> str:
        return f"activity:{self.id}"


class FilmApp:
    """Requests to one hub, each thread over a connection of its own."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._local = threading.local()

    def call(
        self, method: str, path: str, token: str = "", body: Any = None, **headers: str
    ) -> Response:
        """One request. The connection that the last one left is used once more, if it is there."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        text = None
        if body is not None:
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        kept = getattr(self._local, "connection", None)
        while True:
            connection = kept or self._new()
            try:
                connection.request(method, path, text, sent)
                response = connection.getresponse()
                fields = {name.lower(): value for name, value in response.getheaders()}
                answer = Response(response.status, fields, response.read())
            except (http.client.HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if not kept:
                    raise
                kept = None
            else:
                self._local.connection = connection
                return answer

    def ask(self, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """The JSON of an answer that has to be a good one."""
        answer = self.call(method, path, token, body)
        assert 200 <= answer.status < 300, (method, path, answer)
        return answer.json()

    def insist(self, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """The same, asked until there is an answer: the hub may be away."""
        deadline = time.monotonic() + REQUEST_SECONDS
        while True:
            try:
                answer = self.call(method, path, token, body)
                if answer.status != 503:
                    assert 200 <= answer.status < 300, (method, path, answer)
                    return answer.json()
            except (http.client.HTTPException, OSError):
                pass
            assert time.monotonic() < deadline, f"{method} {path}: no answer"
            time.sleep(RETRY_SECONDS)

    def log_in(self, name: str) -> Person:
        body = {"provider": DEVELOPMENT, "token": name, "user_identifier": name}
        answer = self.ask("POST", "/auth/login", body=body)
        return Person(answer["user"]["user_id"], name, answer["access_token"])

    def befriend(self, one: Person, other: Person) -> None:
        answer = self.ask("POST", "/friends/requests", one.token, {"user_id": other.id})
        self.ask("POST", f"/friends/requests/{answer['request_id']}/accept", other.token)

    def pages(self, path: str, token: str, name: str, limit: int = 100) -> list[Any]:
        """Everything of a list."""
        items: list[Any] = []
        mark = "&" if "?" in path else "?"
        while True:
            page = self.ask("GET", f"{path}{mark}limit={limit}&offset={len(items)}", token)
            items += page[name]
            if not page["has_more"]:
                assert len(items) == page["total_count"], (path, page["total_count"])
                return items

    def _new(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=REQUEST_SECONDS)
