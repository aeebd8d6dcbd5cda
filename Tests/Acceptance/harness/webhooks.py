"""Webhooks as a backend has them: the routes, and a receiver that shows what came, by the byte."""

import base64
import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import standardwebhooks
import svix.webhooks
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .hub import Hub
from .settings import API_KEY
from .waiting import wait_until

ANSWER_SECONDS = 30.0
PATIENCE_SECONDS = 20.0
VERIFICATION = "webhook.verification"


@dataclass(frozen=True)
class Delivery:
    """One request, as it came."""

    path: str
    # Names in lower case.
    headers: dict[str, str]
    body: bytes
    # By time.monotonic().
    arrived: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> Any:
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return str(self.event["type"])

    def signatures(self, version: str) -> list[str]:
        """Those of `v1` or `v1a`, without it."""
        pairs = [each.split(",", 1) for each in self.headers["webhook-signature"].split(" ")]
        return [signature for kind, signature in pairs if kind == version]

    def verify(self, secret: str) -> None:
        """By both libraries, which know nothing of `v1a`; raises `WebhookVerificationError`."""
        assert standardwebhooks.Webhook(secret).verify(self.body, self.headers) == self.event
        svix.webhooks.Webhook(secret).verify(self.body, self.headers)

    def is_signed_with(self, public_key: str) -> bool:
        """Whether one of the `v1a` signatures is of this key."""
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        for signature in self.signatures("v1a"):
            try:
                key.verify(base64.b64decode(signature), signed)
            except InvalidSignature:
                continue
            return True
        return False


Answer = Callable[[Delivery], int]


class Inbox:
    """A receiver on a port of its own. `answer` says with which status it answers, and when."""

    def __init__(self, answer: Answer = lambda _: 204) -> None:
        self.answer = answer
        self.deliveries: list[Delivery] = []
        self._lock = threading.Lock()
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                arrived = time.monotonic()
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                delivery = Delivery(self.path, headers, body, arrived)
                with inbox._lock:
                    inbox.deliveries.append(delivery)
                self.send_response(inbox.answer(delivery))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing: `deliveries` has them all."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def events(self) -> list[Delivery]:
        """Without verifications."""
        return [each for each in self.deliveries if each.type != VERIFICATION]

    def at(self, path: str) -> list[Delivery]:
        return [each for each in self.events if each.path == path]

    def wait(self, count: int, path: str = "") -> list[Delivery]:
        """The events when there are so many, of one path or of all."""

        def found() -> list[Delivery]:
            return self.at(path) if path else self.events

        wait_until(
            lambda: len(found()) >= count,
            within=PATIENCE_SECONDS,
            what=lambda: f"{count} events; there are {len(found())}",
        )
        assert len(found()) == count, [each.event for each in found()]
        return found()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class WebhookAPI:
    """`/api/webhooks`, and the errors of `/api/alerts/rules`, which look alike."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def create(self, url: str, **values: Any) -> Any:
        return self.ask("POST", "/api/webhooks", {"url": url, **values}, status=201)

    def active(self, url: str, **values: Any) -> Any:
        """One that has answered its verification; with its secret."""
        made = self.create(url, **values)
        assert made["status"] == "pending"
        self.wait_for_status(made["id"], "active")
        return made

    def show(self, webhook_id: str) -> Any:
        return self.ask("GET", f"/api/webhooks/{webhook_id}")

    def wait_for_status(self, webhook_id: str, status: str) -> Any:
        wait_until(
            lambda: self.show(webhook_id)["status"] == status,
            within=PATIENCE_SECONDS,
            what=lambda: f"{self.show(webhook_id)} is {status}",
        )
        return self.show(webhook_id)

    def command(self, webhook_id: str, name: str, body: Any = None, *, status: int = 200) -> Any:
        return self.ask("POST", f"/api/webhooks/{webhook_id}/{name}", body, status=status)

    def log(self, webhook_id: str, query: str = "?limit=100") -> list[Any]:
        answer = self.ask("GET", f"/api/webhooks/{webhook_id}/deliveries{query}")
        return list(answer["deliveries"])

    def ask(self, method: str, target: str, body: Any = None, *, status: int = 200) -> Any:
        found, value = self.send(method, target, body)
        assert found == status, f"{method} {target}: {found} {value}"
        return value

    def refused(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        status: int,
        code: str,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Fails unless the answer is this error."""
        found, value = self.send(method, target, body, headers)
        assert (found, value.get("code")) == (status, code), f"{method} {target} {body}: {value}"
        assert value["message"]
        return value

    def send(
        self,
        method: str,
        target: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        """With the API key, unless there are other headers. Bytes are sent as they are."""
        fields = {"X-API-Key": API_KEY} if headers is None else headers
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self._hub.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, target, body=content, headers=fields)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()
