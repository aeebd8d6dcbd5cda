"""A webhook receiver that believes nothing that the reference library does not verify."""

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

from .configuration import SECRET


@dataclass(frozen=True)
class Received:
    id: str
    # What the verified body says; None when it was not genuine.
    event: dict[str, Any] | None
    # Why it was not genuine.
    problem: str
    # Names in lower case.
    headers: dict[str, str]
    answer: int


class Receiver:
    """Listens on a port of its own and keeps what it receives."""

    def __init__(self, answers: list[int] | None = None) -> None:
        """`answers` are the statuses of the first responses; then everything is taken with 204."""
        self.received: list[Received] = []
        self._answers = list(answers or [])
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.send_response(receiver.take(body, headers))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing: what was received is what the test looks at."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    @property
    def genuine(self) -> list[Received]:
        return [received for received in self.received if received.event is not None]

    def take(self, body: bytes, headers: dict[str, str]) -> int:
        event, problem = None, ""
        try:
            event = Webhook(SECRET).verify(body, headers)
        except WebhookVerificationError as error:
            problem = str(error)
        with self._lock:
            answer = 401 if problem else self._answers.pop(0) if self._answers else 204
            identity = headers.get("webhook-id", "")
            self.received.append(Received(identity, event, problem, headers, answer))
        return answer

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
